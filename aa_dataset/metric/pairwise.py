# SPDX-License-Identifier: Apache-2.0
"""All distances between two sets of joints, in bounded memory (paper eqs. 5 and 8).

In whitened coordinates one inner product decides everything:
``E^2 = (a1^2 + b1^2)|y1|^2 + (a2^2 + b2^2)|y2|^2 - (a1 + b1)(a2 + b2) g - (b1 - a1)(b2 - a2)|g|``
with ``g = <y1, y2>``. That form cancels for joints that nearly agree, so every pair whose value
is small against its terms is computed again by `_pairs`, which does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ShapeError
from aa_dataset.metric._engine import compiled_kernels
from aa_dataset.metric._pairs import apply, ones_for_zeros, pair_distances, radius, square
from aa_dataset.metric.distance import DEFAULT_NORM, checked_factor, checked_scale
from aa_dataset.metric.endpoints import JointArray, Joints, as_joint_array, require_bounded
from aa_dataset.metric.norms import Norms

Array = NDArray[np.float64]
Engine = Literal["auto", "numpy", "numba"]

# A pair is computed again when E^2 is below this share of |z1|^2; the closed form then still
# has ten digits, and in random data the share of such pairs is far below one per mille.
RECOMPUTE = 2e-5
# One tile of squares and one of inner products fit together in a 1 MB second-level cache.
TILE_ROWS, TILE_COLUMNS = 64, 512
SMALL = 2048
COMPILE_ABOVE = 1_000_000


def pairwise_distance(
    first: Joints,
    second: Joints,
    *,
    norm: Norms = DEFAULT_NORM,
    compactify: float | None = None,
    engine: Engine = "auto",
    out: Array | None = None,
) -> Array:
    """Return the matrix of E or E^phi between two sets of joints.

    Parameters
    ----------
    first, second : n and m joints
        In one frame.
    norm : SplitNorm, KineticNorm, RiemannianNorm or m norms
        With m norms, column k is measured by norm k: pass the ground truth as `second`.
    compactify : float [unit of the norm] or None
        Scale kappa of E^phi; None gives raw E.
    engine : {"auto", "numpy", "numba"}
        "auto" uses numba for a million pairs or more if it is installed.
    out : (n, m) float64 array, optional
        Filled and returned, e.g. a memory map. Scratch memory is a few MB plus about 300 bytes per
        joint; it does not grow with n m.

    Returns
    -------
    (n, m) float
        Relative error below 1e-9, also for joints that differ by 1e-12. Up to 2,048 pairs, numpy
        gives the same digits as `joint_distance` on every machine. Larger matrices are computed by
        BLAS or numba, whose last digits depend on the processor.

    Examples
    --------
    >>> from aa_dataset.kinematics import Joint
    >>> drawers = [Joint("d", "prismatic", [1, 0, 0], [0, 0, 0], 0, end) for end in (0.25, 0.5)]
    >>> pairwise_distance(drawers, drawers).tolist()
    [[0.0, 0.25], [0.25, 0.0]]
    """
    one, two = as_joint_array(first), as_joint_array(second)
    factor, scale = checked_factor(norm, count=len(two)), checked_scale(compactify)
    if scale is None:
        require_bounded(one)
        require_bounded(two)
    shape = (len(one), len(two))
    if out is None:
        out = np.empty(shape)
    elif out.shape != shape or out.dtype != np.float64:
        raise ShapeError("out", out.shape, shape)
    wanted = engine
    if engine == "auto":
        wanted = "numba" if out.size >= COMPILE_ABOVE else "numpy"
    kernels = compiled_kernels(wanted, required=engine == "numba")
    if kernels is not None:
        kernels.fill(one, two, factor, scale, out)
    elif out.size <= SMALL:
        _fill_exact(one, two, factor, scale, out)
    elif factor.ndim == 2:
        _fill_shared(one, two, factor, scale, out)
    else:
        _fill_per_column(one, two, factor, scale, out)
    return out


def whitened(joints: JointArray, factor: Array, scale: float | None) -> tuple[Array, Array]:
    """Return screws and limits in which E^phi, or E, is E under the Euclidean norm."""
    screws = apply(factor, joints.screws)
    if scale is None:
        return screws, joints.limits
    size = np.sqrt(square(screws))
    return screws / ones_for_zeros(size)[:, None], radius(joints.limits, size, scale)


def _fill_exact(
    one: JointArray, two: JointArray, factor: Array, scale: float | None, out: Array
) -> None:
    screws = (one.screws[:, None], two.screws)
    limits = (one.limits[:, None], two.limits)
    out[...] = pair_distances(screws, limits, factor=factor, scale=scale)


def _fill_shared(
    one: JointArray, two: JointArray, factor: Array, scale: float | None, out: Array
) -> None:
    """Fill by two matrix products per tile: ``E^2 = N1 + N2 - <s1, s2> - |<d1, d2>|``."""
    left, left_span, size1 = _product_rows(*whitened(one, factor, scale), side=0)
    right, right_span, _ = _product_rows(*whitened(two, factor, scale), side=1)
    right, right_span = right.T.copy(), right_span.T.copy()
    cut = (RECOMPUTE * size1)[:, None]
    square = np.empty((TILE_ROWS, TILE_COLUMNS))
    span = np.empty((TILE_ROWS, TILE_COLUMNS))
    for columns in _slices_of(out.shape[1], TILE_COLUMNS):
        r = np.ascontiguousarray(right[:, columns])
        rs = np.ascontiguousarray(right_span[:, columns])
        for rows in _slices_of(out.shape[0], TILE_ROWS):
            e, s = square[: len(cut[rows]), : r.shape[1]], span[: len(cut[rows]), : r.shape[1]]
            np.matmul(left[rows], r, out=e)
            np.matmul(left_span[rows], rs, out=s)
            e -= np.abs(s, out=s)
            near = e < cut[rows]
            tile = out[rows, columns]
            if near.any():
                np.sqrt(np.maximum(e, 0.0, out=e), out=tile)
                _recompute_near_pairs(tile, near, (one, rows, two, columns), factor, scale)
            else:
                np.sqrt(e, out=tile)


def _product_rows(screws: Array, limits: Array, *, side: int) -> tuple[Array, Array, Array]:
    """Return the rows whose products give ``N1 + N2 - <s1, s2>`` and ``<d1, d2>``."""
    lower, upper = limits[:, :1], limits[:, 1:]
    total, span = (lower + upper) * screws, (upper - lower) * screws
    size = ((lower**2 + upper**2) * screws**2).sum(axis=1)
    ones = np.ones_like(size)
    extra = (size, ones) if side == 0 else (ones, size)
    return np.column_stack([total if side else -total, *extra]), span, size


def _fill_per_column(
    one: JointArray, two: JointArray, factor: Array, scale: float | None, out: Array
) -> None:
    """Fill with one norm per column: whiten the rows again for every column of a tile."""
    for columns in _slices_of(out.shape[1], 32):
        own = two.screws[columns, None, :] @ factor[columns].transpose(0, 2, 1)
        for rows in _slices_of(out.shape[0], 512):
            y1 = factor[columns] @ one.screws[rows].T  # (columns, 6, rows)
            g = (own @ y1)[:, 0]
            n1 = np.einsum("kin,kin->kn", y1, y1)
            n2 = (own[:, 0] ** 2).sum(axis=1)[:, None]
            l1, l2 = one.limits[rows].T[:, None, :], two.limits[columns].T[:, :, None]
            if scale is not None:
                n1, n2, g, l1, l2 = _compact_terms(n1, n2, g, (l1, l2), scale)
            size1 = (l1[0] ** 2 + l1[1] ** 2) * n1
            e = size1 + (l2[0] ** 2 + l2[1] ** 2) * n2 - (l1[0] + l1[1]) * (l2[0] + l2[1]) * g
            e -= (l1[1] - l1[0]) * (l2[1] - l2[0]) * np.abs(g)
            near = (e < RECOMPUTE * size1).T
            tile = out[rows, columns]
            np.sqrt(np.maximum(e, 0.0).T, out=tile)
            _recompute_near_pairs(tile, near, (one, rows, two, columns), factor, scale)


def _compact_terms(
    n1: Array, n2: Array, g: Array, limits: tuple[Array, Array], scale: float
) -> tuple[Array, Array, Array, Array, Array]:
    """Replace screws by unit vectors and limits by tanh, as E^phi requires."""
    size1, size2 = np.sqrt(n1), np.sqrt(n2)
    safe1, safe2 = ones_for_zeros(size1), ones_for_zeros(size2)
    l1, l2 = np.tanh(limits[0] * safe1 / scale), np.tanh(limits[1] * safe2 / scale)
    one, two = (size1 > 0).astype(float), (size2 > 0).astype(float)
    return one, two, g / (safe1 * safe2), l1, l2


def _recompute_near_pairs(
    tile: Array,
    near: NDArray[np.bool_],
    where: tuple[JointArray, slice, JointArray, slice],
    factor: Array,
    scale: float | None,
) -> None:
    one, rows, two, columns = where
    i, j = np.nonzero(near)
    screws = (one.screws[rows][i], two.screws[columns][j])
    limits = (one.limits[rows][i], two.limits[columns][j])
    own = factor if factor.ndim == 2 else factor[columns][j]
    tile[i, j] = pair_distances(screws, limits, factor=own, scale=scale)


def _slices_of(length: int, step: int) -> Iterator[slice]:
    for start in range(0, length, step):
        yield slice(start, min(start + step, length))
