# SPDX-License-Identifier: Apache-2.0
"""Do the scores agree? Kendall's tau over methods and over objects, and the objects that differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from aa_dataset.score.comparison.entries import Entry, Group
from aa_dataset.score.comparison.measures import MEASURES, Basis
from aa_dataset.score.comparison.tables import Cell, Column, Kind, Row, Table, text_column

Array = NDArray[np.float64]

# Scores that are compared with each other. Components have no price for a failure.
COMPARED = (
    (Basis.VALID, "type_error"),
    (Basis.VALID, "axis_error"),
    (Basis.VALID, "origin_error"),
    (Basis.ALL, "success"),
    (Basis.ALL, "e_b"),
    (Basis.ALL, "e_alpha_phi"),
    (Basis.ALL, "e_alpha_phi_tree"),
)
# Of these, scores with more than two values have ranks that are worth a list of objects.
RANKED = tuple(pair for pair in COMPARED if pair[1] not in ("type_error", "success"))
MOST_LISTED = 12


def kendall(first: Array, second: Array) -> float:
    """Return Kendall's tau-b of two lists; nan if it is undefined.

    It is undefined with fewer than two common values or if a list has one value only.
    """
    from scipy.stats import kendalltau

    kept = ~(np.isnan(first) | np.isnan(second))
    if kept.sum() < 2:
        return math.nan
    return float(kendalltau(first[kept], second[kept]).statistic)


def oriented(values: Array, key: str) -> Array:
    """Return values of which the lower is the better."""
    return -values if MEASURES[key].better == "high" else values


def agreement_table(group: Group) -> Table:
    """Return Kendall's tau of every two scores, over methods and over objects."""
    columns = (
        Column("tau_methods", "tau methods", r"$\tau$ over methods", "τ over methods", decimals=2),
        Column("tau_objects", "tau objects", r"$\tau$ over objects", "τ over objects", decimals=2),
        text_column("methods", "Methods"),
    )
    rows = []
    for one, two in combinations(COMPARED, 2):
        over = _over_methods(group.competing, one, two)
        taus = [kendall(_values(entry, one), _values(entry, two)) for entry in group.entries]
        known = [tau for tau in taus if not math.isnan(tau)]
        mean = math.fsum(known) / len(known) if known else math.nan
        heads = (MEASURES[one[1]].plain, MEASURES[two[1]].plain)
        rows.append(Row(heads, (Cell(over), Cell(mean), Cell(len(known)))))
    return Table(
        "agreement",
        "Agreement of scores",
        "Kendall's tau-b; 1: same order, -1: reverse order, 0: no relation. Over methods: of the "
        f"means of {len(group.competing)} methods without a dagger. Over objects: for each method "
        "of its objects, then the mean over the methods for which it is defined.",
        ("Score", "Other score"),
        columns,
        tuple(rows),
        ("Components are means over valid outputs, all other scores over all objects.",),
    )


def _over_methods(
    entries: Sequence[Entry], one: tuple[Basis, str], two: tuple[Basis, str]
) -> float:
    first, second = (
        oriented(np.array([entry.scores[score].mean for entry in entries], dtype=float), score[1])
        for score in (one, two)
    )
    return kendall(first, second)


def _values(entry: Entry, score: tuple[Basis, str]) -> Array:
    """Return one value per object, lower is better; nan if undefined or without a valid output."""
    values = oriented(entry.scores[score].per_object, score[1])
    return np.where(entry.valid, values, np.nan)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An object that two scores of one method place differently.

    `gap` is the difference of the ranks of the object in both scores, divided by the number of
    objects that both define, less one: 1 if one score calls it the best and the other the worst.
    """

    object_id: str
    method: str
    scores: tuple[tuple[Basis, str], tuple[Basis, str]]
    values: tuple[float, float]
    ranks: tuple[float, float]
    objects: int

    @property
    def gap(self) -> float:
        """Return the difference of ranks, 0 to 1."""
        return abs(self.ranks[0] - self.ranks[1]) / (self.objects - 1)


def average_ranks(values: Array) -> Array:
    """Return ranks from 1, (n,); equal values share the mean of their ranks."""
    ordered = np.sort(values)
    before = np.searchsorted(ordered, values, side="left")
    upto = np.searchsorted(ordered, values, side="right")
    return np.asarray((before + upto + 1) / 2.0)


def disagreements(group: Group) -> list[Disagreement]:
    """Return every method and object with its most different two scores, the largest gap first."""
    found: list[Disagreement] = []
    for entry in group.entries:
        largest: dict[str, Disagreement] = {}
        for one, two in combinations(RANKED, 2):
            for item in _rank_gaps(group.objects, entry, (one, two)):
                held = largest.get(item.object_id)
                if held is None or item.gap > held.gap:
                    largest[item.object_id] = item
        found += largest.values()
    return sorted(found, key=lambda item: (-item.gap, item.object_id, item.method))


def _rank_gaps(
    objects: Sequence[str], entry: Entry, scores: tuple[tuple[Basis, str], tuple[Basis, str]]
) -> list[Disagreement]:
    first, second = (_values(entry, score) for score in scores)
    kept = np.flatnonzero(~(np.isnan(first) | np.isnan(second))).tolist()
    if len(kept) < 2:
        return []
    ranks = average_ranks(first[kept]), average_ranks(second[kept])
    return [
        Disagreement(
            objects[k],
            entry.name,
            scores,
            (float(first[k]), float(second[k])),
            (float(ranks[0][place]), float(ranks[1][place])),
            len(kept),
        )
        for place, k in enumerate(kept)
    ]


def disagreement_table(group: Group) -> Table:
    """Return the objects on which two scores disagree most."""
    columns = (
        text_column("score", "Score"),
        text_column("value", "Value and rank"),
        text_column("other", "Other score"),
        text_column("other_value", "Value and rank"),
        Column("gap", "Rank gap", "Rank gap", "Rank gap", decimals=2),
    )
    daggers = {entry.name: entry.dagger for entry in group.entries}
    rows = []
    for item in disagreements(group)[:MOST_LISTED]:
        cells = [
            cell
            for k in (0, 1)
            for cell in (
                Cell(MEASURES[item.scores[k][1]].plain),
                Cell(f"{item.values[k]:.3f}, {item.ranks[k]:g} of {item.objects}"),
            )
        ]
        kind = Kind.DAGGER if daggers[item.method] else Kind.OWN
        rows.append(Row((item.object_id, item.method), (*cells, Cell(item.gap)), kind))
    return Table(
        "disagreement",
        "Objects on which scores disagree most",
        "Rank of the object among the objects of the method, 1 is the best; equal values share a "
        "rank. Rank gap: 1 if one score calls it the best and the other the worst. aa explain "
        "shows why.",
        ("Object", "Method"),
        columns,
        tuple(rows),
    )
