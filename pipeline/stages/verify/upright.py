# SPDX-License-Identifier: Apache-2.0
"""Checks which way is up by joints whose direction gravity determines: drawers slide level.

The table `upright.tsv` lists the few categories with such joints; all others are not checked.
"""

from __future__ import annotations

import csv
import functools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from aa_dataset.kinematics import Joint, JointType
from pipeline.base.errors import ConfigError
from pipeline.base.reasons import Code, Finding
from pipeline.stages.verify.evidence import Evidence

TABLE = Path(__file__).with_name("upright.tsv")
KINDS = {
    "hinge": (JointType.REVOLUTE,),
    "spin": (JointType.CONTINUOUS, JointType.HELICAL),
    "slide": (JointType.PRISMATIC,),
}
UP_DEGREES = 45.0  # how far the joint may lean: beyond it, another axis is nearer
DIRECTIONS = ("vertical", "horizontal")


class Rule(NamedTuple):
    """The expected direction of the joint that moves most, for one category and kind of joint."""

    joint: str
    direction: str
    why: str


@functools.cache
def load_rules() -> dict[str, Rule]:
    """Read the table; at most one rule per category."""
    rules: dict[str, Rule] = {}
    with TABLE.open(newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            rule = Rule(row["joint"], row["direction"], row["why"])
            if rule.joint not in KINDS or rule.direction not in DIRECTIONS:
                raise ConfigError(
                    f"pipeline/stages/verify/upright.tsv: the row of {row['category']}."
                )
            rules[row["category"]] = rule
    return rules


def check_up(evidence: Evidence) -> Iterator[Finding]:
    """Find objects whose main joint is oriented as if another axis were up."""
    rule = load_rules().get(evidence.category.name) if evidence.category else None
    joint = _main_joint(evidence, KINDS[rule.joint]) if rule else None
    if rule is None or joint is None:
        return
    off = math.degrees(math.acos(min(abs(float(joint.axis[2])), 1.0)))  # from the vertical
    wrong = off if rule.direction == "vertical" else 90.0 - off
    if wrong > UP_DEGREES:
        yield Finding(
            Code.UP_SUSPECTED,
            f"joint {joint.name}: its axis is {wrong:.0f} degrees off the {rule.direction} that a "
            f"{evidence.category.name if evidence.category else ''} has ({rule.why}); "
            "another axis may be up.",
        )


def _main_joint(evidence: Evidence, types: tuple[JointType, ...]) -> Joint | None:
    """Return the joint of these types that moves the largest box; the first of equals."""
    found, largest = None, 0.0
    for joint in evidence.tree.movable:
        if joint.type in types:
            size = evidence.moved_size(joint)
            if size > largest:
                found, largest = joint, size
    return found
