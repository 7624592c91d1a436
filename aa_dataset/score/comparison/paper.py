# SPDX-License-Identifier: Apache-2.0
"""The paper's four tables: main, coverage, tree intervals and common set.

The paper's means are conditional on a valid output. Each stands beside the mean over all objects,
in which a failure costs what welding costs.
"""

from __future__ import annotations

from collections.abc import Sequence

from aa_dataset.score.comparison.draws import Resampling, means
from aa_dataset.score.comparison.entries import Entry, Group
from aa_dataset.score.comparison.measures import COMPONENTS, MEASURES, Basis, Choice
from aa_dataset.score.comparison.published import published_rows
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
    shaded,
    text_column,
)

MAIN_SCORES = ("success", "e_b", "e_alpha_phi", "e_alpha_phi_tree")
COMMON_SCORES = ("e_b", "e_b_phi", "e_alpha_phi", "e_alpha_phi_tree")
TREE = "e_alpha_phi_tree"
DAGGER_NOTE = (
    "† The ground truth was used, for limits or for alignment, so the row is a diagnostic. It is "
    "neither shaded nor tested."
)
PUBLISHED_NOTE = (
    "Published rows were computed by others on other objects (He et al., arXiv 2609.33931). They "
    "enter no test and no shading. The paper states neither which joint of an object was scored "
    "nor whether its tree score is normalized; ours is the raw edit distance."
)
CHARGED = (
    "In the columns over all objects, whatever a method fails to produce costs what welding the "
    "truth costs; success counts every truth joint."
)


def paper_tables(
    group: Group, choice: Choice, how: Resampling, *, published: bool
) -> tuple[Table, ...]:
    """Return the four tables for the objects of one scale.

    Parameters
    ----------
    group : Group
        The methods.
    choice : Choice
        The protocol and the variant.
    how : Resampling
        Of the intervals.
    published : bool
        Whether to add the paper's rows.
    """
    return (
        _main(group, choice, published),
        _coverage(group, choice, published),
        _tree_intervals(group, how, published),
        _common_set(group, how, published),
    )


def limits_table(group: Group, how: Resampling) -> Table:
    """Return the range errors of turns and of slides apart, which the paper's column mixes."""
    keys = ("range_error_turns", "range_error_slides")
    columns = tuple(
        column
        for key in keys
        for column in (
            measure_column(MEASURES[key], block=VALID_BLOCK),
            text_column(f"{key}_pairs", "Pairs", block=VALID_BLOCK),
        )
    )
    cells = []
    for entry in group.entries:
        sums = [entry.scores[Basis.VALID, key] for key in keys]
        found = zip(means(sums, how), sums, strict=True)
        cells.append(
            [cell for mean, one in found for cell in (interval_cell(mean), Cell(one.count))]
        )
    rows = _rows_of(group, columns, cells, None)
    return Table(
        "limits",
        "Limit errors by unit",
        "The range errors of the main table, for turns (rad) and for slides (m) apart, with "
        "the pairs that define them. A turn paired with a slide has no unit and is in neither.",
        ("Method",),
        columns,
        rows,
        _notes(rows),
    )


def row_kind(entry: Entry) -> Kind:
    """Return whether an entry competes or has a dagger."""
    return Kind.DAGGER if entry.dagger else Kind.OWN


def _rows_of(
    group: Group, columns: Sequence[Column], cells: Sequence[Sequence[Cell]], key: str | None
) -> tuple[Row, ...]:
    """Return the rows of the methods, then the published ones of a table if `key` names it."""
    own = [
        Row((entry.name,), tuple(some), row_kind(entry))
        for entry, some in zip(group.entries, cells, strict=True)
    ]
    return (*own, *(published_rows(key, columns) if key else ()))


def _notes(rows: Sequence[Row], *more: str) -> tuple[str, ...]:
    dagger = [DAGGER_NOTE] if any(row.kind.has_dagger for row in rows) else []
    other = [PUBLISHED_NOTE] if any(row.kind.is_published for row in rows) else []
    return (*more, *dagger, *other)


def _main(group: Group, choice: Choice, published: bool) -> Table:
    gen = Column("gen", "Gen", "Gen", "Gen", "%", 1)
    keys = (*COMPONENTS, *MAIN_SCORES)
    columns = (
        gen,
        *(measure_column(MEASURES[key], block=VALID_BLOCK) for key in keys),
        *(measure_column(MEASURES[key], block=ALL_BLOCK, suffix="_all") for key in MAIN_SCORES),
    )
    cells = [
        [
            Cell(100.0 * entry.counts["scored"] / len(group.objects)),
            *(Cell(entry.scores[Basis.VALID, key].mean) for key in keys),
            *(Cell(entry.scores[Basis.ALL, key].mean) for key in MAIN_SCORES),
        ]
        for entry in group.entries
    ]
    rows = shaded(_rows_of(group, columns, cells, "main" if published else None), columns)
    joint = "one joint per object" if choice.protocol == "one-joint" else "all joints"
    return Table(
        "main",
        "Main table",
        f"{len(group.objects)} objects, {joint}, component scores by the variant "
        f"{choice.variant}. Shading (in plain text a star) marks the best defined mean of a "
        "column, whether or not an interval decides it.",
        ("Method",),
        columns,
        rows,
        _notes(
            rows,
            CHARGED,
            "LimitErr range mixes rad and m, as in the paper; a table below has them apart. "
            "Component scores have no price for a failure: read them with Gen and the coverage.",
        ),
    )


def _coverage(group: Group, choice: Choice, published: bool) -> Table:
    failures = ("missing", "unreadable", "motionless")
    counted = ("type_error", "origin_error", "axis_error", "range_error", "direction_error")
    names = {"type_error": "Joints", "range_error": "Range", "direction_error": "Direction"}
    names |= {"origin_error": "Origin", "axis_error": "Axis"}
    columns = (
        text_column("gen", "Gen", block="objects"),
        *(text_column(key, key.capitalize(), block="objects") for key in failures),
        text_column("pair", "Pair", block="joint pairs with a value"),
        *(text_column(key, names[key], block="joint pairs with a value") for key in counted),
        text_column("joints_all", "All joints", block="truth"),
    )
    cells = [
        [
            Cell(entry.counts["scored"]),
            *(Cell(entry.counts[status]) for status in failures),
            Cell(entry.scores[Basis.VALID, "e_b"].count),
            *(Cell(entry.scores[Basis.VALID, key].count) for key in counted),
            Cell(entry.scores[Basis.ALL, "success"].count),
        ]
        for entry in group.entries
    ]
    rows = _rows_of(group, columns, cells, "coverage" if published else None)
    return Table(
        "coverage",
        "Coverage",
        f"Gen counts the objects, of {len(group.objects)}, with a valid articulated output. Pair "
        "counts the joint pairs for which E_B is defined: both limits are finite. The other "
        f"columns count pairs for which a component is defined (variant {choice.variant}).",
        ("Method",),
        columns,
        rows,
        _notes(rows),
    )


def _tree_intervals(group: Group, how: Resampling, published: bool) -> Table:
    columns = (
        measure_column(MEASURES[TREE], block=VALID_BLOCK),
        text_column("objects", "Objects", block=VALID_BLOCK),
        measure_column(MEASURES[TREE], block=ALL_BLOCK, suffix="_all"),
        text_column("objects_all", "Objects", block=ALL_BLOCK),
    )
    everything = means([entry.scores[Basis.ALL, TREE] for entry in group.entries], how)
    cells = []
    for entry, headline in zip(group.entries, everything, strict=True):
        valid = entry.scores[Basis.VALID, TREE]
        own = valid.on(valid.has_value)
        cells.append(
            [
                interval_cell(means([own], how)[0]),
                Cell(valid.count),
                interval_cell(headline),
                Cell(entry.scores[Basis.ALL, TREE].count),
            ]
        )
    rows = _rows_of(group, columns, cells, "treeci" if published else None)
    return Table(
        "treeci",
        "Tree distance with intervals",
        "Mean over objects with a 95 % percentile bootstrap interval "
        f"({how.resamples:,} resamples of objects). Overlapping intervals decide nothing; read the "
        "paired differences.",
        ("Method",),
        columns,
        rows,
        _notes(rows),
    )


def _common_set(group: Group, how: Resampling, published: bool) -> Table:
    kept = group.in_common
    bases = ((Basis.VALID, VALID_BLOCK, ""), (Basis.ALL, ALL_BLOCK, "_all"))
    columns = tuple(
        measure_column(MEASURES[key], block=block, suffix=suffix)
        for _, block, suffix in bases
        for key in COMMON_SCORES
    )
    cells = []
    for entry in group.entries:
        sums = [
            entry.scores[basis, key].on(kept & entry.valid)
            for basis, _, _ in bases
            for key in COMMON_SCORES
        ]
        cells.append([interval_cell(found) for found in means(sums, how)])
    rows = _rows_of(group, columns, cells, "intersection" if published else None)
    return Table(
        "intersection",
        "Common set",
        f"{int(kept.sum())} objects, on which every method has a valid output; 95 % percentile "
        "bootstrap intervals over these objects. Each score is taken where it is defined.",
        ("Method",),
        columns,
        rows,
        _notes(
            rows,
            "Here the second block charges only unmatched, surplus and unmeasurable joints: no "
            "output is missing. A method without any valid output would empty the set; it is left "
            "out.",
        ),
    )
