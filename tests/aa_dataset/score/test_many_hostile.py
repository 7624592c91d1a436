# SPDX-License-Identifier: Apache-2.0
"""Thousands of hostile predictions cost rows, not the run."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from aa_dataset import load_dataset
from aa_dataset.score.evaluate import Plan, evaluate_into
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.result.record import read_result
from benchmarks.cheating import write_frozen_library
from pipeline.stages.split.frozen import frozen_versions, read_frozen

LINKS = '<link name="a"/><link name="b"/>'


def one_joint(*, low="0", high="1", axis="0 0 1", origin="0 0 0", kind="revolute") -> str:
    return (
        f'<robot name="x">{LINKS}<joint name="j" type="{kind}"><parent link="a"/>'
        f'<child link="b"/><origin xyz="{origin}"/><axis xyz="{axis}"/>'
        f'<limit lower="{low}" upper="{high}"/></joint></robot>'
    )


def chain(count: int, *, cycle: bool = False) -> str:
    names = [f"l{k}" for k in range(count)]
    ends = [*pairwise(names), *([(names[-1], names[0])] if cycle else [])]
    joints = "".join(
        f'<joint name="j{k}" type="revolute"><parent link="{a}"/><child link="{b}"/>'
        '<axis xyz="0 0 1"/><limit lower="0" upper="1"/></joint>'
        for k, (a, b) in enumerate(ends)
    )
    return f'<robot name="x">{"".join(f"<link name={n!r}/>" for n in names)}{joints}</robot>'


BOMB = (
    '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    '<robot name="&b;"><link name="a"/></robot>'
)
# What a file holds, and whether it can be read.
TEXTS: dict[str, tuple[bytes, bool]] = {
    "empty": (b"", False),
    "no XML": (b"<robot", False),
    "entities": (BOMB.encode(), False),
    "wrong encoding": (b'<?xml version="1.0" encoding="utf-7"?><robot name="x"/>', False),
    "bytes": (bytes(range(256)) * 40, False),
    "nested": (b"<robot>" * 3000, False),
    "NaN": (one_joint(high="nan").encode(), False),
    "1e300": (one_joint(origin="1e300 0 0").encode(), False),
    "infinite slide": (one_joint(kind="prismatic", low="-inf", high="inf").encode(), True),
    "no axis": (one_joint(axis="0 0 0").encode(), False),
    "no joint": (b'<robot name="x"><link name="a"/></robot>', True),
    "cycle": (chain(300, cycle=True).encode(), False),
    "10,000 joints": (chain(10_001).encode(), False),
    "tiny": (one_joint(high="1e-300").encode(), True),
}


def symbolic_link(place: Path) -> None:
    place.symlink_to("/dev/zero")


PLACES: dict[str, Callable[[Path], None]] = {
    "link": symbolic_link,
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
}


def write_hostile(folder: Path, names: list[str], stock: Path) -> dict[str, bool]:
    """Write one hostile prediction per object, in turn; return which can be read."""
    stock.mkdir()
    for k, (data, _) in enumerate(TEXTS.values()):
        (stock / str(k)).write_bytes(data)
    readable, kinds = {}, [*TEXTS.values(), *PLACES.values()]
    for number, name in enumerate(names):
        kind = kinds[number % len(kinds)]
        (folder / name).mkdir(parents=True)
        place = folder / name / "object.urdf"
        if isinstance(kind, tuple):
            os.link(stock / str(number % len(kinds)), place)
            readable[name] = kind[1]
        else:
            kind(place)
            readable[name] = False
    return readable


@pytest.mark.parametrize("count", [34, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hostile_predictions_cost_rows_and_not_the_run(tmp_path, count):
    frozen = read_frozen(frozen_versions()[-1])
    names = [f"generated-x_{k:05d}" for k in range(count)]
    truth = frozen.truths[
        min(frozen.truths, key=lambda name: (len(frozen.truths[name].joints), name))
    ]
    many = SimpleNamespace(
        truths=dict.fromkeys(names, truth), contents=dict.fromkeys(names, "0" * 64)
    )
    write_frozen_library(tmp_path / "library", many, count)
    readable = write_hostile(tmp_path / "predictions", names, tmp_path / "stock")
    dataset = load_dataset(tmp_path / "library", split="eval200", verbose=False)
    predictions = open_predictions(tmp_path / "predictions")
    plan = Plan(dataset, predictions, Parameters(resamples=10), workers=None)
    evaluate_into(tmp_path / "out", plan)
    result = read_result(tmp_path / "out")
    rows = {row["object_id"]: row for row in result.per_object.to_pylist()}
    assert sorted(rows) == names
    for name, row in rows.items():
        assert (row["status"] in ("scored", "motionless")) == readable[name], (name, row["detail"])
        assert bool(row["detail"]) == (not readable[name])
        assert row["e_alpha_phi_tree_cost"] > 0
    assert result.joint_counts()["ground_truth"] == sum(row["joints"] for row in rows.values())
