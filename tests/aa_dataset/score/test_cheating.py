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

from aa_dataset import load_dataset
from aa_dataset.errors import LibraryError
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.result.record import Parameters, write_result
from aa_dataset.score.result.scores import PROTOCOLS
from benchmarks.cheating import frozen_case, write_frozen_library
from benchmarks.cheating_submissions import (
    REFERENCES,
    TRICKS,
    headlines,
    write_all,
    write_submissions,
)
from pipeline.stages.split.frozen import frozen_versions, read_frozen
from tests.kit.library_folder import build_library
from tests.kit.library_objects import ObjectSpec, Part, write_urdf
from tests.kit.places import REPOSITORY
from tests.kit.score_rows import ALL, joints, mean, objects, spurious, values

OBJECTS = 20
HEADLINES = 12  # two means of five scores, one mean of two trees


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
    assert len(honest) == HEADLINES
    assert other.keys() == honest.keys()  # no headline goes away either
    beaten = {key: (honest[key], other[key]) for key in honest if not other[key] > honest[key]}
    assert beaten == {}
    assert results[trick].generated_percent <= results["honest"].generated_percent


@pytest.mark.parametrize("key", [*REFERENCES, *TRICKS])
def test_every_submission_is_counted_over_the_same_truth_joints(results, key):
    honest, other = results["honest"], results[key]
    for protocol in PROTOCOLS:
        names = [[(j.object_id, j.joint) for j in joints(one, protocol)] for one in (honest, other)]
        assert names[0] == names[1]
    for ours, theirs in zip(honest.summary.charges, other.summary.charges, strict=True):
        assert ours.undefined == theirs.undefined
        where = {"protocol": ours.protocol, "scale": ours.scale}
        heads = [mean(one, ours.score, **where) for one in (honest, other)]
        matched = mean(other, ours.score, "mean_over_matched", **where)
        assert heads[0].values == heads[1].values == matched.of
        assert matched.values + sum(theirs.welded.values()) == matched.of
    for ours, theirs in zip(honest.summary.aggregates, other.summary.aggregates, strict=True):
        assert ours.label == theirs.label
        if ours.label.statistic != "mean_over_matched":
            assert ours.of == theirs.of or ours.label.score.endswith("_success")


@pytest.mark.parametrize("key", [*REFERENCES, *TRICKS])
def test_trees_and_joints_add_up_to_the_same_costs(results, key):
    result = results[key]
    row = mean(result, "e_alpha_phi")
    trees = mean(result, "e_alpha_phi_tree", "mean_of_objects", protocol="")
    joint_sum, tree_sum = row.estimate * row.values, trees.estimate * trees.values
    if result.parameters.pairing == "tree":  # others pair what no edit script would
        assert joint_sum == pytest.approx(tree_sum, rel=1e-12, abs=1e-12)


def test_the_truth_scores_zero_with_full_coverage(results):
    truth = results["ground-truth"]
    assert len(headlines(truth.as_dict())) == HEADLINES
    assert all(0.0 <= value <= 1e-9 for value in headlines(truth.as_dict()).values())
    for charge in truth.summary.charges:
        assert charge.spurious == 0 and charge.welded == {}
        part = mean(truth, charge.score, "mean_over_matched", protocol=charge.protocol)
        assert part.values == part.of
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
    broken = [item for item in objects(results["huge-numbers"]) if item.status == "unreadable"]
    assert broken and all("beyond 1e+70 m or rad" in item.detail for item in broken)
    assert all(map(math.isfinite, values(results["huge-numbers"])))


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
    assert mean(result, "e_alpha_phi_tree", "mean_of_objects", protocol="").estimate > 0.01


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
    row = mean(result, "e_alpha")
    (charge,) = [c for c in result.summary.charges if (c.protocol, c.score) == (ALL, "e_alpha")]
    assert (row.values, row.objects, charge.undefined) == (1, 1, {"unbounded": 1})
    # A slide 0.2 m short, and 0.1 m of motion that is not there, over one truth joint.
    assert row.estimate == pytest.approx(0.2 + 0.1, rel=1e-12)
    of_objects = mean(result, "e_alpha", "mean_of_objects")
    assert of_objects.estimate == pytest.approx(0.2 + 0.1, rel=1e-12)
    assert mean(result, "e_alpha", "mean_over_matched").estimate == pytest.approx(0.2, rel=1e-12)


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
    costs = {joint.predicted: joint for joint in spurious(result)}
    assert costs["free_joint"].predicted_limits == "absent"
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


def test_the_snippet_of_the_docs_gives_every_headline(results, tmp_path, monkeypatch, capsys):
    (snippet,) = re.findall(r"```python\n(.*?)```", SCORING, re.S)
    assert len(snippet.strip().splitlines()) <= 12
    monkeypatch.chdir(tmp_path)
    for key in ("honest", "many-guesses", "half-unbounded", "easiest-alone"):
        write_result(results[key], tmp_path / "result")
        exec(snippet, {})
        found = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert len(found) == 2 * 5 + 2
        summary = json.loads((tmp_path / "result/summary.json").read_text())
        for *where, number in found:
            name, protocol = where if len(where) == 2 else (where[0], "")
            statistic = "mean_over_joints" if protocol else "mean_of_objects"
            (row,) = [
                row
                for row in summary["aggregates"]
                if (row["score"], row["protocol"], row["statistic"]) == (name, protocol, statistic)
            ]
            assert float(number) == pytest.approx(row["estimate"], rel=1e-12), (key, name)
