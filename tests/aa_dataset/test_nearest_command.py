# SPDX-License-Identifier: Apache-2.0
"""`aa nearest` and the limits of `aa score`."""

from __future__ import annotations

import json
import math

import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.metric import tree_distance
from aa_dataset.metric.tree import DEFAULT_BUDGET
from aa_dataset.score.parameters import SEARCH_BUDGET


@pytest.fixture
def here(library, monkeypatch):
    """Work in a folder that holds ./library."""
    monkeypatch.chdir(library.parent)
    return library.parent


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    said = capsys.readouterr()
    return status, said.out, said.err


def brute_force(dataset, tree, *, without):
    """Return ids and distances of all other objects, nearest first, ties by id."""
    rows = [
        (tree_distance(tree, item.tree, compactify=math.pi).value, item.object_id)
        for item in dataset
        if item.object_id != without
    ]
    return [(name, distance) for distance, name in sorted(rows)]


def test_every_object_has_the_neighbors_of_brute_force(here, capsys):
    dataset = load_dataset(here / "library", verbose=False)
    for item in dataset:
        expected = brute_force(dataset, item.tree, without=item.object_id)
        status, out, _ = run(capsys, "nearest", item.object_id, "--json")
        found = json.loads(out)
        assert status == 0
        assert [(n["object_id"], n["distance"]) for n in found["neighbors"]] == expected
        assert all(n["exact"] for n in found["neighbors"])
        assert found["dataset"]["revision"] == dataset.revision
        assert found["parameters"] == {"alpha": 1.0, "kappa": math.pi, "budget": DEFAULT_BUDGET}
        status, out, _ = run(capsys, "nearest", item.object_id, "library", "--count", "2")
        lines = out.splitlines()
        assert status == 0 and len(lines) == 4 and max(map(len, lines)) <= 100
        assert [line.split()[0] for line in lines[2:]] == [name for name, _ in expected[:2]]


def test_a_file_outside_the_library_is_compared_with_all_of_it(here, capsys):
    dataset = load_dataset(here / "library", verbose=False)
    item = next(iter(dataset))
    for place in (item.folder, item.folder / "object.urdf"):
        status, out, _ = run(capsys, "nearest", str(place), "--json", "--count", "1")
        nearest = json.loads(out)["neighbors"]
        assert status == 0
        assert [n["object_id"] for n in nearest] == [item.object_id]
        assert nearest[0]["distance"] == pytest.approx(0, abs=1e-6)


def test_the_content_names_the_split(here, capsys):
    dataset = load_dataset(here / "library", verbose=False)
    item, name = next(iter(dataset)), next(iter(dataset.splits))
    _, out, _ = run(capsys, "nearest", item.object_id, "--json")
    assert json.loads(out)["dataset"]["split"] is None
    status, out, _ = run(capsys, "nearest", item.object_id, "--json", "--split", name)
    assert status == 0
    assert json.loads(out)["dataset"]["split"] == name


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nearest", "no-such-object"], "no object"),
        (["nearest", "generated-lamp", "--count", "0"], "at least 1"),
        (["nearest", "generated-lamp", "--kappa", "-1"], "positive"),
        (["nearest", "generated-lamp", "--budget", "-5"], "budget"),
    ],
)
def test_wrong_words_are_sentences(here, capsys, words, said):
    status, out, err = run(capsys, *words)
    assert status == 2 and not out
    assert said in err


def test_limits_of_a_score_are_written_into_its_result(here, capsys):
    dataset = load_dataset(here / "library", split="eval200", verbose=False)
    dataset.unpack(here / "predictions")
    words = ["score", str(here / "predictions"), "--split", "eval200", "--json"]
    _, out, _ = run(capsys, *words)
    plain = json.loads(out)
    assert plain["parameters"]["budget"] == SEARCH_BUDGET
    assert plain["parameters"]["time_limit_s"] is None
    _, out, _ = run(capsys, *words, "--budget", "7", "--time-limit", "30")
    limited = json.loads(out)
    assert limited["parameters"]["budget"] == 7
    assert limited["parameters"]["time_limit_s"] == 30.0
    assert limited["tree_counts"]["timed_out"] == 0
