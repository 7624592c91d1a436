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
    y1, y2, gap, ends = _oriented(screws, limits, factor)
    if scale is None:
        low, high = _raw(y1, y2, gap, ends)
    else:
        with np.errstate(invalid="ignore", over="ignore"):
            low, high = _compact(y1, y2, gap, ends, scale)
    return np.asarray(np.sqrt(_square(low) + _square(high)))


def pair_gaps(
    screws: tuple[Array, Array], limits: tuple[Array, Array], *, factor: Array
) -> tuple[Array, Array]:
    """Return both endpoint differences of the better assignment, whitened, (..., 6) each."""
    return _raw(*_oriented(screws, limits, factor))


def _oriented(
    screws: tuple[Array, Array], limits: tuple[Array, Array], factor: Array
) -> tuple[Array, Array, Array, tuple[Array, Array]]:
    """Whiten, and reverse the second joint where that brings the screws together."""
    first, second = screws
    y1, y2 = _apply(factor, first), _apply(factor, second)
    flip = (y1 * y2).sum(axis=-1) < 0
    sign = np.where(flip, -1.0, 1.0)[..., None]
    gap = _apply(factor, first - sign * second)
    l1, l2 = limits
    return y1, sign * y2, gap, (l1, np.where(flip[..., None], -l2[..., ::-1], l2))


def _apply(factor: Array, twists: Array) -> Array:
    if factor.ndim == 2:
        return np.asarray(twists @ factor.T)
    return np.asarray((factor @ twists[..., None])[..., 0])


def _raw(
    y1: Array, y2: Array, gap: Array, limits: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Choose between ``l1 y1 - l2 y2`` and ``(l1 - l2) y1 + l2 (y1 - y2)`` pair by pair."""
    radii = limits
    return _choose((y1, y2, gap), radii, radii[0] - radii[1])


def _compact(
    y1: Array, y2: Array, gap: Array, limits: tuple[Array, Array], scale: float
) -> tuple[Array, Array]:
    """Do as `_raw` does for ``tanh(l n / scale) y / n``, every difference taken before rounding."""
    n1, n2 = np.sqrt(_square(y1))[..., None], np.sqrt(_square(y2))[..., None]
    u1, u2 = _divide(y1, n1), _divide(y2, n2)
    size_gap = _divide((gap * (y1 + y2)).sum(axis=-1, keepdims=True), n1 + n2)
    unit_gap = _divide(gap - u2 * size_gap, n1)
    a, c = limits
    x, y = a * _positive(n1) / scale, c * _positive(n2) / scale
    radii = (np.tanh(x) * (n1 > 0), np.tanh(y) * (n2 > 0))
    step = _argument_gap(a, c, n1, size_gap) / scale
    return _choose((u1, u2, unit_gap), radii, tanh_gap(x, y, step))


def _choose(
    vectors: tuple[Array, Array, Array], radii: tuple[Array, Array], step: Array
) -> tuple[Array, Array]:
    """Return both endpoint differences, by ``step u1 + r2 (u1 - u2)`` where they nearly vanish."""
    u1, u2, gap = vectors
    (a, b), (c, d) = _ends(radii[0]), _ends(radii[1])
    low, high = a * u1 - c * u2, b * u1 - d * u2
    size = _square(a * u1) + _square(b * u1) + _square(c * u2) + _square(d * u2)
    near = (_square(low) + _square(high) < NEAR * size)[..., None]
    step_low, step_high = _ends(step)
    low = np.where(near, step_low * u1 + c * gap, low)
    return low, np.where(near, step_high * u1 + d * gap, high)


def _ends(values: Array) -> tuple[Array, Array]:
    return values[..., :1], values[..., 1:]


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
