# SPDX-License-Identifier: Apache-2.0
"""The sampled split: same library, same members; every supercategory; a name of its own."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.format.benchmark import Benchmark
from pipeline.stages.split.near import near_duplicates
from pipeline.stages.split.sample import Sample, SplitCandidate, sample_split
from pipeline.stages.split.stage import Evaluation, Evaluations, split_name, split_rows

TYPES = ("revolute", "prismatic", "continuous", "helical", "fixed")


def library(count: int, groups: int = 5) -> list[SplitCandidate]:
    """Return candidates of uneven supercategories; the first ones cover every group."""
    random = np.random.default_rng(3)
    out = []
    for number in range(count):
        group = number if number < groups else int(random.integers(groups) ** 2 % groups)
        kind = TYPES[int(random.integers(len(TYPES)))]
        out.append(
            SplitCandidate(
                f"s-{number:04d}",
                f"c{group}_{random.integers(3)}",
                f"g{group}",
                frozenset({kind}),
                kind,
            )
        )
    return out


def sampled(rows: list[SplitCandidate], count: int, seed: int = 1, groups: int = 5) -> Sample:
    """Sample with even quotas."""
    quotas = {f"g{number}": 10 for number in range(groups)}
    return sample_split(rows, seed=seed, count=count, quotas=quotas, continuous_share=0.2)


@given(st.integers(0, 40), st.integers(0, 60), st.integers(0, 10**9), st.randoms())
def test_a_sample_has_the_size_and_ignores_the_order_of_rows(
    count: int, wanted: int, seed: int, random: Any
) -> None:
    rows = library(count)
    chosen = sampled(rows, wanted, seed).reasons
    assert len(chosen) == min(wanted, count)
    assert set(chosen) <= {row.object_id for row in rows}
    random.shuffle(rows)
    assert sampled(rows, wanted, seed).reasons == chosen


@pytest.mark.parametrize("groups", [1, 3, 5, 12])
def test_every_supercategory_is_there_when_the_count_allows(groups: int) -> None:
    rows = library(200, groups)
    by_id = {row.object_id: row for row in rows}
    # Reserving joint types may take places; twice the number of groups leaves room for all.
    chosen = sampled(rows, 2 * groups + len(TYPES), groups=groups).reasons
    assert {by_id[key].supercategory for key in chosen} == {f"g{n}" for n in range(groups)}
    assert {kind for key in chosen for kind in by_id[key].joint_types} == set(TYPES)


def test_another_seed_is_another_sample() -> None:
    rows = library(200)
    assert set(sampled(rows, 30, seed=1).reasons) != set(sampled(rows, 30, seed=2).reasons)


def objects(count: int) -> list[dict[str, Any]]:
    """Return rows of the objects table as far as the stage reads them."""
    return [
        {"object_id": f"s-{n:04d}", "content_sha256": hashlib.sha256(bytes([n])).hexdigest()}
        for n in range(count)
    ]


def test_train_is_the_library_without_the_split_and_its_near_duplicates() -> None:
    rows = objects(20)
    evaluation = Evaluation("eval200_x", {"s-0001": "one", "s-0002": "two"}, [])
    near = {"s-0003": ("s-0001", 0.01)}
    members: dict[str, set[str]] = {}
    contents = {row["object_id"]: row["content_sha256"] for row in rows}
    for row in split_rows(rows, Evaluations((evaluation,)), near):
        members.setdefault(row["split"], set()).add(row["object_id"])
        assert row["content_sha256"] == contents[row["object_id"]]
        assert row["reason"]
        assert row["version"] is None  # a sample is no version
    assert members["library"] == set(contents)
    assert members["eval200_x"] == {"s-0001", "s-0002"}
    assert members["train"] == set(contents) - {"s-0001", "s-0002", "s-0003"}


def test_only_the_frozen_split_has_a_version() -> None:
    benchmark = Benchmark("eval200-v3", "eval200", 2, "0" * 16, 2, 0)
    evaluation = Evaluation("eval200", {"s-0001": "one", "s-0002": "two"}, [], benchmark)
    versions: dict[str, set[str | None]] = {}
    sample = Evaluation("eval200_x", {"s-0002": "two", "s-0003": "three"}, [])
    for row in split_rows(objects(20), Evaluations((evaluation, sample)), {}):
        versions.setdefault(row["split"], set()).add(row["version"])
    sampled = {"eval200_x": {None}, "library": {None}, "train": {None}}
    assert versions == {"eval200": {"eval200-v3"}, **sampled}


def test_the_name_is_a_digest_of_members_and_their_content() -> None:
    contents = {row["object_id"]: row["content_sha256"] for row in objects(10)}
    text = "\n".join(sorted(f"{key} {content}" for key, content in contents.items()))
    expected = f"eval200_{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    assert split_name(contents) == split_name(dict(reversed(contents.items()))) == expected
    assert split_name(contents | {"s-0001": "0" * 64}) != expected
    assert split_name({key: contents[key] for key in list(contents)[1:]}) != expected


def test_an_object_without_joints_has_no_neighbors() -> None:
    assert near_duplicates(["a"], {"a": "door", "b": "door"}, {}, threshold=1.0) == {}
