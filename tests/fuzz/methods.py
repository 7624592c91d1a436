# SPDX-License-Identifier: Apache-2.0
"""Good files of methods, from which fuzzing starts: what the writers of their formats write."""

from __future__ import annotations

from aa_dataset.kinematics import Joint, KinematicTree
from aa_dataset.score.simulated.registry import simulated_named
from tests.kit.round_trip import setting_of


def method_file(name: str, path: str) -> list[bytes]:
    """Return one file of a small tree in the format of a name."""
    joints = (
        Joint("hinge", "revolute", [0, 0, 1], [0.1, 0, 0], 0, 1.5, parent="base_0", child="lid"),
        Joint("slide", "prismatic", [1, 0, 0], [0, 0, 0], 0, 0.3, parent="lid", child="tray"),
        Joint("screw", "helical", [0, 1, 0], [0, 0, 0], 0, 6.0, 0.01, "tray", "cap"),
        Joint("weld", "fixed", [0, 0, 1], [0, 0, 0], parent="base_0", child="knob"),
    )
    tree = KinematicTree("thing", ("base_0", "lid", "tray", "cap", "knob"), joints)
    setting, method = setting_of(tree), simulated_named(name)
    return [method.write(method.keep_expressible(tree, setting), setting).files[path]]
