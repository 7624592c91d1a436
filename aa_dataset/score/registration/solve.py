# SPDX-License-Identifier: Apache-2.0
"""Least squares with the same digits on every processor, for a few unknowns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def solve_damped(rows: Array, gaps: Array, damping: float) -> Array:
    """Return the step x (k,) that makes ``rows x + gaps`` small.

    Parameters
    ----------
    rows : (n, k) float
        Equations.
    gaps : (n,) float
        What is left now.
    damping : float
        Relative addition to the diagonal, which also keeps directions without effect at 0.
    """
    count = rows.shape[1]
    matrix = [[float((rows[:, i] * rows[:, k]).sum()) for k in range(count)] for i in range(count)]
    right = [-float((rows[:, i] * gaps).sum()) for i in range(count)]
    mean = sum(matrix[i][i] for i in range(count)) / count
    for i in range(count):
        matrix[i][i] += damping * matrix[i][i] + 1e-12 * mean + 1e-300
    return np.array(_cholesky_solution(matrix, right))


def _cholesky_solution(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Return the solution of a symmetric positive system, by ``L D L'`` on Python numbers."""
    count = len(right)
    lower = [[0.0] * count for _ in range(count)]
    diagonal = [0.0] * count
    for i in range(count):
        for k in range(i):
            left = sum(lower[i][m] * lower[k][m] * diagonal[m] for m in range(k))
            lower[i][k] = (matrix[i][k] - left) / diagonal[k]
        diagonal[i] = matrix[i][i] - sum(lower[i][m] ** 2 * diagonal[m] for m in range(i))
    out = list(right)
    for i in range(count):
        out[i] -= sum(lower[i][m] * out[m] for m in range(i))
    out = [value / size for value, size in zip(out, diagonal, strict=True)]
    for i in reversed(range(count)):
        out[i] -= sum(lower[m][i] * out[m] for m in range(i + 1, count))
    return out
