# SPDX-License-Identifier: Apache-2.0
"""Sentences about what a prediction leaves out, or takes from its method's own table."""

from __future__ import annotations

from collections.abc import Iterable

from aa_dataset.kinematics.joints import LimitSource
from aa_dataset.kinematics.trees import KinematicTree

_SHOWN = 4


def limit_notes(tree: KinematicTree) -> tuple[str, ...]:
    """Return a note per source of limits that are no prediction."""
    sentences = {
        LimitSource.ABSENT: "no limits stated",
        LimitSource.TABLE: "limits given by the method's table",
    }
    notes = []
    for source, words in sentences.items():
        names = [joint.name for joint in tree.movable if joint.limit_source is source]
        if names:
            notes.append(f"{words}: {listed(names)}")
    return tuple(notes)


def listed(names: Iterable[str]) -> str:
    """Return the first names and how many more there are."""
    known = list(names)
    shown = ", ".join(known[:_SHOWN])
    return shown if len(known) <= _SHOWN else f"{shown} and {len(known) - _SHOWN} more"
