# SPDX-License-Identifier: Apache-2.0
"""A result names its benchmark and its members; two results meet only if these are the same."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import fields, replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from aa_dataset.score.compare import IncomparableError, read_result, require_comparable

from aa_dataset import load_dataset
from aa_dataset.errors import ArenaError
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.report import report_lines
from aa_dataset.score.results import Parameters, write_result
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
    assert result.dataset["benchmark"] == "eval200-v0"
    assert (result.dataset["by_bytes"], result.dataset["by_numbers"]) == (2, 1)
    # Derived here: ids, each with the digest of the frozen list, which no machine changes.
    ids = ("generated-cabinet", "generated-lamp", "local-stool")
    text = "".join(f"{name} 00112233aabbccdd\n" for name in ids)
    assert result.dataset["members"] == hashlib.sha256(text.encode()).hexdigest()[:16]
    lines = "\n".join(report_lines(result))
    assert "benchmark    eval200-v0, agrees by bytes: 2, by numbers: 1; members" in lines
    assert result.dataset["members"] in lines
    write_result(result, tmp_path / "result.json")
    data = json.loads((tmp_path / "result.json").read_text())
    assert data["dataset"]["benchmark"] == "eval200-v0"


def test_a_sampled_split_is_no_version_and_its_members_count_by_content(pristine_library):
    result = score(pristine_library)
    dataset = load_dataset(pristine_library, split="eval200", verbose=False)
    text = "".join(f"{item.object_id} {item.content_sha256}\n" for item in dataset)
    assert result.dataset["benchmark"] is result.dataset["by_bytes"] is None
    assert result.dataset["members"] == hashlib.sha256(text.encode()).hexdigest()[:16]
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


def test_a_result_reads_back_as_it_was(frozen_library, tmp_path):
    result = score(frozen_library, pairing="assignment", kappa=2.0)
    path = tmp_path / "result.json"
    write_result(result, path)
    again = read_result(path)
    assert again.as_dict() == result.as_dict()
    assert again.parameters == result.parameters and again.dataset == result.dataset
    assert repr(again) == repr(result)  # nan beside nan, which are not equal


def test_results_on_the_same_members_are_comparable_for_any_other_objects(frozen_library, tmp_path):
    first = score(frozen_library)
    require_comparable(first, first)
    # The same list on a machine where every object agrees by numbers alone.
    second = score(resealed(frozen_library, by_bytes=0, by_numbers=3))
    require_comparable(first, second)
    other = replace(second, dataset=second.dataset | {"revision": "0" * 16, "objects": 9})
    require_comparable(first, other)


def test_another_version_or_another_list_is_never_compared(frozen_library):
    first = score(frozen_library)
    second = score(resealed(frozen_library, version="eval200-v1"), split="eval200-v1")
    with pytest.raises(IncomparableError, match=r"eval200-v0, list \w+, .* and eval200-v1, list"):
        require_comparable(first, second)
    third = score(resealed(frozen_library, version="eval200-v0", digest="f" * 16))
    ours, theirs = first.dataset["members"], third.dataset["members"]
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


def without_rows(result, count):
    """Return a result that was cut to its first objects."""
    kept = {item.object_id for item in result.objects[:count]}
    joints = tuple(joint for joint in result.joints if joint.object_id in kept)
    return replace(result, objects=result.objects[:count], joints=joints)


def renamed(result, name):
    """Return a result whose first object has another id."""
    old, *rest = result.objects
    joints = tuple(
        replace(j, object_id=name) if j.object_id == old.object_id else j for j in result.joints
    )
    return replace(result, objects=(replace(old, object_id=name), *rest), joints=joints)


# What is wrong with a result, and the sentence: {good} and {bad} are "first" and "second".
BROKEN = {
    "cut": (lambda r: without_rows(r, 1), "only the {good} has the object 'generated-lamp'"),
    "empty": (lambda r: without_rows(r, 0), "only the {good} has the object 'generated-cabinet'"),
    "renamed": (lambda r: renamed(r, "a-b"), "only the {bad} has the object 'a-b'"),
    "doubled": (
        lambda r: replace(r, objects=r.objects * 2, joints=r.joints * 2),
        "the {bad} has the object 'generated-cabinet' more than once",
    ),
    "joint lost": (
        lambda r: replace(r, joints=r.joints[1:]),
        "the {bad} has 2 joints of 'generated-cabinet' but states 3",
    ),
    "joint of another": (
        lambda r: replace(r, joints=(*r.joints, replace(r.joints[0], object_id="a-b"))),
        "the {bad} has 1 joints of 'a-b' but states 0",
    ),
    "joint of another name": (
        lambda r: replace(r, joints=(replace(r.joints[0], joint="a"), *r.joints[1:])),
        "only the {bad} has the joint 'a' of 'generated-cabinet'",
    ),
    "scale of a joint": (
        lambda r: replace(r, joints=(replace(r.joints[0], is_metric=False), *r.joints[1:])),
        "the joint '.*' of 'generated-cabinet' has a different type, scale or cost",
    ),
    "joint left out of a score": (
        lambda r: replace(
            r,
            joints=(
                replace(
                    r.joints[0],
                    welded=r.joints[0].welded | {"e_b": math.nan},
                    undefined={"e_b": "no_body"},
                ),
                *r.joints[1:],
            ),
        ),
        "the joint '.*' of 'generated-cabinet' has a different type, scale or cost",
    ),
    "spurious joint lost": (
        lambda r: replace(r, objects=(replace(r.objects[0], spurious=("x",)), *r.objects[1:])),
        "the {bad} has 0 spurious joints of 'generated-cabinet' but states 1",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_result_without_exactly_its_members_is_never_compared(frozen_library, name):
    change, words = BROKEN[name]
    result = score(frozen_library)
    assert [o.object_id for o in result.objects][:2] == ["generated-cabinet", "generated-lamp"]
    with pytest.raises(IncomparableError, match=words.format(good="first", bad="second")):
        require_comparable(result, change(result))
    with pytest.raises(IncomparableError, match=words.format(good="second", bad="first")):
        require_comparable(change(result), result)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: without_rows(r, 2), "has 2 objects but states 3 members"),
        (lambda r: without_rows(r, 0), "has 0 objects but states 3 members"),
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
    part = without_rows(result, 2)
    with pytest.raises(IncomparableError, match="has 2 objects but states 3 members"):
        require_comparable(part, part)


@pytest.mark.parametrize("change", [{"alpha": 2.0}, {"kappa": 1.0}, {"pairing": "assignment"}])
def test_other_parameters_are_named(frozen_library, change):
    ((name, value),) = change.items()
    with pytest.raises(IncomparableError, match=rf"{name} is .* in the first and {value} in the"):
        require_comparable(score(frozen_library), score(frozen_library, **change))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"metric_version": "0"}, "metric_version 0, this package has"),
        ({"result_version": "1"}, "result_version 1, this package has 3"),
        ({"result_version": "2"}, "result_version 2, this package has 3; their numbers are not"),
        ({"dataset": {"name": "x"}}, "lacks a field"),
        ({"parameters": {"beta": 1}}, "lacks a field"),
        ({"objects": [{}]}, "lacks a field"),
        ({"joints": 3}, "lacks a field"),
    ],
)
def test_a_file_that_is_no_current_result_is_an_error_message(
    frozen_library, tmp_path, change, words
):
    path = tmp_path / "result.json"
    write_result(score(frozen_library), path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ArenaError, match=words):
        read_result(path)


def put(*keys, to):
    """Return a change of one value in a nested structure."""

    def change(data):
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = to

    return change


def lost(*keys):
    """Return a change that takes one field away."""

    def change(data):
        for key in keys[:-1]:
            data = data[key]
        del data[keys[-1]]

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        *((lost("parameters", f.name), f"parameters lacks {f.name}") for f in fields(Parameters)),
        (put("parameters", "beta", to=1), "parameters has an unknown field 'beta'"),
        (put("parameters", "alpha", to="1"), "parameters.alpha is '1', not a finite number"),
        (put("parameters", "alpha", to=True), "parameters.alpha is True, not a finite number"),
        (put("parameters", "alpha", to=None), "alpha"),
        (put("parameters", "budget", to=-1), "parameters.budget is -1, not a non-negative integer"),
        (
            put("parameters", "budget", to=1.5),
            "parameters.budget is 1.5, not a non-negative integer",
        ),
        (put("parameters", "pairing", to="x"), "pairing 'x' is not one of tree, assignment"),
        (put("objects", 0, "tree", to="0.1"), r"objects\[0\].tree is '0.1', not a finite"),
        (put("objects", 0, "missing", to="abc"), r"objects\[0\].missing is 'abc', not a list"),
        (put("objects", 0, "missing", to=[1]), r"objects\[0\].missing\[0\] is 1, not a string"),
        (put("objects", 0, "costs", to={"e": "x"}), r"objects\[0\].costs.e is 'x', not a finite"),
        (put("objects", 0, "costs", to={"e": 1}), r"objects\[0\].costs does not have the scores"),
        (
            put("objects", 0, "joints", to="7"),
            r"objects\[0\].joints is '7', not a non-negative integer",
        ),
        (put("objects", 0, "foo", to=1), r"objects\[0\] has an unknown field 'foo'"),
        (put("objects", 0, "object_id", to=None), r"objects\[0\].object_id is None, not a string"),
        (put("objects", 0, "object_id", to="\ud800"), "surrogates not allowed"),
        (put("objects", 0, "status", to="good"), r"objects\[0\].status is not one of scored"),
        (put("joints", 0, "is_mimic", to=0), r"joints\[0\].is_mimic is 0, not true or false"),
        (lost("joints", 0, "undefined"), r"joints\[0\] lacks undefined"),
        (lost("joints", 0, "welded"), r"joints\[0\] lacks welded"),
        (put("joints", 0, "welded", to={"e": 1}), r"joints\[0\].welded does not have the scores"),
        (put("joints", 0, "why", to="luck"), r"joints\[0\].why is not one of matched"),
        (
            put("joints", 0, "predicted", to=None),
            r"joints\[0\] is matched and has the partner None",
        ),
        (put("joints", 0, "why", to="absent"), r"joints\[0\] is absent and has the partner 'door"),
        (
            put("joints", 0, "values", "e_alpha", to=-5.0),
            r"e_alpha is -5; a distance is not negative",
        ),
        (put("joints", 0, "welded", "e_alpha", to=None), "e_alpha is null, and `undefined`"),
        (
            put("joints", 0, "undefined", to={"e_alpha": "unbounded"}),
            "e_alpha is a number although e_alpha is unbounded",
        ),
        (put("joints", 0, "charged", to={"e_alpha": 1.0}), "is not a score of an unbounded joint"),
        (put("spurious", to=[{}]), r"spurious\[0\] lacks object_id"),
        (lost("spurious"), "spurious is missing"),
        (put("predictions", to=None), "predictions is None, not an object"),
        (put("dataset", to=[["benchmark", None]]), "dataset is .*, not an object"),
        (put("dataset", "members", to=None), "dataset.members is None, not a string"),
        (put("dataset", "benchmark", to={"a": 1}), "dataset.benchmark is .*, not a string"),
        (put("dataset", "list", to=None), "one of dataset.benchmark and dataset.list is null"),
        (lost("dataset", "member_count"), "dataset lacks member_count"),
        (lost("objects"), "objects is missing"),
    ],
)
def test_every_field_is_there_with_its_type(frozen_library, tmp_path, change, words):
    path = tmp_path / "result.json"
    write_result(score(frozen_library), path)
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    with pytest.raises(
        ArenaError, match=rf"result\.json lacks a field .*: .*{words}.*\. Score the"
    ):
        read_result(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 200_000, "nested too deeply"),
        ('{"a": NaN}', "it has NaN, which is not JSON"),
        ('{"a": -Infinity}', "it has -Infinity, which is not JSON"),
        ('{"a": {"b": 1, "b": 2}}', "it has the name 'b' twice"),
        ("{" + f'"a": {"9" * 5000}' + "}", "an integer of more than 39 digits"),
        ("{" + f'"a": {"9" * 400}' + "}", "an integer of more than 39 digits"),
        ('{"a": 1e400}', "it has '1e400', which is not a finite number"),
    ],
)
def test_json_that_no_result_has_is_a_sentence(tmp_path, text, words):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ArenaError, match=rf"x\.json .*{words}"):
        read_result(tmp_path / "x.json")


@pytest.mark.parametrize("text", ["", "[]", "{}", "3"])
def test_a_file_that_is_something_else_is_a_sentence(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ArenaError, match="is not a result"):
        read_result(tmp_path / "x.json")
    with pytest.raises(ArenaError, match="is not a result"):
        read_result(tmp_path / "nothing.json")
