# SPDX-License-Identifier: Apache-2.0
"""Smooth losses in place of E, for training and fitting (paper appendix A.3).

One code path for numpy, torch and jax: only functions that all three share are used, so gradients
come from the library of the arrays. Inputs are unit screws and limits; `revolute_screws` and
`prismatic_screws` convert network outputs to screws, and a zero screw is a fixed joint. Every loss
takes one norm, or one per pair, so that E_B can be used for training.

Infinite limits without `compactify` raise `UnboundedRangeError`. Where values are not known yet
(inside `jax.jit` or `jax.grad`, `torch.vmap`) nothing can be checked, and the loss is not finite.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from aa_dataset.errors import NormError, UnboundedRangeError
from aa_dataset.metric.distance import DEFAULT_NORM, checked_scale
from aa_dataset.metric.norms import Norms, norm_factor

# An array of numpy, torch or jax; their common protocol has no static type.
AnyArray = Any
Pair = tuple[AnyArray, AnyArray]


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

    Examples
    --------
    >>> revolute_screws(np.array([0.0, 0.0, 2.0]), np.array([1.0, 0.0, 0.0])).tolist()
    [0.0, 0.0, 1.0, 0.0, -1.0, 0.0]
    """
    xp = namespace(axis)
    unit = axis / _vector_length(xp, axis)
    advance = _same_library(xp, pitch, unit)[..., None]
    return xp.concat([unit, _cross_product(xp, origin, unit) + advance * unit], axis=-1)


def prismatic_screws(axis: AnyArray) -> AnyArray:
    """Return unit screws ``(..., 6)`` of translations; the axis is normalized here.

    Examples
    --------
    >>> prismatic_screws(np.array([0.0, 0.0, 2.0])).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """
    xp = namespace(axis)
    return xp.concat([axis * 0.0, axis / _vector_length(xp, axis)], axis=-1)


def soft_min_loss(
    first: Pair,
    second: Pair,
    *,
    temperature: float,
    norm: Norms | AnyArray = DEFAULT_NORM,
    compactify: float | None = None,
) -> AnyArray:
    """Return ``-T log mean exp(-d^2 / T)`` over both endpoint assignments, (...).

    Parameters
    ----------
    first, second : (screws, limits)
        Unit screws ``(..., 6)`` and limits ``(..., 2)`` of one array library; shapes broadcast.
    temperature : float [square of the norm's unit]
        Smooth for T > 0, between E^2 and ``E^2 + T log 2``; tends to E^2 as T goes to 0.
    norm : norm, n norms or (..., n, 6, 6) float
        One inner product for all pairs, one per pair, or their factors in one array: compute it
        once per data set with `norms.norm_factor` and slice batches from it.
    compactify : float or None
        As for `joint_distance`; infinite limits need it.

    Examples
    --------
    >>> hinge = (np.array([0, 0, 1.0, 0, 0, 0]), np.array([0, 1.0]))
    >>> further = (np.array([0, 0, 1.0, 0, 0, 0]), np.array([0, 1.5]))
    >>> round(float(soft_min_loss(hinge, further, temperature=1e-3)), 3)  # E^2 is 0.25
    0.251
    """
    if not temperature > 0:
        raise ValueError(f"`temperature` is {temperature}; the soft minimum needs a positive one.")
    xp = namespace(first[0])
    (low1, high1), (low2, high2) = _endpoints_of_both(xp, first, second, norm, compactify)
    straight = _squared_length(xp, low1 - low2) + _squared_length(xp, high1 - high2)
    crossed = _squared_length(xp, low1 - high2) + _squared_length(xp, high1 - low2)
    # logaddexp does not overflow, and its gradient is correct if both terms are equal.
    both = xp.logaddexp(-straight / temperature, -crossed / temperature)
    return -temperature * (both - math.log(2.0))


def smooth_loss(
    first: Pair,
    second: Pair,
    *,
    epsilon: float = 1e-9,
    norm: Norms | AnyArray = DEFAULT_NORM,
    compactify: float | None = None,
) -> AnyArray:
    """Return E^2 with its absolute value smoothed, (...).

    With ``s = z_minus + z_plus`` and ``d = z_minus - z_plus``,
    ``E^2 = |s1 - s2|^2 / 2 + (|d1|^2 + |d2|^2) / 2 - |<d1, d2>|``; here ``|x|`` becomes
    ``sqrt(x^2 + epsilon)``. The value lies between ``E^2 - sqrt(epsilon)`` and ``E^2``, so it may
    be a little below 0 for equal joints.

    Parameters
    ----------
    first, second, norm, compactify
        As for `soft_min_loss`.
    epsilon : float [fourth power of the norm's unit]
        Positive.

    Examples
    --------
    >>> hinge = (np.array([0, 0, 1.0, 0, 0, 0]), np.array([0, 1.0]))
    >>> further = (np.array([0, 0, 1.0, 0, 0, 0]), np.array([0, 1.5]))
    >>> round(float(smooth_loss(hinge, further)), 6)
    0.25
    """
    if not epsilon > 0:
        raise ValueError(f"`epsilon` is {epsilon}; smoothing needs a positive number.")
    xp = namespace(first[0])
    (low1, high1), (low2, high2) = _endpoints_of_both(xp, first, second, norm, compactify)
    d1, d2 = low1 - high1, low2 - high2
    apart = (
        _squared_length(xp, (low1 + high1) - (low2 + high2))
        + _squared_length(xp, d1)
        + _squared_length(xp, d2)
    )
    return apart / 2 - xp.sqrt(xp.sum(d1 * d2, axis=-1) ** 2 + epsilon)


def invariant_loss(
    first: Pair,
    second: Pair,
    *,
    weights: tuple[float, float] = (1.0, 1.0),
    norm: Norms | AnyArray = DEFAULT_NORM,
    compactify: float | None = None,
) -> AnyArray:
    """Return a loss on ``s = z_minus + z_plus`` and ``D = d d'`` with ``d = z_minus - z_plus``.

    Both are the same for either order of the endpoints, so no minimum is needed and the loss is
    a polynomial of the endpoints: ``w_s |s1 - s2|^2 + w_D |D1 - D2|_F^2``, in whitened coordinates.

    Parameters
    ----------
    first, second, norm, compactify
        As for `soft_min_loss`.
    weights : (float, float)
        ``w_s`` and ``w_D``; the two terms have different units (square and fourth power).

    Examples
    --------
    >>> hinge = (np.array([0, 0, 1.0, 0, 0, 0]), np.array([0, 1.0]))
    >>> turned = (np.array([0, 0, -1.0, 0, 0, 0]), np.array([-1.0, 0]))
    >>> float(invariant_loss(hinge, turned))  # the same motion
    0.0
    """
    xp = namespace(first[0])
    (low1, high1), (low2, high2) = _endpoints_of_both(xp, first, second, norm, compactify)
    sums = _squared_length(xp, (low1 + high1) - (low2 + high2))
    d1, d2 = low1 - high1, low2 - high2
    # With p = d1 + d2 and m = d1 - d2, D1 - D2 = (p m' + m p') / 2: no large terms cancel.
    plus, minus = d1 + d2, d1 - d2
    outer = (
        _squared_length(xp, plus) * _squared_length(xp, minus) + xp.sum(plus * minus, axis=-1) ** 2
    )
    return weights[0] * sums + weights[1] * outer / 2


def _endpoints_of_both(
    xp: Any, first: Pair, second: Pair, norm: Norms | AnyArray, compactify: float | None
) -> tuple[Pair, Pair]:
    """Return the whitened endpoints of both sides."""
    scale = checked_scale(compactify)
    # Whole numbers would round the factor of the norm.
    one, two = (first[0] * 1.0, first[1]), (second[0] * 1.0, second[1])
    factor = _norm_factor(xp, norm, one[0])
    _require_one_norm_per_pair(factor, one[0], two[0])
    return _whitened_endpoints(xp, *one, factor, scale), _whitened_endpoints(
        xp, *two, factor, scale
    )


def _norm_factor(xp: Any, norm: Any, like: AnyArray) -> AnyArray:
    """Return the factors (6, 6) or (..., 6, 6) as a constant of the arrays' library."""
    if hasattr(norm, "shape") and norm.ndim > 2:
        return _same_library(xp, norm, like)
    return xp.asarray(norm_factor(norm).copy(), dtype=like.dtype, **_device_option(xp, like))


def _require_one_norm_per_pair(factor: AnyArray, one: AnyArray, two: AnyArray) -> None:
    pairs = np.broadcast_shapes(tuple(one.shape[:-1]), tuple(two.shape[:-1]))
    batch = tuple(factor.shape[:-2])
    wrong = tuple(factor.shape[-2:]) != (6, 6)
    try:
        wrong = wrong or np.broadcast_shapes(pairs, batch) != pairs
    except ValueError:
        wrong = True
    if wrong:
        raise NormError(
            f"norms of shape {batch} with factors {tuple(factor.shape[-2:])} for pairs of shape "
            f"{pairs}; pass one norm, or one per pair."
        )


def _whitened_endpoints(
    xp: Any, screws: AnyArray, limits: AnyArray, factor: AnyArray, scale: float | None
) -> Pair:
    """Return both whitened endpoints, (..., 6) each, compactified if a scale is given."""
    # A sum of products: a matrix product would round to ten bits on some accelerators.
    vectors = xp.sum(factor * screws[..., None, :], axis=-1)
    squared = _squared_length(xp, vectors)[..., None]
    fixed = squared == 0
    if scale is None:
        _require_bounded(xp, limits, fixed)
        limits = xp.where(fixed & xp.isinf(limits), xp.zeros_like(limits), limits)
        return limits[..., :1] * vectors, limits[..., 1:] * vectors
    # Roots, quotients and tanh never receive 0 or infinity, where gradients would be nan.
    size = xp.sqrt(xp.where(fixed, xp.ones_like(squared), squared))
    infinite = xp.isinf(limits)
    finite = xp.where(infinite, xp.zeros_like(limits), limits)
    radius = xp.where(infinite, xp.sign(limits), xp.tanh(finite * size / scale)) / size
    # At the zero screw, tanh(l n / kappa) / n has the limit l / kappa.
    radius = xp.where(fixed, finite / scale, radius)
    return radius[..., :1] * vectors, radius[..., 1:] * vectors


def _require_bounded(xp: Any, limits: AnyArray, fixed: AnyArray) -> None:
    """Raise if raw E would be infinite; do nothing if the values are not known yet."""
    infinite = xp.any(xp.isinf(limits) & ~fixed, axis=-1)
    try:
        found = bool(xp.any(infinite))
    except (TypeError, RuntimeError):  # a tracer of jax, a vmap or meta tensor of torch
        return
    if found:
        place = int(np.argmax(np.asarray(infinite.tolist())))
        raise UnboundedRangeError(f"#{place}")


def _same_library(xp: Any, value: AnyArray, like: AnyArray) -> AnyArray:
    """Convert a number or an array to an array of the library, and keep its gradient.

    Older versions of `torch.asarray` drop the gradient, so arrays of the library are not converted.
    """
    if hasattr(value, "dtype") and namespace(value) is xp:
        return value
    return xp.asarray(value, dtype=like.dtype, **_device_option(xp, like))


def _device_option(xp: Any, like: AnyArray) -> dict[str, Any]:
    # Only torch needs a device: jax places constants itself, and its tracers have none.
    return {"device": like.device} if xp.__name__ == "torch" else {}


def _squared_length(xp: Any, vectors: AnyArray) -> AnyArray:
    return xp.sum(vectors * vectors, axis=-1)


def _vector_length(xp: Any, vectors: AnyArray) -> AnyArray:
    return xp.sqrt(xp.sum(vectors * vectors, axis=-1))[..., None]


def _cross_product(xp: Any, a: AnyArray, b: AnyArray) -> AnyArray:
    turn = ((1, 2), (2, 0), (0, 1))
    parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in turn]
    return xp.stack(parts, axis=-1)
