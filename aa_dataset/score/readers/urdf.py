# SPDX-License-Identifier: Apache-2.0
"""The reader of URDF: what most methods write."""

from __future__ import annotations

import posixpath

from aa_dataset.format.layout import JOINTS, URDF
from aa_dataset.kinematics.urdf import UrdfModel, parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.score.budgets import XML, PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction, Proof
from aa_dataset.score.readers.shapes import MOST_MESH_BYTES, LinkBoxes, link_boxes


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    found = _candidates(files)
    return f"{found[0]} is the only URDF" if len(found) == 1 else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the only URDF; the root link's frame is the method's frame."""
    name = find_file(files)
    data = files.start(name, XML.max_bytes + 1)
    model = parse_urdf(data, budget=XML)
    return MethodPrediction(
        urdf_tree(model, absent="unbounded"), boxes=lambda: _boxes(files, name, model)
    )


def find_file(files: PredictionFiles) -> str:
    """Return the only URDF of a prediction; an `object.urdf` comes before others."""
    found = _candidates(files)
    if len(found) == 1:
        return found[0]
    shown = ", ".join(found[:4]) or "none of them"
    raise PredictionError(
        f"{files.object_id}/: expected {URDF}, a single *.urdf or {JOINTS}, found {shown}."
    )


def _candidates(files: PredictionFiles) -> list[str]:
    if not files.is_folder:
        return [name for name in files.names if name.endswith(".urdf")]
    found = [name for name in files.top_names if name.endswith(".urdf") and name[0] != "."]
    return [URDF] if URDF in found else found


def _boxes(files: PredictionFiles, name: str, model: UrdfModel) -> LinkBoxes:
    def read_mesh(mesh: str) -> bytes:
        return files.read_beside(name, posixpath.normpath(mesh), MOST_MESH_BYTES + 1)

    return link_boxes(model, read_mesh)


FORMAT = MethodFormat(
    name="urdf",
    methods="SPARK, ArtLLM, Articulate-Anything, Articraft v0, LAM, LARM",
    reads="object.urdf, or the only *.urdf",
    proof=Proof.REAL,
    claims=claims,
    read=read,
    is_general=True,
)
