# SPDX-License-Identifier: Apache-2.0
"""Score profiles: the share of objects whose score is at most a threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.score.comparison.draws import Estimate, Resampling, means
from aa_dataset.score.comparison.entries import Entry, Group, Sums
from aa_dataset.score.comparison.measures import MEASURES, Basis
from aa_dataset.score.comparison.tables import Column, Kind, Row, Table, interval_cell

PROFILED = ("e_alpha_phi_tree", "e_alpha_phi", "e_b")
# Thresholds of the tables, in the unit of the score.
THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
_STEPS = 40  # points of a curve


@dataclass(frozen=True, slots=True)
class Curve:
    """The profile of one method; `shares` belong to the thresholds of its profile, in percent."""

    name: str
    dagger: bool
    shares: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """The profiles of all methods in one score.

    Attributes
    ----------
    key : str
        The score.
    objects : int
        Objects whose truth defines the score: the divisor of every share.
    thresholds : tuple of float
        Ascending, from 0.
    curves : tuple of Curve
        One per method.
    """

    key: str
    objects: int
    thresholds: tuple[float, ...]
    curves: tuple[Curve, ...]


def make_profile(group: Group, key: str, how: Resampling) -> Profile | None:
    """Return the curves of one score; None if no object has a value."""
    kept = group.defines(key)
    if not kept.any():
        return None
    thresholds = _axis([_reached(entry, key)[kept] for entry in group.entries])
    curves = tuple(_curve(entry, key, kept, thresholds, how) for entry in group.entries)
    return Profile(key, int(kept.sum()), thresholds, curves)


def _reached(entry: Entry, key: str) -> NDArray[np.float64]:
    """Return the score of every object, (n,); infinite without a valid output.

    So a failure is below no threshold, whatever a weld costs, and a curve ends at Gen.
    """
    values = entry.scores[Basis.ALL, key].per_object
    return np.where(entry.valid & ~np.isnan(values), values, np.inf)


def _shares(
    entry: Entry, key: str, kept: NDArray[np.bool_], thresholds: Sequence[float]
) -> list[Sums]:
    values = _reached(entry, key)[kept]
    ones = np.ones(len(values))
    return [Sums((values <= t).astype(float), ones, 100.0) for t in thresholds]


def _curve(
    entry: Entry,
    key: str,
    kept: NDArray[np.bool_],
    thresholds: Sequence[float],
    how: Resampling,
) -> Curve:
    shares = means(_shares(entry, key, kept, thresholds), how)
    return Curve(entry.name, entry.dagger, tuple(shares))


def _axis(values: Sequence[NDArray[np.float64]]) -> tuple[float, ...]:
    """Return thresholds from 0 to a round number that nine of ten scores do not exceed."""
    finite = np.sort(np.concatenate(values))
    finite = finite[np.isfinite(finite)]
    largest = float(finite[(9 * (len(finite) - 1)) // 10]) if len(finite) else 1.0
    return tuple(_round_up(largest) * k / _STEPS for k in range(_STEPS + 1))


def _round_up(value: float) -> float:
    """Return the next of ... 0.1, 0.2, 0.5, 1, 2, 5 ...; 1 for 0."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * step for step in (1, 2, 5, 10, 20) if power * step >= value)


def profile_table(group: Group, key: str, how: Resampling) -> Table:
    """Return shares of objects at round thresholds, with pointwise intervals."""
    measure = MEASURES[key]
    kept = group.defines(key)
    columns = tuple(
        Column(f"at_{t:g}", f"≤ {t:g}", rf"$\le {t:g}$", f"≤ {t:g}", "%", 1) for t in THRESHOLDS
    )
    rows = []
    for entry in group.entries:
        found = means(_shares(entry, key, kept, THRESHOLDS), how)
        cells = tuple(map(interval_cell, found))
        rows.append(Row((entry.name,), cells, Kind.DAGGER if entry.dagger else Kind.OWN))
    unit = f" [{measure.unit}]" if measure.unit else ""
    return Table(
        f"profile_{key}",
        f"Profile of {measure.plain}",
        f"Share of {int(kept.sum())} objects with a valid output and a score of at most the "
        f"threshold{unit}. The score of an object charges its unmatched and surplus joints. An "
        "object without a valid output is below no threshold. 95 % intervals are pointwise; plain "
        "text leaves them out.",
        ("Method",),
        columns,
        tuple(rows),
    )
