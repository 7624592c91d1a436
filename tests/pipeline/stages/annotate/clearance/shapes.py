# SPDX-License-Identifier: Apache-2.0
"""Convex parts by hand, and a judge of overlaps that shares no code with the clearance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import trimesh
from scipy.optimize import linprog

from pipeline.stages.annotate.clearance.material import Material
from pipeline.stages.annotate.clearance.parts import Part, part_of

Size = Sequence[float]
STILL = np.eye(4)[None, None, :3]  # one piece in which nothing moves


def box(low: Size, high: Size) -> Part:
    """Return a box by two corners."""
    ends = np.array([low, high], dtype=float)
    corners = [[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    return part(np.array(corners))


def part(points: np.ndarray) -> Part:
    """Return the hull of points, which is not flat."""
    found = part_of(np.asarray(points, dtype=float))
    assert found is not None
    return found


def shifts(*offsets: Size) -> np.ndarray:
    """Return maps (f, 1, 3, 4) that shift by each offset."""
    maps = np.tile(STILL, (len(offsets), 1, 1, 1))
    maps[:, 0, :, 3] = offsets
    return maps


def slide(start: Size, end: Size) -> np.ndarray:
    """Return the maps (1, 2, 3, 4) of a slide from one offset to another."""
    return np.swapaxes(shifts(start, end), 0, 1)


def material(*meshes: trimesh.Trimesh) -> Material:
    """Return the visible surface of some meshes."""
    whole = trimesh.util.concatenate(list(meshes))
    return Material(np.asarray(whole.vertices), np.asarray(whole.faces))


def solid(low: Size, high: Size) -> trimesh.Trimesh:
    """Return a closed box as a mesh."""
    return trimesh.creation.box(bounds=np.array([low, high], dtype=float))


def separation(first: np.ndarray, second: np.ndarray) -> float:
    """Return by how much a plane keeps points (n, 3) and (m, 3) apart; below 0 if none does.

    The linear program looks for the plane ``n . x = d`` with ``|n|_inf <= 1`` that has all points
    of the first set at least `t` above it and those of the second `t` below it, and maximizes `t`.
    Only its sign means something: for points in general position, 0 says that no plane separates.
    """
    rows = [np.column_stack([-first, np.ones(len(first)), np.ones(len(first))]),
            np.column_stack([second, -np.ones(len(second)), np.ones(len(second))])]  # fmt: skip
    bounds = [(-1, 1)] * 3 + [(None, None), (None, 1)]
    found = linprog([0, 0, 0, 0, -1], np.concatenate(rows), np.zeros(len(first) + len(second)),
                    bounds=bounds)  # fmt: skip
    assert found.success, found.message
    return float(found.x[4])


def is_separate(first: np.ndarray, second: np.ndarray) -> bool:
    """Return whether two convex hulls, given by points, share no inner point."""
    low, high = first.min(axis=0), first.max(axis=0)
    if (low >= second.max(axis=0)).any() or (high <= second.min(axis=0)).any():
        return True
    return separation(first, second) > 1e-9
