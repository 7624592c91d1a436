# SPDX-License-Identifier: Apache-2.0
"""No submission of the list beats honest noise, in any headline, with either pairing.

Twenty objects of the frozen benchmark, the submissions of `benchmarks/cheating_submissions.py`.
"""

from __future__ import annotations

import json
import math
import re
import shutil

import pytest
from cheating import frozen_case, write_frozen_library
from cheating_submissions import REFERENCES, TRICKS, headlines, write_all, write_submissions

from aa_dataset import load_dataset
from aa_dataset.errors import LibraryError
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.results import Parameters, write_result
from pipeline.stages.split.frozen import frozen_versions, read_frozen
from tests.kit.library_folder import build_library
from tests.kit.library_objects import ObjectSpec, Part, write_urdf
from tests.kit.places import REPOSITORY

OBJECTS = 20
SCORES_PER_RUN = {"tree": 9, "assignment": 8}  # two means of four scores, one mean of trees


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    root = tmp_path_factory.mktemp("cheating")
    write_frozen_library(root / "library", read_frozen(frozen_versions()[-1]), OBJECTS)
    return root


@pytest.fixture(scope="module")
def case(place):
    return frozen_case(place)


@pytest.fixture(scope="module")
def folders(place, case):
    return {key: folder for key, _, folder in write_submissions(case, place / "submissions")}


@pytest.fixture(scope="module", params=["tree", "assignment"])
def results(request, place, folders):
    dataset = load_dataset(place / "library", split="eval200", verbose=False)
    parameters = Parameters(pairing=request.param)
    return {
        key: evaluate(dataset, open_predictions(folder), parameters=parameters)
        for key, folder in folders.items()
    }


@pytest.mark.parametrize("trick", TRICKS)
def test_no_trick_beats_honest_noise_in_any_headline(results, trick):
    honest, other = (headlines(results[key].as_dict()) for key in ("honest", trick))
    assert len(honest) == SCORES_PER_RUN[results["honest"].parameters.pairing]
    assert other.keys() == honest.keys()  # no headline goes away either
    beaten = {key: (honest[key], other[key]) for key in honest if not other[key] > honest[key]}
    assert beaten == {}
    assert results[trick].generated_percent <= results["honest"].generated_percent


@pytest.mark.parametrize("key", [*REFERENCES, *TRICKS])
def test_every_submission_is_counted_over_the_same_truth_joints(results, key):
    honest, other = results["honest"], results[key]
    assert sorted((j.object_id, j.joint) for j in other.joints) == sorted(
        (j.object_id, j.joint) for j in honest.joints
    )
    for ours, theirs in zip(honest.aggregates(), other.aggregates(), strict=True):
        assert (ours.joints, ours.objects, ours.undefined) == (
            theirs.joints,
            theirs.objects,
            theirs.undefined,
        )
        assert theirs.conditional.joints + sum(theirs.welded.values()) == theirs.joints
        assert (theirs.conditional.of_joints, theirs.conditional.of_objects) == (
            theirs.joints,
            theirs.objects,
        )


@pytest.mark.parametrize("key", [*REFERENCES, *TRICKS])
def test_trees_and_joints_add_up_to_the_same_costs(results, key):
    result = results[key]
    (row,) = [row for row in result.aggregates() if row.score == "e_alpha_phi"]
    trees = result.tree_aggregate()
    if result.parameters.pairing == "assignment":  # which knows no trees
        assert math.isnan(trees.mean_of_objects) and trees.objects == 0
        return
    assert row.mean_over_joints * row.joints == pytest.approx(
        trees.mean_of_objects * trees.objects, rel=1e-12, abs=1e-12
    )


def test_the_truth_scores_zero_with_full_coverage(results):
    truth = results["ground-truth"]
    for row in truth.aggregates():
        assert 0.0 <= row.mean_over_joints <= 1e-9 and 0.0 <= row.mean_of_objects <= 1e-9
        assert row.conditional.joints == row.joints and row.spurious == 0 and row.welded == {}
    assert truth.generated_percent == 100.0


def test_an_object_that_fails_costs_what_a_welded_one_costs(results):
    welded = headlines(results["welded"].as_dict())
    for key in ("file-links", "folder-links"):
        assert headlines(results[key].as_dict()) == pytest.approx(welded, rel=1e-12)


def test_gen_counts_no_empty_file_and_no_welded_object(results):
    assert results["welded"].generated_percent == 0.0
    assert results["easiest-empty"].generated_percent == 100 / OBJECTS
    assert results["easiest-empty"].count("motionless") == OBJECTS - 1


def test_an_overflow_is_an_error_of_its_prediction(results):
    broken = [item for item in results["huge-numbers"].objects if item.status == "unreadable"]
    assert broken and all("beyond 1e+70 m or rad" in item.detail for item in broken)
    numbers = [v for joint in results["huge-numbers"].joints for v in joint.values.values()]
    assert not any(map(math.isinf, numbers))


def test_a_library_with_a_false_revision_is_scored_by_its_tables(place, case, tmp_path):
    """A copy with another truth inside says the truth's revision: it is scored by its tables."""
    import hashlib

    import pyarrow as pa
    import pyarrow.parquet as pq

    dataset = load_dataset(place / "library", split="eval200", verbose=False)
    fake = tmp_path / "fake"
    shutil.copytree(place / "library", fake)
    table = pq.read_table(fake / "joints.parquet")
    rows = [row | {"upper": row["upper"] * 1.5} for row in table.to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), fake / "joints.parquet")
    seal = json.loads((fake / "library.json").read_text())
    data = (fake / "joints.parquet").read_bytes()
    seal["files"]["joints.parquet"] = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
    }
    (fake / "library.json").write_text(json.dumps(seal))
    try:
        result = evaluate(dataset, open_predictions(fake))
    except LibraryError as error:  # a loader that finds the lie by itself is as good
        assert "revision" in str(error)
        return
    assert result.tree_aggregate().mean_of_objects > 0.01


def test_what_is_spurious_costs_though_no_truth_joint_has_the_score(tmp_path):
    """An object of continuous joints has no raw score; a tiny joint must not dilute the mean."""
    things = (
        ObjectSpec("generated-a", "a", (Part("turn", "continuous"),)),
        ObjectSpec("generated-b", "b", (Part("slide", "prismatic", upper=0.4),)),
    )
    root = build_library(tmp_path / "library", things)
    dataset = load_dataset(root, verbose=False)
    folder = tmp_path / "predictions"
    write_all(folder, {item.object_id: item.tree for item in dataset})
    extra = Part("extra", "prismatic", upper=0.1)
    wrong = Part("slide", "prismatic", upper=0.2)
    for name, parts in (("a", (things[0].parts[0], extra)), ("b", (wrong,))):
        (folder / f"generated-{name}" / "object.urdf").write_bytes(write_urdf("x", parts))
    result = evaluate(dataset, open_predictions(folder))
    (row,) = [row for row in result.aggregates() if row.score == "e_alpha"]
    assert (row.joints, row.objects, row.undefined) == (1, 1, {"unbounded": 1})
    # A slide 0.2 m short, and 0.1 m of motion that is not there, over one truth joint.
    assert row.mean_over_joints == pytest.approx(0.2 + 0.1, rel=1e-12)
    assert row.mean_of_objects == pytest.approx(0.2 + 0.1, rel=1e-12)
    assert row.conditional.mean_over_joints == pytest.approx(0.2, rel=1e-12)


def test_an_unbounded_spurious_joint_costs_a_turn_or_the_diagonal(tmp_path):
    thing = ObjectSpec("generated-a", "a", (Part("slide", "prismatic", upper=0.4),))
    root = build_library(tmp_path / "library", (thing,))
    dataset = load_dataset(root, verbose=False)
    folder = tmp_path / "predictions" / "generated-a"
    folder.mkdir(parents=True)
    wheel = Part("wheel", "continuous", parent="slide")
    free = Part("free", "prismatic", parent="slide", axis=(0.0, 1.0, 0.0))
    text = write_urdf("x", (*thing.parts, wheel, free)).decode()
    start = text.index('<limit lower="0.0" upper="1.0"')  # that of `free`
    text = text[:start] + text[text.index("/>", start) + 2 :]
    (folder / "object.urdf").write_text(text)
    result = evaluate(dataset, open_predictions(folder.parent))
    costs = {joint.predicted: joint for joint in result.spurious}
    assert all(joint.is_unbounded for joint in costs.values())
    # Both ends half a turn; both ends half of the diagonal of the box 0.6 x 0.4 x 0.8.
    assert costs["wheel_joint"].costs["e_alpha"] == pytest.approx(math.sqrt(2) * math.pi)
    half = math.hypot(0.6, 0.4, 0.8) / 2
    assert costs["free_joint"].costs["e_alpha"] == pytest.approx(math.sqrt(2) * half)
    assert costs["free_joint"].costs["e_b"] == pytest.approx(math.sqrt(2) * half)
    assert costs["wheel_joint"].costs["e_alpha_phi"] == pytest.approx(math.sqrt(2))


SCORING = (REPOSITORY / "docs" / "scoring.md").read_text()


def test_the_table_of_the_docs_has_every_trick_and_none_that_gains():
    lines = [line.strip("| ").split(" | ") for line in SCORING.splitlines() if "`: " in line]
    rows = {cells[0].split("`")[1]: cells for cells in lines if len(cells) == 11}
    assert list(rows) == [*REFERENCES, *TRICKS]
    now = {key: [float(cell) for cell in cells[7:]] for key, cells in rows.items()}
    assert now["ground-truth"] == [0.0] * 4
    for trick in TRICKS:
        assert all(cost > own for cost, own in zip(now[trick], now["honest"], strict=True)), trick
        text = TRICKS[trick][0]
        assert rows[trick][0] == f"`{trick}`: {text}"


def test_the_snippet_of_the_docs_gives_the_headline(results, tmp_path, monkeypatch, capsys):
    (snippet,) = re.findall(r"```python\n(.*?)```", SCORING, re.S)
    monkeypatch.chdir(tmp_path)
    for key in ("honest", "many-guesses", "half-unbounded", "easiest-alone"):
        write_result(results[key], tmp_path / "result.json")
        exec(snippet, {})
        (row,) = [row for row in results[key].aggregates() if row.score == "e_alpha"]
        assert float(capsys.readouterr().out) == pytest.approx(row.mean_over_joints, rel=1e-12)
