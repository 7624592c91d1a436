# SPDX-License-Identifier: Apache-2.0
"""Screws, joints, bodies and trees as arrays and frozen dataclasses; a safe URDF reader."""

from aa_dataset.kinematics.bodies import RigidBody, merge_bodies
from aa_dataset.kinematics.joints import Joint, JointType, LimitSource, Mimic
from aa_dataset.kinematics.screws import adjoint, exp_twist, prismatic_screw, revolute_screw
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree

__all__ = [
    "Joint",
    "JointType",
    "KinematicTree",
    "LimitSource",
    "Mimic",
    "RigidBody",
    "Similarity",
    "adjoint",
    "exp_twist",
    "merge_bodies",
    "prismatic_screw",
    "revolute_screw",
]
