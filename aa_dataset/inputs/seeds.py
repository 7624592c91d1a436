# SPDX-License-Identifier: Apache-2.0
"""Random numbers that depend on a seed and on words alone, on every machine.

numpy keeps the raw numbers of a bit generator for ever, but not what its other functions make of
them.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray


def raw(count: int, seed: int, *words: str) -> NDArray[np.uint64]:
    """Return `count` random integers below 2^64."""
    digest = hashlib.sha256("\0".join([str(seed), *words]).encode()).digest()
    return np.asarray(np.random.PCG64(int.from_bytes(digest[:16])).random_raw(count))


def order(count: int, seed: int, *words: str) -> NDArray[np.int64]:
    """Return a permutation of `count` numbers."""
    return np.argsort(raw(count, seed, *words), kind="stable")


def fraction(seed: int, *words: str) -> float:
    """Return a number in [0, 1) with six digits."""
    return int(raw(1, seed, *words)[0] % 10**6) / 10**6
