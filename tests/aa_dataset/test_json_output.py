# SPDX-License-Identifier: Apache-2.0
"""`--json` of every command that prints a result: stdout is one JSON value and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.cli.completion import described_commands
from aa_dataset.cli.program import argument_parser

# A script is no result; the pipeline has the options of the others, `--json` of `sources` too.
WITHOUT = {"", "split", "completion", "sources", "fetch"}


def said(capsys, *words):
    """Return what a command printed as JSON."""
    assert main(words) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def here(library, monkeypatch):
    """Work beside the library."""
    monkeypatch.chdir(library.parent)
    return load_dataset("library", verbose=False)


@pytest.mark.parametrize(
    "command", [*described_commands(argument_parser())], ids=lambda one: one.name
)
def test_every_command_that_prints_a_result_has_the_option(command):
    names = {name for option in command.options for name in option.names}
    assert ("--json" in names) is (command.name not in WITHOUT)


def test_unpack(here, capsys):
    ids = here.object_ids[:2]
    found = said(capsys, "unpack", "out", "--object", ids[0], "--object", ids[1], "--json")
    assert found == {"folder": "out", "objects": ids, "newly_written": 2}


def test_split_export(here, capsys):
    found = said(capsys, "split", "export", "train", "--out", "train.json", "--json")
    train = here.split("train")
    assert found["file"] == "train.json" and Path("train.json").is_file()
    assert (found["objects"], found["members"]) == (len(train), train.members)


def test_baseline(here, capsys):
    words = ("baseline", "noise", "--out", "noise", "--split", "train", "--sigma", "0.2", "--json")
    found = said(capsys, *words)
    written = [path for path in Path("noise").iterdir() if path.is_dir()]
    assert found == {
        "folder": "noise", "baseline": "noise 0.2", "objects": len(written), "split": "split train",
    }  # fmt: skip


def test_simulate_method(here, capsys):
    found = said(capsys, "simulate-method", "urdf", "--out", "made", "--split", "train", "--json")
    assert found["folder"] == "made" and Path(found["inputs"]).exists()
    assert found["objects"] + len(found["refused"]) == len(here.split("train"))


def test_export(here, capsys):
    pytest.importorskip("mujoco", reason="the extra `mjcf` is not installed")
    found = said(capsys, "export", here.object_ids[0], "--format", "mjcf", "--json")
    assert Path(found["file"]).is_file() and found["format"] == "mjcf"


def test_inputs_that_would_be_written(here, capsys):
    pytest.importorskip("embreex", reason="the extra `render` is not installed")
    found = said(capsys, "inputs", "--split", "train", "--out", "x", "--dry-run", "--json")
    assert found["objects"] == len(here.split("train")) and found["gigabytes"] > 0
    assert not Path("x").exists()
