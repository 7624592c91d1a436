# SPDX-License-Identifier: Apache-2.0
"""`aa baseline` writes whole folders that `aa score` reads, with the same bytes every time."""

from __future__ import annotations

import json

import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.cli.baseline import NAMES
from aa_dataset.score.baselines import BASELINES, folder, write_baseline
from aa_dataset.score.readers import open_predictions
from tests.kit.library_folder import build_library
from tests.kit.library_objects import LIBRARY_OBJECTS


@pytest.fixture
def here(library, monkeypatch):
    """Work in a folder that holds ./library."""
    monkeypatch.chdir(library.parent)
    return library.parent


def contents(root) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_the_command_knows_every_baseline():
    assert list(NAMES) == [baseline.name for baseline in BASELINES]


@pytest.mark.parametrize("form, file", [("joints", "joints.json"), ("urdf", "object.urdf")])
@pytest.mark.parametrize("name", NAMES)
def test_every_baseline_covers_the_split_twice_with_the_same_bytes(here, capsys, name, form, file):
    words = ["baseline", name, "--split", "eval200", "--format", form, "--seed", "7", "--out"]
    assert main([*words, "first"]) == 0
    assert "for 3 objects of split eval200_1a2b3c4d" in capsys.readouterr().out
    assert main([*words, "second"]) == 0
    first = contents(here / "first")
    assert first == contents(here / "second")
    ids = load_dataset("library", split="eval200", verbose=False).object_ids
    assert set(first) == {"method.json", *(f"{object_id}/{file}" for object_id in ids)}
    method = json.loads(first["method.json"])
    assert set(method) == {"name", "reference", "inputs", "imputed", "uses_truth", "dagger"}
    assert method["uses_truth"] is (name not in ("null", "mean-joint", "nearest"))
    predictions = open_predictions(here / "first")
    assert all(predictions.has(object_id) for object_id in ids)
    assert predictions.surplus(set(ids)) == ()


def test_the_options_are_part_of_the_name(here):
    assert main(["baseline", "noise", "--sigma", "0.25", "--out", "noise"]) == 0
    assert json.loads((here / "noise/method.json").read_text())["name"] == "noise 0.25"
    assert main(["baseline", "drop", "--count", "2", "--out", "drop"]) == 0
    assert json.loads((here / "drop/method.json").read_text())["name"] == "drop 2"


def test_seed_and_size_change_the_bytes(here):
    base = ["baseline", "noise", "--out"]
    for name, *words in (["a"], ["b", "--seed", "1"], ["c", "--sigma", "0.2"]):
        assert main([*base, name, *words]) == 0
    found = [contents(here / name) for name in "abc"]
    assert found[0] != found[1] and found[0] != found[2]


@pytest.mark.parametrize("make, sentence", [
    (lambda place: (place.mkdir(), (place / "mine").touch()), "is not empty"),
    (lambda place: place.touch(), "is not a folder"),
    (lambda place: place.symlink_to("."), "is not a folder"),
])  # fmt: skip
def test_a_folder_that_is_in_use_is_left_alone(here, capsys, make, sentence):
    make(here / "out")
    before = sorted(here.rglob("*"))
    assert main(["baseline", "null", "--out", "out"]) == 2
    assert sentence in capsys.readouterr().err
    assert sorted(here.rglob("*")) == before


def test_an_empty_folder_is_filled_and_an_absent_parent_refused(here, capsys):
    (here / "empty").mkdir()
    assert main(["baseline", "null", "--out", "empty"]) == 0
    assert (here / "empty/method.json").is_file()
    assert main(["baseline", "null", "--out", "no/where"]) == 2
    assert "no is not a folder" in capsys.readouterr().err


def test_nothing_is_left_of_a_run_that_fails(here, monkeypatch):
    def broken(tree):
        if "lamp" in tree.name:
            raise RuntimeError("stop")
        return b""

    monkeypatch.setitem(folder.WRITERS, "joints", ("joints.json", broken))
    before = sorted(here.iterdir())
    dataset = load_dataset("library", split="eval200", verbose=False)
    with pytest.raises(RuntimeError):
        write_baseline("ground-truth", dataset, here / "out")
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("words", [["best", "--out", "x"], ["null"], ["drop", "--count", "-1"]])
def test_wrong_usage_is_refused(here, words):
    with pytest.raises(SystemExit) as stop:
        main(["baseline", *words])
    assert stop.value.code == 2


def test_a_size_out_of_range_is_a_sentence(here, capsys):
    assert main(["baseline", "noise", "--sigma", "nan", "--out", "x"]) == 2
    assert "sigma is nan; choose a number from 0 to 1000." in capsys.readouterr().err


def test_a_library_without_train_is_a_sentence(tmp_path, monkeypatch, capsys):
    build_library(
        tmp_path / "library",
        tuple(spec for spec in LIBRARY_OBJECTS if "train" not in spec.splits),
    )
    monkeypatch.chdir(tmp_path)
    assert main(["baseline", "nearest", "--out", "out"]) == 2
    assert "the split 'train' is not in this library" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert main(["baseline", "noise", "--out", "out"]) == 0
