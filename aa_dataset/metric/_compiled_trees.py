# SPDX-License-Identifier: Apache-2.0
"""Numba versions of the tree metric's loops; imported only through `_engine`.

Operations have the same order as in the numpy code, and numba's arithmetic is strict, so the
results are equal to the last digit: `tree.prices` for the prices, scipy for the assignment,
`tree.bounds` for the bounds.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric._arithmetic import (
    INVERSE_FACTORIALS,
    LOG2_HIGH,
    LOG2_LOW,
    PER_LOG2,
    SMALLEST,
)
from aa_dataset.metric._compiled_bounds import block_bounds
from aa_dataset.metric._compiled_pair import compiled
from aa_dataset.metric._pairs import NEAR

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
# Whitened screws (n, 6), lengths (n,), radii (n, 2), sizes (n,), screws (n, 6), limits (n, 2).
Terms = tuple[Array, Array, Array, Array, Array, Array]
Trees = tuple[Indices, Indices, Indices, Array]


@compiled()
def _exp_parts(value: float) -> tuple[float, int]:
    """Return ``p, k`` with ``exp(x) = 2^k (1 + p)``; see `_arithmetic.exp_parts`."""
    x = max(value, SMALLEST)
    whole = np.rint(x * PER_LOG2)
    r = (x - whole * LOG2_HIGH) - whole * LOG2_LOW
    q = INVERSE_FACTORIALS[0]
    for k in range(1, len(INVERSE_FACTORIALS)):
        q = q * r + INVERSE_FACTORIALS[k]
    return r + r * r * q, int(whole)


@compiled()
def _exp(value: float) -> float:
    part, power = _exp_parts(value)
    return math.ldexp(1.0 + part, power)


@compiled()
def _expm1(value: float) -> float:
    part, power = _exp_parts(value)
    scale = math.ldexp(1.0, power)
    return scale * part + (scale - 1.0)


@compiled()
def _tanh(value: float) -> float:
    part = _expm1(-2.0 * abs(value))
    return math.copysign(-part / (2.0 + part), value)


@compiled()
def _tanh_gap(x: float, y: float, step: float) -> float:
    """Return ``tanh x - tanh y`` given ``step = x - y``; see `_pairs.tanh_gap`."""
    if (x >= 0) != (y >= 0):
        return _tanh(x) - _tanh(y)
    if step == 0.0:
        return 0.0
    low, high = min(abs(x), abs(y)), max(abs(x), abs(y))
    e_low, e_high = _exp(-2 * low), _exp(-2 * high)
    gap = -2 * e_low * _expm1(-2 * abs(step)) / ((1 + e_low) * (1 + e_high))
    return gap if step > 0 else -gap


@compiled()
def _dot(a: Array, b: Array) -> float:
    total = 0.0
    for r in range(6):
        total += a[r] * b[r]
    return total


@compiled()
def fill_prices(
    first: Terms, second: Terms, norm: tuple[Array, float], places: tuple[int, int], out: Array
) -> None:
    """Fill the matrix of E or E^phi of the joints from `places` on; see `tree.prices`."""
    y1, length1, radii1, size1 = first[0], first[1], first[2], first[3]
    y2, length2, radii2, size2 = second[0], second[1], second[2], second[3]
    for i in range(out.shape[0]):
        p = places[0] + i
        for j in range(out.shape[1]):
            q = places[1] + j
            inner = _dot(y1[p], y2[q])
            c, d = radii2[q, 0], radii2[q, 1]
            if inner < 0:
                c, d = -d, -c
            size = size1[p] + size2[q]
            both = radii1[p, 0] * c + radii1[p, 1] * d
            square = size - 2 * both * abs(inner / (length1[p] * length2[q]))
            if square < NEAR * size:
                out[i, j] = _careful_distance(first, second, norm, (p, q))
            else:
                out[i, j] = math.sqrt(abs(square))


@compiled()
def _careful_distance(
    first: Terms, second: Terms, norm: tuple[Array, float], places: tuple[int, int]
) -> float:
    """Return one distance from differences taken before rounding; see `_pairs._careful`."""
    p, q = places
    factor, scale = norm
    y1, y2 = first[0][p], second[0][q]
    inner = _dot(y1, y2)
    sign = -1.0 if inner < 0 else 1.0
    a, b = first[5][p, 0], first[5][p, 1]
    c, d = second[5][q, 0], second[5][q, 1]
    if inner < 0:
        c, d = -d, -c
    apart, gap = np.empty(6), np.empty(6)
    for r in range(6):
        apart[r] = first[4][p, r] - sign * second[4][q, r]
    for r in range(6):
        gap[r] = _dot(factor[r], apart)
    if scale < 0:
        return _endpoint_norm(y1, gap, (a - c, b - d), (c, d))
    return _careful_compact((y1, y2), gap, (a, b, c, d), (sign, scale))


@compiled()
def _endpoint_norm(
    y1: Array, gap: Array, steps: tuple[float, float], ends: tuple[float, float]
) -> float:
    """Return the root of the squares of ``step y1 + end gap`` over both endpoints."""
    low, high = 0.0, 0.0
    for r in range(6):
        x = steps[0] * y1[r] + ends[0] * gap[r]
        y = steps[1] * y1[r] + ends[1] * gap[r]
        low += x * x
        high += y * y
    return math.sqrt(low + high)


@compiled()
def _careful_compact(
    both: tuple[Array, Array],
    gap: Array,
    ends: tuple[float, float, float, float],
    numbers: tuple[float, float],
) -> float:
    y1, y2 = both
    a, b, c, d = ends
    sign, scale = numbers
    n1, n2 = math.sqrt(_dot(y1, y1)), math.sqrt(_dot(y2, y2))
    unit, unit_gap = np.empty(6), np.empty(6)
    slope = gap[0] * (y1[0] + sign * y2[0])
    for r in range(1, 6):
        slope += gap[r] * (y1[r] + sign * y2[r])
    slope = slope / (n1 + n2)
    for r in range(6):
        unit[r] = y1[r] / n1
        unit_gap[r] = (gap[r] - sign * y2[r] / n2 * slope) / n1
    x0, x1, z0, z1 = a * (n1 / scale), b * (n1 / scale), c * (n2 / scale), d * (n2 / scale)
    low = _tanh_gap(x0, z0, _argument_gap(a, c, n1, slope) / scale)
    high = _tanh_gap(x1, z1, _argument_gap(b, d, n1, slope) / scale)
    return _endpoint_norm(unit, unit_gap, (low, high), (_tanh(z0), _tanh(z1)))


@compiled()
def _argument_gap(a: float, c: float, n1: float, slope: float) -> float:
    if math.isinf(a) or math.isinf(c):
        return 0.0 if a == c else a - c
    return (a - c) * n1 + c * slope


@compiled()
def _augment_assignment(
    cost: Array, row: int, numbers: Array, lists: Indices, mates: tuple[Indices, Indices]
) -> None:
    """Extend an assignment by one row along a cheapest augmenting path (Crouse 2016).

    Ties are broken as in scipy: columns are scanned from the last, a free column is preferred.
    """
    u, v, work = numbers[0], numbers[1], numbers[2]
    path, remaining, scanned, visited = lists[0], lists[1], lists[2], lists[3]
    column_of, row_of = mates
    rows, columns = cost.shape
    visited[:rows] = 0
    for j in range(columns):
        remaining[j] = columns - j - 1
        work[j] = np.inf
        scanned[j] = 0
    least, i, sink, left = 0.0, row, -1, columns
    while sink == -1:
        visited[i] = 1
        index, lowest = -1, np.inf
        for k in range(left):
            j = remaining[k]
            reached = least + cost[i, j] - u[i] - v[j]
            if reached < work[j]:
                path[j] = i
                work[j] = reached
            if work[j] < lowest or (work[j] == lowest and row_of[j] == -1):
                lowest = work[j]
                index = k
        least = lowest
        j = remaining[index]
        if row_of[j] == -1:
            sink = j
        else:
            i = row_of[j]
        scanned[j] = 1
        left -= 1
        remaining[index] = remaining[left]
    _update_duals(row, least, numbers, lists, column_of)
    _flip_path(row, sink, path, mates)


@compiled()
def _update_duals(
    row: int, least: float, numbers: Array, lists: Indices, column_of: Indices
) -> None:
    u, v, work = numbers[0], numbers[1], numbers[2]
    u[row] += least
    for i in range(len(column_of)):
        if lists[3, i] == 1 and i != row:
            u[i] += least - work[column_of[i]]
    for j in range(len(work)):
        if lists[2, j] == 1:
            v[j] -= least - work[j]


@compiled()
def _flip_path(row: int, sink: int, path: Indices, mates: tuple[Indices, Indices]) -> None:
    column_of, row_of = mates
    i, j = -1, sink
    while i != row:
        i = path[j]
        row_of[j] = i
        column_of[i], j = j, column_of[i]


@compiled()
def assign(weights: Array, partner: Indices, buffer: Array, lists: Indices) -> None:
    """Write the partner of every row in the heaviest assignment, -1 for none, as scipy finds it.

    `buffer` has room for n m + 3 max(n, m) numbers, `lists` is (6, at least max(n, m)).
    """
    n, m = weights.shape
    turned = m < n
    rows, columns = min(n, m), max(n, m)
    cost = buffer[: n * m].reshape(rows, columns)
    for i in range(n):
        for j in range(m):
            if turned:
                cost[j, i] = -weights[i, j]
            else:
                cost[i, j] = -weights[i, j]
    numbers = buffer[n * m : n * m + 3 * columns].reshape(3, columns)
    numbers[:] = 0.0
    lists[4:] = -1
    mates = lists[4, :rows], lists[5, :columns]
    for row in range(rows):
        _augment_assignment(cost, row, numbers, lists, mates)
    found = mates[1] if turned else mates[0]
    for i in range(n):
        partner[i] = found[i]


@compiled()
def _assign_single(weights: Array, partner: Indices) -> None:
    """Like `assign` if one side has one joint: the first of the heaviest pairs."""
    n, m = weights.shape
    row, column = 0, 0
    for i in range(n):
        partner[i] = -1
        for j in range(m):
            if weights[i, j] > weights[row, column]:
                row, column = i, j
    partner[row] = column


@compiled()
def _is_admissible(
    first: Trees, second: Trees, places: tuple[int, int], pairs: Indices, count: int
) -> bool:
    """Whether a matching preserves which edge separates which; see `tree.problem`."""
    if count < 3:
        return True
    enter1, leave1, enter2, leave2 = first[1], first[2], second[1], second[2]
    for p in range(count):
        i, j = places[0] + pairs[0, p], places[1] + pairs[1, p]
        ballots = 0
        for q in range(count):
            k, other = places[0] + pairs[0, q], places[1] + pairs[1, q]
            below1 = enter1[i] < enter1[k] < leave1[i]
            below2 = enter2[j] < enter2[other] < leave2[j]
            ballots += below1 != below2
        if ballots != 0 and ballots != count - 1:
            return False
    return True


@compiled()
def _matching_price(
    prices: Array, motion: tuple[Array, Array], chosen: Indices, count: int
) -> float:
    """Return the price of a matching's edits, summed in double-double precision and rounded.

    `chosen` has the rows and columns of the matching, then a mark for every column.
    """
    n, m = prices.shape
    chosen[2, :m] = 0
    total, rest, p = 0.0, 0.0, 0
    for i in range(n + m):
        if i >= n:
            if chosen[2, i - n] == 1:
                continue
            term = motion[1][i - n]
        elif p < count and chosen[0, p] == i:
            term = prices[i, chosen[1, p]]
            chosen[2, chosen[1, p]] = 1
            p += 1
        else:
            term = motion[0][i]
        new = total + term
        back = new - total
        rest += (total - (new - back)) + (term - back)
        total = new
    return total + rest


@compiled()
def relax_pairs(
    trees: tuple[Trees, Trees],
    terms: tuple[Terms, Terms],
    norm: tuple[Array, float],
    pairs: Indices,
    out: tuple[Array, Array],
) -> None:
    """Write the relaxation of every pair of trees, also as upper bound where certified.

    `pairs` is (k, 2); an uncertified pair has the upper bound inf.
    """
    one, two = trees
    if len(pairs) == 0:
        return
    most = max(np.diff(one[0]).max(), np.diff(two[0]).max())
    buffers = np.empty((3, most * most + 3 * most))
    lists, chosen, partner = (
        np.empty((6, most), np.int64),
        np.empty((3, most), np.int64),
        np.empty(most, np.int64),
    )
    for k in range(len(pairs)):
        p, q = one[0][pairs[k, 0]], two[0][pairs[k, 1]]
        n, m = one[0][pairs[k, 0] + 1] - p, two[0][pairs[k, 1] + 1] - q
        prices = buffers[0, : n * m].reshape(n, m)
        saved = buffers[1, : n * m].reshape(n, m)
        motion = one[3][p : p + n], two[3][q : q + m]
        fill_prices(terms[0], terms[1], norm, (p, q), prices)
        for i in range(n):
            for j in range(m):
                saved[i, j] = max(motion[0][i] + motion[1][j] - prices[i, j], 0.0)
        if n == 1 or m == 1:
            _assign_single(saved, partner)
        else:
            assign(saved, partner, buffers[2], lists)
        count = 0
        for i in range(n):
            if m > 0 and partner[i] >= 0 and saved[i, partner[i]] > 0:
                chosen[0, count], chosen[1, count] = i, partner[i]
                count += 1
        out[0][k] = _matching_price(prices, motion, chosen, count)
        certified = _is_admissible(one, two, (p, q), chosen, count)
        out[1][k] = out[0][k] if certified else np.inf


def warm_up() -> None:
    """Compile, or load from the cache, what the search over trees calls."""
    block_bounds(np.zeros((1, 1)), np.zeros((1, 1, 2), bool), *np.zeros((2, 1, 1), bool))
