# SPDX-License-Identifier: Apache-2.0
"""`aa score` reads, registers, and says what it did; a prediction elsewhere is brought home."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.cli.reading import AUTO, READERS, REGISTRATIONS
from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.joints_file import write_joints
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.portable import quaternion_rotation
from aa_dataset.score.readers import registry
from aa_dataset.score.readers.folder import UNKNOWN_SIZE_NOTE
from aa_dataset.score.registration.file import write_registration
from aa_dataset.score.registration.modes import MODES
from aa_dataset.score.registration.record import Given
from aa_dataset.score.result.record import read_result
from aa_dataset.score.simulated.object_setting import setting_of
from aa_dataset.score.simulated.registry import simulated_named

HOME = Similarity(0.5, quaternion_rotation((0.9, 0.1, -0.3, 0.2)), np.array([0.3, -0.2, 0.1]))


@pytest.fixture
def here(library, monkeypatch):
    """Work in a folder that holds ./library and predictions of another frame, unit and state."""
    monkeypatch.chdir(library.parent)
    for item in load_dataset("library", split="eval200", verbose=False):
        rest = {joint.name: 0.1 for joint in item.tree.movable if joint.type == "revolute"}
        tree = HOME.inverse().tree(item.tree.reanchored(rest))
        folder = library.parent / "away" / item.object_id
        folder.mkdir(parents=True)
        (folder / "joints.json").write_bytes(write_joints(tree))
        # The state of the file is 0.1 beyond rest, so rest is at -0.1 in its joints.
        back = {name: -value for name, value in rest.items()}
        (folder / "registration.json").write_bytes(write_registration(Given(HOME, back), "a note"))
    return library.parent


def scored(capsys, *words: str) -> tuple[int, dict]:
    status = main(["score", "away", "--split", "eval200", "--json", *words])
    return status, json.loads(capsys.readouterr().out)


def headline(summary: dict, statistic="mean_over_joints", score="e_alpha_phi") -> list[float]:
    return [
        one["estimate"]
        for one in summary["aggregates"]
        if (one["score"], one["statistic"]) == (score, statistic)
        and one["protocol"] in ("all-joints", "")
    ]


def test_the_command_knows_every_reader_and_registration():
    assert READERS == registry.NAMES and registry.AUTO == AUTO
    assert REGISTRATIONS == MODES == tuple(dict.fromkeys(MODES))


def test_every_reader_is_a_row_that_fits_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "72")
    assert main(["score", "--readers"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 72
    assert [line for line in lines if line and line[0] != " "] == list(READERS)
    assert main(["score", "--readers", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == list(READERS)
    assert all(set(row) == {"name", "methods", "reads", "proof", "cannot"} for row in rows)


def test_what_is_needed_to_score_is_said(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["score", "--split", "eval200"])
    assert stop.value.code == 2
    assert "PREDICTIONS and --split are required" in capsys.readouterr().err


def test_what_is_stated_is_applied_only_when_asked(here, capsys):
    status, plain = scored(capsys)
    assert status == 0 and plain["parameters"]["registration"] == "identity"
    assert plain["intake"]["registrations"] == {"identity": 3}
    assert min(headline(plain)) > 0.01
    status, moved = scored(capsys, "--registration", "stated")
    assert status == 0 and moved["intake"]["registrations"] == {"file": 3}
    # The lamp and the cabinet have hinges; the stool has none.
    assert moved["intake"]["reanchored"] == 2 and moved["intake"]["uses_truth"] == 0
    assert max(headline(moved)) < 1e-9
    assert max(headline(moved, "mean_of_objects", "e_alpha_phi_tree")) < 1e-9


def test_the_report_says_what_the_stated_registration_would_give(here, capsys):
    _, plain = scored(capsys)
    _, moved = scored(capsys, "--registration", "stated")
    by_scale = {one["scale"]: one for one in plain["intake"]["stated"]}
    assert {name: one["objects"] for name, one in by_scale.items()} == {"metric": 2, "other": 1}
    for k, one in enumerate(by_scale.values()):
        assert math.isclose(one["joints"], headline(plain)[k], rel_tol=1e-12)
        assert math.isclose(one["joints_stated"], headline(moved)[k], abs_tol=1e-12)
        trees = headline(plain, "mean_of_objects", "e_alpha_phi_tree")
        assert math.isclose(one["trees"], trees[k], rel_tol=1e-12)
    assert moved["intake"]["stated"] == []
    assert main(["score", "away", "--split", "eval200"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "2 predictions of metric objects state another frame, unit or state" in text
    assert "joints 3 (it has a joints.json)" in text


def test_a_normalized_frame_without_the_inputs_is_said(here, capsys):
    """Nothing can be undone without the size of the mesh, so the report asks for it."""
    assert main(["simulate-method", "physx_anything", "--out", "made"]) == 0
    words = ["score", "made", "--split", "eval200"]
    capsys.readouterr()
    for given in ([], ["--inputs", "made.inputs"]):
        assert main([*words, *given]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert (f"notes {UNKNOWN_SIZE_NOTE} (3)" in said) == (not given)
        assert ("state another frame, unit or state" in said) == bool(given)


def test_registration_and_its_file_are_part_of_the_run(here, capsys):
    words = ["score", "away", "--split", "eval200", "--out", "result"]
    assert main(words) == 0
    assert main(words) == 0
    assert "has this result already" in capsys.readouterr().err
    assert main([*words, "--registration", "stated"]) == 2
    assert main([*words, "--reader", "joints"]) == 2
    path = here / "away/generated-lamp/registration.json"
    path.write_bytes(path.read_bytes().replace(b"a note", b"b note"))
    assert main(words) == 2
    assert "of other predictions, objects or parameters" in capsys.readouterr().err


def test_a_named_reader_reads_nothing_else(here, capsys):
    assert scored(capsys, "--reader", "joints")[0] == 0
    status, summary = scored(capsys, "--reader", "urdf")
    assert status == 1 and summary["counts"]["unreadable"] == 3
    with pytest.raises(SystemExit):
        main(["score", "away", "--split", "eval200", "--reader", "best"])


def test_neutral_names_are_mapped_back_by_their_key(here, capsys):
    _, before = scored(capsys, "--registration", "stated")
    names = sorted(path.name for path in (here / "away").iterdir())
    for number, name in enumerate(names):
        (here / "away" / name).rename(here / f"away/object_{number}")
    key = {f"object_{number}": name for number, name in enumerate(names)}
    (here / "key.json").write_text(json.dumps(key))
    _, after = scored(capsys, "--registration", "stated", "--key", "key.json")
    assert after["counts"]["scored"] == 3 and headline(after) == headline(before)
    (here / "key.json").write_text('{"a": "x", "b": "x"}')
    assert main(["score", "away", "--split", "eval200", "--key", "key.json"]) == 2
    assert "two names have the same object" in capsys.readouterr().err


def test_a_broken_registration_costs_its_prediction(here, capsys):
    path = here / "away/generated-lamp/registration.json"
    path.write_text('{"format": "aa-registration", "version": 1, "scale": -1}')
    status, summary = scored(capsys)
    assert status == 1 and summary["counts"]["unreadable"] == 1
    path.write_text('{"format": "aa-registration", "version": 1, "rest": {"nobody": 0.3}}')
    assert scored(capsys)[0] == 0
    status, summary = scored(capsys, "--registration", "stated")
    assert status == 1 and summary["counts"]["unreadable"] == 1


@pytest.fixture
def shaped(here):
    """Predictions of another frame with meshes, without a word about the frame."""
    for item in load_dataset("library", split="eval200", verbose=False):
        setting = setting_of(item)
        moved = {name: HOME.inverse().points(some) for name, some in setting.triangles.items()}
        method = simulated_named("urdf")
        tree = HOME.inverse().tree(method.keep_expressible(item.tree, setting))
        files = method.write(tree, replace(setting, triangles=moved)).files
        for name, data in files.items():
            path = here / "shaped" / item.object_id / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return here


@pytest.mark.parametrize("mode", ["icp", "bbox"])
def test_an_estimate_uses_the_truth_and_marks_the_method(shaped, capsys, mode):
    words = ["score", "shaped", "--split", "eval200", "--registration", mode, "--out", "result"]
    assert main(words) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"3 estimated by {mode}" in said and "3 with the help of the truth (dagger)" in said
    assert "method shaped †" in said
    result = read_result(shaped / "result")
    assert result.method.uses_truth and result.method.dagger
    for row in result.per_object.to_pylist():
        assert row["uses_truth"] and row["registration"] == mode
        if not row["registration_ambiguous"]:
            assert math.isclose(row["registration_scale"], HOME.scale, rel_tol=1e-4)
            assert row["e_alpha_phi_tree_cost"] < 1e-3
    if mode == "bbox":
        assert result.summary.intake.ambiguous == 3
    path = shaped / "result/method.json"
    path.write_bytes(path.read_bytes().replace(b'"uses_truth": true', b'"uses_truth": false'))
    with pytest.raises(ArenaError, match="lacks a dagger"):
        read_result(shaped / "result")


def test_without_a_shape_nothing_is_estimated(here, capsys):
    for path in (here / "away").rglob("registration.json"):
        path.unlink()
    status, summary = scored(capsys, "--registration", "icp")
    assert status == 0 and summary["intake"]["registrations"] == {"identity": 3}
    assert summary["intake"]["uses_truth"] == 0


def test_a_library_is_never_registered(here, capsys):
    assert main(["score", "library", "--split", "eval200", "--registration", "icp"]) == 2
    assert "is a library, which is in the object frame" in capsys.readouterr().err


def test_one_object_is_explained_where_it_is_stated_to_be(here, capsys):
    words = ["explain", "generated-lamp", "--pred", "away", "--registration", "stated", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["context"]["registration"] == "stated"
    assert found["sum"] < 1e-9
