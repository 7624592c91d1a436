# SPDX-License-Identifier: Apache-2.0
"""Every two methods on the objects that both share: difference, decision, probability of a win."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from aa_dataset.score.comparison.draws import (
    Estimate,
    Resampling,
    estimate,
    holm,
    mean_draws,
    means,
    two_sided_p,
)
from aa_dataset.score.comparison.entries import Entry, Group, Sums
from aa_dataset.score.comparison.measures import MEASURES, Basis, Measure
from aa_dataset.score.comparison.tables import (
    ALL_BLOCK,
    VALID_BLOCK,
    Cell,
    Column,
    Kind,
    Row,
    Table,
    interval_cell,
    measure_column,
    text_column,
)

SIGNIFICANCE = 0.05
TESTED = (
    (Basis.ALL, "e_alpha_phi_tree"),
    (Basis.ALL, "e_alpha_phi"),
    (Basis.ALL, "e_b"),
    (Basis.ALL, "success"),
    (Basis.VALID, "e_alpha_phi_tree"),
    (Basis.VALID, "e_alpha_phi"),
    (Basis.VALID, "e_b"),
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two methods on their common objects; `first` is before `second` in the alphabet.

    Attributes
    ----------
    daggers : tuple of int
        Which of the two has imputed limits: 0, 1 or both.
    difference : Estimate
        Mean of the first minus mean of the second, with a paired interval.
    p, adjusted : float
        Two-sided p-value (`draws.two_sided_p`), alone and after Holm. nan if undefined;
        `adjusted` is nan as well if a method has a dagger, because it is not tested.
    win : Estimate
        Probability that the first is better on an object; a tie counts half.
    objects : int
        Common objects on which both are defined.
    """

    first: str
    second: str
    daggers: tuple[int, ...]
    difference: Estimate
    p: float
    adjusted: float
    win: Estimate
    objects: int
    better: str

    @property
    def has_dagger(self) -> bool:
        """Whether a method has imputed limits."""
        return bool(self.daggers)

    @property
    def is_decided(self) -> bool:
        """Whether the gap is resolved at 5 % after Holm's correction."""
        return not math.isnan(self.adjusted) and self.adjusted < SIGNIFICANCE

    @property
    def winner(self) -> str | None:
        """Return the better method of a decided gap."""
        if not self.is_decided:
            return None
        return self.first if (self.difference.value < 0) == (self.better == "low") else self.second


def all_pairs(group: Group, basis: Basis, key: str, how: Resampling) -> tuple[Pair, ...]:
    """Compare every two methods by one score, sorted by name.

    Holm's family is all pairs of methods without a dagger, for this score and basis.
    """
    entries = sorted(group.entries, key=lambda entry: entry.name)
    pairs = [_pair(one, two, (basis, key), how) for one, two in combinations(entries, 2)]
    tested = [math.nan if pair.has_dagger else pair.p for pair in pairs]
    return tuple(
        replace(pair, adjusted=adjusted) for pair, adjusted in zip(pairs, holm(tested), strict=True)
    )


def _pair(one: Entry, two: Entry, score: tuple[Basis, str], how: Resampling) -> Pair:
    first, second = common_sums(one.scores[score], two.scores[score], score[0])
    draws = mean_draws([first, second], how)
    gap = draws[0] - draws[1]
    measure = MEASURES[score[1]]
    wins = win_sums(first, second, measure)
    return Pair(
        one.name,
        two.name,
        tuple(k for k, entry in enumerate((one, two)) if entry.dagger),
        estimate(first.mean - second.mean, gap),
        two_sided_p(gap),
        math.nan,
        means([wins], how)[0],
        int((first.has_value & second.has_value).sum()),
        measure.better,
    )


def common_sums(first: Sums, second: Sums, basis: Basis) -> tuple[Sums, Sums]:
    """Return both scores on the objects that count for the basis.

    For VALID these are the objects that both define. For ALL it is every object: the divisors
    follow from the truth alone and are equal, and an object without a divisor can still have
    charges.
    """
    if basis is Basis.ALL:
        return first, second
    kept = first.has_value & second.has_value
    return first.on(kept), second.on(kept)


def win_sums(first: Sums, second: Sums, measure: Measure) -> Sums:
    """Return 1, 1/2 or 0 per object where both are defined: the first is better, equal or worse."""
    kept = first.has_value & second.has_value
    one, two = first.per_object[kept], second.per_object[kept]
    better = one < two if measure.better == "low" else one > two
    return Sums(better + 0.5 * (one == two), np.ones(int(kept.sum())))


def pair_table(group: Group, basis: Basis, key: str, pairs: Sequence[Pair]) -> Table:
    """Return the paired differences of one score, the clearest first."""
    measure, block = MEASURES[key], ALL_BLOCK if basis is Basis.ALL else VALID_BLOCK
    unit = {"%": "percentage points"}.get(measure.unit, measure.unit)
    columns = (
        Column("difference", "Difference", "Difference", "Difference", unit, measure.decimals),
        Column("p_holm", "p Holm", "$p$ (Holm)", "<i>p</i> (Holm)", decimals=4),
        text_column("decision", "Better"),
        Column("p", "p", "$p$", "<i>p</i>", decimals=4),
        Column("win", "P(first better)", "P(first better)", "P(first better)", decimals=2),
        text_column("objects", "Objects"),
    )
    ordered = sorted(pairs, key=lambda pair: (_nan_last(pair.adjusted), pair.first, pair.second))
    rows = tuple(
        Row((pair.first, pair.second), _cells(pair), _kind(pair), pair.daggers) for pair in ordered
    )
    decided = sum(pair.is_decided for pair in pairs)
    tested = sum(not math.isnan(pair.adjusted) for pair in pairs)
    return Table(
        f"pairs_{key}_{basis.value}",
        f"Paired differences in {measure.plain}, {block}",
        f"{decided} of {tested} tested gaps are decided at 5 % after Holm's correction.",
        ("First", "Second"),
        columns,
        rows,
    )


def _nan_last(p: float) -> float:
    return math.inf if math.isnan(p) else p


def _kind(pair: Pair) -> Kind:
    return Kind.DAGGER if pair.has_dagger else Kind.OWN


def _cells(pair: Pair) -> tuple[Cell, ...]:
    if pair.has_dagger:
        decision = "not tested"
    elif math.isnan(pair.adjusted):
        decision = "undefined"
    else:
        decision = {None: "open", pair.first: "first", pair.second: "second"}[pair.winner]
    return (
        interval_cell(pair.difference),
        Cell(pair.adjusted),
        Cell(decision),
        Cell(pair.p),
        interval_cell(pair.win),
        Cell(pair.objects),
    )


def decided_table(group: Group, found: Sequence[tuple[Basis, str, Sequence[Pair]]]) -> Table:
    """Return which methods each method beats by decided gaps; there is no other ranking."""
    columns = tuple(
        replace(
            measure_column(MEASURES[key], block=ALL_BLOCK, suffix="_standing"),
            unit="",
            arrow="",
            decimals=0,
        )
        for basis, key, _ in found
        if basis is Basis.ALL
    )
    rows = [
        Row(
            (entry.name,),
            tuple(
                Cell(_wins_losses_ties(entry, pairs))
                for basis, _, pairs in found
                if basis is Basis.ALL
            ),
            Kind.DAGGER if entry.dagger else Kind.OWN,
        )
        for entry in group.entries
    ]
    return Table(
        "decided",
        "Which gaps the split decides",
        "Better than / worse than / open: numbers of other methods, by paired differences over all "
        "objects at 5 % after Holm's correction. An open gap is no tie: the objects do not "
        "decide it.",
        ("Method",),
        columns,
        tuple(rows),
    )


def _wins_losses_ties(entry: Entry, pairs: Sequence[Pair]) -> str | None:
    own = [p for p in pairs if entry.name in (p.first, p.second) and not math.isnan(p.adjusted)]
    if not own:
        return None
    wins = sum(pair.winner == entry.name for pair in own)
    losses = sum(pair.is_decided for pair in own) - wins
    return f"{wins} / {losses} / {len(own) - wins - losses}"


def resolution_note(group: Group, how: Resampling) -> str | None:
    """Return a sentence if there are too many pairs for the number of resamples."""
    count = len(group.competing)
    family = count * (count - 1) // 2
    if family * how.smallest_p < SIGNIFICANCE:
        return None
    needed = int(2 * family / SIGNIFICANCE) + 1
    return (
        f"{family} pairs are too many for {how.resamples:,} resamples: no p-value can be below 5 % "
        f"after Holm's correction. Use --resamples {needed} or more."
    )
