# SPDX-License-Identifier: Apache-2.0
"""Drives every joint of an object through its range by a force, with contacts on.

A joint is pushed from rest to both ends by a constant force with drag while all others are held. A
position controller is no judge: its error at the end of a range of 1 mm is the range. A joint that
another part stops is tried again with that part opened, as a person does with a rack behind a
door. A joint at its far end is let go, and falls back if gravity pulls it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TypeVar

import numpy as np

from aa_dataset.adapters import Simulated, load
from aa_dataset.adapters.common import ObjectLike
from aa_dataset.judge.known import why_uncompared
from aa_dataset.judge.quiet import captured_output
from aa_dataset.judge.reference import FULL_TURN, Reference
from aa_dataset.kinematics.joints import Joint
from aa_dataset.kinematics.loads import Load, moved_loads
from aa_dataset.kinematics.urdf_tree import link_bodies

GRAVITY = 9.81  # m/s^2
WEIGHTS = 3.0  # force of a push in weights of what moves; a hand needs one to lift it
FINGER = 1.0  # N, least force of a push
SPEED = 0.5  # m/s of the matter
SHORTEST, LONGEST = 0.2, 1.0  # s, nominal time of a push through the range
PIECES, MOST_PIECES = 20, 80  # of the nominal time; most pieces of one push
STALLED_PIECES, STALLED_SHARE = 8, 0.01  # no more progress than this share of the range: it stands
REACHED = 0.98  # of the range
ARRIVED = 0.005  # of the range: as near to an end as a push goes
OPENINGS = 3  # times that the parts in the way are opened
FALL_SECONDS, FALL_SHARE, FALL_TORQUE = 0.5, 0.01, 0.1  # s, of the range, of weight times radius
DEEPEST, DEEPEST_SHARE = 5e-4, 1e-3  # m, and of the object's diagonal: penetration at rest
T = TypeVar("T")


class Outcome(StrEnum):
    """What became of a joint, of an object at rest, or of a ball in a link."""

    REACHED = "reached"  # at least 98 % of the range
    OPENED = "opened"  # the same, after other joints were opened
    BLOCKED = "blocked"  # less
    UNSTABLE = "unstable"  # a coordinate is no number
    FALLS = "falls"  # back from its far end, under gravity
    STUCK = "stuck"  # at its far end, although gravity pulls it back
    CLEAR = "clear"  # nothing penetrates at rest
    PENETRATES = "penetrates"
    STAYS = "stays"  # a ball in a hollow
    LEAVES = "leaves"  # a ball that fell through or out
    FILLED = "filled"  # no ball fits into the hollow
    FAILED = "failed"  # the simulator did not load the object
    UNCOMPARED = "uncompared"  # the object is beyond a known limit of the simulator


BAD = frozenset(
    {
        Outcome.BLOCKED, Outcome.UNSTABLE, Outcome.STUCK, Outcome.PENETRATES, Outcome.LEAVES,
        Outcome.FILLED, Outcome.FAILED,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that was tried.

    Attributes
    ----------
    check : str
        ``drive``, ``fall``, ``rest``, ``ball`` or ``load``.
    part : str
        The joint; the link of a ball; empty for the whole object.
    outcome : Outcome
        What became of it.
    value : float
        Reached share of the range, share that fell back, depth [m] at rest, or height [m] of a
        ball above the floor of its hollow.
    pair : tuple of str
        The two links that touch and are the cause, if there is one.
    detail : str
        The joints that were opened, or a sentence.
    """

    check: str
    part: str
    outcome: Outcome
    value: float
    pair: tuple[str, ...] = ()
    detail: str = ""

    @property
    def passed(self) -> bool:
        """Whether the outcome is what a user expects."""
        return self.outcome not in BAD


def drive_object(item: ObjectLike, simulator: str, *, most: int | None = None) -> list[Trial]:
    """Drive the independent joints of an object in one simulator.

    Of more than `most` joints, that many evenly spaced ones are driven.
    """
    reference = Reference.of(item)
    files = reference.files
    counts = {"moving": len(files.movable), "joints": len(files.model.joints)}
    if why := why_uncompared(simulator, **counts):
        return [Trial("load", "", Outcome.UNCOMPARED, 0.0, detail=why)]
    with captured_output():
        driver = Driver(load(simulator, item, self_contacts=True), reference)
        trials = [driver.rest()]
        for joint in evenly_spaced(driver.reference.independent, most):
            trials += driver.drive(joint)
    return trials


def evenly_spaced(values: Sequence[T], most: int | None) -> list[T]:
    """Return all values, or `most` of them in their order if there are more."""
    count = len(values)
    if most is None or count <= most:
        return list(values)
    return [values[k * count // most] for k in range(most)]


@dataclass(frozen=True, slots=True)
class Push:
    """Where a push ended [rad or m], which joints were opened for it, and the pair that stopped it.

    It arrived if it ended within 1 % of the range.
    """

    at: float
    opened: Mapping[str, float]
    pair: tuple[str, ...] = ()
    arrived: bool = True


@dataclass(frozen=True)
class Driver:
    """One object in one simulator, loaded with contacts."""

    loaded: Simulated
    reference: Reference

    @cached_property
    def loads(self) -> dict[str, Load]:
        """What every independent joint moves."""
        files = self.reference.files
        return moved_loads(self.reference.tree, link_bodies(files.model, self.reference.rest))

    def rest(self) -> Trial:
        """Look for parts that penetrate each other at rest."""
        self.loaded.set_coordinates(self.reference.start())
        found = {p: d for p, d in self.loaded.penetrations().items() if self._can_part(*p)}
        low, high = self.reference.files.bounds
        most = min(DEEPEST, DEEPEST_SHARE * float(np.linalg.norm(high - low)))
        pair = max(found, key=lambda key: found[key], default=())
        depth = found[pair] if pair else 0.0
        outcome = Outcome.PENETRATES if depth > most else Outcome.CLEAR
        return Trial("rest", "", outcome, depth, pair)

    def _can_part(self, first: str, second: str) -> bool:
        """Return whether some joint moves one of two links against the other.

        PyBullet and SAPIEN let links touch that fixed joints connect.
        """
        tree = self.reference.tree
        chains = [
            {j.name for j in tree.above(link) if j.is_movable} if link in tree.links else set()
            for link in (first, second)
        ]
        return chains[0] != chains[1]

    def drive(self, joint: Joint) -> Iterator[Trial]:
        """Push a joint to both ends; open what is in its way and try again."""
        lower, upper = _span(joint, self.reference.start()[joint.name])
        if joint.name not in self.loads or upper <= lower:
            return
        pushes = [self._pushed_past(joint, end) for end in (upper, lower)]
        opened = " ".join(sorted({name for push in pushes for name in push.opened}))
        if any(math.isnan(push.at) for push in pushes):
            yield Trial("drive", joint.name, Outcome.UNSTABLE, 0.0)
            return
        share = (min(pushes[0].at, upper) - max(pushes[1].at, lower)) / (upper - lower)
        if share < REACHED:
            pair = next((push.pair for push in pushes if push.pair), ())
            yield Trial("drive", joint.name, Outcome.BLOCKED, share, pair, opened)
            return
        outcome = Outcome.OPENED if opened else Outcome.REACHED
        yield Trial("drive", joint.name, outcome, share, (), opened)
        far = pushes[0] if self._far_end(joint) == upper else pushes[1]
        yield from self._fall(joint, {**self.reference.start(), **far.opened})

    def _pushed_past(self, joint: Joint, end: float) -> Push:
        """Push a joint to one end; if something stops it, open other joints and push again.

        First everything that moves the part in the way is opened, and what is then in the way.
        Then each joint between the two links alone, which is how a build decides that a pair of
        links needs no exclusion. If nothing helps, the first push is returned.
        """
        first = push = self._push(joint, end, {})
        for _ in range(OPENINGS):
            more = {} if push.arrived else self._opened_joints(joint, push.pair, push.opened)
            if not more:
                break
            push = self._push(joint, end, {**push.opened, **more})
        if push.arrived:
            return push
        for name, value in self._ends_between(joint, first.pair):
            push = self._push(joint, end, {name: value})
            if push.arrived:
                return push
        return first

    def _push(self, joint: Joint, end: float, opened: Mapping[str, float]) -> Push:
        """Push a joint from rest to one end while some others are opened."""
        state = {**self.reference.start(), **opened}
        lower, upper = _span(joint, state[joint.name])
        if abs(end - state[joint.name]) <= ARRIVED * (upper - lower):
            return Push(end, opened)
        self.loaded.set_coordinates(state)
        at = self._pushed_to(joint, end, upper - lower)
        if math.isnan(at) or abs(end - at) <= (1 - REACHED) / 2 * (upper - lower):
            return Push(at, opened)
        return Push(at, opened, self._stopping_pair(joint), arrived=False)

    def _pushed_to(self, joint: Joint, end: float, span: float) -> float:
        """Push towards one end and return the coordinate that is reached."""
        moved, now = self.loads[joint.name], self.loaded.coordinates()[joint.name]
        way = moved.radius * span
        # What is meters wide needs longer than that, because it must first gain speed.
        freely = math.sqrt(2 * way / (WEIGHTS * GRAVITY))
        seconds = max(min(max(way / SPEED, SHORTEST), LONGEST), freely)
        force = max(WEIGHTS * self._weight(joint), FINGER) * moved.radius
        force += self.reference.files.dynamics[joint.name].friction
        sign = math.copysign(1.0, end - now)
        self.loaded.push(joint.name, force=sign * force, speed=span / seconds)
        passed = [now]
        for _ in range(MOST_PIECES):
            self.loaded.step(seconds / PIECES)
            passed.append(_unwrapped(joint, passed[-1], self.loaded.coordinates()[joint.name]))
            if not math.isfinite(passed[-1]) or sign * (end - passed[-1]) <= ARRIVED * span:
                break
            recent = passed[-STALLED_PIECES - 1 :]
            if len(recent) > STALLED_PIECES and np.ptp(recent) < STALLED_SHARE * span:
                break
        furthest = sign * max(sign * value for value in passed)
        return furthest if all(map(math.isfinite, passed)) else math.nan

    def _weight(self, joint: Joint) -> float:
        """Return the weight [N] of what a joint moves, with the mass that its armature adds."""
        moved, armature = self.loads[joint.name], self.reference.files.dynamics[joint.name].armature
        return GRAVITY * moved.mass * (1 + armature / moved.inertia)

    def _stopping_pair(self, joint: Joint) -> tuple[str, ...]:
        """Return the deepest pair of a link that the joint moves and one that it does not."""
        moving = {*self.loads[joint.name].links}
        found = self.loaded.touches()
        across = {p: d for p, d in found.items() if len(moving & {*p}) == 1}
        return max(across, key=lambda pair: across[pair], default=())

    def _opened_joints(
        self, joint: Joint, pair: tuple[str, ...], opened: Mapping[str, float]
    ) -> dict[str, float]:
        """Return the joints that move the part in the way, each at its end farther from rest."""
        moving, found = {*self.loads[joint.name].links}, dict[str, float]()
        for link in pair:
            if link in moving or link not in self.reference.tree.links:
                continue
            for above in self.reference.tree.above(link):
                leader = self.reference.files.followers.get(above.name, above.name)
                one = self.reference.tree.joint(leader) if above.is_movable else joint
                if one.name not in (joint.name, *opened):
                    found[one.name] = self._far_end(one)
        return found

    def _ends_between(self, joint: Joint, pair: tuple[str, ...]) -> Iterator[tuple[str, float]]:
        """Yield the ends of each other joint that moves only one of two links."""
        tree = self.reference.tree
        chains = [{j.name for j in tree.above(link)} for link in pair if link in tree.links]
        between = set.symmetric_difference(*chains) if len(chains) == 2 else set[str]()
        for one in self.reference.independent:
            if one.name in between - {joint.name}:
                start = self.reference.start()[one.name]
                yield from ((one.name, end) for end in _span(one, start) if end != start)

    def _far_end(self, joint: Joint) -> float:
        start = self.reference.start()[joint.name]
        lower, upper = _span(joint, start)
        return upper if upper - start >= start - lower else lower

    def _fall(self, joint: Joint, state: Mapping[str, float]) -> Iterator[Trial]:
        """Let a joint go at its far end, if gravity pulls it back from there."""
        if math.isinf(joint.upper - joint.lower):
            return
        end, moved = self._far_end(joint), self.loads[joint.name]
        pull = self._gravity_force({**state, joint.name: end}, joint)
        inward = pull * (joint.upper + joint.lower - 2 * end)
        friction = self.reference.files.dynamics[joint.name].friction
        least = FALL_TORQUE * self._weight(joint) * moved.radius
        if inward <= 0 or abs(pull) <= max(least, 3 * friction):
            return
        self.loaded.set_coordinates({**state, joint.name: end})
        self.loaded.push(joint.name, force=0.0, speed=1.0)
        self.loaded.step(FALL_SECONDS)
        share = abs(self.loaded.coordinates()[joint.name] - end) / (joint.upper - joint.lower)
        falls = share >= FALL_SHARE
        pair = () if falls else self._stopping_pair(joint)
        yield Trial("fall", joint.name, Outcome.FALLS if falls else Outcome.STUCK, share, pair)

    def _gravity_force(self, state: Mapping[str, float], joint: Joint) -> float:
        """Return the generalized force [N m or N] of gravity on a joint, by its potential."""
        bodies = link_bodies(self.reference.files.model, self.reference.rest)
        step = 1e-4 * min(joint.upper - joint.lower, 1.0)
        heights = []
        for shift in (-step, step):
            values = {**state, joint.name: state[joint.name] + shift}
            placed = self.reference.tree.placements(values)
            heights.append(
                sum(
                    bodies[link].mass * float(frame[2] @ [*bodies[link].center, 1.0])
                    for link, frame in placed.items()
                    if link in bodies
                )
            )
        return -GRAVITY * (heights[1] - heights[0]) / (2 * step)


def _span(joint: Joint, start: float) -> tuple[float, float]:
    """Return the ends of a joint's drive: its limits, or one turn from where it starts."""
    if math.isinf(joint.upper - joint.lower):
        return start, start + FULL_TURN
    return joint.lower, joint.upper


def _unwrapped(joint: Joint, before: float, now: float) -> float:
    """Return a coordinate without the jump of a full turn that some simulators make."""
    if math.isfinite(now) and math.isinf(joint.upper - joint.lower):
        return before + math.remainder(now - before, FULL_TURN)
    return now
