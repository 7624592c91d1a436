# SPDX-License-Identifier: Apache-2.0
"""What edits cost, by arithmetic that gives the same digits on every machine.

Equal parts have equal prices, and which of them the search picks hangs on the last digit. So the
prices of trees never come from BLAS, nor from the faster kernels of `pairwise_distance`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric._arithmetic import ordered_sum
from aa_dataset.metric._pairs import pair_distances
from aa_dataset.metric.endpoints import JointArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

CHUNK_PAIRS = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """Costs of substituting (n, m), contracting (n,) and expanding (m,)."""

    substitute: Array
    contract: Array
    expand: Array

    @property
    def saved(self) -> Array:
        """What matching two joints saves over contracting one and expanding the other."""
        return np.maximum(self.contract[:, None] + self.expand - self.substitute, 0.0)

    @property
    def total(self) -> float:
        """The price of matching nothing."""
        return ordered_sum(self.contract) + ordered_sum(self.expand)

    def of_matching(self, pairs: tuple[Indices, Indices]) -> float:
        """Return the price of the edit script of a matching, exactly rounded.

        Not `total` minus what is saved: that would lose the digits of a small distance. The
        exact sum does not depend on the order of the joints.
        """
        rows, columns = pairs
        left = np.delete(self.contract, rows)
        right = np.delete(self.expand, columns)
        return math.fsum(np.concatenate([self.substitute[rows, columns], left, right]))


def substitution_prices(
    one: JointArray, two: JointArray, factor: Array, scale: float | None
) -> Array:
    """Return E or E^phi of every pair of joints, (n, m), a few rows at a time."""
    out = np.empty((len(one), len(two)))
    step = max(1, CHUNK_PAIRS // max(1, len(two)))
    for start in range(0, len(one), step):
        rows = slice(start, start + step)
        screws = (one.screws[rows, None], two.screws)
        limits = (one.limits[rows, None], two.limits)
        out[rows] = pair_distances(screws, limits, factor=factor, scale=scale)
    return out
