# SPDX-License-Identifier: Apache-2.0
"""The notebook of the tutorials: it runs, and its outputs are what it shows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.kit.places import REPOSITORY

sys.path.append(str(REPOSITORY / "docs"))
import notebook as runner

NOTEBOOK = REPOSITORY / "docs/tutorials/demo.ipynb"


@pytest.fixture
def shown() -> list[dict[str, Any]]:
    return runner.code(runner.read(NOTEBOOK))


def texts(outputs: list[dict[str, Any]]) -> list[str]:
    """Return what outputs say in plain text."""
    return ["".join(one.get("text") or one["data"]["text/plain"]) for one in outputs]


def test_the_outputs_are_those_of_the_code(
    shown: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``PYTHONPATH=. python docs/notebook.py docs/tutorials/demo.ipynb`` writes them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AA_HOME", str(tmp_path / "home"))
    made = runner.outputs(runner.read(NOTEBOOK))
    for number, (cell, outputs) in enumerate(zip(shown, made, strict=True), 1):
        assert cell["execution_count"] == number
        assert texts(cell["outputs"]) == texts(outputs), f"cell {number}"
        kinds = [[*one.get("data", ())] for one in outputs]
        assert [[*one.get("data", ())] for one in cell["outputs"]] == kinds, f"cell {number}"
    assert [*tmp_path.iterdir()] == []  # it leaves nothing behind


def test_it_says_what_it_should(shown: list[dict[str, Any]]) -> None:
    said = "".join(text for cell in shown for text in texts(cell["outputs"]))
    assert "ground-truth  tree distances [0.0, 0.0, 0.0, 0.0]" in said
    assert "reversed       0.000 m" in said
    assert str(REPOSITORY) not in said and "0x" not in said


def test_it_is_a_notebook_that_jupyter_opens() -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbformat.validate(nbformat.read(NOTEBOOK, as_version=4))


def test_a_result_has_all_of_its_forms_and_printed_text_comes_before_it() -> None:
    class Shown:
        def _repr_html_(self) -> str:
            return "<b>x</b>"

        def _repr_png_(self) -> bytes:
            return b"png"

    source = "print('a')\nShown()"
    cells = [{"cell_type": "code", "source": [source]}]
    names: dict[str, Any] = {"Shown": Shown}
    stream, result = runner._run(source, names, 1)
    assert stream["text"] == ["a\n"]
    assert result["data"]["text/html"] == ["<b>x</b>"]
    assert result["data"]["image/png"] == "cG5n"
    page = runner.markdown({"cells": [cells[0] | {"outputs": [stream, result]}]})
    assert page == f"```python\n{source}\n```\n\n```text\na\n```\n\n<div><b>x</b></div>\n"


def test_the_page_has_every_cell(shown: list[dict[str, Any]]) -> None:
    page = runner.markdown(runner.read(NOTEBOOK))
    for cell in shown:
        assert "".join(cell["source"]) in page
    assert "data:image/png;base64," in page
