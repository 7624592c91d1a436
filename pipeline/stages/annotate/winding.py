# SPDX-License-Identifier: Apache-2.0
"""Integrates over what open shells enclose, by the generalized winding number.

A point is inside where the shells wind around it by more than a half (Jacobson et al. 2013; libigl
evaluates it by the fast tree of Barill et al. 2018). Sampling a volume is coarse, so only a
difference is sampled: the shells with capped holes are integrated exactly, and the samples measure
where the winding number of the open shells differs from the capped ones. For flat holes it never
does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import igl
import numpy as np

from aa_dataset.portable import power, settled
from pipeline.stages.annotate.moments import point_moments

# Strata of the jittered grid, two samples each: of a first pass, and of a second if that was not
# enough; and the seed of the jitter.
STRATA = (1500, 12_000)
SEED = 20261116
# A region that none of n samples hit is smaller than 3 / n of the box, with 95 % confidence.
UNSEEN = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """Moments (10,) of a sampled function, their standard errors, and the volume per sample."""

    moments: np.ndarray
    errors: np.ndarray
    grain: float


def sample_moments(
    lower: np.ndarray,
    upper: np.ndarray,
    function: Callable[[np.ndarray], np.ndarray],
    *,
    strata: int,
) -> Sampled:
    """Integrate a function times the ten monomials over a box, two jittered samples per stratum.

    Parameters
    ----------
    lower, upper : (3,) float
        Corners of the box.
    function : callable
        From points (n, 3) to values (n,).
    strata : int
        About how many.
    """
    extents = upper - lower
    counts = _strata(extents, strata)
    cells = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 3)
    jitter = np.random.Generator(np.random.PCG64(SEED)).random((2, len(cells), 3))
    points = (lower + (cells + jitter) / counts * extents).reshape(-1, 3)
    values = function(points)
    size = float(np.prod(extents)) / len(cells)
    met = np.flatnonzero(values.reshape(2, -1).any(axis=0))
    both = np.stack([met, met + len(cells)])
    rows = values[both][..., None] * point_moments(points[both.reshape(-1)]).reshape(2, -1, 10)
    spread = np.square(rows[0] - rows[1]).sum(axis=0)
    return Sampled(size * rows.sum(axis=(0, 1)) / 2, size * np.sqrt(spread) / 2, size / 2)


def _strata(extents: np.ndarray, total: int) -> np.ndarray:
    """Return how many strata (3,) each side gets: cubes, but never fewer than four a side."""
    counts, free = np.full(3, 4), np.ones(3, bool)
    while free.any():
        share = total / np.prod(counts[~free])
        side = power(np.prod(extents[free]) / share, 1 / int(free.sum()))
        wanted = np.round(settled(extents / side, 6)).astype(int)
        short = free & (wanted < 4)
        if not short.any():
            return np.where(free, wanted, counts)
        free &= ~short
    return counts


def winding(vertices: np.ndarray, faces: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return how often oriented triangles wind around points, (n,)."""
    if not len(faces):
        return np.zeros(len(points))
    return np.ravel(igl.fast_winding_number(vertices, np.ascontiguousarray(faces), points))
