# SPDX-License-Identifier: Apache-2.0
"""The ground truth as Ditto writes it: the main joint's change of state, normalized, as float32."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf_writer import write_urdf
from aa_dataset.score.readers.ditto import JOINT, PART, QUANT, ROOT, TYPES, URDF
from aa_dataset.score.simulated.forced import only_main
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written

PADDING = 1.1  # of the box around both point clouds
MEAN_LENGTH = np.float32(0.98)  # of an axis: the mean of unit vectors that differ is shorter


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return the main joint alone, which moves from rest to its second state."""
    return only_main(tree, setting, "Ditto", joint=JOINT, links=(ROOT, PART))


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write the archive and the URDF; the point clouds are in the object frame [m]."""
    scale = PADDING * float(setting.shape.extents.max())
    frame = Similarity(scale, np.eye(3), setting.shape.center)
    seen = frame.inverse().tree(tree)
    (joint,) = seen.joints
    stream = io.BytesIO()
    data: dict[str, Any] = {
        "data_path": f"{setting.object_id}.npz", "center": setting.shape.center.astype(np.float32),
        "scale": scale, "joint_index": 1,
    }  # fmt: skip
    dicts: dict[str, Any] = {"eval": _eval(joint), "output": _output(joint), "data": (data,)}
    np.savez_compressed(stream, **dicts)
    return Written({QUANT: stream.getvalue(), URDF: write_urdf(seen)}, {})


def _output(joint: Joint) -> dict[str, Any]:
    moved = joint.upper if joint.upper > 0.0 else joint.lower
    slides = joint.type is JointType.PRISMATIC
    pivot = np.zeros(3) if slides else joint.origin.astype(np.float32)
    axis = MEAN_LENGTH * joint.axis.astype(np.float32)
    stated = {"joint_axis": axis, "pivot_point": pivot, "config": np.float32(moved)}
    return stated | {"joint_type": TYPES.index(joint.type)}


def _eval(joint: Joint) -> dict[str, Any]:
    """Return the method's own errors, of which only tells which head the parameters come from."""
    errors = {"axis_orientation": np.float32(0.0), "config_err": np.float32(0.0)}
    heads = {str(kind): errors if kind is joint.type else None for kind in TYPES}
    return {"articulation": {**heads, "joint_type": {"accuracy": True}}}


SIMULATED = SimulatedMethod("ditto", keep_expressible, write)
