# SPDX-License-Identifier: Apache-2.0
"""The sheet of previews refuses what it cannot draw."""

from __future__ import annotations

from pathlib import Path

import pytest

from aa_dataset.errors import LibraryError
from pipeline.base.errors import PipelineError
from pipeline.tools.previews import main


def test_a_folder_without_a_library_is_a_sentence(elsewhere: Path) -> None:
    with pytest.raises(PipelineError, match="no library here"):
        main(["sheet.png"])


def test_tables_of_another_schema_are_refused(elsewhere: Path) -> None:
    Path("library").mkdir()
    Path("library/library.json").write_text('{"schema_version": "1"}')
    with pytest.raises(LibraryError, match="schema version 1"):
        main(["sheet.png"])


@pytest.mark.parametrize("option", ["--most", "--columns", "--tile"])
def test_a_sheet_of_nothing_is_refused(
    elsewhere: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    with pytest.raises(SystemExit):
        main(["sheet.png", option, "0"])
    assert "'0' is not a positive integer" in capsys.readouterr().err
