# SPDX-License-Identifier: Apache-2.0
"""The reader of URDFormer: the `*.urdf` of its demo.

The frame is the method's own cabinet: z up, front to +x, one unit wide, high and deep (a fridge is
two high), behind x = 0. The method sees a picture and knows neither unit nor place. Three things
differ from other URDFs:

* `rpy` holds a rotation vector;
* the class of a part decides its axis and its limits, which are no prediction;
* in a kitchen, the shape of the base stands at its place in the room, while the joints stay in the
  cabinet's frame. The shape is read in that frame too.

Meshes lie in `../meshes`, which every object shares. They are read if they are in the prediction's
folder: `<object_id>/output/<image>.urdf` beside `<object_id>/meshes/`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aa_dataset.kinematics.joints import Joint, LimitSource
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.turns import vector_turn
from aa_dataset.kinematics.urdf import UrdfLink, UrdfModel
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.notes import limit_notes
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction, Proof
from aa_dataset.score.readers.shapes import MOST_MESH_BYTES
from aa_dataset.score.readers.triangles import link_triangles
from aa_dataset.score.readers.urdf_documents import read_model

BASE = "base_link"
# The base of every object has this mesh, whatever class was predicted.
MARK = b'"../meshes/cabinet.obj"'
TABLE = frozenset({(0.0, 0.4), (0.0, 1.57), (-1.57, 0.0)})


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    found = _candidates(files)
    if len(found) == 1 and MARK in files.read_start(found[0]):
        return f"{found[0]} has the base mesh of URDFormer"
    return ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the only URDF, in the cabinet's frame."""
    name = files.require_one(_candidates(files), "*.urdf of URDFormer")
    model, moved = _in_cabinet(read_model(files, name, vector_turn))
    tree = _with_table(urdf_tree(model, absent="unbounded"))

    def read_mesh(mesh: str) -> bytes:
        return files.read_beside("", mesh, MOST_MESH_BYTES + 1)

    return MethodPrediction(
        tree,
        notes=(*limit_notes(tree), *moved),
        triangles=lambda: link_triangles(model, read_mesh),
    )


def _candidates(files: PredictionFiles) -> list[str]:
    return files.named(".urdf")


def _in_cabinet(model: UrdfModel) -> tuple[UrdfModel, list[str]]:
    """Return the document with the base's shape in the frame of the joints, and notes."""
    links = tuple(
        _without_visual_poses(link) if link.name == BASE else link for link in model.links
    )
    same = all(one is other for one, other in zip(links, model.links, strict=True))
    notes = [] if same else ["the base's shape stands elsewhere in its room; its place is left out"]
    return replace(model, links=links), notes


def _without_visual_poses(link: UrdfLink) -> UrdfLink:
    if all((shape.pose == np.eye(4)).all() for shape in link.visuals):
        return link
    return replace(link, visuals=tuple(replace(one, pose=np.eye(4)) for one in link.visuals))


def _with_table(tree: KinematicTree) -> KinematicTree:
    """Mark the limits that the method has for a class of parts."""
    return KinematicTree(tree.name, tree.links, tuple(map(_with_limit_source, tree.joints)))


def _with_limit_source(joint: Joint) -> Joint:
    is_table = joint.is_movable and joint.limits in TABLE
    return replace(joint, limit_source=LimitSource.TABLE) if is_table else joint


FORMAT = MethodFormat(
    name="urdformer",
    methods="URDFormer",
    reads="the only *.urdf, with ../meshes/cabinet.obj",
    proof=Proof.REAL,
    claims=claims,
    read=read,
    cannot=(
        "an axis other than x of a slide, y or z of a hinge, in its own frame",
        "a limit: each class of parts has its own constant",
        "an origin off the grid of 13 steps on the front",
        "continuous and helical joints",
        "couplings",
    ),
)
