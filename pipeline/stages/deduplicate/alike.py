# SPDX-License-Identifier: Apache-2.0
"""Compares fingerprints: whether geometry and motion are the same."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from scipy.optimize import linear_sum_assignment

from pipeline.handover.annotated import Fingerprint

# Single precision in the GLB changes the numbers by about 1e-7 (measured on PartNet objects in two
# frames); the most similar of 420 generated objects differ by 2e-4.
TOLERANCE = 1e-5
# Tolerance of sizes of metric duplicates; a scan may have been rounded to a tenth of a millimeter.
SIZE = 1e-3


def same_shape(one: Fingerprint, two: Fingerprint) -> bool:
    """Return whether two objects have the same geometry at rest, apart from frame and unit."""
    if one.faces != two.faces:
        return False
    is_sized = one.is_metric and two.is_metric
    if is_sized and abs(math.log(one.radius / two.radius)) > SIZE:
        return False
    return bool(np.abs(np.subtract(one.shape, two.shape)).max() <= TOLERANCE)


def same_motion(one: Fingerprint, two: Fingerprint) -> bool:
    """Return whether the joints of two objects can be paired so that every pair moves alike."""
    first, second = one.joints, two.joints
    if len(first) != len(second):
        return False
    if not first:
        return True
    gaps = np.abs(np.asarray(first)[:, None] - np.asarray(second)[None]).max(axis=2)
    rows, columns = linear_sum_assignment(gaps > TOLERANCE)
    return bool((gaps[rows, columns] <= TOLERANCE).all())


class Gallery:
    """Fingerprints indexed by their first numbers, so that only likely pairs are compared."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, ...], list[tuple[str, Fingerprint]]] = {}

    def add(self, identifier: str, fingerprint: Fingerprint) -> None:
        """Add one object."""
        self._cells.setdefault(self._grid_cell(fingerprint), []).append((identifier, fingerprint))

    def alike(self, fingerprint: Fingerprint) -> Iterator[tuple[str, Fingerprint]]:
        """Yield the objects of the same shape, in the order in which they were added."""
        faces, *cell = self._grid_cell(fingerprint)
        for step in itertools.product((-1, 0, 1), repeat=len(cell)):
            key = (faces, *(place + move for place, move in zip(cell, step, strict=True)))
            for identifier, other in self._cells.get(key, ()):
                if same_shape(fingerprint, other):
                    yield identifier, other

    @staticmethod
    def _grid_cell(fingerprint: Fingerprint) -> tuple[int, ...]:
        """Return the face count and the cell of the first two numbers, wider than the tolerance."""
        cells = (math.floor(value / (2 * TOLERANCE)) for value in fingerprint.shape[:2])
        return fingerprint.faces, *cells
