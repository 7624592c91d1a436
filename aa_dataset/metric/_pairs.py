# SPDX-License-Identifier: Apache-2.0
"""The distance of given pairs, accurate down to joints that differ in the last digits.

Written for arrays that broadcast against each other: ``(n,)`` against ``(n,)`` gives aligned
pairs, ``(n, 1)`` against ``(m,)`` a matrix. In whitened coordinates one inner product decides
which assignment of endpoints is better: the second joint is reversed where the product is
negative. Pairs that nearly agree are computed again from differences of screws and limits, which
floating-point subtraction forms exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric._arithmetic import exp_negative, expm1_negative, tanh

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Two = tuple[Array, Array]

# Below this fraction of |z1|^2 + |z2|^2 the closed form has lost three digits, and the careful form
# is used.
NEAR = 1e-3
FEW = 300  # numbers in an array so small that the calls of numpy dominate


def pair_distances(screws: Two, limits: Two, *, factor: Array, scale: float | None) -> Array:
    """Return E (``scale=None``, paper eq. 5) or E^phi (eq. 8) of broadcast pairs.

    Parameters
    ----------
    screws : pair of (..., 6) float
        Unit screws of both sides.
    limits : pair of (..., 2) float
        Their limits; finite if `scale` is None.
    factor : (6, 6) or (..., 6, 6) float
        Factor of the norm, one for all or one per pair.
    scale : float or None
        Scale kappa of the compactification.

    Returns
    -------
    (...) float
        The distances, to about 1e-13.
    """
    y1, y2 = apply(factor, screws[0]), apply(factor, screws[1])
    inner, n1, n2 = dot(y1, y2), dot(y1, y1), dot(y2, y2)
    radii1, radii2 = limits[0], reversed_where(inner < 0, limits[1])
    if scale is not None:
        n1, n2 = np.sqrt(n1), np.sqrt(n2)
        radii1, radii2 = radius(radii1, n1, scale), radius(radii2, n2, scale)
        inner = inner / ones_for_zeros(n1 * n2)
        n1 = n2 = np.ones(())
    size = dot(radii1, radii1) * n1 + dot(radii2, radii2) * n2
    square = size - 2 * dot(radii1, radii2) * np.abs(inner)
    near = square < NEAR * size
    out = np.asarray(np.sqrt(np.abs(square)))
    if near.any():
        out[near] = careful_distances(*_near_pairs(near, screws, limits, factor), scale)
    return out


def pair_gaps(screws: Two, limits: Two, *, factor: Array) -> Two:
    """Return both endpoint differences of the better assignment, whitened, (n, 6) each."""
    y1, y2, gap, ends = _whitened_and_aligned(screws, limits, factor)
    near = _raw_difference(y1, gap, ends)
    straight = tuple(a * y1 - c * y2 for a, c in zip(*map(_both_ends, ends), strict=True))
    total = square(straight[0]) + square(straight[1])
    size = dot(ends[0], ends[0]) * dot(y1, y1)
    size = size + dot(ends[1], ends[1]) * dot(y2, y2)
    close = (total < NEAR * size)[..., None]
    return np.where(close, near[0], straight[0]), np.where(close, near[1], straight[1])


def apply(factor: Array, twists: Array) -> Array:
    """Whiten twists ``(..., 6)`` by one factor or one per twist.

    Sums of products in a fixed order, because BLAS rounds differently on every processor. Both
    forms add from left to right; the first needs fewer calls, the second less memory.
    """
    if twists.size <= FEW:
        return np.asarray(np.add.reduce(factor * twists[..., None, :], axis=-1))
    out = factor[..., 0] * twists[..., :1]
    for k in range(1, 6):
        out += factor[..., k] * twists[..., k : k + 1]
    return np.asarray(out)


def dot(first: Array, second: Array) -> Array:
    """Return inner products over the last axis; `np.vecdot` would use BLAS."""
    return np.asarray(np.add.reduce(first * second, axis=-1))


def square(vectors: Array) -> Array:
    """Return squared lengths over the last axis."""
    return dot(vectors, vectors)


def reversed_where(flip: Bools, limits: Array) -> Array:
    """Return limits, negated and swapped where the screw is reversed."""
    return np.where(flip[..., None], -limits[..., ::-1], limits)


def radius(limits: Array, size: Array, scale: float) -> Array:
    """Return ``tanh(l |xi| / scale)``, signed, and 0 for the zero screw (paper eq. 8)."""
    # A zero screw with an infinite limit would give 0 * inf; its endpoint is 0.
    return np.asarray(
        tanh(limits * (ones_for_zeros(size) / scale)[..., None]) * (size > 0)[..., None]
    )


def ones_for_zeros(size: Array) -> Array:
    """Return sizes with 1 in place of 0, to divide by."""
    return np.asarray(size + (size == 0))


def tanh_gap(x: Array, y: Array, step: Array) -> Array:
    """Return ``tanh x - tanh y`` given ``step = x - y`` to full relative accuracy."""
    same_side = (x >= 0) == (y >= 0)
    low = np.minimum(np.abs(x), np.abs(y))
    high = np.maximum(np.abs(x), np.abs(y))
    e_low, e_high = exp_negative(-2 * np.stack([low, high]))
    gap = -2 * e_low * expm1_negative(-2 * np.abs(step)) / ((1 + e_low) * (1 + e_high))
    gap = np.sign(step) * gap
    return gap if same_side.all() else np.where(same_side, gap, tanh(x) - tanh(y))


def _near_pairs(near: Bools, screws: Two, limits: Two, factor: Array) -> tuple[Two, Two, Array]:
    """Return the pairs marked in `near` as flat arrays."""

    def picked(array: Array, own: int) -> Array:
        if array.shape[: array.ndim - own] != near.shape:
            array = np.broadcast_to(array, near.shape + array.shape[array.ndim - own :])
        return array[near]

    return (
        (picked(screws[0], 1), picked(screws[1], 1)),
        (picked(limits[0], 1), picked(limits[1], 1)),
        factor if factor.ndim == 2 else picked(factor, 2),
    )


def careful_distances(screws: Two, limits: Two, factor: Array, scale: float | None) -> Array:
    """Return the distances of flat pairs from differences taken before rounding, (n,)."""
    y1, y2, gap, ends = _whitened_and_aligned(screws, limits, factor)
    if scale is None:
        low, high = _raw_difference(y1, gap, ends)
    else:
        with np.errstate(invalid="ignore", over="ignore"):
            low, high = _compact_difference(y1, y2, gap, ends, scale)
    return np.asarray(np.sqrt(dot(low, low) + dot(high, high)))


def _whitened_and_aligned(
    screws: Two, limits: Two, factor: Array
) -> tuple[Array, Array, Array, Two]:
    """Whiten, and reverse the second joint where that brings the screws together."""
    y1, y2 = apply(factor, screws[0]), apply(factor, screws[1])
    flip = dot(y1, y2) < 0
    sign = np.where(flip, -1.0, 1.0)[..., None]
    gap = apply(factor, screws[0] - sign * screws[1])
    return y1, sign * y2, gap, (limits[0], reversed_where(flip, limits[1]))


def _raw_difference(y1: Array, gap: Array, ends: Two) -> Two:
    """Return ``l1 y1 - l2 y2`` as ``(l1 - l2) y1 + l2 (y1 - y2)``."""
    (low, high), (c, d) = _both_ends(ends[0] - ends[1]), _both_ends(ends[1])
    return low * y1 + c * gap, high * y1 + d * gap


def _compact_difference(y1: Array, y2: Array, gap: Array, ends: Two, scale: float) -> Two:
    """Return it for ``tanh(l n / scale) y / n``, with all differences taken before rounding."""
    n1, n2 = np.sqrt(dot(y1, y1)), np.sqrt(dot(y2, y2))
    u1, u2 = y1 / ones_for_zeros(n1)[..., None], y2 / ones_for_zeros(n2)[..., None]
    size_gap = dot(gap, y1 + y2) / ones_for_zeros(n1 + n2)
    unit_gap = (gap - u2 * size_gap[..., None]) / ones_for_zeros(n1)[..., None]
    x, y = (e * (ones_for_zeros(n) / scale)[..., None] for e, n in zip(ends, (n1, n2), strict=True))
    step = tanh_gap(x, y, _argument_gap(*ends, n1[..., None], size_gap[..., None]) / scale)
    (low, high), (c, d) = _both_ends(step), _both_ends(radius(ends[1], n2, scale))
    return low * u1 + c * unit_gap, high * u1 + d * unit_gap


def _argument_gap(a: Array, c: Array, n1: Array, size_gap: Array) -> Array:
    """Return ``a n1 - c n2`` without cancellation; 0 for two equal infinities."""
    finite = np.isfinite(a) & np.isfinite(c)
    exact = (a - c) * n1 + c * size_gap
    return np.where(finite, exact, np.where(a == c, 0.0, a - c))


def _both_ends(values: Array) -> Two:
    return values[..., :1], values[..., 1:]
