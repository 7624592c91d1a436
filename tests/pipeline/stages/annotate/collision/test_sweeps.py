# SPDX-License-Identifier: Apache-2.0
"""Sweeps over occupied cells: air and mass on both sides of every plane, counted one by one."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.stages.annotate.collision.cuts import sweeps_over


def air_in_box(cells: np.ndarray, axis: int) -> int:
    """Return how many cells are empty in all given layers, within the outline of the others."""
    spans = [np.flatnonzero(cells.any(axis=tuple({0, 1, 2} - {k}))) for k in range(3)]
    box = [slice(span[0], span[-1] + 1) for span in spans]
    box[axis] = slice(None)
    return int((~cells[tuple(box)]).sum())


@pytest.mark.parametrize("seed", range(12))
def test_air_and_mass_are_those_of_both_sides(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = np.zeros((9, 8, 10), bool)
    cells[1:7, 2:8, 1:9] = rng.random((6, 6, 8)) < rng.choice([0.1, 0.4, 0.8])
    sweeps = sweeps_over(cells)
    assert [sweep.axis for sweep in sweeps] == [0, 1, 2]
    for sweep in sweeps:
        layers = np.moveaxis(cells, sweep.axis, 0)
        full = np.flatnonzero(layers.any(axis=(1, 2)))
        assert sweep.index.tolist() == list(range(full[0] + 1, full[-1] + 1))
        for n, index in enumerate(sweep.index):
            sides = layers[full[0] : index], layers[index : full[-1] + 1]
            assert sweep.mass[:, n].tolist() == [int(side.sum()) for side in sides]
            assert sweep.air[:, n].tolist() == [air_in_box(side, 0) for side in sides]
        filled = 100 * layers.sum() / (layers.any(axis=0).sum() * len(sweep.layers))
        assert sweep.sameness == round(float(filled))


def test_nothing_and_a_tube_have_no_cut_along_them() -> None:
    tube = np.zeros((6, 7, 8), bool)
    assert sweeps_over(tube) == []
    tube[1:5, 1:6] = True
    tube[2:4, 2:5] = False
    assert [sweep.axis for sweep in sweeps_over(tube)] == [0, 1]
