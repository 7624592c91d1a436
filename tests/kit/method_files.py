# SPDX-License-Identifier: Apache-2.0
"""Reads files as the prediction of one object."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder import PredictionFolder
from aa_dataset.score.readers.prediction import MethodPrediction
from tests.kit.round_trip import OBJECT_ID, put_files


def read_files(folder: Path, files: Mapping[str, bytes], reader: str = "auto") -> MethodPrediction:
    """Return the prediction in these files; `auto` recognizes the format."""
    put_files(folder / OBJECT_ID, files)
    return PredictionFolder(folder, reader=reader).prediction(OBJECT_ID)


def refused_files(folder: Path, files: Mapping[str, bytes], reader: str = "auto") -> str:
    """Return the sentence with which these files are refused."""
    with pytest.raises(PredictionError) as caught:
        read_files(folder, files, reader)
    text = str(caught.value)
    assert text.endswith(".") and len(text) < 1000
    # A sentence that was written on purpose, not the name of an exception.
    assert not any(word in text for word in ("Error:", "Exception:", "Traceback"))
    return text


def format_of(folder: Path) -> str:
    """Return the format that is recognized."""
    return PredictionFolder(folder).format(OBJECT_ID)[0]
