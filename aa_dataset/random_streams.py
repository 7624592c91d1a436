# SPDX-License-Identifier: Apache-2.0
"""Random numbers that depend on a seed and on names only, the same on every machine.

Whatever is drawn for has its own stream, named by words: neither the order of objects or joints
nor their number changes a digit. Only additions and multiplications follow the raw bits of PCG64,
so no library function can differ between versions or processors.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_BITS, _STEP = 11, 2.0**-53
_TERMS = 12  # the sum of twelve uniform numbers has variance 1


class Draws:
    """A stream of random numbers, named by words."""

    def __init__(self, seed: int, *words: str):
        text = "\x1f".join((str(seed), *words)).encode()
        entropy = int.from_bytes(hashlib.sha256(text).digest())
        self._raw = np.random.PCG64(np.random.SeedSequence(entropy))

    def uniform(self) -> float:
        """Return a number in [0, 1)."""
        return (int(self._raw.random_raw()) >> _BITS) * _STEP

    def uniforms(self, count: int) -> Array:
        """Return `count` numbers in [0, 1), (count,): those of as many calls of `uniform`."""
        return np.asarray((np.asarray(self._raw.random_raw(count)) >> _BITS) * _STEP, float)

    def normal(self) -> float:
        """Return a number of mean 0 and variance 1: twelve uniform numbers minus 6.

        It is between -6 and 6 and close to normal.
        """
        return math.fsum(self.uniform() for _ in range(_TERMS)) - _TERMS / 2

    def normals(self) -> Array:
        """Return three independent numbers of mean 0 and variance 1, (3,)."""
        return np.array([self.normal() for _ in range(3)])

    def below(self, count: int) -> int:
        """Return one of ``0, ..., count - 1``."""
        return min(count - 1, int(self.uniform() * count))
