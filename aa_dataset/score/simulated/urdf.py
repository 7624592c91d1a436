# SPDX-License-Identifier: Apache-2.0
"""The ground truth as a URDF, with the names of Articulate-Anything.

The root is an empty link `base` with a fixed joint, joints are called `<parent>_to_<child>`, and
every link has an OBJ mesh. The format can express everything but bodies and where limits are from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aa_dataset.format.layout import URDF
from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf_writer import write_urdf
from aa_dataset.score.simulated.meshes import obj_bytes
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written

BASE = "base"


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return the whole tree below an empty base, under the method's names."""
    base = BASE
    while base in tree.links:
        base += "_"
    fixed = Joint(f"{base}_to_{tree.root}", JointType.FIXED, np.zeros(3), np.zeros(3))
    first = replace(fixed, parent=base, child=tree.root)
    return KinematicTree(
        tree.name,
        (base, *tree.links),
        (first, *(_expressible_joint(joint) for joint in tree.joints)),
    )


def _expressible_joint(joint: Joint) -> Joint:
    kind, source = joint.type, joint.limit_source
    if kind is JointType.HELICAL and joint.pitch == 0.0:
        kind = JointType.REVOLUTE
    given = source if source is LimitSource.ABSENT else LimitSource.GIVEN
    name = f"{joint.parent}_to_{joint.child}"
    return replace(joint, name=name, type=kind, limit_source=given, body=None, mimic=None)


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write the document, and a mesh per link that has triangles."""
    shown = [link for link in tree.links if link in setting.triangles]
    meshes = {link: f"meshes/part_{number}.obj" for number, link in enumerate(shown)}
    files = {name: obj_bytes(setting.triangles[link]) for link, name in meshes.items()}
    return Written({URDF: write_urdf(tree, meshes), **files}, {})


SIMULATED = SimulatedMethod("urdf", keep_expressible, write)
