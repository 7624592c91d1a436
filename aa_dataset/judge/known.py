# SPDX-License-Identifier: Apache-2.0
"""Known limitations and messages of the simulators, each with its reason.

A test removes every entry in turn and checks that it is still needed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from aa_dataset.adapters.pybullet import MOST_JOINTS, MOST_MOVING


@dataclass(frozen=True, slots=True)
class Known:
    """One exception.

    `kind` is ``output`` (lines that match `what` are the simulator's own), ``body`` (the body of
    link `what` is not compared; ``<root>`` is the root link), ``absent`` (there is no `what`),
    ``moving`` or ``joints`` (objects with more than `what` moving joints, or joints of any type,
    are not compared).
    """

    simulator: str
    kind: str
    what: str
    reason: str


KNOWN = (
    Known("pybullet", "output", r"^pybullet build time:", "printed when pybullet is imported"),
    Known(
        "pybullet",
        "body",
        "<root>",
        "Bullet fixes a base by setting its mass to 0",
    ),
    Known(
        "pybullet",
        "moving",
        str(MOST_MOVING),
        "Bullet keeps 128 numbers as the state of one body, 7 of them for its base",
    ),
    Known(
        "pybullet",
        "joints",
        str(MOST_JOINTS),
        "Bullet keeps the frames of 127 links of one body beside its base",
    ),
    Known("pinocchio", "absent", "limits", "has no joint limits in its dynamics; our `step` stops"),
    Known("pinocchio", "absent", "contacts", "has no contact simulation"),
    Known("drake", "absent", "friction", "has no dry friction of joints, and warns of it"),
    Known("pybullet", "absent", "armature", "has no inertia of joints"),
    Known(
        "sapien",
        "absent",
        "visuals",
        "visual shapes need a rendering device, so the judge loads without them",
    ),
)


def is_own_output(simulator: str, line: str) -> bool:
    """Return whether a line is a known message of the simulator, unrelated to the object."""
    patterns = [k.what for k in KNOWN if k.simulator == simulator and k.kind == "output"]
    return any(re.search(pattern, line) for pattern in patterns)


def lacks(simulator: str, what: str) -> bool:
    """Return whether a simulator is known to lack a feature."""
    return any((k.simulator, k.kind, k.what) == (simulator, "absent", what) for k in KNOWN)


def why_uncompared(simulator: str, *, moving: int, joints: int) -> str:
    """Return why an object has too many joints for a simulator, empty if it has not."""
    counts = {"moving": (moving, "moving joints"), "joints": (joints, "joints")}
    for known in KNOWN:
        if known.simulator == simulator and known.kind in counts:
            count, unit = counts[known.kind]
            if count > int(known.what):
                return f"{count} {unit}, more than {known.what}: {known.reason}."
    return ""


def is_uncompared(simulator: str, link: str, root: str) -> bool:
    """Return whether a simulator is known not to return the body of a link."""
    name = "<root>" if link == root else link
    return any((k.simulator, k.kind, k.what) == (simulator, "body", name) for k in KNOWN)
