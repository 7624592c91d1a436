# SPDX-License-Identifier: Apache-2.0
"""The reader of `joints.json`, the interchange file of this project."""

from __future__ import annotations

from aa_dataset.format.layout import JOINTS
from aa_dataset.kinematics.joints_file import parse_joints
from aa_dataset.score.budgets import JSON
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction, Proof


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format; what the file holds is judged when it is read."""
    return f"it has a {JOINTS}" if files.is_folder and JOINTS in files.top_names else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the file; it is in the object frame at rest by definition."""
    # One byte more shows that a file is too large.
    data = files.read_start(JOINTS, JSON.max_bytes + 1)
    return MethodPrediction(parse_joints(data, budget=JSON))


FORMAT = MethodFormat(
    name="joints",
    methods="any method with a few lines of Python",
    reads="joints.json",
    proof=Proof.OWN,
    claims=claims,
    read=read,
    is_general=True,
)
