# SPDX-License-Identifier: Apache-2.0
"""The distance of given pairs, accurate down to joints that differ in the last digits.

Written for arrays that broadcast against each other: ``(n,)`` against ``(n,)`` gives aligned
pairs, ``(n, 1)`` against ``(m,)`` a matrix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Below this share of |z1|^2 + |z2|^2, subtracting endpoints loses digits and the form by
# differences of screws and limits takes over; above it both are good to 1e-14.
NEAR = 1e-4


def pair_distances(
    screws: tuple[Array, Array],
    limits: tuple[Array, Array],
    *,
    factor: Array,
    scale: float | None,
) -> Array:
    """Return E (``scale=None``, paper eq. 7) or E^phi (eq. 8) of broadcast pairs.

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
        The distances; the better assignment of endpoints is the one that turns both screws
        to a non-negative inner product (closed form of eq. 7).
    """
    first, second = screws
    y1, y2 = _apply(factor, first), _apply(factor, second)
    flip = (y1 * y2).sum(axis=-1) < 0
    sign = np.where(flip, -1.0, 1.0)[..., None]
    y2 = sign * y2
    gap = _apply(factor, first - sign * second)
    l1, l2 = limits
    l2 = np.where(flip[..., None], -l2[..., ::-1], l2)
    if scale is None:
        return _raw(y1, y2, gap, (l1, l2))
    with np.errstate(invalid="ignore", over="ignore"):
        return _compact(y1, y2, gap, (l1, l2), scale)


def _apply(factor: Array, twists: Array) -> Array:
    if factor.ndim == 2:
        return np.asarray(twists @ factor.T)
    return np.asarray((factor @ twists[..., None])[..., 0])


def _raw(y1: Array, y2: Array, gap: Array, limits: tuple[Array, Array]) -> Array:
    """Choose between ``l1 y1 - l2 y2`` and ``(l1 - l2) y1 + l2 (y1 - y2)`` pair by pair."""
    total, near_total, size = np.zeros(()), np.zeros(()), np.zeros(())
    for end in (0, 1):
        a, c = limits[0][..., end, None], limits[1][..., end, None]
        total = total + _square(a * y1 - c * y2)
        near_total = near_total + _square((a - c) * y1 + c * gap)
        size = size + _square(a * y1) + _square(c * y2)
    return np.asarray(np.sqrt(np.where(total < NEAR * size, near_total, total)))


def _compact(
    y1: Array, y2: Array, gap: Array, limits: tuple[Array, Array], scale: float
) -> Array:
    """Do as `_raw` does for ``tanh(l n / scale) y / n``, every difference taken before rounding."""
    n1, n2 = np.sqrt(_square(y1)), np.sqrt(_square(y2))
    u1, u2 = _divide(y1, n1[..., None]), _divide(y2, n2[..., None])
    size_gap = _divide((gap * (y1 + y2)).sum(axis=-1), n1 + n2)
    unit_gap = _divide(gap - u2 * size_gap[..., None], n1[..., None])
    total, near_total, size = np.zeros(()), np.zeros(()), np.zeros(())
    for end in (0, 1):
        a, c = limits[0][..., end], limits[1][..., end]
        x, y = a * _positive(n1) / scale, c * _positive(n2) / scale
        step = _argument_gap(a, c, n1, size_gap) / scale
        t1, t2 = np.tanh(x) * (n1 > 0), np.tanh(y) * (n2 > 0)
        total = total + _square(t1[..., None] * u1 - t2[..., None] * u2)
        radial = tanh_gap(x, y, step)
        near_total = near_total + _square(radial[..., None] * u1 + t2[..., None] * unit_gap)
        size = size + t1 * t1 + t2 * t2
    return np.asarray(np.sqrt(np.where(total < NEAR * size, near_total, total)))


def _argument_gap(a: Array, c: Array, n1: Array, size_gap: Array) -> Array:
    """Return ``a n1 - c n2`` without cancellation; 0 for two equal infinities."""
    finite = np.isfinite(a) & np.isfinite(c)
    exact = (a - c) * n1 + c * size_gap
    return np.where(finite, exact, np.where(a == c, 0.0, a - c))


def tanh_gap(x: Array, y: Array, step: Array) -> Array:
    """Return ``tanh x - tanh y`` given ``step = x - y`` to full relative accuracy."""
    same_side = (x >= 0) == (y >= 0)
    low = np.minimum(np.abs(x), np.abs(y))
    high = np.maximum(np.abs(x), np.abs(y))
    e_low, e_high = np.exp(-2 * low), np.exp(-2 * high)
    gap = -2 * e_low * np.expm1(-2 * np.abs(step)) / ((1 + e_low) * (1 + e_high))
    return np.where(same_side, np.sign(step) * gap, np.tanh(x) - np.tanh(y))


def _square(vectors: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", vectors, vectors))


def _positive(size: Array) -> Array:
    # A zero screw against an infinite limit would be 0 * inf; its endpoint is 0 all the same.
    return np.where(size > 0, size, 1.0)


def _divide(top: Array, bottom: Array) -> Array:
    return np.asarray(top / np.where(bottom > 0, bottom, 1.0))
