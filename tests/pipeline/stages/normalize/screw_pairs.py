# SPDX-License-Identifier: Apache-2.0
"""URDF of screws as three sources write them, and the joints that become of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from pipeline.engine.runner import Outcome
from tests.kit import bench

UNIT_SPHERE = {"frame": {"up": "z", "front": "x"}, "scale": "unit_sphere"}


TRAVEL = (0.01, 0.04)


def limit(lower: float, upper: float) -> str:
    """Return the attributes of a whole <limit>."""
    return f'lower="{lower!r}" upper="{upper!r}" effort="5" velocity="2"'


def partnet(**changes: Any) -> list[str]:
    """Return a bottle as PartNet writes it: slide to an empty helper, then an endless turn."""
    slide = {"limit": limit(*TRAVEL), "axis": "0 1 0", "xyz": "0.1 0 0.2", "rpy": "0.3 0 0"}
    turn = {"limit": None, "axis": "0 1 0", **changes}
    return [
        bench.box_link("body"),
        '<link name="helper"/>',
        bench.box_link("lid", "0.1 0.2 0.3"),
        bench.joint_text("turn", "continuous", "helper", "lid", **turn),
        bench.joint_text("slide", "prismatic", "body", "helper", **slide),
    ]


def articraft(
    turn: tuple[float, float] = (0.0, 12.0),
    travel: tuple[float, float] = (0.0, 0.03),
    **changes: Any,
) -> list[str]:
    """Return a bottle as Articraft writes it: turn to an empty carriage, then a slide."""
    options = {"limit": limit(*travel), "axis": "0 0 1", "xyz": "0 0 0.01", **changes}
    return [
        bench.box_link("body"),
        '<link name="carriage"/>',
        bench.box_link("cap", "0.1 0.2 0.3"),
        bench.joint_text("turn", "revolute", "body", "carriage", xyz="0 0 0.5", limit=limit(*turn)),
        bench.joint_text("slide", "prismatic", "carriage", "cap", **options),
    ]


def artiverse(turn: tuple[float, float] = (0.0, 6.0)) -> list[str]:
    """Return a screw as Artiverse writes it: one turn."""
    return [
        bench.box_link("body"),
        bench.box_link("cap", "0.1 0.2 0.3"),
        bench.joint_text("turn", "revolute", "body", "cap", axis="0 1 1", limit=limit(*turn)),
    ]


Make = Callable[..., Outcome]


def joints_of(outcome: Outcome) -> dict[str, Any]:
    """Return the joints of the normalized object, screws folded."""
    assert outcome.files is not None
    tree = urdf_tree(parse_urdf(outcome.files["object.urdf"]))
    return {joint.name: joint for joint in tree.joints}


def pitch_sources(outcome: Outcome) -> dict[str, str]:
    """Return where the record has its pitches from."""
    return outcome.record.pitch_sources


PAIR = {"joint": "turn", "partner": "slide", "evidence": "meta.json: rotates"}
