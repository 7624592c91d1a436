# SPDX-License-Identifier: Apache-2.0
"""A prediction from files in memory, and the sentence with which one is refused."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from aa_dataset.score.budgets import LONGEST_NAME, PredictionError
from aa_dataset.score.readers.folder import PredictionFolder
from aa_dataset.score.readers.prediction import MethodPrediction
from aa_dataset.score.readers.registry import AUTO
from tests.kit.round_trip import OBJECT_ID, put_files


def read_files(files: Mapping[str, bytes], reader: str = AUTO) -> MethodPrediction:
    """Return the prediction of one object from its files; its triangles are read at once."""
    with tempfile.TemporaryDirectory() as folder:
        put_files(Path(folder) / OBJECT_ID, files)
        found = PredictionFolder(Path(folder), reader=reader).prediction(OBJECT_ID)
        triangles = found.triangles()
        return replace(found, triangles=lambda: triangles)


def recognized_as(files: Mapping[str, bytes]) -> str:
    """Return the name of the reader that takes the files."""
    with tempfile.TemporaryDirectory() as folder:
        put_files(Path(folder) / OBJECT_ID, files)
        return PredictionFolder(Path(folder)).format(OBJECT_ID)[0]


def refusal(files: Mapping[str, bytes], reader: str = AUTO) -> str:
    """Return the sentence with which files are refused; it must be deliberate and short."""
    with pytest.raises(PredictionError) as caught:
        read_files(files, reader)
    text = str(caught.value)
    assert text.endswith(".") and text.startswith(OBJECT_ID), text
    # What the folder's last net catches has the name of its class in front.
    assert "Error: " not in text and len(text) < 4 * LONGEST_NAME, text
    return text
