# SPDX-License-Identifier: Apache-2.0
"""`aa verify` of a library of another schema version: it is not damaged, so nothing is deleted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aa_dataset.cli import main


@pytest.mark.parametrize("version", ["2", "999", 7, None])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_another_schema_version_is_one_sentence_without_advice_about_damage(
    library: Path, capsys: pytest.CaptureFixture[str], version: object, options: list[str]
) -> None:
    seal = library / "library.json"
    seal.write_text(json.dumps(json.loads(seal.read_text()) | {"schema_version": version}))
    assert main(["verify", str(library), *options]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert f"has schema version {version}" in printed.err
    assert "Install the version of aa-dataset that wrote the library" in printed.err
    assert "Delete" not in printed.err


def test_a_seal_without_a_schema_version_is_still_damage(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (library / "library.json").write_text("{}")
    assert main(["verify", str(library)]) == 1
    assert "Delete the files listed above" in capsys.readouterr().out
