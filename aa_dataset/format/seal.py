# SPDX-License-Identifier: Apache-2.0
"""The seal of a library, `library.json`: the only module that reads and writes it.

The seal is written last, with size and digest of every other file. A folder without a seal, or with
files that differ from it, is incomplete or mixed and is refused.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from aa_dataset.errors import LibraryError, SchemaVersionError
from aa_dataset.files import FileSeal, read_at_most, write_bytes
from aa_dataset.format.benchmark import Benchmark, read_benchmark
from aa_dataset.format.credits import Credit, read_credits
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import SCHEMA_VERSION
from aa_dataset.format.validation import SEAL_BYTES, brief, check_seal, parse_seal

NEXT_STEP = "Run `make library` to rebuild it, or download it again; `aa verify` checks everything."


@dataclass(frozen=True, slots=True)
class Seal:
    """The contents of `library.json`.

    Attributes
    ----------
    name, revision, schema_version : str
        Name of the dataset, digest of its contents, version of its tables.
    expected_objects, objects : int
        Objects of the whole dataset, and of this library.
    sources, splits : dict of str to int
        Objects per source and per split.
    benchmark : Benchmark or None
        The version of the benchmark that the library holds.
    files : dict of str to FileSeal
        Every file of the library by its path relative to the folder.
    credits : dict of str to Credit
        What to cite, by source; empty in libraries of older builds.
    sha256 : str
        Digest of `library.json` itself, in hex; empty before it is written.
    """

    name: str
    revision: str
    schema_version: str
    expected_objects: int
    objects: int
    sources: dict[str, int]
    splits: dict[str, int]
    benchmark: Benchmark | None
    files: dict[str, FileSeal]
    credits: dict[str, Credit] = field(default_factory=dict)
    sha256: str = ""

    @property
    def edition(self) -> str:
        """Name of the library's folder in the cache.

        The revision is an unchecked claim and does not cover pictures. The digest of the seal,
        which lists that of every tar, distinguishes libraries that claim the same revision.
        """
        return f"{self.revision}-{self.sha256[:32]}"

    def to_json(self) -> bytes:
        """Return the bytes of `library.json`, sorted so that equal seals give equal files."""
        content = asdict(self)
        del content["sha256"]  # a file cannot contain its own digest
        return (json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def read_seal(layout: LibraryLayout) -> Seal:
    """Read the seal of a library and check its form, but not the files."""
    path = layout.seal
    if not layout.root.is_dir():
        raise LibraryError(f"the folder {layout.root} does not exist. Run `make library`.")
    if not path.is_file():
        raise LibraryError(
            f"{layout.root} has no {path.name}: it is not a library, or its build did not finish. "
            "Run `make library`."
        )
    try:
        text = read_at_most(path, SEAL_BYTES)
        data = parse_seal(text)
        version = data["schema_version"]
    except (OSError, ValueError, KeyError) as error:
        raise LibraryError(f"{path} is not readable ({error}). {NEXT_STEP}") from error
    if version != SCHEMA_VERSION:
        other = brief(version).strip("'")
        raise SchemaVersionError(
            f"{path} has schema version {other}, but this package reads {SCHEMA_VERSION}. "
            "Install the version of aa-dataset that wrote the library, rebuild it with "
            "`make library`, or download one of this version."
        )
    return _checked_seal(data, path, hashlib.sha256(text).hexdigest())


def write_seal(layout: LibraryLayout, seal: Seal) -> Seal:
    """Write `library.json` atomically; return the seal with the digest of that file."""
    text = seal.to_json()
    write_bytes(layout.seal, text)
    return replace(seal, sha256=hashlib.sha256(text).hexdigest())


def _checked_seal(data: dict[str, Any], path: Path, sha256: str) -> Seal:
    try:
        check_seal(data)
        return Seal(
            name=data["name"],
            revision=data["revision"],
            schema_version=data["schema_version"],
            expected_objects=data["expected_objects"],
            objects=data["objects"],
            sources=dict(data["sources"]),
            splits=dict(data["splits"]),
            benchmark=_checked_benchmark(data["benchmark"], data["splits"]),
            files={
                name: FileSeal(mark["sha256"], mark["size"]) for name, mark in data["files"].items()
            },
            credits=read_credits(data.get("credits", {})),
            sha256=sha256,
        )
    except KeyError as error:
        raise LibraryError(f"{path} lacks the field {error}. {NEXT_STEP}") from error
    except ValueError as error:
        raise LibraryError(
            f"{path} lacks a field or has an invalid value ({error}). {NEXT_STEP}"
        ) from error


def _checked_benchmark(facts: Any, splits: dict[str, int]) -> Benchmark | None:
    if facts is None:
        return None
    benchmark = read_benchmark(facts)
    if splits.get(benchmark.split) != benchmark.objects:
        raise ValueError(
            f"benchmark.objects is {benchmark.objects}, splits.{benchmark.split} is "
            f"{splits.get(benchmark.split)}"
        )
    return benchmark
