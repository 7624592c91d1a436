# SPDX-License-Identifier: Apache-2.0
"""The reader of URDF-Anything+: `generated.urdf`.

The document has a link `base`, to which `link_0` is fixed with a constant turn, and every other
link hangs below `link_0`. Places are those of the given mesh, which must lie in the cube [-1, 1],
be y up and face +z; the turn of the base makes that z up. The tree is that of `link_0`, in the
frame of the mesh, stored in its state. Axes are one of x, y, z: the script writes the largest
component of what the model predicts as 1. Ranges that the model does not give are
[-3.14159, 3.14159], for turns and slides alike, and are marked.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aa_dataset.kinematics.urdf import UrdfModel, parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.score.budgets import XML, PredictionError, name_file_in_errors
from aa_dataset.score.readers.constant_limits import with_table
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.mesh_files import urdf_triangles
from aa_dataset.score.readers.notes import limit_notes
from aa_dataset.score.readers.prediction import (
    Center,
    MethodFormat,
    MethodPrediction,
    Normalization,
    Proof,
    Size,
)

FILE = "generated.urdf"
BASE, FIRST = "base", "link_0"
# From z up, x front to y up, z front.
TURN = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
NORMALIZATION = Normalization(Center.BOX, Size.LARGEST, 2.0, TURN)
NO_LIMITS = (-3.14159, 3.14159)


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    is_it = b"generated_robot" in (files.try_read_start(FILE) or b"")
    return f"{FILE} has a robot generated_robot" if is_it else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the document without its base."""
    name = files.require_one(files.find_basenames(FILE), FILE)
    where = files.shown_path(name)
    with name_file_in_errors(where):
        model = _without_base(parse_urdf(files.read(name, XML.max_bytes), budget=XML), where)
        tree = with_table(urdf_tree(model, fold=False, absent="unbounded"), NO_LIMITS)

    return MethodPrediction(
        tree,
        normalization=NORMALIZATION,
        notes=limit_notes(tree),
        triangles=lambda: urdf_triangles(files, name, model),
    )


def _without_base(model: UrdfModel, where: str) -> UrdfModel:
    """Return a document whose root is the first link."""
    placing = [joint for joint in model.joints if BASE in (joint.parent, joint.child)]
    ends = [(joint.parent, joint.child, joint.type) for joint in placing]
    if ends != [(BASE, FIRST, "fixed")]:
        raise PredictionError(
            f"{where}: expected one fixed joint from {BASE!r} to {FIRST!r}, and no other at the "
            "base. Give the file as the method wrote it."
        )
    return replace(
        model,
        links=tuple(link for link in model.links if link.name != BASE),
        joints=tuple(joint for joint in model.joints if joint is not placing[0]),
    )


FORMAT = MethodFormat(
    name="urdf_anything_plus",
    methods="URDF-Anything+",
    reads=f"{FILE} with link_<k>.obj",
    proof=Proof.FIXTURE,
    claims=claims,
    read=read,
    cannot=(
        "joints below joints: every link hangs below the first",
        "axes beside x, y and z",
        "infinite ranges: a rotation without ends becomes a full turn",
        "helical joints: the advance is lost",
        "more than six decimals",
        "couplings",
    ),
)
