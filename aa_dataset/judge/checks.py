# SPDX-License-Identifier: Apache-2.0
"""The checks: one object in one simulator compared with its reference."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from aa_dataset.adapters import Simulated, couplings, load
from aa_dataset.adapters.common import ObjectLike
from aa_dataset.judge.known import is_own_output, is_uncompared, lacks, why_uncompared
from aa_dataset.judge.quiet import captured_output
from aa_dataset.judge.reference import Array, Reference
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.screws import exp_twist

DOUBLE = 1e-9  # m, and entries of rotations
SINGLE = 1e-5  # the same relative to the object's reach, for simulators in single precision
SINGLE_PRECISION = ("pybullet", "sapien")
BODY = 1e-6  # relative
SINGLE_BODY = 1e-5  # relative; Bullet finds principal axes by iteration and stops at a few 1e-6
COUPLING = 1e-3  # of the follower's travel
# Allowed excess over a soft limit under gravity, by URDF joint type [rad or m].
LIMITS = {"revolute": 5e-3, "prismatic": 1e-3}
GRAVITY_SECONDS = 1.0
COUPLING_SECONDS = 0.2
UNCOMPARED = "uncompared"  # replaces all checks if a known limit is exceeded


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one check; `tolerance` None marks a finding that cannot fail.

    `passed` is None if nothing was compared, which is neither a pass nor a failure.
    """

    check: str
    deviation: float
    tolerance: float | None
    detail: str = ""

    @property
    def passed(self) -> bool | None:
        """Whether the deviation is a number within the tolerance."""
        if self.check == UNCOMPARED:
            return None
        return self.tolerance is None or self.deviation <= self.tolerance


def judge_object(
    item: ObjectLike, simulator: str, *, configurations: int = 200, dynamics: bool = True
) -> list[Verdict]:
    """Check one object in one simulator.

    An exception of the simulator becomes a failed verdict of the check ``load``;
    `MissingExtraError` is raised to the caller. An object beyond a known limit of the simulator is
    not loaded: its only verdict is ``uncompared``, with the reason.
    """
    reference = Reference.of(item)
    files = reference.files
    counts = {"moving": len(files.movable), "joints": len(files.model.joints)}
    if why := why_uncompared(simulator, **counts):
        return [Verdict(UNCOMPARED, math.nan, None, why)]
    verdicts: list[Verdict] = []
    with captured_output() as lines:
        loaded = load(simulator, item, dynamics=False)  # the reference knows no friction
        verdicts += _static_verdicts(loaded, reference, configurations)
        verdicts += _moving_verdicts(loaded, reference) if dynamics else []
        if dynamics and not lacks(simulator, "contacts"):
            verdicts.append(contacts(load(simulator, item, self_contacts=True), reference))
    foreign = [line for line in lines if not is_own_output(simulator, line)]
    return [Verdict("load", float(len(foreign)), 0.0, " | ".join(foreign[:3])), *verdicts]


def _static_verdicts(loaded: Simulated, reference: Reference, count: int) -> list[Verdict]:
    return [
        placements(loaded, reference, count),
        twists(loaded, reference),
        bodies(loaded, reference),
    ]


def _moving_verdicts(loaded: Simulated, reference: Reference) -> list[Verdict]:
    verdicts = [gravity(loaded, reference)]
    return verdicts + ([coupling(loaded, reference)] if couplings(reference.files.model) else [])


def _simulator_precision(loaded: Simulated, reference: Reference) -> float:
    return SINGLE * reference.reach if loaded.simulator in SINGLE_PRECISION else DOUBLE


def placements(loaded: Simulated, reference: Reference, count: int) -> Verdict:
    """Compare all link frames in random states; the deviation is the largest entry."""
    values = reference.configurations(count)
    ours = reference.frames(values)
    worst = _Worst()
    for k in range(count):
        loaded.set_coordinates({name: float(value[k]) for name, value in values.items()})
        theirs = loaded.frames()
        for link, frames in ours.items():
            worst.see(
                _largest_difference(theirs[link], frames[min(k, len(frames) - 1)]), f"link {link}"
            )
    return worst.verdict("placement", _simulator_precision(loaded, reference))


def twists(loaded: Simulated, reference: Reference) -> Verdict:
    """Drive each joint alone: its child moves against its parent by ``exp(q * screw)``."""
    worst = _Worst()
    inverse = {link: np.linalg.inv(frame) for link, frame in reference.rest.items()}
    for joint in reference.tree.movable:
        for value, state in reference.driven(joint):
            loaded.set_coordinates(state)
            frames = loaded.frames()
            parent = frames[joint.parent] @ inverse[joint.parent]
            expected = parent @ exp_twist(value * joint.screw) @ reference.rest[joint.child]
            worst.see(_largest_difference(frames[joint.child], expected), f"joint {joint.name}")
    return worst.verdict("twist", _simulator_precision(loaded, reference))


def bodies(loaded: Simulated, reference: Reference) -> Verdict:
    """Compare mass, center and inertia as read back, relative."""
    ours, worst = reference.bodies(welded=loaded.merges_welded), _Worst()
    theirs = loaded.bodies()
    for link, body in ours.items():
        if is_uncompared(loaded.simulator, link, reference.files.root):
            continue
        deviation = body_deviation(theirs[link], body) if link in theirs else math.inf
        worst.see(deviation, f"link {link}")
    single = loaded.simulator in SINGLE_PRECISION
    return worst.verdict("body", SINGLE_BODY if single else BODY)


def body_deviation(found: RigidBody, expected: RigidBody) -> float:
    """Return the largest relative difference; centers relative to distance and size of the body."""
    spread = math.sqrt(float(np.trace(expected.inertia)) / 2 / expected.mass)
    size = spread + float(np.linalg.norm(expected.center))
    return max(
        abs(found.mass - expected.mass) / expected.mass,
        float(np.linalg.norm(found.center - expected.center)) / size,
        _largest_difference(found.inertia, expected.inertia)
        / float(np.abs(expected.inertia).max()),
    )


def gravity(loaded: Simulated, reference: Reference) -> Verdict:
    """Simulate one second under gravity: no NaN, and limits hold.

    The deviation is the largest excess over a limit, relative to the tolerance of its joint type.
    """
    loaded.set_coordinates(reference.start())
    loaded.step(GRAVITY_SECONDS)
    found, worst = loaded.coordinates(), _Worst()
    for joint in reference.files.movable:
        value = found[joint.name]
        if not math.isfinite(value):
            worst.see(math.inf, f"joint {joint.name} is {value}")
        elif joint.lower is not None and joint.upper is not None:
            beyond = max(joint.lower - value, value - joint.upper, 0.0)
            worst.see(beyond / LIMITS[joint.type], f"joint {joint.name} by {beyond:.2g}")
    return worst.verdict("gravity", 1.0)


def coupling(loaded: Simulated, reference: Reference) -> Verdict:
    """Move every leader, then compare its followers, relative to their travel."""
    pairs = couplings(reference.files.model)
    leaders = {one.leader for one in pairs}
    ranges = {j.name: np.array(_finite_span(j.lower, j.upper)) for j in reference.independent}
    middle = {n: float(ends.mean()) for n, ends in ranges.items() if n in leaders}
    rates = {name: float(np.ptp(ranges[name])) / 2 for name in middle}
    loaded.set_motion(reference.start() | middle, rates)
    loaded.step(COUPLING_SECONDS)
    found, worst = loaded.coordinates(), _Worst()
    for one in pairs:
        travel = abs(one.multiplier) * float(np.ptp(ranges[one.leader]))
        gap = abs(found[one.follower] - one.multiplier * found[one.leader] - one.offset)
        still = found[one.leader] == middle[one.leader] and rates[one.leader] > 0
        share = math.inf if still or not math.isfinite(gap) else gap / (travel or 1.0)
        worst.see(share, f"{one.follower} of {one.leader}")
    return worst.verdict("coupling", COUPLING)


def _finite_span(lower: float, upper: float) -> tuple[float, float]:
    return (lower, upper) if math.isfinite(upper - lower) else (-math.pi, math.pi)


def contacts(loaded: Simulated, reference: Reference) -> Verdict:
    """Count pairs of links that touch at rest, except parent and child: a finding."""
    ends = [(joint.parent, joint.child) for joint in reference.files.model.joints]
    ends += [(joint.parent, joint.child) for joint in reference.tree.joints]  # helical ones whole
    joined = {(min(pair), max(pair)) for pair in ends}
    loaded.set_coordinates({})
    found = [pair for pair in loaded.contacts() if pair not in joined]
    text = ", ".join(f"{a} and {b}" for a, b in found[:5])
    return Verdict("contact", float(len(found)), None, text)


class _Worst:
    """Keeps the largest deviation and its location; NaN counts as infinite."""

    def __init__(self) -> None:
        self.deviation, self.where = 0.0, ""

    def see(self, deviation: float, where: str) -> None:
        deviation = math.inf if math.isnan(deviation) else deviation
        if deviation > self.deviation:
            self.deviation, self.where = deviation, where

    def verdict(self, check: str, tolerance: float) -> Verdict:
        return Verdict(check, self.deviation, tolerance, self.where)


def _largest_difference(found: Array, expected: Array) -> float:
    return float(np.abs(np.asarray(found) - expected).max())
