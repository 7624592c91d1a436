# SPDX-License-Identifier: Apache-2.0
"""The motions in which parts must not meet: every joint through its range, and random states.

A piece of a motion is described by up to three affine maps. The hull of a convex part's images
under them contains the part all the way: a turn runs inside the triangle of its ends and the point
where its tangents meet, a slide between its ends.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.portable import applied, product

# Largest turn of a coarse piece [rad]; a fine piece is a quarter of it.
COARSE_TURN = math.pi / 6
FINE = 4
# Coarse pieces of one joint: a follower that turns more often than 20 times is driven less finely.
MOST_COARSE = 240
# Most turns of a screw that are driven, half of them from each end: threads repeat themselves.
MOST_TURNS = 16.0
# States in which all joints are somewhere in their range.
RANDOM_STATES = 20
_SEED = 20261118


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """States of all links on the way of one joint.

    Attributes
    ----------
    driver : str
        The joint that is driven; empty for the rest state and for random states.
    placements : mapping of link to (n, 4, 4) float
        Displacement from rest in each state, object frame, lengths in units of the diagonal.
    groups : mapping of link to int
        Links of one group do not move against each other.
    coarse : (c, k) int
        States of each piece: one, both ends, or both ends and the middle.
    fine : (c, f, k) int
        The same for the finer pieces of each coarse one.
    """

    driver: str
    placements: Mapping[str, np.ndarray]
    groups: Mapping[str, int]
    coarse: np.ndarray
    fine: np.ndarray


def rest_motion(tree: KinematicTree, *, size: float) -> Motion:
    """Return the rest state alone."""
    state = dict.fromkeys(_independent(tree), np.zeros(1))
    return _states(tree, tree.placements(state, unit=size), 1)


def random_motion(tree: KinematicTree, *, size: float) -> Motion:
    """Return random states of all joints, the same ones at every call."""
    source = np.random.Generator(np.random.PCG64(_SEED))
    values = {}
    for name in _independent(tree):
        low, high = driven_range(tree.joint(name))
        values[name] = low + (high - low) * source.random(RANDOM_STATES)
    return _states(tree, tree.placements(values, unit=size), RANDOM_STATES)


def driven_motion(
    tree: KinematicTree, joint: Joint, *, size: float, others: Mapping[str, float] | None = None
) -> Motion:
    """Return the way of one joint through its range.

    Parameters
    ----------
    tree : KinematicTree
        Followers of the joint move with it.
    joint : Joint
        The driven one.
    size : float [m]
        Unit of the placements.
    others : mapping of joint name to coordinate
        Joints that are not at rest.
    """
    pieces = _pieces(tree, joint)
    ends = np.concatenate([np.linspace(low, high, count + 1) for low, high, count in pieces])
    is_slide = _is_slide(tree, joint)
    if is_slide:
        coordinates, coarse = ends, np.array([[0, 1]])
        fine = coarse[:, None]
    else:
        steps = 2 * FINE
        starts = [ends[k] + (ends[k + 1] - ends[k]) * np.arange(steps + 1) / steps
                  for k in _starts(pieces)]  # fmt: skip
        coordinates = np.concatenate(starts)
        first = (steps + 1) * np.arange(len(starts))
        coarse = first[:, None] + [0, steps, FINE]
        fine = first[:, None, None] + 2 * np.arange(FINE)[:, None] + [0, 2, 1]
    state: dict[str, ArrayLike] = {**(others or {}), joint.name: coordinates}
    placements = tree.placements(state, unit=size)
    # Links that move as one share one array.
    groups = {link: id(states) for link, states in placements.items()}
    return Motion(joint.name, placements, groups, coarse, fine)


def drivers(tree: KinematicTree) -> list[Joint]:
    """Return the movable joints that follow no other."""
    return [joint for joint in tree.movable if joint.mimic is None]


def driven_range(joint: Joint) -> tuple[float, float]:
    """Return the range [rad or m] of a joint; a plain turn repeats itself after 2 pi."""
    if joint.type is JointType.CONTINUOUS:
        return 0.0, 2 * math.pi
    low, high = joint.lower, joint.upper
    if joint.type is JointType.REVOLUTE and high - low > 2 * math.pi:
        high = low + 2 * math.pi
    return low, high


def piece_maps(states: np.ndarray, pieces: np.ndarray) -> np.ndarray:
    """Return the affine maps (..., k, 3, 4) of pieces (..., k) of a motion with states (n, 4, 4).

    The hull of a part's images under them contains the part on the whole piece.
    """
    maps = states[pieces][..., :3, :]
    if pieces.shape[-1] == 3:
        ends = (maps[..., 0, :, :] + maps[..., 1, :, :]) / 2
        maps[..., 2, :, :] = 2 * maps[..., 2, :, :] - ends
    return np.asarray(maps)


def relative(moved: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return displacements (n, 4, 4) as seen from a body that itself is displaced (n, 4, 4)."""
    rotations = np.swapaxes(reference[:, :3, :3], 1, 2)
    out = np.zeros_like(moved)
    out[:, :3, :3] = product(rotations, moved[:, :3, :3])
    out[:, :3, 3] = applied(rotations, moved[:, :3, 3] - reference[:, :3, 3])
    out[:, 3, 3] = 1.0
    return out


def _states(tree: KinematicTree, placements: Mapping[str, np.ndarray], count: int) -> Motion:
    """Return single states, in which all links that are not welded to each other may meet."""
    groups = {tree.root: 0}
    for number, joint in enumerate(tree.joints, start=1):
        groups[joint.child] = number if joint.is_movable else groups[joint.parent]
    each = np.arange(count)[:, None]
    return Motion("", placements, groups, each, each[:, None])


def _independent(tree: KinematicTree) -> list[str]:
    return [joint.name for joint in drivers(tree)]


def _pieces(tree: KinematicTree, joint: Joint) -> list[tuple[float, float, int]]:
    """Return lower end, upper end and number of coarse pieces of every driven interval."""
    low, high = driven_range(joint)
    if _is_slide(tree, joint):
        return [(low, high, 1)]
    if joint.type is JointType.HELICAL and high - low > 2 * math.pi * MOST_TURNS:
        half = math.pi * MOST_TURNS
        intervals = [(low, low + half), (high - half, high)]
    else:
        intervals = [(low, high)]
    turn = COARSE_TURN / _fastest(tree, joint)
    counts = [max(math.ceil((b - a) / turn - 1e-9), 1) for a, b in intervals]
    return [(*ends, min(n, MOST_COARSE)) for ends, n in zip(intervals, counts, strict=True)]


def _fastest(tree: KinematicTree, joint: Joint) -> float:
    """Return the fastest turn of two links against each other [rad per unit of the joint].

    Turns about two axes at once are no arc, so they count twice.
    """
    rates = {one.name: _rate(tree, one, joint) for one in tree.movable
             if one.type is not JointType.PRISMATIC}  # fmt: skip
    turning = {name for name, rate in rates.items() if rate > 0}
    chains = {frozenset(one.name for one in tree.above(tree.joint(name).child)) & turning
              for name in turning}  # fmt: skip
    between = [a ^ b for a in (*chains, frozenset()) for b in chains]
    return max(sum(rates[name] for name in sorted(names)) * min(len(names), 2) for names in between)


def _rate(tree: KinematicTree, joint: Joint, leader: Joint) -> float:
    """Return how fast a joint moves with a leader; 0 if it does not follow it."""
    rate = 1.0
    while joint.mimic is not None:
        rate *= abs(joint.mimic.multiplier)
        joint = tree.joint(joint.mimic.joint)
    return rate if joint is leader else 0.0


def _starts(pieces: list[tuple[float, float, int]]) -> list[int]:
    """Return the index of the first end of every coarse piece, among the ends of all intervals."""
    found: list[int] = []
    at = 0
    for _, _, count in pieces:
        found += range(at, at + count)
        at += count + 1
    return found


def _is_slide(tree: KinematicTree, joint: Joint) -> bool:
    """Return whether a joint and all that follow it only slide."""
    moved = [one for one in tree.movable if _rate(tree, one, joint) > 0]
    return all(one.type is JointType.PRISMATIC for one in moved)
