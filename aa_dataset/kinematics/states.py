# SPDX-License-Identifier: Apache-2.0
"""States of an object: where the links are in many of them at once, and random ones.

`KinematicTree.placements` decides bytes of a library. `posed` is for training code: ten times as
fast for thousands of states. Its digits, too, are the same on every machine, although in the last
place they are not those of `placements`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.errors import ShapeError
from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.screws import hat
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.portable import applied, product, sine_cosine
from aa_dataset.random_streams import Draws

Array = NDArray[np.float64]
State = Mapping[str, ArrayLike] | ArrayLike

# The range that a joint without an end is drawn from: a whole turn for rotations [rad].
TURN = (-math.pi, math.pi)
_BLOCK = 4096  # states at a time, so that they stay in the processor's cache


def state_mapping(tree: KinematicTree, state: State) -> Mapping[str, ArrayLike]:
    """Return coordinates by joint name.

    An array ``(..., n)`` has one column for each of the n movable joints, in their order; the
    columns of mimic joints count as given.
    """
    if isinstance(state, Mapping):
        return state
    values = np.asarray(state, dtype=float)
    names = [joint.name for joint in tree.movable]
    if values.ndim not in (1, 2) or values.shape[-1] != len(names):
        raise ShapeError("q", values.shape, (None, len(names))[2 - max(values.ndim, 1) :])
    return {name: values[..., k] for k, name in enumerate(names)}


def posed(tree: KinematicTree, state: State) -> dict[str, Array]:
    """Return the displacement of every link from rest, in the object frame.

    Parameters
    ----------
    tree : KinematicTree
        The object.
    state : mapping of joint name to float or (n,) float, or (m,) or (n, m) float [rad or m]
        Coordinates of one state or of n. Joints without a value stay at 0, mimic joints follow. An
        array has a column for each of the m movable joints.

    Returns
    -------
    dict of str to (4, 4) float, or (n, 4, 4)
        Links that move together share one array, and the arrays may not be contiguous.
    """
    values = tree.coordinates(state_mapping(tree, state))
    count = _common_shape([value.shape for value in values.values()])
    columns = {name: np.broadcast_to(value, count).reshape(-1) for name, value in values.items()}
    total = math.prod(count)
    # Entries first, states last: numpy then loops over states, not over three numbers.
    moved = {tree.root: np.repeat(np.eye(4)[..., None], total, axis=2)}
    for joint in tree.joints:
        above, value = moved[joint.parent], columns[joint.name]
        if not value.any():
            moved[joint.child] = above
            continue
        out = moved[joint.child] = np.empty((4, 4, total))
        out[3] = above[3]
        stays, terms = above is moved[tree.root], _terms(joint)
        for start in range(0, total, _BLOCK):
            part = np.s_[..., start : start + _BLOCK]
            _place(None if stays else above[part], _steps(terms, value[part]), out[part])
    return {link: np.moveaxis(matrix, 2, 0).reshape(*count, 4, 4) for link, matrix in moved.items()}


def _common_shape(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the shape of all states; a joint may have one value for all of them."""
    try:
        return np.broadcast_shapes(*shapes, ())
    except ValueError:
        several = [shape for shape in shapes if math.prod(shape) != 1]
        odd = next(shape for shape in several if shape != several[0])
        raise ShapeError("q", odd, several[0]) from None


def random_state(tree: KinematicTree, seed: int, *words: str) -> dict[str, float]:
    """Return a random coordinate of every movable joint within its limits [rad or m].

    Independent joints are drawn from their range, cut to where every joint that mimics them stays
    inside its own. A rotation without an end turns at most half a turn that way; a slide without an
    end stays on the other side of 0. The numbers depend on the seed, further words such as
    an object's id, and the names of the joints.
    """
    ranges = {joint.name: _drawn_range(joint) for joint in tree.movable if joint.mimic is None}
    for joint in tree.movable:
        if joint.mimic is not None:
            leader, factor, shift = tree.leader(joint.name)
            if factor and leader in ranges:
                ranges[leader] = _cut(ranges[leader], joint, factor, shift)
    drawn = {}
    for name, (lower, upper) in ranges.items():
        drawn[name] = lower + Draws(seed, "state", *words, name).uniform() * (upper - lower)
    full = tree.coordinates(drawn)
    return {joint.name: float(full[joint.name]) for joint in tree.movable}


def _drawn_range(joint: Joint) -> tuple[float, float]:
    turns = joint.type is not JointType.PRISMATIC
    lower, upper = joint.limits
    if math.isinf(lower):
        lower = min(TURN[0], upper) if turns else min(0.0, upper)
    if math.isinf(upper):
        upper = max(TURN[1], lower) if turns else max(0.0, lower)
    return lower, upper


def _cut(
    span: tuple[float, float], follower: Joint, factor: float, shift: float
) -> tuple[float, float]:
    """Return the part of a leader's range in which a follower stays inside its limits."""
    ends = sorted((limit - shift) / factor for limit in follower.limits)
    lower, upper = max(span[0], ends[0]), min(span[1], ends[1])
    return (lower, upper) if lower <= upper else span  # limits that contradict the coupling


def _place(above: Array | None, steps: Array, out: Array) -> None:
    """Write the rows of ``above @ steps`` (3, 4, n) to `out` (4, 4, n); None is at rest."""
    if above is None:
        out[:3] = steps
        return
    np.multiply(above[:3, :1], steps[:1], out=out[:3])
    for k in (1, 2):
        out[:3] += above[:3, k : k + 1] * steps[k]
    out[:3, 3] += above[:3, 3]


def _terms(joint: Joint) -> tuple[Array, Array, Array]:
    """Return what q, its sine, and one minus its cosine multiply in ``exp(q * screw)``, (3, 4, 1).

    The axis has unit length, so with W = hat(omega) the rotation is I + sin q W + (1 - cos q) W W,
    and the shift is q (omega . v) omega - sin q W W v + (1 - cos q) W v.
    """
    omega, v = joint.screw[:3], joint.screw[3:]
    once = hat(omega)
    twice = product(once, once)
    along = joint.pitch * omega if omega.any() else v
    of_angle = np.column_stack([np.zeros((3, 3)), along])
    of_sine = np.column_stack([once, -applied(twice, v)])
    return (
        of_angle[..., None],
        of_sine[..., None],
        np.column_stack([twice, applied(once, v)])[..., None],
    )


def _steps(terms: tuple[Array, Array, Array], value: Array) -> Array:
    """Return the first three rows (3, 4, n) of ``exp(value * screw)`` for coordinates (n,)."""
    of_angle, of_sine, of_versine = terms
    if of_sine.any():
        half_sine, half_cosine = sine_cosine(value / 2)
        out = of_sine * (2 * half_sine * half_cosine)
        out += of_versine * (2 * half_sine * half_sine)
    else:
        out = np.zeros((3, 4, len(value)))
    if of_angle.any():
        out[:, 3] += of_angle[:, 3] * value
    for k in range(3):
        out[k, k] += 1.0
    return out
