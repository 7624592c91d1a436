# SPDX-License-Identifier: Apache-2.0
"""Prices of edits, with the same digits on every machine.

Equal parts have equal prices, and the last digit decides which of them the search picks. Prices of
trees are therefore never computed by BLAS or by the faster kernels of `pairwise_distance`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric._arithmetic import ordered_sum
from aa_dataset.metric._pairs import (
    NEAR,
    apply,
    careful_distances,
    dot,
    ones_for_zeros,
    pair_distances,
    radius,
    reversed_where,
    square,
)
from aa_dataset.metric.distance import DEFAULT_NORM, checked_factor, checked_scale
from aa_dataset.metric.endpoints import JointArray, Joints, as_joint_array, require_bounded
from aa_dataset.metric.norms import Norms

Array = NDArray[np.float64]
Indices = NDArray[np.intp] | NDArray[np.int64]

CHUNK_PAIRS = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """Costs of substituting (n, m), contracting (n,) and expanding (m,)."""

    substitute: Array
    contract: Array
    expand: Array

    @property
    def saved(self) -> Array:
        """Savings of matching two joints over contracting one and expanding the other."""
        return np.maximum(self.contract[:, None] + self.expand - self.substitute, 0.0)

    @property
    def total(self) -> float:
        """The price of matching nothing."""
        return ordered_sum(self.contract) + ordered_sum(self.expand)

    def of_matching(self, pairs: tuple[Indices, Indices]) -> float:
        """Return the price of the edit script of a matching, exactly rounded.

        `total` minus the savings would lose the digits of a small distance. The exact sum does not
        depend on the order of the joints.
        """
        rows, columns = pairs
        left, right = np.ones(len(self.contract), bool), np.ones(len(self.expand), bool)
        left[rows], right[columns] = False, False
        parts = self.substitute[rows, columns], self.contract[left], self.expand[right]
        return math.fsum(price for part in parts for price in part.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Precomputed terms of the distances of n joints under one norm.

    Attributes
    ----------
    whitened : (n, 6) float
        Screws in coordinates in which the norm is Euclidean.
    lengths : (n,) float
        Divisors of inner products of `whitened`: the norms for E^phi, 1 for E.
    radii : (n, 2) float
        ``tanh(l |xi| / kappa)`` for E^phi, the limits for E.
    squares : (n,) float
        Sum of the squared norms of both endpoints.
    motion : (n,) float
        ``E(J, J0)``, the price of contracting or expanding.
    joints : JointArray
        The joints themselves, for pairs that nearly agree.
    """

    whitened: Array
    lengths: Array
    radii: Array
    squares: Array
    motion: Array
    joints: JointArray

    @classmethod
    def of(cls, joints: JointArray, factor: Array, scale: float | None) -> Terms:
        """Return the terms of joints under one norm's factor, (6, 6)."""
        whitened = apply(factor, joints.screws)
        norms = square(whitened)
        lengths = np.sqrt(norms)
        if scale is None:
            radii, ends = joints.limits, joints.limits * lengths[:, None]
            squares, lengths = square(radii) * norms, np.ones(len(joints))
        else:
            radii = ends = radius(joints.limits, lengths, scale)
            squares, lengths = square(radii), ones_for_zeros(lengths)
        return cls(whitened, lengths, radii, squares, np.sqrt(square(ends)), joints)

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array, Array, Array]:
        """The arrays in the argument order of the compiled kernels."""
        lists = (self.whitened, self.lengths, self.radii, self.squares)
        return (*lists, self.joints.screws, self.joints.limits)

    def part(self, rows: slice | Indices) -> Terms:
        """Return the terms of some of the joints, without their names."""
        return Terms(
            self.whitened[rows],
            self.lengths[rows],
            self.radii[rows],
            self.squares[rows],
            self.motion[rows],
            JointArray.ready(self.joints.screws[rows], self.joints.limits[rows], ()),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """One norm's factor (6, 6), kappa or None, and the compiled kernels or None."""

    factor: Array
    scale: float | None
    kernels: ModuleType | None = None

    @property
    def compiled_norm(self) -> tuple[Array, float]:
        """The norm as the kernels expect it: kappa is -1 for raw E."""
        return np.ascontiguousarray(self.factor), -1.0 if self.scale is None else self.scale


def pair_prices(one: Terms, two: Terms, measure: Measure) -> Array:
    """Return E or E^phi of every pair of joints, (n, m); the kernels give the same digits."""
    out = np.empty((len(one.lengths), len(two.lengths)))
    if measure.kernels is not None:
        norm = measure.compiled_norm
        measure.kernels.fill_prices(one.arrays, two.arrays, norm, (0, 0), out)
        return out
    step = max(1, CHUNK_PAIRS // max(1, len(two.lengths)))
    for start in range(0, len(out), step):
        rows = slice(start, start + step)
        out[rows] = _numpy_prices(one.part(rows), two, measure)
    return out


def _numpy_prices(one: Terms, two: Terms, measure: Measure) -> Array:
    """Like `_pairs.pair_distances`, with the terms of single joints precomputed."""
    inner = dot(one.whitened[:, None], two.whitened)
    radii = reversed_where(inner < 0, two.radii)
    size = one.squares[:, None] + two.squares
    inner = inner / (one.lengths[:, None] * two.lengths)
    apart = size - 2 * dot(one.radii[:, None], radii) * np.abs(inner)
    near = apart < NEAR * size
    out = np.asarray(np.sqrt(np.abs(apart)))
    if near.any():
        i, j = np.nonzero(near)
        a, b = one.joints, two.joints
        screws, limits = (a.screws[i], b.screws[j]), (a.limits[i], b.limits[j])
        out[near] = careful_distances(screws, limits, measure.factor, measure.scale)
    return out


def portable_distances(
    first: Joints, second: Joints, *, norm: Norms = DEFAULT_NORM, compactify: float | None = None
) -> Array:
    """Return the matrix of `pairwise_distance`, (n, m), with the same digits on every machine.

    For matchings, which depend on the last digit if parts are equal. Neither BLAS nor numba is
    used, for any number of pairs.
    """
    one, two = as_joint_array(first), as_joint_array(second)
    factor, scale = checked_factor(norm, count=len(two)), checked_scale(compactify)
    if scale is None:
        require_bounded(one)
        require_bounded(two)
    return column_prices(one, two, factor, scale)


def column_prices(one: JointArray, two: JointArray, factors: Array, scale: float | None) -> Array:
    """Return E or E^phi of every pair, (n, m), by one factor (6, 6) or one per column."""
    out = np.empty((len(one), len(two)))
    step = max(1, CHUNK_PAIRS // max(1, 6 * len(two)))
    for start in range(0, len(one), step):
        rows = slice(start, start + step)
        screws = (one.screws[rows, None], two.screws)
        limits = (one.limits[rows, None], two.limits)
        out[rows] = pair_distances(screws, limits, factor=factors, scale=scale)
    return out
