# SPDX-License-Identifier: Apache-2.0
"""A result names its benchmark and its members; two results meet only if these are the same."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.result.comparable import IncomparableError, require_comparable
from aa_dataset.score.result.record import Parameters, write_result
from aa_dataset.score.result.report import report_lines
from aa_dataset.score.result.tables import TABLES
from tests.kit.library_folder import write_seal


def score(library: Path, split: str = "eval200", **parameters):
    dataset = load_dataset(library, split=split, verbose=False)
    return evaluate(dataset, open_predictions(library), parameters=Parameters(**parameters))


def resealed(library: Path, **changes):
    """Give the library another benchmark in its seal and in its splits."""
    facts = json.loads((library / "library.json").read_bytes())["benchmark"] | changes
    path = library / "splits.parquet"
    table = pq.read_table(path)
    place = table.schema.get_field_index("version")
    versions = [facts["version"] if s == "eval200" else None for s in table["split"].to_pylist()]
    pq.write_table(table.set_column(place, table.schema.field(place), [versions]), path)
    write_seal(library, benchmark=facts)
    return library


def test_a_result_names_the_version_the_members_and_how_they_agree(frozen_library, tmp_path):
    result = score(frozen_library)
    assert result.dataset.benchmark == "eval200-v0"
    assert (result.dataset.by_bytes, result.dataset.by_numbers) == (2, 1)
    # Derived here: ids, each with the digest of the frozen list, which no machine changes.
    ids = ("generated-cabinet", "generated-lamp", "local-stool")
    text = "".join(f"{name} 00112233aabbccdd\n" for name in ids)
    assert result.dataset.members == hashlib.sha256(text.encode()).hexdigest()[:16]
    lines = "\n".join(report_lines(result))
    assert "benchmark    eval200-v0, agrees by bytes: 2, by numbers: 1; members" in lines
    assert result.dataset.members in lines
    write_result(result, tmp_path / "result")
    data = json.loads((tmp_path / "result/summary.json").read_text())
    assert data["dataset"]["benchmark"] == "eval200-v0"


def test_a_sampled_split_is_no_version_and_its_members_count_by_content(pristine_library):
    result = score(pristine_library)
    dataset = load_dataset(pristine_library, split="eval200", verbose=False)
    text = "".join(f"{item.object_id} {item.content_sha256}\n" for item in dataset)
    assert result.dataset.benchmark is result.dataset.by_bytes is None
    assert result.dataset.members == hashlib.sha256(text.encode()).hexdigest()[:16]
    assert max(map(len, report_lines(result))) <= 80
    assert "benchmark    none" in "\n".join(report_lines(result))


def test_a_part_of_the_benchmark_is_not_the_benchmark(frozen_library):
    dataset = load_dataset(frozen_library, split="eval200", verbose=False)
    assert dataset.benchmark is not None
    assert dataset[:2].benchmark is None
    assert load_dataset(frozen_library, verbose=False).benchmark is None
    assert dataset.select(reversed(dataset.object_ids)).benchmark == dataset.benchmark
    digests = {d.members for d in (dataset, dataset[:2], load_dataset(frozen_library))}
    assert len(digests) == 3
    assert dataset.select(reversed(dataset.object_ids)).members == dataset.members


def test_results_on_the_same_members_are_comparable_for_any_other_objects(frozen_library, tmp_path):
    first = score(frozen_library)
    require_comparable(first, first)
    # The same list on a machine where every object agrees by numbers alone.
    second = score(resealed(frozen_library, by_bytes=0, by_numbers=3))
    require_comparable(first, second)
    other = replace(second, dataset=replace(second.dataset, revision="0" * 16, objects=9))
    require_comparable(first, other)


def test_another_version_or_another_list_is_never_compared(frozen_library):
    first = score(frozen_library)
    second = score(resealed(frozen_library, version="eval200-v1"), split="eval200-v1")
    with pytest.raises(IncomparableError, match=r"eval200-v0, list \w+, .* and eval200-v1, list"):
        require_comparable(first, second)
    third = score(resealed(frozen_library, version="eval200-v0", digest="f" * 16))
    ours, theirs = first.dataset.members, third.dataset.members
    assert ours != theirs
    lists = (f"eval200-v0, list {name}, 3 members" for name in ("00112233aabbccdd", "f" * 16))
    said = f"{next(lists)} {ours} and {next(lists)} {theirs}. Score both"
    with pytest.raises(IncomparableError, match=said):
        require_comparable(first, third)


def test_other_members_and_samples_are_never_compared(frozen_library, pristine_library):
    first, sampled = score(frozen_library), score(pristine_library)
    with pytest.raises(IncomparableError, match=r"eval200_1a2b3c4d \(not a benchmark version"):
        require_comparable(first, sampled)
    with pytest.raises(IncomparableError, match="have different objects"):
        require_comparable(sampled, score(pristine_library, split="train"))
    dataset = load_dataset(frozen_library, split="eval200", verbose=False)
    part = evaluate(dataset[:2], open_predictions(frozen_library))
    with pytest.raises(IncomparableError, match="Score both on one version"):
        require_comparable(first, part)


def changed(result, table, change):
    """Return a result whose rows of one table were changed."""
    rows = change(getattr(result, table).to_pylist())
    return replace(result, **{table: pa.Table.from_pylist(rows, schema=TABLES[table])})


def without_objects(result, count):
    """Return a result that was cut to its first objects."""
    kept = set(result.per_object["object_id"].to_pylist()[:count])
    for table in TABLES:
        result = changed(result, table, lambda rows: [r for r in rows if r["object_id"] in kept])
    return result


def renamed(result, name):
    """Return a result whose first object has another id."""
    old = result.per_object["object_id"][0].as_py()
    for table in TABLES:
        result = changed(
            result,
            table,
            lambda rows: [r | {"object_id": name} if r["object_id"] == old else r for r in rows],
        )
    return result


def first_with(result, table, **values):
    """Return a result whose first row of a table has other values."""
    return changed(result, table, lambda rows: [rows[0] | values, *rows[1:]])


# What is wrong with a result, and the sentence: {good} and {bad} are "first" and "second".
BROKEN = {
    "cut": (lambda r: without_objects(r, 1), "the {bad} has 1 objects but states 3 members"),
    "empty": (lambda r: without_objects(r, 0), "the {bad} has 0 objects but states 3 members"),
    "renamed": (lambda r: renamed(r, "a-b"), "the {bad} has objects .*'a-b'.* do not match"),
    "doubled": (
        lambda r: changed(r, "per_object", lambda rows: rows * 2),
        "the {bad} has 6 objects but states 3 members",
    ),
    "joint lost": (
        lambda r: changed(r, "per_joint", lambda rows: rows[1:]),
        "only the {good} has the joint 'door_joint' of 'generated-cabinet' in all-joints",
    ),
    "joint of another name": (
        lambda r: first_with(r, "per_joint", joint="a"),
        "only the {bad} has the joint 'a' of 'generated-cabinet' in all-joints",
    ),
    "scale of a joint": (
        lambda r: first_with(r, "per_joint", is_metric=False),
        "the joint '.*' of 'generated-cabinet' in all-joints has a different type, scale or cost",
    ),
    "joint left out of a score": (
        lambda r: first_with(r, "per_joint", e_b_weld=None),
        "the joint '.*' of 'generated-cabinet' in all-joints has a different type, scale or cost",
    ),
    "another main joint": (
        lambda r: first_with(r, "per_object", main_joint="x"),
        "the object 'generated-cabinet' has a different type, scale or cost",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_result_without_exactly_its_members_is_never_compared(frozen_library, name):
    change, words = BROKEN[name]
    result = score(frozen_library)
    assert result.per_object["object_id"].to_pylist()[:2] == ["generated-cabinet", "generated-lamp"]
    with pytest.raises(IncomparableError, match=words.format(good="first", bad="second")):
        require_comparable(result, change(result))
    with pytest.raises(IncomparableError, match=words.format(good="second", bad="first")):
        require_comparable(change(result), result)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: without_objects(r, 2), "has 2 objects but states 3 members"),
        (lambda r: without_objects(r, 0), "has 0 objects but states 3 members"),
        (lambda r: renamed(r, "a-b"), r"the first is 'a-b'\) that do not match the digest"),
    ],
)
def test_two_results_broken_alike_do_not_vouch_for_each_other(frozen_library, change, words):
    result = change(score(frozen_library))
    with pytest.raises(IncomparableError, match=words):
        require_comparable(result, result)


def test_a_sample_knows_how_many_members_it_has(pristine_library):
    result = score(pristine_library)
    require_comparable(result, result)
    part = without_objects(result, 2)
    with pytest.raises(IncomparableError, match="has 2 objects but states 3 members"):
        require_comparable(part, part)


@pytest.mark.parametrize(
    "change",
    [{"alpha": 2.0}, {"kappa": 1.0}, {"pairing": "name"}, {"impute_limits": "truth"}, {"seed": 1}],
)
def test_other_parameters_are_named(frozen_library, change):
    ((name, value),) = change.items()
    with pytest.raises(IncomparableError, match=rf"{name} is .* in the first and {value} in the"):
        require_comparable(score(frozen_library), score(frozen_library, **change))
