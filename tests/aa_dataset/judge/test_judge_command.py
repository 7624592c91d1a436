# SPDX-License-Identifier: Apache-2.0
"""The command: table, JSON, report file, exit status; a process that dies costs one object."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from aa_dataset.cli import main
from aa_dataset.errors import MissingExtraError
from aa_dataset.judge import run
from aa_dataset.judge.report import SCHEMA
from aa_dataset.judge.run import judge_many

pytest.importorskip("mujoco", reason="`make test` installs mujoco")
pytest.importorskip("pinocchio", reason="`make test` installs pin")

TWO = ["--simulators", "mujoco", "pinocchio", "--configurations", "3"]


def test_a_library_is_judged_and_reported(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.parquet"
    assert main(["judge", str(library), "--objects", "2", *TWO, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "mujoco: 2 objects, 0 failed" in printed
    assert "pinocchio: 2 objects, 0 failed" in printed
    table = pq.read_table(out)
    assert table.schema.names == SCHEMA.names
    assert set(table["simulator"].to_pylist()) == {"mujoco", "pinocchio"}
    assert len(set(table["object_id"].to_pylist())) == 2
    assert all(table["passed"].to_pylist())


def test_chosen_objects_as_json(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "r.parquet"), "--json"]
    assert main(["judge", str(library), "--ids", "generated-jar", *TWO, *out]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["object_id"] for row in rows} == {"generated-jar"}
    assert {"placement", "coupling"} <= {row["check"] for row in rows}


def test_a_broken_object_fails_alone(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = Path(shutil.copytree(folder, folder.parent / "zebra"))
    text = (bad / "object.urdf").read_text()
    (bad / "object.urdf").write_text(text.replace('mass value="5.0"', 'mass value="-5.0"'))
    out = ["--out", str(tmp_path / "r.parquet"), "--simulators", "mujoco"]
    assert main(["judge", str(folder.parent), "--configurations", "2", *out]) == 1
    printed = capsys.readouterr().out
    assert "mujoco: 2 objects, 1 failed" in printed
    assert "FAIL load" in printed


def test_unknown_names_are_sentences(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", str(library), "--ids", "nobody", *TWO]) == 2
    assert "there is no object 'nobody'" in capsys.readouterr().err
    assert main(["judge", str(library), "--simulators", "gazebo"]) == 2
    assert "'gazebo' is not a simulator" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--objects", "--configurations", "--workers"])
@pytest.mark.parametrize("count", ["0", "-3", "many"])
def test_a_judge_of_nothing_is_refused(
    option: str, count: str, library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["judge", str(library), "--simulators", "mujoco", option, count])
    assert ended.value.code == 2
    assert f"{count!r} is not a positive integer" in capsys.readouterr().err


def test_without_any_simulator_there_is_a_pip_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    for wanted in (None, ["mujoco"]):
        with pytest.raises(MissingExtraError, match=r"pip install 'aa-dataset\[judges\]'"):
            run.choose_simulators(wanted)


class Deadly:
    """An object that ends the process that receives it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (3,)


def test_a_process_that_dies_costs_one_object(folder: Path) -> None:
    things: dict[str, Any] = {"a": folder, "b": Deadly(), "c": folder}
    found = {one.object_id: one for one in judge_many(things, ["mujoco"], configurations=1)}
    assert [key for key, one in found.items() if one.passed] == ["a", "c"]
    assert "process died" in found["b"].verdicts[0].detail


def test_more_objects_than_one_process_takes_are_all_judged(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "TASKS_PER_PROCESS", 2)
    things: dict[str, Any] = {f"o{k}": folder for k in range(5)}
    found = [one.object_id for one in judge_many(things, ["mujoco"], configurations=1)]
    assert found == list(things)
