# SPDX-License-Identifier: Apache-2.0
"""The names of everything that a result contains: protocols, states, scores, components."""

from __future__ import annotations

from dataclasses import dataclass

from aa_dataset.metric.components import Variant

# Every truth joint of an object, or one pair per object: the paper's Table 1 has as many pairs as
# generated objects.
ALL_JOINTS, ONE_JOINT = "all-joints", "one-joint"
PROTOCOLS = (ALL_JOINTS, ONE_JOINT)
TRUTH, SPURIOUS = "truth", "spurious"
ROLES = (TRUTH, SPURIOUS)
STATUSES = ("scored", "motionless", "missing", "unreadable")
WHYS = ("matched", "nonfinite", "unmatched", "absent", "unreadable")
OPERATIONS = ("substitute", "contract", "expand")

# Why a score is undefined. No prediction can change the first group.
BY_THE_TRUTH = ("unbounded", "no_body", "singular_body")
BY_THE_PREDICTION = ("unbounded_guess", "limits_absent", "overflow")


@dataclass(frozen=True, slots=True)
class Score:
    """One of the distances: its key in files, its name in tables, its unit.

    All of them hold a length (alpha is one per meter), so none is averaged over metric and other
    objects together.
    """

    key: str
    symbol: str
    unit: str


SCORES = (
    Score("e_alpha", "E_alpha", ""),
    Score("e_alpha_phi", "E_alpha^phi", ""),
    Score("e_b", "E_B", "m"),
    Score("e_b_phi", "E_B^phi", ""),
    Score("d_path", "D_path", ""),
)
TREES = (
    Score("e_alpha_phi_tree", "E_alpha^phi tree", ""),
    Score("e_b_phi_tree", "E_B^phi tree", ""),
)


@dataclass(frozen=True, slots=True)
class Component:
    """One error of the older protocol: its name in columns, its unit, whether it holds a length."""

    key: str
    unit: str
    by_scale: bool


COMPONENTS = (
    Component("type_error", "", False),
    Component("axis_error", "rad", False),
    Component("origin_error", "m", True),
    Component("range_error", "rad or m", True),
    Component("direction_error", "", False),
)
# The name of a variant in columns, and in `metric.component_errors`.
VARIANTS: dict[str, Variant] = {
    "strict": "strict",
    "parallel_safe": "parallel-safe",
    "released": "released",
}
