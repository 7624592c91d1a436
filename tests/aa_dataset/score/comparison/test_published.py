# SPDX-License-Identifier: Apache-2.0
"""The paper's rows: facts that agree with each other, and that enter no test."""

from __future__ import annotations

import pytest

from aa_dataset.score.comparison.published import CITATION, LABELS, read_published
from aa_dataset.score.comparison.tables import Kind
from tests.aa_dataset.score.comparison.results import compared, simple, table

MAIN = read_published("main")
METHODS = [
    "Articraft", "Articulate AnyMesh", "Articulate-Anything", "ArtLLM", "Ditto", "Particulate",
    "SPARK", "URDFormer",
]  # fmt: skip


@pytest.mark.parametrize("line", MAIN, ids=[line["method"] for line in MAIN])
def test_every_percentage_is_a_count_of_generated_objects(line):
    generated = int(line["objects_generated"])
    assert f"{100 * generated / 200:.1f}" == line["gen"]
    for key in ("type_error", "success"):
        assert f"{100 * int(line[f'objects_{key}']) / generated:.1f}" == line[key], key


def test_the_tables_agree_with_each_other():
    trees = {line["method"]: line for line in read_published("treeci")}
    counts = {line["method"]: line for line in read_published("coverage")}
    for line in MAIN:
        name = line["method"]
        assert trees[name]["e_alpha_phi_tree"] == line["e_alpha_phi_tree"]
        assert counts[name]["gen"] == trees[name]["objects"] == line["objects_generated"]
        assert int(counts[name]["pair"]) <= int(counts[name]["gen"])
    for table_name in ("treeci", "intersection"):
        for line in read_published(table_name):
            for key in (key for key in line if f"{key}_low" in line):
                ends = (float(line[f"{key}_{end}"]) for end in ("low", "high"))
                low, high = ends
                assert low <= float(line[key]) <= high


@pytest.mark.parametrize("name", LABELS)
def test_every_line_is_cited_and_one_method_has_a_dagger(name):
    lines = read_published(name)
    assert [line["method"] for line in lines] == METHODS
    assert [line["method"] for line in lines if line["dagger"] == "1"] == ["Articulate AnyMesh"]
    assert {line["citation"] for line in lines} == {CITATION}
    assert {line["label"] for line in lines} == {LABELS[name]}


def test_published_rows_are_marked_and_change_no_other_number():
    folders = [
        simple(name, {"x": 0.7 + shift, "y": 0.9}) for name, shift in (("a", 0.0), ("b", 0.1))
    ]
    alone, beside = compared(*folders), compared(*folders, published=True)
    for one, two in zip(alone.sections[0].tables, beside.sections[0].tables, strict=True):
        own = tuple(line for line in two.rows if not line.kind.is_published)
        assert repr(own) == repr(one.rows), one.key
        others = [line.heads[0] for line in two.rows if line.kind.is_published]
        assert others == (METHODS if one.key in LABELS else [])
    main = table(beside, "main")
    assert any("on other objects" in note for note in main.notes)
    line = next(line for line in main.rows if line.heads == ("Particulate",))
    cells = {c.key: cell.value for c, cell in zip(main.columns, line.cells, strict=True)}
    assert (cells["e_b"], cells["e_b_all"], line.kind) == (1.066, None, Kind.PUBLISHED)
    assert line.marks(0) == "‡"
