# SPDX-License-Identifier: Apache-2.0
"""A hostile library.json is a sentence and is never waited for."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from aa_dataset import load_dataset
from aa_dataset.errors import LibraryError
from tests.kit.library_folder import write_seal
from tests.kit.library_objects import SHARD

SEALS: dict[str, dict[str, Any]] = {
    "revision": {"revision": "../../../x"},
    "revision of another kind": {"revision": 5},
    "revision in capitals": {"revision": "0123456789ABCDEF"},
    "name": {"name": "../../x"},
    "name with an escape": {"name": "a\x1b[2J"},
    "name that is a list": {"name": ["articulatearena-20k"]},
    "objects": {"objects": -5},
    "objects as text": {"objects": "5"},
    "objects as a float": {"objects": 5.0},
    "objects without end": {"expected_objects": float("inf")},
    "expected objects": {"expected_objects": True},
    "sources": {"sources": {"generated": 3, "\x1b[2J": 2}},
    "sources as a list": {"sources": ["generated"]},
    "sources that do not add up": {"sources": {"generated": 3, "local": 1}},
    "a split with a path": {"splits": {"../x": 2}},
    "a split with an option": {"splits": {"--help": 2}},
    "a split counted wrongly": {"splits": {"library": 5, "train": 2, "eval200_1a2b3c4d": 4}},
    "a split that no table has": {
        "splits": {"library": 5, "train": 2, "eval200_1a2b3c4d": 3, "more": 1}
    },
    "no files": {"files": {}},
    "files as a list": {"files": []},
    "a benchmark that is a text": {"benchmark": "eval200-v0"},
}


@pytest.mark.parametrize("case", SEALS)
def test_a_seal_that_no_build_writes_is_a_sentence(library, case):
    write_seal(library, **SEALS[case])
    with pytest.raises(LibraryError, match=r"(library\.json|splits|objects).*(make library|again)"):
        load_dataset(library, verbose=False)


FILES: dict[str, tuple[str, Any]] = {
    "out of the library": ("../x", {"sha256": "0" * 64, "size": 0}),
    "absolute": ("/etc/passwd", {"sha256": "0" * 64, "size": 0}),
    "a table of no schema": ("more.parquet", {"sha256": "0" * 64, "size": 0}),
    "a tar that is no name": ("assets/../x.tar", {"sha256": "0" * 64, "size": 0}),
    "a tar with an escape": ("assets/\x1b.tar", {"sha256": "0" * 64, "size": 0}),
    "a negative size": (f"assets/{SHARD}.tar", {"sha256": "0" * 64, "size": -1}),
    "a size as text": (f"assets/{SHARD}.tar", {"sha256": "0" * 64, "size": "1"}),
    "a digest that is none": (f"assets/{SHARD}.tar", {"sha256": "x", "size": 1}),
    "a mark that is a list": (f"assets/{SHARD}.tar", [1]),
}


@pytest.mark.parametrize("case", FILES)
def test_a_seal_with_a_hostile_file_is_a_sentence(library, case):
    name, mark = FILES[case]
    files = json.loads((library / "library.json").read_text())["files"]
    write_seal(library, files=files | {name: mark})
    with pytest.raises(LibraryError, match=r"library\.json"):
        load_dataset(library, verbose=False)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"a":' * 100_000,
        '{"schema_version": "3", "objects": ' + "9" * 5000 + "}",
        '{"schema_version": "3", "schema_version": "3"}',
        '{"schema_version": "3", "objects": NaN}',
        '"\\ud800"',
    ],
    ids=["nested lists", "nested tables", "digits", "a key twice", "NaN", "half a character"],
)
def test_json_that_breaks_readers_is_a_sentence(library, text):
    (library / "library.json").write_text(text)
    with pytest.raises(LibraryError, match=r"library\.json is not readable.*make library"):
        load_dataset(library, verbose=False)


def test_a_file_that_is_a_pipe_is_refused_and_does_not_wait(library):
    path = library / "findings.parquet"
    path.unlink()
    os.mkfifo(path)
    seal = json.loads((library / "library.json").read_text())
    seal["files"]["findings.parquet"]["size"] = 0
    (library / "library.json").write_text(json.dumps(seal))
    with pytest.raises(LibraryError, match=r"findings\.parquet is not a regular file"):
        load_dataset(library, verbose=False)
