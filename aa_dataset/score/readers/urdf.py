# SPDX-License-Identifier: Apache-2.0
"""The reader of URDF: what most methods write.

The frame is that of the root link, the unit is the method's, the stored state is q = 0. Axes are in
the frame of the child, which hangs in that of its parent. Limits that a file does not state stay
absent. Helper links, which have no shape, hang on fixed joints and cost nothing. `urdf_documents`
says how several files of one object become one, and what a floating root is.
"""

from __future__ import annotations

from aa_dataset.format.layout import JOINTS, URDF
from aa_dataset.kinematics.urdf import UrdfModel
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.notes import limit_notes
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction, Proof
from aa_dataset.score.readers.shapes import MOST_MESH_BYTES, link_boxes
from aa_dataset.score.readers.triangles import link_triangles
from aa_dataset.score.readers.urdf_documents import (
    joined_model,
    joint_files,
    read_model,
    without_placing,
)


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    found = _candidates(files)
    if len(found) == 1:
        return f"{found[0]} is the only URDF"
    return f"it has {len(found)} URDFs of one joint each" if joint_files(found) else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the only URDF, or several of one joint each."""
    model, notes = _model(files)
    model, placing = without_placing(model)
    tree = urdf_tree(model, absent="unbounded")

    def read_mesh(mesh: str) -> bytes:
        return files.read_beside("", mesh, MOST_MESH_BYTES + 1)

    return MethodPrediction(
        tree,
        notes=(*notes, *filter(None, [placing]), *limit_notes(tree)),
        triangles=lambda: link_triangles(model, read_mesh),
        boxes=lambda: link_boxes(model, read_mesh),
    )


def _model(files: PredictionFiles) -> tuple[UrdfModel, list[str]]:
    found = _candidates(files)
    if len(found) == 1:
        return read_model(files, found[0]), []
    parts = joint_files(found)
    if parts:
        first = next(iter(parts.values()))
        note = f"{len(parts)} URDFs of one joint each joined at their root; its shape is {first}'s"
        return joined_model(files, parts), [note]
    shown = ", ".join(found[:4]) or "none of them"
    raise PredictionError(
        f"{files.object_id}/: expected {URDF}, a single *.urdf or {JOINTS}, found {shown}."
    )


def _candidates(files: PredictionFiles) -> list[str]:
    """Return the URDF files: on top, else those of one joint each in folders below."""
    if not files.is_folder:
        return [name for name in files.names if name.endswith(".urdf")]
    found = [name for name in files.top_names if name.endswith(".urdf") and name[0] != "."]
    if URDF in found:
        return [URDF]
    return found or list(joint_files(files.named(".urdf")).values())


FORMAT = MethodFormat(
    name="urdf",
    methods="SPARK, ArtLLM, Articulate-Anything, Articraft v0, LAM, LARM",
    reads="object.urdf, the only *.urdf, or several *_joint_<k>.urdf",
    proof=Proof.REAL,
    claims=claims,
    read=read,
    is_general=True,
    proof_detail=(
        "Articraft v0 and LAM; LARM and Articulate-Anything on a fixture from the writer's code, "
        "SPARK and ArtLLM from a description only"
    ),
)
