# SPDX-License-Identifier: Apache-2.0
"""A frozen version is known by every number that scoring uses, never by ids alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aa_dataset.format.truth import TOLERANCE, read_truths
from pipeline.base.errors import PipelineError
from pipeline.stages.split.frozen import (
    FrozenList,
    Recognition,
    best_recognition,
    changes,
    list_files,
    list_paths,
    read_frozen,
    recognize,
)

Rows = tuple[list[dict[str, Any]], list[dict[str, Any]]]
MEMBERS = ("a-cabinet", "b-press")
DIAGONAL = 3.0  # of a box 1 x 2 x 2


@pytest.fixture
def frozen(rows: Rows) -> FrozenList:
    """Return the list of the first two objects."""
    objects = [row for row in rows[0] if row["object_id"] in MEMBERS]
    contents = {row["object_id"]: row["content_sha256"] for row in objects}
    return FrozenList("eval200-v7", contents, read_truths(objects, rows[1]))


def counts(found: Recognition) -> tuple[int, int, str]:
    """Return how many agree by bytes and by numbers, and the problem."""
    return found.by_bytes, found.by_numbers, found.problem


def test_the_same_rows_are_recognized_by_bytes_among_any_others(
    frozen: FrozenList, rows: Rows
) -> None:
    found = recognize(frozen, *rows)
    assert counts(found) == (2, 0, "")
    benchmark = found.benchmark
    assert (benchmark.version, benchmark.split, benchmark.objects) == ("eval200-v7", "eval200", 2)
    assert "2 objects agree by bytes and 0 by numbers" in str(benchmark)


def test_other_bytes_with_the_same_numbers_are_recognized_and_counted(
    frozen: FrozenList, rows: Rows
) -> None:
    rows[0][1]["content_sha256"] = "f" * 64
    rows[1][0]["source_name"] = "another word"  # which scoring does not use
    assert counts(recognize(frozen, *rows)) == (1, 1, "")


def test_an_absent_object_is_named(frozen: FrozenList, rows: Rows) -> None:
    found = recognize(frozen, rows[0][1:], rows[1][3:])
    assert found.problem == (
        "1 of the 2 objects of eval200-v7 are not in this library, the first is a-cabinet"
    )


def cell(joint: int, column: str, change: Callable[[Any], Any]) -> Callable[[Rows], None]:
    """Return a mutation of one cell of the joints."""

    def mutate(rows: Rows) -> None:
        rows[1][joint][column] = change(rows[1][joint][column])

    return mutate


def entry(place: int, change: Callable[[float], float]) -> Callable[[list[float]], list[float]]:
    """Return a change of one entry of a vector."""
    return lambda v: [*v[:place], change(v[place]), *v[place + 1 :]]


def mimicked(**more: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a change of one field of a mimic."""
    return lambda cell: cell | more


def swap(rows: Rows) -> None:
    """Exchange the first two joints."""
    rows[1][0], rows[1][1] = rows[1][1], rows[1][0]


def drop(place: int) -> Callable[[Rows], None]:
    """Return a mutation that loses a joint."""
    return lambda rows: rows[1].pop(place) and None


def add(rows: Rows) -> None:
    """Add a joint at the end of the first object."""
    rows[1].insert(3, rows[1][0] | {"joint": "extra", "child": "extra_link"})


def one_object(column: str, value: Any) -> Callable[[Rows], None]:
    """Return a mutation of one cell of the objects."""
    return lambda rows: rows[0][0].update({column: value})


NUDGE = 3e-9
# What is changed, in which object the sentence finds it, and which field it names.
MUTATIONS: dict[str, tuple[Callable[[Rows], None], str, str]] = {
    "name": (cell(0, "joint", lambda _: "gate"), "a-cabinet", "joint"),
    "type": (cell(0, "type", lambda _: "continuous"), "a-cabinet", "type"),
    "parent": (cell(4, "parent", lambda _: "base"), "b-press", "parent"),
    "child": (cell(4, "child", lambda _: "nut"), "b-press", "child"),
    "axis sign": (cell(0, "axis", lambda v: [-x for x in v]), "a-cabinet", "axis"),
    "axis tilt": (cell(1, "axis", entry(0, lambda _: NUDGE)), "a-cabinet", "axis"),
    "origin": (
        cell(0, "origin", entry(1, lambda x: x + NUDGE * DIAGONAL)), "a-cabinet", "origin",
    ),
    "pitch": (cell(4, "pitch", lambda x: x + NUDGE * DIAGONAL), "b-press", "pitch"),
    "pitch sign": (cell(4, "pitch", lambda x: -x), "b-press", "pitch"),
    "lower": (cell(0, "lower", lambda _: -NUDGE), "a-cabinet", "lower"),
    "upper": (cell(0, "upper", lambda x: x * (1 + NUDGE)), "a-cabinet", "upper"),
    "slide": (cell(1, "upper", lambda x: x + NUDGE * DIAGONAL), "a-cabinet", "upper"),
    "many turns": (cell(4, "upper", lambda x: x * (1 + NUDGE)), "b-press", "upper"),
    "bounded": (cell(3, "lower", lambda _: -1e300), "b-press", "lower"),
    "unbounded": (cell(0, "upper", lambda _: math.inf), "a-cabinet", "upper"),
    "other infinity": (cell(3, "lower", lambda _: math.inf), "b-press", "lower"),
    "nan": (cell(0, "upper", lambda _: math.nan), "a-cabinet", "upper"),
    "mass": (cell(0, "body_mass", lambda x: x * (1 - NUDGE)), "a-cabinet", "body_mass"),
    "center": (
        cell(1, "body_com", entry(2, lambda x: x - NUDGE * DIAGONAL)), "a-cabinet", "body_com",
    ),
    "inertia": (
        cell(4, "body_inertia", entry(1, lambda x: x + NUDGE * 0.09)), "b-press", "body_inertia",
    ),
    "no body": (cell(0, "body_mass", lambda _: None), "a-cabinet", "body_mass"),
    "a body": (cell(2, "body_com", lambda _: [0.0] * 3), "a-cabinet", "body_com"),
    "no mimic": (cell(1, "mimic", lambda _: None), "a-cabinet", "mimic_joint"),
    "a mimic": (
        cell(0, "mimic", lambda _: {"joint": "x", "multiplier": 1.0, "offset": 0.0}),
        "a-cabinet", "mimic_joint",
    ),
    "other mimic": (cell(1, "mimic", mimicked(joint="plate")), "a-cabinet", "mimic_joint"),
    "mimic multiplier": (
        cell(1, "mimic", mimicked(multiplier=-0.5)), "a-cabinet", "mimic_multiplier",
    ),
    "mimic offset": (
        cell(1, "mimic", mimicked(offset=0.01 + NUDGE * DIAGONAL)), "a-cabinet", "mimic_offset",
    ),
    "order": (swap, "a-cabinet", "joint"),
    "lost in the middle": (drop(1), "a-cabinet", "joint"),
    "lost at the end": (drop(4), "b-press", "number of joints"),
    "added at the end": (add, "a-cabinet", "number of joints"),
    "scale": (one_object("is_metric", False), "a-cabinet", "is_metric"),
    "extents": (
        one_object("extents", [1.0, 2.0, 2.0 + NUDGE * DIAGONAL]), "a-cabinet", "extents",
    ),
}  # fmt: skip


@pytest.mark.parametrize("same_bytes", [True, False])
@pytest.mark.parametrize("name", MUTATIONS)
def test_every_change_is_refused_and_the_first_field_is_named(
    frozen: FrozenList, rows: Rows, name: str, same_bytes: bool
) -> None:
    mutate, where, field = MUTATIONS[name]
    mutate(rows)
    if not same_bytes:
        for row in rows[0]:
            row["content_sha256"] = "f" * 64
    found = recognize(frozen, *rows)
    assert found.by_bytes + found.by_numbers == 1
    head = "1 of the 2 objects of eval200-v7 differ in what scoring uses, the first is "
    assert found.problem.startswith(f"{head}{where}, ")
    said = found.problem.removeprefix(f"{head}{where}, ").split(": ", 1)[0]
    assert said == field or said.endswith(f", {field}")


SMALL = 0.9 * TOLERANCE


@pytest.mark.parametrize(
    "mutate",
    [
        cell(0, "axis", entry(0, lambda _: SMALL)),
        cell(0, "origin", entry(0, lambda x: x - SMALL * DIAGONAL)),
        cell(4, "pitch", lambda x: x + SMALL * DIAGONAL),
        cell(0, "lower", lambda _: SMALL),
        cell(4, "upper", lambda x: x * (1 - SMALL)),
        cell(1, "upper", lambda x: x + SMALL * DIAGONAL),
        cell(0, "body_mass", lambda x: x * (1 + SMALL)),
        cell(0, "body_com", entry(1, lambda _: SMALL * DIAGONAL)),
        cell(0, "body_inertia", entry(2, lambda _: SMALL * 0.09)),
        cell(1, "mimic", mimicked(multiplier=0.5 * (1 + SMALL))),
        one_object("extents", [1.0 + SMALL * DIAGONAL, 2.0, 2.0]),
    ],
)
def test_the_last_digits_of_another_machine_are_accepted(
    frozen: FrozenList, rows: Rows, mutate: Callable[[Rows], None]
) -> None:
    mutate(rows)
    assert counts(recognize(frozen, *rows)) == (2, 0, "")


def test_a_list_survives_its_files_to_the_bit(frozen: FrozenList, tmp_path: Path) -> None:
    for name, data in list_files(frozen).items():
        list_paths("eval200-v7", tmp_path)[name].write_bytes(data)
    again = read_frozen("eval200-v7", tmp_path)
    assert again == frozen
    assert again.digest == frozen.digest
    assert changes(frozen, again) == {}


def test_two_files_of_different_lists_are_refused(frozen: FrozenList, tmp_path: Path) -> None:
    files = list_files(frozen)
    files["joints"] = b"".join(files["joints"].splitlines(keepends=True)[:-1])
    for name, data in files.items():
        list_paths("eval200-v8", tmp_path)[name].write_bytes(data)
    with pytest.raises(PipelineError, match="not those that"):
        read_frozen("eval200-v8", tmp_path)


@pytest.mark.parametrize("name", ["objects", "joints"])
def test_half_a_version_is_a_sentence(frozen: FrozenList, tmp_path: Path, name: str) -> None:
    other = "joints" if name == "objects" else "objects"
    list_paths("eval200-v9", tmp_path)[other].write_bytes(list_files(frozen)[other])
    with pytest.raises(PipelineError, match=rf"eval200-v9\.{name}\.tsv is missing.*Restore both"):
        read_frozen("eval200-v9", tmp_path)


def test_changes_between_versions_name_the_object(frozen: FrozenList, rows: Rows) -> None:
    mutate, where, field = MUTATIONS["mass"]
    mutate(rows)
    newer = FrozenList("eval200-v8", frozen.contents, read_truths(*rows))
    found = changes(frozen, newer)
    assert set(found) == {where, "c-other"}
    assert field in found[where] and "2.5 listed" in found[where]
    assert "older" in found["c-other"]
    assert "newer" in changes(newer, frozen)["c-other"]


@pytest.mark.parametrize(
    ("contents", "expected"), [("1", "eval200-v0"), ("5", "eval200-v1"), ("9", "eval200-v1")]
)
def test_of_versions_that_score_alike_the_one_with_equal_bytes_is_the_librarys(
    frozen: FrozenList,
    rows: Rows,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    contents: str,
    expected: str,
) -> None:
    """Contents 1 are those of version 0, 5 those of version 1, 9 those of another machine."""
    monkeypatch.setattr("pipeline.stages.split.frozen.FOLDER", tmp_path)
    for number, digit in enumerate("15"):
        version = f"eval200-v{number}"
        one = FrozenList(version, dict.fromkeys(MEMBERS, digit * 64), frozen.truths)
        for name, data in list_files(one).items():
            list_paths(version, tmp_path)[name].write_bytes(data)
    for row in rows[0]:
        row["content_sha256"] = contents * 64
    found = best_recognition(*rows)
    assert found is not None
    assert (found.frozen.version, found.problem) == (expected, "")
    assert (found.by_bytes, found.by_numbers) == ((0, 2) if contents == "9" else (2, 0))
    rows[1].pop()
    refused = best_recognition(*rows)
    assert refused is not None
    assert "of eval200-v1 differ" in refused.problem


def test_without_a_list_nothing_is_recognized(
    rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.stages.split.frozen.FOLDER", tmp_path)
    assert best_recognition(*rows) is None
