# SPDX-License-Identifier: Apache-2.0
"""A comparison of results, computed once and written in any format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import aa_dataset
from aa_dataset.errors import ArenaError
from aa_dataset.score.comparison.agreement import agreement_table, disagreement_table
from aa_dataset.score.comparison.draws import Resampling
from aa_dataset.score.comparison.entries import Group, make_group
from aa_dataset.score.comparison.measures import PROTOCOLS, VARIANTS, Choice
from aa_dataset.score.comparison.pairs import (
    TESTED,
    all_pairs,
    decided_table,
    pair_table,
    resolution_note,
)
from aa_dataset.score.comparison.paper import limits_table, paper_tables
from aa_dataset.score.comparison.profiles import PROFILED, Profile, make_profile, profile_table
from aa_dataset.score.comparison.sources import Compared, require_one_setting, unique_names
from aa_dataset.score.comparison.tables import Cell, Kind, Row, Table, text_column
from aa_dataset.score.result.record import METRIC_VERSION

_OF_INTERVALS = ("resamples", "seed", "level")
PAIR_NOTE = (
    "Differences are first minus second, paired: both means are over the same resampled objects. "
    "p is two-sided, from the draws: twice the smaller share on either side of 0, counts plus one. "
    "Holm's family is all pairs of methods without a dagger in one table."
)
SCALES = {
    "metric": "metric objects (lengths in meters)",
    "other": "other objects (lengths in the unit of their source)",
}


@dataclass(frozen=True, slots=True)
class Section:
    """Everything about the objects of one scale."""

    scale: str
    title: str
    objects: int
    tables: tuple[Table, ...]
    profiles: tuple[Profile, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A comparison.

    Attributes
    ----------
    facts : tuple of (str, str)
        What was compared and how; the values may hold foreign text.
    methods : Table
        What the methods state about themselves.
    sections : tuple of Section
        One per scale; lengths of two scales are never averaged together.
    notes : tuple of str
        Sentences about the whole comparison.
    """

    facts: tuple[tuple[str, str], ...]
    methods: Table
    sections: tuple[Section, ...]
    notes: tuple[str, ...]


def compare(
    results: Sequence[Compared],
    *,
    choice: Choice | None = None,
    how: Resampling | None = None,
    published: bool = False,
) -> Report:
    """Compare results that have the same members, metric version and parameters.

    Parameters
    ----------
    results : list of Compared
        At least one result, each with the folder that it came from. Their order decides the order
        of rows and nothing else.
    choice : Choice, optional
        Protocol and variant; one joint per object and ``strict``, as in the paper's tables.
    how : Resampling, optional
        Number of resamples and seed of all intervals; those of the results if not given.
    published : bool
        Whether to add the paper's rows.

    Raises
    ------
    IncomparableError
        If two results have other objects or parameters.
    """
    choice = choice or Choice()
    _require_known(choice)
    require_one_setting(results)
    how = how or Resampling.of(results[0].result.parameters)
    names = unique_names(results)
    named = [
        (name, one.dagger, one.result.per_joint, one.result.per_object)
        for name, one in zip(names, results, strict=True)
    ]
    groups = [make_group("metric", named, choice), make_group("other", named, choice)]
    sections = [_section(group, choice, how, published) for group in groups if group is not None]
    notes = {resolution_note(group, how) for group in groups if group is not None}
    return Report(
        _facts(results[0], choice, how),
        _methods(names, results),
        tuple(sections),
        (PAIR_NOTE, *sorted(note for note in notes if note)),
    )


def _require_known(choice: Choice) -> None:
    if choice.protocol not in PROTOCOLS:
        raise ArenaError(f"protocol {choice.protocol!r} is not one of {', '.join(PROTOCOLS)}.")
    if choice.variant not in VARIANTS:
        raise ArenaError(f"variant {choice.variant!r} is not one of {', '.join(VARIANTS)}.")


def _section(group: Group, choice: Choice, how: Resampling, published: bool) -> Section:
    tables = list(paper_tables(group, choice, how, published=published))
    tables.append(limits_table(group, how))
    if len(group.entries) > 1:
        found = [(basis, key, all_pairs(group, basis, key, how)) for basis, key in TESTED]
        tables.append(decided_table(group, found))
        tables += [pair_table(group, basis, key, pairs) for basis, key, pairs in found]
    tables += [profile_table(group, key, how) for key in PROFILED]
    tables += [agreement_table(group), disagreement_table(group)]
    profiles = [make_profile(group, key, how) for key in PROFILED]
    return Section(
        group.scale,
        SCALES[group.scale],
        len(group.objects),
        tuple(tables),
        tuple(profile for profile in profiles if profile is not None),
    )


def _facts(one: Compared, choice: Choice, how: Resampling) -> tuple[tuple[str, str], ...]:
    data, parameters = one.result.dataset, asdict(one.result.parameters)
    version = f"{data.benchmark}, list {data.list}" if data.benchmark else "no benchmark"
    return (
        ("package", f"aa-dataset {aa_dataset.__version__}"),
        ("split", f"{data.split} ({version})"),
        ("members", f"{data.member_count}, digest {data.members}"),
        ("metric version", METRIC_VERSION),
        ("protocol", choice.protocol),
        ("component scores", choice.variant),
        ("intervals", f"95 % percentile bootstrap, {how.resamples:,} resamples, seed {how.seed}"),
        *((name, _shown(value)) for name, value in parameters.items() if name not in _OF_INTERVALS),
    )


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _methods(names: Sequence[str], results: Sequence[Compared]) -> Table:
    columns = (
        text_column("reference", "Reference"),
        text_column("inputs", "Inputs"),
        text_column("imputed", "Imputed"),
        text_column("uses_truth", "Uses the truth"),
    )
    rows = []
    for name, one in zip(names, results, strict=True):
        method = one.result.method
        stated = (method.reference, method.inputs, method.imputed, method.uses_truth)
        cells = tuple(Cell(_stated(value)) for value in stated)
        rows.append(Row((name,), cells, Kind.DAGGER if one.dagger else Kind.OWN))
    return Table(
        "methods",
        "Methods",
        "What the methods state about themselves in method.json.",
        ("Method",),
        columns,
        tuple(rows),
    )


def _stated(value: bool | str) -> str | None:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value or None
