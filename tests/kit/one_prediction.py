# SPDX-License-Identifier: Apache-2.0
"""The files of one prediction, read as `aa score` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from aa_dataset.kinematics import KinematicTree
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder import PredictionFolder
from aa_dataset.score.readers.prediction import MethodPrediction
from aa_dataset.score.registration.normalization import InputShape
from aa_dataset.score.registration.record import Registration, RegistrationSource, registered
from tests.kit.round_trip import OBJECT_ID, put_files, to_object


def read_files(
    folder: Path, files: Mapping[str, bytes | str], reader: str = "auto"
) -> MethodPrediction:
    """Return the prediction that files are."""
    data = {n: f.encode() if isinstance(f, str) else f for n, f in files.items()}
    put_files(folder / OBJECT_ID, data)
    return PredictionFolder(folder, reader=reader).prediction(OBJECT_ID)


def chosen_reader(folder: Path, files: Mapping[str, bytes | str]) -> str:
    """Return the reader that recognizes files."""
    data = {n: f.encode() if isinstance(f, str) else f for n, f in files.items()}
    put_files(folder / OBJECT_ID, data)
    return PredictionFolder(folder).format(OBJECT_ID)[0]


def refusal(folder: Path, files: Mapping[str, bytes | str], reader: str = "auto") -> str:
    """Return the sentence with which files are refused."""
    with pytest.raises(PredictionError) as error:
        read_files(folder, files, reader)
    assert str(error.value).endswith((".", "..."))
    return str(error.value)


def in_object_frame(prediction: MethodPrediction, shape: InputShape) -> KinematicTree:
    """Return the tree in the object frame at rest, by what the method tells of both."""
    to = to_object(prediction, shape)
    return registered(prediction, Registration(RegistrationSource.FILE, to, prediction.rest))
