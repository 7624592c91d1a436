# SPDX-License-Identifier: Apache-2.0
"""The command `aa`: what it prints, and its exit status."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys

import numpy as np
import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main
from tests.kit.library_folder import build_library
from tests.kit.library_objects import ObjectSpec, Part


@pytest.fixture
def here(library, monkeypatch):
    """Work in a folder that holds ./library."""
    monkeypatch.chdir(library.parent)
    return library.parent


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    said = capsys.readouterr()
    return status, said.out, said.err


def test_info(here, capsys):
    status, out, err = run(capsys, "info")
    assert status == 0
    assert "5 of the 19,977" in out and "5 of the 19,977" in err
    assert "generated 3, local 2" in out and "helical 1" in out
    status, out, _ = run(capsys, "info", "library", "--json")
    assert status == 0 and json.loads(out)["splits"] == {
        "eval200_1a2b3c4d": 3,
        "library": 5,
        "train": 2,
    }
    assert json.loads(out)["benchmark"] is None


def test_info_names_the_benchmark(frozen_library, here, capsys):
    _, out, _ = run(capsys, "info")
    assert "benchmark        none; the library has only sampled splits" in out
    _, out, _ = run(capsys, "info", str(frozen_library))
    assert "benchmark        eval200-v0 (provisional), list 00112233aabbccdd\n" in out
    assert "                 2 objects agree by bytes and 1 by numbers\n" in out
    _, out, _ = run(capsys, "info", str(frozen_library), "--json")
    assert json.loads(out)["benchmark"]["version"] == "eval200-v0"
    root = str(frozen_library)
    _, out, _ = run(capsys, "score", root, "--split", "eval200-v0", "--library", root)
    assert "eval200-v0, agrees by bytes: 2, by numbers: 1" in out


def test_list(here, capsys):
    status, out, err = run(capsys, "list")
    assert status == 0 and len(out.splitlines()) == 6 and "5 objects" in err
    _, out, err = run(capsys, "list", "--limit", "2")
    assert len(out.splitlines()) == 3 and "3 more with --limit 0" in err
    options = ["--category", "cabinet", "--source", "local", "--joint-type", "revolute", "--json"]
    _, out, _ = run(capsys, "list", "library", *options)
    assert [row["object_id"] for row in json.loads(out)] == ["local-plain"]
    _, out, _ = run(capsys, "list", "--split", "eval200", "--json")
    assert len(json.loads(out)) == 3


def test_list_filters_by_numbers(here, capsys):
    def listed(*options):
        status, out, err = run(capsys, "list", "library", *options, "--json")
        assert status == 0, err
        return [row["object_id"] for row in json.loads(out)]

    rows = json.loads(run(capsys, "list", "library", "--json")[1])
    moving = {row["object_id"]: row["joints_movable"] for row in rows}
    assert listed("--joints", "2..") == [name for name, n in moving.items() if n >= 2]
    assert listed("--joints", "1") == [name for name, n in moving.items() if n == 1]
    assert listed("--joints", "..1", "--source", "local") == [
        name for name, n in moving.items() if n <= 1 and name.startswith("local")
    ]
    assert listed("--metric") == [row["object_id"] for row in rows if row["is_metric"]]
    assert listed("--supercategory", "kitchen") == ["generated-jar"]
    assert listed("--size", "0..1e9") == [*moving]
    for wrong in ("many", "..", "1..x", "nan"):
        with pytest.raises(SystemExit):
            main(["list", "library", "--joints", wrong])
        assert "is not a number or a range such as 2..5" in capsys.readouterr().err
    status, _, err = run(capsys, "list", "library", "--joints", "5..2")
    assert status == 2 and "the lowest number comes first" in err


def test_tables_use_the_width_of_the_terminal(here, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    _, wide, _ = run(capsys, "show", "generated-cabinet")
    assert "…" not in wide
    monkeypatch.setenv("COLUMNS", "60")
    _, narrow, _ = run(capsys, "show", "generated-cabinet")
    assert "…" in narrow and max(map(len, narrow.splitlines()[-3:])) <= 60
    _, out, _ = run(capsys, "info")
    joints = out[out.index("joints ") : out.index("splits ")]
    assert "helical 1" in joints and max(map(len, joints.splitlines())) <= 60


def test_the_preview_is_saved(here, capsys):
    status, _, err = run(capsys, "show", "generated-jar", "--picture", "jar.png")
    data = (here / "jar.png").read_bytes()
    assert status == 0 and "jar.png: generated-jar at rest" in err
    assert data == load_dataset("library", verbose=False)["generated-jar"].preview.read_bytes()
    status, _, err = run(capsys, "show", "generated-lamp", "--picture", "jar.png")
    assert status == 2 and "jar.png exists" in err and (here / "jar.png").read_bytes() == data
    status, _, err = run(capsys, "show", "generated-lamp", "--picture", "no/jar.png")
    assert status == 2 and "no is not a folder" in err


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        ("open", "preview_open.png", "end of their travel"),
        ("parts", "preview_parts.png", "colors of its joints"),
        ("strip", "strip.webp", "in motion"),
    ],
)
def test_every_picture_can_be_saved(here, capsys, kind, name, told):
    status, _, err = run(
        capsys, "show", "generated-jar", "--picture", "jar.picture", "--kind", kind
    )
    data = load_dataset("library", verbose=False)["generated-jar"].read(name)
    assert status == 0 and told in err and (here / "jar.picture").read_bytes() == data


def test_a_picture_that_is_not_there_is_a_sentence(here, capsys):
    names = ("preview.png", "preview_open.png", "preview_parts.png", "strip.webp")
    rock = ObjectSpec("generated-rock", "rock", (), extra_files=dict.fromkeys(names))
    build_library(here / "bare", (rock,))
    status, _, err = run(capsys, "show", "generated-rock", "bare", "--picture", "rock.png")
    assert status == 2 and "generated-rock has no preview.png" in err
    assert not (here / "rock.png").exists()


def test_one_object_is_unpacked(here, capsys):
    options = ["--object", "generated-jar", "--object", "generated-jar"]
    status, out, _ = run(capsys, "unpack", "some", *options)
    assert status == 0 and "1 objects in some" in out
    found = [path.name for path in (here / "some").iterdir() if path.is_dir()]
    assert found == ["generated-jar"]
    status, _, err = run(capsys, "unpack", "some", "--object", "../jar")
    assert status == 2 and "no object '../jar'" in err


def test_lines_fit_even_with_long_names(tmp_path, capsys):
    thing = ObjectSpec(f"generated-{'x' * 90}", "category_" * 9, (Part("p", "revolute"),))
    root = build_library(tmp_path / "long", (thing,))
    for command in (["list", str(root)], ["show", thing.object_id, str(root)]):
        status, out, _ = run(capsys, *command)
        table = out.splitlines()[-2:]  # the header and the one row
        assert status == 0 and max(map(len, table)) <= 100


def test_show(here, capsys):
    status, out, _ = run(capsys, "show", "generated-jar")
    assert status == 0 and "lid_joint" in out and "helical" in out and "0..6 rad" in out
    _, out, _ = run(capsys, "show", "generated-lamp", "library", "--json")
    data = json.loads(out)
    assert data["joints"][0]["upper"] == "inf" and "object.urdf" in data["files"]


def test_unpack_writes_folders_and_takes_up_where_it_stopped(here, capsys):
    status, out, _ = run(capsys, "unpack", "out", "--split", "eval200", "--library", "library")
    assert status == 0 and "3 newly written" in out
    assert (here / "out" / "generated-lamp" / "meshes" / "arm.obj").is_file()
    _, out, _ = run(capsys, "unpack", "out")
    assert "5 objects in out, 2 newly written" in out
    (here / "mine").mkdir()
    (here / "mine" / "thesis.txt").write_text("precious")
    status, _, err = run(capsys, "unpack", "mine")
    assert status == 2 and "mine is not empty" in err


def test_the_truth_scores_zero_everywhere(here, capsys):
    status, out, _ = run(capsys, "score", "library", "--split", "eval200")
    assert status == 0
    rows = [line for line in out.splitlines() if re.match(r"(E|D)_", line)]
    assert len(rows) == 2 * 2 * 5 + 2 * 3  # protocols, scales and distances; trees
    assert all(" 0 " in row or " none " in row for row in rows)
    assert sum(" 0 " in row for row in rows) > 20
    assert "Gen 100.0 %" in out and "8 matched of 8, 0 unmatched, 0 nonfinite" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_tilted_hinge_prints_the_closed_form(here, capsys):
    run(capsys, "unpack", "out", "--split", "eval200")
    urdf = here / "out" / "generated-cabinet" / "object.urdf"
    tilt = math.radians(10)
    old, new = 'axis xyz="0.0 0.0 1.0"', f'axis xyz="0 {-math.sin(tilt)!r} {math.cos(tilt)!r}"'
    urdf.write_text(urdf.read_text().replace(old, new, 1))  # the door is the first joint
    change = np.array([0, -math.sin(tilt), math.cos(tilt) - 1])
    shift = np.cross([0.3, -0.2, 0.1], change)
    expected = (
        1.6 * math.sqrt(change @ change + shift @ shift) / 5
    )  # of five bounded joints of metric objects
    status, out, _ = run(capsys, "score", "out", "--split", "eval200")
    line = next(line for line in out.splitlines() if line.startswith("E_alpha "))
    assert status == 0 and line.split()[1] == f"{expected:.4g}"


def test_score_writes_and_prints_the_result(here, capsys):
    options = ["--split", "eval200", "--json", "--out", "result", "--pairing", "assignment"]
    status, out, _ = run(capsys, "score", "library", *options)
    assert status == 0
    assert json.loads(out) == json.loads((here / "result/summary.json").read_text())
    assert json.loads(out)["parameters"]["pairing"] == "assignment"
    again, same, err = run(capsys, "score", "library", *options)
    assert (again, same) == (status, out) and "has this result already" in err
    status, _, err = run(capsys, "score", "library", *options[:-1], "name")
    assert status == 2 and "has the result of other predictions" in err
    status, out, _ = run(capsys, "score", "library", *options[:-1], "name", "--again")
    assert status == 0 and json.loads(out)["parameters"]["pairing"] == "name"


def test_an_unreadable_prediction_is_a_finding(here, capsys):
    run(capsys, "unpack", "out", "--split", "eval200")
    (here / "out" / "generated-lamp" / "object.urdf").write_text("not XML")
    status, out, _ = run(capsys, "score", "out", "--split", "eval200", "--objects")
    assert status == 1 and "cannot be read" in out and "generated-lamp/object.urdf" in out
    assert max(map(len, out.splitlines())) <= 80


def test_strict_makes_every_warning_a_finding(here, capsys):
    run(capsys, "unpack", "out", "--split", "eval200")
    words = ["score", "out", "--split", "eval200"]
    status, out, _ = run(capsys, *words)
    assert status == 0 and "warning: with fewer than 30 objects" in out
    assert run(capsys, *words, "--strict")[0] == 1
    (here / "out" / "generated-lamp" / "object.urdf").unlink()
    (here / "out" / "generated-lamp").rename(here / "out" / "other")
    status, out, _ = run(capsys, *words)
    assert status == 0 and "1 of 3 objects have no prediction" in out and "such as other" in out


def test_a_method_names_itself(here, capsys):
    run(capsys, "unpack", "out", "--split", "eval200")
    words = ["score", "out", "--split", "eval200"]
    assert "method       out\n" in run(capsys, *words)[1]
    method = {"name": "Mine", "uses_truth": True, "inputs": "mesh"}
    (here / "out" / "method.json").write_text(json.dumps(method))
    _, out, _ = run(capsys, *words)
    assert "method       Mine †\n" in out and "is marked with a dagger" in " ".join(out.split())
    (here / "other.json").write_text('{"name": "Other"}')
    _, out, _ = run(capsys, *words, "--method", "other.json", "--by", "joints", "--by", "category")
    assert "method       Other\n" in out and "by joints" in out and "by category" in out
    assert "too few objects for a mean: cabinet (1)" in out
    (here / "out" / "method.json").write_text('{"name": "\\ud800"}')
    status, _, err = run(capsys, *words)
    assert status == 2 and "method.json of the predictions" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["info", "nowhere"], "make library"),
        (["score", "library", "--split", "eval200", "--out", "no/x"], "no is not a folder"),
        (["list", "--category", "cabinat"], "cabinet"),
        (["list", "--split", "test"], "eval200_1a2b3c4d, library, train"),
        (["show", "generated-lamb"], "Did you mean 'generated-lamp'"),
        (["score", "nowhere", "--split", "eval200"], "not a folder"),
        (["score", "library", "--split", "eval200", "--alpha", "0"], "alpha"),
    ],
)
def test_an_error_is_one_sentence_and_status_two(here, capsys, arguments, words):
    status, out, err = run(capsys, *arguments)
    last = err.splitlines()[-1]
    assert status == 2 and out == "" and last.startswith("aa: ") and words in last
    assert "Traceback" not in err


@pytest.mark.parametrize("arguments", [[], ["dance"], ["score", "x"], ["list", "--limit", "-1"]])
def test_wrong_usage_is_status_two(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2


def test_the_default_library_is_the_variable_then_the_folder(here, capsys, monkeypatch):
    monkeypatch.setenv("AA_LIBRARY", str(here / "other"))
    status, _, err = run(capsys, "info")
    assert status == 2 and "other does not exist" in err
    monkeypatch.delenv("AA_LIBRARY")
    assert run(capsys, "info")[0] == 0


def test_it_runs_as_a_module_and_survives_a_closed_pipe(here):
    command = f"{sys.executable} -m aa_dataset.cli list library --json | head -c 1"
    path = ":".join(path for path in sys.path if path)
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        capture_output=True,
        text=True,
        cwd=here,
        env={"PYTHONPATH": path, "PATH": "/usr/bin:/bin", "HOME": str(here)},
    )
    assert done.stdout == "[" and "Traceback" not in done.stderr and done.returncode == 0


def test_no_control_sequence_of_a_name_reaches_the_terminal(tmp_path, capsys):
    part = Part("p", "revolute")
    thing = ObjectSpec("generated-evil", "box\x1b[31m\u202e\nrow", (part,))
    root = build_library(tmp_path / "evil", (thing,))
    for command in (["list", str(root)], ["show", thing.object_id, str(root)], ["info", str(root)]):
        status, out, _ = run(capsys, *command)
        assert status == 0 and "box?[31m??row" in out and "\x1b" not in out and "\u202e" not in out
    _, out, _ = run(capsys, "list", str(root), "--json")
    assert json.loads(out)[0]["category"] == thing.category and "\u202e" not in out
