# SPDX-License-Identifier: Apache-2.0
"""A result names its benchmark and its members; two results meet only if these are the same."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.errors import ArenaError
from aa_dataset.score.compare import IncomparableError, read_result, require_comparable
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.report import report_lines
from aa_dataset.score.results import Parameters, write_result


def score(library: Path, split: str = "eval200", **parameters):
    dataset = load_dataset(library, split=split, verbose=False)
    return evaluate(dataset, open_predictions(library), parameters=Parameters(**parameters))


def resealed(library: Path, make, **changes):
    """Give the library another benchmark in its seal."""
    facts = json.loads((library / "library.json").read_bytes())["benchmark"]
    make.seal(library, benchmark=facts | changes)
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
    assert max(map(len, report_lines(result))) <= 100
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


def test_results_on_the_same_members_compare_whatever_else_the_libraries_hold(
    frozen_library, make, tmp_path
):
    first = score(frozen_library)
    require_comparable(first, first)
    # The same list on a machine where every object agrees by numbers alone.
    second = score(resealed(frozen_library, make, by_bytes=0, by_numbers=3))
    require_comparable(first, second)
    other = replace(second, dataset=second.dataset | {"revision": "0" * 16, "objects": 9})
    require_comparable(first, other)


def test_another_version_or_another_list_is_never_compared(frozen_library, make):
    first = score(frozen_library)
    second = score(resealed(frozen_library, make, version="eval200-v1"), split="eval200-v1")
    with pytest.raises(IncomparableError, match=r"eval200-v0, members \w+ and eval200-v1, members"):
        require_comparable(first, second)
    third = score(resealed(frozen_library, make, version="eval200-v0", digest="f" * 16))
    ours, theirs = first.dataset["members"], third.dataset["members"]
    assert ours != theirs
    with pytest.raises(
        IncomparableError, match=rf"members {ours} and eval200-v0, members {theirs}"
    ):
        require_comparable(first, third)


def test_other_members_and_samples_are_never_compared(frozen_library, pristine_library):
    first, sampled = score(frozen_library), score(pristine_library)
    with pytest.raises(IncomparableError, match=r"eval200_1a2b3c4d \(no version of the benchmark"):
        require_comparable(first, sampled)
    with pytest.raises(IncomparableError, match="of different objects"):
        require_comparable(sampled, score(pristine_library, split="train"))
    dataset = load_dataset(frozen_library, split="eval200", verbose=False)
    part = evaluate(dataset[:2], open_predictions(frozen_library))
    with pytest.raises(IncomparableError, match="Score both on one version"):
        require_comparable(first, part)


@pytest.mark.parametrize("change", [{"alpha": 2.0}, {"kappa": 1.0}, {"pairing": "assignment"}])
def test_other_parameters_are_named(frozen_library, change):
    ((name, value),) = change.items()
    with pytest.raises(IncomparableError, match=rf"{name} is .* in the one and {value} in the"):
        require_comparable(score(frozen_library), score(frozen_library, **change))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"metric_version": "0"}, "metric_version 0, this package has"),
        ({"result_version": "1"}, "result_version 1, this package has"),
        ({"dataset": {"name": "x"}}, "lacks a field"),
        ({"parameters": {"beta": 1}}, "lacks a field"),
        ({"objects": [{}]}, "lacks a field"),
        ({"joints": 3}, "lacks a field"),
    ],
)
def test_a_file_that_is_no_result_of_today_is_a_sentence(frozen_library, tmp_path, change, words):
    path = tmp_path / "result.json"
    write_result(score(frozen_library), path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ArenaError, match=words):
        read_result(path)


@pytest.mark.parametrize("text", ["", "[]", "{}", "3"])
def test_a_file_that_is_something_else_is_a_sentence(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ArenaError, match="is not a result"):
        read_result(tmp_path / "x.json")
    with pytest.raises(ArenaError, match="is not a result"):
        read_result(tmp_path / "nothing.json")
