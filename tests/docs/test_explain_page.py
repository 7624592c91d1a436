# SPDX-License-Identifier: Apache-2.0
"""Contract: text and picture of the page about explanations are what the code gives."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest

from tests.kit.places import REPOSITORY


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = REPOSITORY / "docs/explained.py"
    spec = importlib.util.spec_from_file_location("explained", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_is_what_the_script_writes(script: ModuleType) -> None:
    """Run ``PYTHONPATH=. python docs/explained.py`` after a change."""
    text, picture = script.example()
    assert script.BLOCK.findall(script.PAGE.read_text()) == [f"```text\n{text}```\n"]
    assert script.PICTURE.read_text() == picture
