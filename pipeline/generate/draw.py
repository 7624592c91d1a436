# SPDX-License-Identifier: Apache-2.0
"""Parameters drawn from stated ranges and recorded by name."""

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

Value = float | int | str


class Draw:
    """The random generator of an object; depends only on seed, family and index.

    Every value is rounded when drawn, so that what `parameters` records is what was built;
    `ranges` records what it was drawn from.
    """

    def __init__(self, seed: int, family: str, index: int) -> None:
        self.seed = seed
        self.family = family
        self.index = index
        self.parameters: dict[str, Value] = {}
        self.ranges: dict[str, tuple[Value, ...]] = {}
        digest = hashlib.sha256(family.encode()).digest()
        entropy = (seed, int.from_bytes(digest[:8], "big"), index)
        self._rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))

    def number(self, name: str, low: float, high: float, *, digits: int = 4) -> float:
        """Draw uniformly from [low, high]; 4 digits are 0.1 mm."""
        value = round(low + (high - low) * float(self._rng.random()), digits)
        return float(self._record_value(name, value, (low, high)))

    def count(self, name: str, low: int, high: int) -> int:
        """Draw a whole number from low to high, both included."""
        return int(self._record_value(name, int(self._rng.integers(low, high + 1)), (low, high)))

    def pick(self, name: str, options: Sequence[str]) -> str:
        """Draw one of some names with equal probability."""
        value = options[int(self._rng.integers(len(options)))]
        return str(self._record_value(name, value, tuple(options)))

    def take(self, name: str, options: Iterable[str]) -> str:
        """Take the options in turn: object i of the family gets number i modulo their count."""
        row = tuple(options)
        return str(self._record_value(name, row[self.index % len(row)], row))

    def chance(self, name: str, probability: float) -> bool:
        """Draw yes or no, recorded as 1 or 0."""
        return bool(self._record_value(name, int(self._rng.random() < probability), (0, 1)))

    def _record_value(self, name: str, value: Value, span: tuple[Value, ...]) -> Value:
        if name in self.parameters:
            raise ValueError(f"Family {self.family!r} draws parameter {name!r} twice.")
        self.parameters[name] = value
        self.ranges[name] = span
        return value
