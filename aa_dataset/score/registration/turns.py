# SPDX-License-Identifier: Apache-2.0
"""Rotations from which estimates start: of the axes onto the axes, and a grid of all rotations."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from aa_dataset.portable import determinant, quaternion_rotation

Array = NDArray[np.float64]

# Half of the tangent of 15 degrees per step of the grid, as vector part of a quaternion of w = 1.
_STEP = 0.27


@cache
def axis_turns() -> Array:
    """Return the 24 proper rotations of the axes onto the axes, (24, 3, 3).

    Conventions come first: z up as it is, then y up with the front along z (glTF, OBJ), then y up
    with the front along x; the others in a fixed order.
    """
    known = [
        np.eye(3),
        np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]),
        np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    ]
    others = [turn for turn in _signed_permutations() if not _is_among(turn, known)]
    return np.array([*known, *others])


def _signed_permutations() -> list[Array]:
    found = []
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            turn = np.zeros((3, 3))
            turn[range(3), order] = signs
            if determinant(turn) > 0:
                found.append(turn)
    return found


def _is_among(turn: Array, known: list[Array]) -> bool:
    return any((turn == other).all() for other in known)


@cache
def turn_grid() -> Array:
    """Return rotations around each of the 24, so that every rotation is near one, (648, 3, 3)."""
    steps = product((-_STEP, 0.0, _STEP), repeat=3)
    near = np.array([quaternion_rotation((1.0, *step)) for step in steps])
    return composed(axis_turns()[:, None], near[None]).reshape(-1, 3, 3)


def composed(first: Array, second: Array) -> Array:
    """Return matrix products of rotations (..., 3, 3)."""
    return np.asarray(
        sum(first[..., :, k : k + 1] * second[..., k : k + 1, :] for k in range(3)), dtype=float
    )


def cosines(turns: Array, other: Array) -> Array:
    """Return the cosines of the angles between rotations (n, 3, 3) and another one, (n,)."""
    return np.asarray(((turns * other).sum(axis=(1, 2)) - 1) / 2)
