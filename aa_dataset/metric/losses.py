# SPDX-License-Identifier: Apache-2.0
"""Smooth stand-ins for E, for training and fitting (paper appendix A.3).

One code path for numpy, torch and jax: only functions that all three spell alike are used, so
gradients come from whichever library the arrays belong to. Inputs are unit screws and limits of
movable joints; `revolute_screws` and `prismatic_screws` make them from what a network predicts.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric.distance import DEFAULT_NORM, checked_scale
from aa_dataset.metric.norms import Norm, as_norm

# An array of numpy, torch or jax; their common protocol has no static type.
AnyArray = Any


def namespace(array: AnyArray) -> Any:
    """Return the module whose functions act on an array: numpy, torch or jax.numpy."""
    if type(array).__module__.partition(".")[0] == "torch":
        return sys.modules["torch"]
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    return np


def revolute_screws(axis: AnyArray, origin: AnyArray, *, pitch: AnyArray = 0.0) -> AnyArray:
    """Return unit screws ``(..., 6)`` of lines; the axis is normalized here (paper eq. 2).

    Parameters
    ----------
    axis, origin : (..., 3) float
        Direction (any length but 0) and a point [m] of each line.
    pitch : (...) float [m/rad]
        Advance per radian.
    """
    xp = namespace(axis)
    unit = axis / _length(xp, axis)
    pitch = xp.asarray(pitch, dtype=unit.dtype, **_place(xp, axis))[..., None]
    return xp.concat([unit, _cross(xp, origin, unit) + pitch * unit], axis=-1)


def prismatic_screws(axis: AnyArray) -> AnyArray:
    """Return unit screws ``(..., 6)`` of translations; the axis is normalized here."""
    xp = namespace(axis)
    return xp.concat([axis * 0.0, axis / _length(xp, axis)], axis=-1)


def soft_min_loss(
    first: tuple[AnyArray, AnyArray],
    second: tuple[AnyArray, AnyArray],
    *,
    temperature: float,
    norm: Norm = DEFAULT_NORM,
    compactify: float | None = None,
) -> AnyArray:
    """Return ``-T log mean exp(-d^2 / T)`` over both endpoint assignments, (...).

    Parameters
    ----------
    first, second : (screws, limits)
        Unit screws ``(..., 6)`` and limits ``(..., 2)`` of one array library.
    temperature : float [square of the norm's unit]
        Smooth for T > 0, between E^2 and ``E^2 + T log 2``; tends to E^2 as T goes to 0.
    norm, compactify : Norm, float or None
        As for `joint_distance`; infinite limits need `compactify`.
    """
    if not temperature > 0:
        raise ValueError(f"`temperature` is {temperature}; the soft minimum needs a positive one.")
    xp = namespace(first[0])
    low1, high1 = _endpoints(xp, *first, norm=norm, scale=compactify)
    low2, high2 = _endpoints(xp, *second, norm=norm, scale=compactify)
    straight = _square(xp, low1 - low2) + _square(xp, high1 - high2)
    crossed = _square(xp, low1 - high2) + _square(xp, high1 - low2)
    # log(mean(exp)) around the smaller term, so that nothing overflows.
    smaller, gap = xp.minimum(straight, crossed), xp.abs(straight - crossed)
    return smaller - temperature * (xp.log1p(xp.exp(-gap / temperature)) - math.log(2.0))


def invariant_loss(
    first: tuple[AnyArray, AnyArray],
    second: tuple[AnyArray, AnyArray],
    *,
    weights: tuple[float, float] = (1.0, 1.0),
    norm: Norm = DEFAULT_NORM,
    compactify: float | None = None,
) -> AnyArray:
    """Return a loss on ``s = z_minus + z_plus`` and ``D = d d'`` with ``d = z_minus - z_plus``.

    Both are the same for either order of the endpoints, so no minimum is needed and the loss is
    a polynomial of the endpoints: ``w_s |s1 - s2|^2 + w_D |D1 - D2|_F^2``, in whitened coordinates.

    Parameters
    ----------
    first, second : (screws, limits)
        As for `soft_min_loss`.
    weights : (float, float)
        ``w_s`` and ``w_D``; the two terms have different units (square and fourth power).
    norm, compactify : Norm, float or None
        As for `joint_distance`.
    """
    xp = namespace(first[0])
    low1, high1 = _endpoints(xp, *first, norm=norm, scale=compactify)
    low2, high2 = _endpoints(xp, *second, norm=norm, scale=compactify)
    sums = _square(xp, (low1 + high1) - (low2 + high2))
    d1, d2 = low1 - high1, low2 - high2
    # With p = d1 + d2 and m = d1 - d2, D1 - D2 = (p m' + m p') / 2: no large terms cancel.
    plus, minus = d1 + d2, d1 - d2
    outer = _square(xp, plus) * _square(xp, minus) + xp.sum(plus * minus, axis=-1) ** 2
    return weights[0] * sums + weights[1] * outer / 2


def _endpoints(
    xp: Any, screws: AnyArray, limits: AnyArray, *, norm: Norm, scale: float | None
) -> tuple[AnyArray, AnyArray]:
    """Return both whitened endpoints, (..., 6) each, compactified if a scale is given."""
    screws = screws * 1.0  # whole numbers would round the factor of the norm
    vectors = screws @ _constant(xp, as_norm(norm).factor.T, screws)
    kappa = checked_scale(scale)
    if kappa is None:
        return limits[..., :1] * vectors, limits[..., 1:] * vectors
    size = _length(xp, vectors)
    infinite = xp.isinf(limits)
    # An infinite limit is replaced before tanh: its slope there would be 0 * inf.
    finite = xp.where(infinite, xp.zeros_like(limits), limits)
    radius = xp.where(infinite, xp.sign(limits), xp.tanh(finite * size / kappa))
    unit = vectors / size
    return radius[..., :1] * unit, radius[..., 1:] * unit


def _constant(xp: Any, values: NDArray[np.float64], like: AnyArray) -> AnyArray:
    return xp.asarray(values.copy(), dtype=like.dtype, **_place(xp, like))


def _place(xp: Any, like: AnyArray) -> dict[str, Any]:
    # Only torch must be told where: jax places constants itself, and its tracers are nowhere.
    return {"device": like.device} if xp.__name__ == "torch" else {}


def _square(xp: Any, vectors: AnyArray) -> AnyArray:
    return xp.sum(vectors * vectors, axis=-1)


def _length(xp: Any, vectors: AnyArray) -> AnyArray:
    return xp.sqrt(xp.sum(vectors * vectors, axis=-1))[..., None]


def _cross(xp: Any, a: AnyArray, b: AnyArray) -> AnyArray:
    turn = ((1, 2), (2, 0), (0, 1))
    parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in turn]
    return xp.stack(parts, axis=-1)
