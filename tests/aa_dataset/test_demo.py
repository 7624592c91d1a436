# SPDX-License-Identifier: Apache-2.0
"""The demo library of the package, and `aa demo`."""

from __future__ import annotations

import json
import os
import socket
import zlib
from pathlib import Path

import numpy as np
import pytest

from aa_dataset import load_dataset
from aa_dataset.assets.cache import cache_layout
from aa_dataset.cli import main
from aa_dataset.errors import LibraryError
from aa_dataset.format.layout import DEMO_NAME, demo_folder
from aa_dataset.kinematics import JointType
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.library.verify import verify_library
from aa_dataset.metric import SplitNorm, joint_distance
from aa_dataset.score.result.statistics import OF_OBJECTS
from pipeline.stages.split.frozen import frozen_members
from pipeline.tools.demo import EVALUATION, TRAIN

MOST_BYTES = 2_000_000  # in a wheel, which is compressed


@pytest.fixture(scope="module")
def demo():
    return load_dataset(DEMO_NAME, verbose=False)


def test_it_has_every_joint_type_and_both_splits(demo):
    assert len(demo) == len(EVALUATION) + len(TRAIN) == 12
    assert all(demo.joint_counts()[kind] for kind in JointType)
    evaluation, train = ({*demo.split(name).object_ids} for name in ("eval200", "train"))
    assert not evaluation & train and evaluation | train == {*demo.object_ids}
    assert (len(evaluation), len(train)) == (len(EVALUATION), len(TRAIN))


def test_it_is_no_benchmark_but_its_evaluation_objects_are_members_of_one(demo):
    assert demo.benchmark is None
    name = next(name for name in demo.splits if name.startswith("eval200"))
    assert name != "eval200"  # four objects never pass for the benchmark
    frozen = frozen_members()
    for item in demo:
        assert (item.object_id in frozen) is (item in demo.split("eval200"))
        assert frozen.get(item.object_id, item.content_sha256) == item.content_sha256


def test_all_of_it_is_ours_to_pass_on(demo):
    assert demo.licenses == {"CC0-1.0": 12} and demo.sources == {"generated": 12}
    assert [*demo.catalog.seal.credits] == ["generated"]


def test_it_is_sound_and_small():
    assert [*verify_library(demo_folder())] == []
    files = [path for path in demo_folder().rglob("*") if path.is_file()]
    assert sum(len(zlib.compress(path.read_bytes())) for path in files) < MOST_BYTES


def test_its_objects_are_whole(demo):
    for item in demo:
        names = {*item.files()}
        assert {"object.urdf", "object.glb", "preview.png", "preview_open.png"} <= names
        tree = urdf_tree(parse_urdf(item.read("object.urdf")))
        for read, told in zip(tree.joints, item.tree.joints, strict=True):
            assert joint_distance(read, told, norm=SplitNorm(1.0), compactify=np.pi) < 1e-6


def test_a_folder_of_that_name_and_the_cache_do_not_hide_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / DEMO_NAME).mkdir()
    cache_layout().library(DEMO_NAME).mkdir(parents=True)
    assert load_dataset(DEMO_NAME, verbose=False).root == demo_folder()
    with pytest.raises(LibraryError, match="not a library"):
        load_dataset(f"./{DEMO_NAME}", verbose=False)


def test_another_revision_of_it_is_a_sentence(demo):
    assert len(load_dataset(DEMO_NAME, revision=demo.revision, verbose=False)) == 12
    with pytest.raises(LibraryError, match="holds revision"):
        load_dataset(DEMO_NAME, revision="0" * 16, verbose=False)


@pytest.fixture
def offline(monkeypatch, tmp_path):
    """Work in an empty folder in which every socket is an error."""

    class Refused(socket.socket):
        def __init__(self, *words, **more):
            raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", Refused)
    monkeypatch.chdir(tmp_path)


def written() -> set[str]:
    """Return every file below the current folder."""
    return {str(Path(top, name)) for top, _, names in os.walk(".") for name in names}


def test_the_walk_prints_five_steps_and_writes_into_its_folder_alone(offline, capsys):
    assert main(["demo"]) == 0
    said = capsys.readouterr()
    for number, word in enumerate(("load", "pose", "predict", "score", "page"), 1):
        assert f"{number}/5 {word}: " in said.out
    assert said.out.splitlines()[-1].startswith("Everything that was written is in aa-demo;")
    assert said.err == ""
    assert {path.split("/")[0] for path in written()} == {"aa-demo"}
    assert {path.name for path in Path("aa-demo").iterdir()} == {
        "predictions", "result", "scores.html",
    }  # fmt: skip


def test_the_walk_says_what_scoring_by_hand_says(offline, capsys):
    assert main(["demo", "--out", "here", "--json"]) == 0
    steps = {step["name"]: step for step in json.loads(capsys.readouterr().out)["steps"]}
    words = ["score", "here/predictions", "--library", DEMO_NAME, "--split", "eval200", "--json"]
    assert main(words) == 0
    scores = json.loads(capsys.readouterr().out)["aggregates"]
    (found,) = (
        one["estimate"]
        for one in scores
        if (one["score"], one["statistic"]) == ("e_alpha_phi_tree", OF_OBJECTS)
    )
    assert f"{found:.3f}" in next(line for line in steps["score"]["lines"] if "tree" in line)
    assert all(Path(name).exists() for step in steps.values() for name in step["files"])


def test_the_calls_of_the_walk_are_python_that_runs(offline, capsys):
    assert main(["demo", "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    names = {"load_dataset": load_dataset}
    for step in steps[:2]:
        exec(step["call"], names)
    moved = names["placements"]
    assert {*moved} == {*names["item"].tree.links}


def test_a_folder_with_work_in_it_is_left_alone(offline, capsys):
    Path("aa-demo").mkdir()
    Path("aa-demo/mine.txt").write_text("mine")
    assert main(["demo"]) == 2
    assert "aa-demo is not empty" in capsys.readouterr().err
    assert written() == {"aa-demo/mine.txt"}
