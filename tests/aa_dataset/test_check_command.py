# SPDX-License-Identifier: Apache-2.0
"""`aa check`: files, folders, hostile input; exit 0 fine, 1 broken rules, 2 usage."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aa_dataset.cli import main
from aa_dataset.convention.document import check_convention, check_geometry

TENSOR = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
INERTIAL = f'<inertial><mass value="1"/>{TENSOR}</inertial>'
SHAPE = '<geometry><mesh filename="meshes/{}.obj"/></geometry>'
TURN = 'lower="-1" upper="2" effort="2" velocity="3"'
RESISTS = '<dynamics damping="0.5" friction="0.1" armature="0.01"/>'
TRAVEL = 'lower="-0.1" upper="0.2" effort="2" velocity="3"'
# A base of two by two by two around the origin, an arm inside it, a screw on the arm.
GOOD = (
    '<robot name="object">'
    f'<link name="base">{INERTIAL}<visual name="v">{SHAPE.format("big")}</visual></link>'
    f'<link name="arm">{INERTIAL}<visual name="v">{SHAPE.format("small")}</visual>'
    f'<collision name="c">{SHAPE.format("small")}</collision></link>'
    f'<link name="carrier">{INERTIAL}</link>'
    f'<link name="cap">{INERTIAL}<visual name="v">{SHAPE.format("small")}</visual>'
    f'<collision name="c">{SHAPE.format("hull")}</collision></link>'
    '<joint name="hinge" type="revolute"><origin xyz="0.1 0 0"/><parent link="base"/>'
    f'<child link="arm"/><axis xyz="0 0 1"/><limit {TURN}/>{RESISTS}</joint>'
    '<joint name="turn" type="revolute"><origin xyz="0.2 0 0"/><parent link="arm"/>'
    f'<child link="carrier"/><axis xyz="0 1 0"/><limit {TURN}/>{RESISTS}</joint>'
    '<joint name="slide" type="prismatic"><parent link="carrier"/><child link="cap"/>'
    f'<axis xyz="0 1 0"/><limit {TRAVEL}/><mimic joint="turn" multiplier="0.1"/></joint>'
    "</robot>"
)


def cube(half: float, *, depth: float | None = None, head: str = "") -> str:
    """Return a box around the origin as OBJ text."""
    ends = [(x, y, z) for x in (-half, half) for y in (-half, half)
            for z in ((-half, half) if depth is None else (-depth, depth))]  # fmt: skip
    faces = ("1 2 4", "1 4 3", "5 7 8", "5 8 6", "1 5 6", "1 6 2", "3 4 8", "3 8 7", "1 3 7",
             "1 7 5", "2 6 8", "2 8 4")  # fmt: skip
    lines = [f"v {x} {y} {z}" for x, y, z in ends] + [f"f {face}" for face in faces]
    return head + "\n".join(lines) + "\n"


FILES = {
    "object.urdf": GOOD,
    "object.glb": "glTF",
    "meshes/big.obj": cube(1.0, head="mtllib object.mtl\n"),
    "meshes/small.obj": cube(0.1),
    "meshes/hull.obj": cube(0.1),
    "meshes/object.mtl": "newmtl m\nKd 1 1 1\nmap_Kd paint.png\n",
    "meshes/paint.png": "png",
}
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write an object folder; changes replace files, None leaves one out."""

    def run(name: str = "object", **changes: str | None) -> Path:
        named = {key.replace("__", "/").replace("_dot_", "."): v for key, v in changes.items()}
        for file, text in {**FILES, **named}.items():
            if text is not None:
                path = tmp_path / name / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        return tmp_path / name

    return run


def urdf(old: str, new: str) -> dict[str, str]:
    """Return the good document with one change."""
    assert old in GOOD
    return {"object_dot_urdf": GOOD.replace(old, new, 1)}


def test_a_good_object_is_fine_as_a_file_and_as_a_folder(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write()
    assert main(["check", str(folder), str(folder / "object.urdf")]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out == [f"{folder}: follows the convention.",
                   f"{folder / 'object.urdf'}: follows the convention."]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"object_dot_urdf": GOOD.replace('"base"', '"root"')}, "'root'"),
        (urdf("meshes/small.obj", "../small.obj"), "leads out"),
        (urdf("meshes/small.obj", "/etc/passwd.obj"), "leads out"),
        (urdf("meshes/small.obj", "http://x/a.obj"), "leads out"),
        (urdf("meshes/small.obj", "meshes/ghost.obj"), "does not exist"),
        (urdf("meshes/small.obj", "meshes/small.stl"), "'meshes/small.stl' is not an OBJ"),
        (urdf('<mesh filename="meshes/small.obj"/>', '<box size="1 1 1"/>'), "v is not an OBJ"),
        (urdf('"meshes/small.obj"', '"meshes/small.obj" scale="2 2 2"'),
         "'meshes/small.obj' scales"),
        (urdf(TURN, TURN.replace('"2" v', '"0" v')), "not positive"),
        (urdf(TURN, TURN.replace('"3"', '"inf"')), "not positive"),
        (urdf('type="revolute"', 'type="continuous"'), "continuous and has a range"),
        (urdf(f"<limit {TRAVEL}/>", f"<limit {TURN}/>"), "travel"),
        (urdf('<child link="cap"/>', '<child link="cap"/><origin xyz="0 1 0"/>'), "place"),
        (urdf('<axis xyz="0 1 0"/><limit lower="-0.1"', '<axis xyz="0 -1 0"/><limit lower="-0.1"'),
         "different axes"),
        (urdf(INERTIAL, INERTIAL.replace("<mass", '<origin rpy="1 0 0"/><mass')), "turned"),
        (urdf(INERTIAL, ""), "inertial"),
        (urdf(RESISTS, ""), "no <dynamics>"),
        (urdf('damping="0.5"', 'damping="-1"'), "no <dynamics>"),
        (urdf("<mimic", f"{RESISTS}<mimic"), "its leader alone"),
        (urdf("</robot>", '<joint name="w" type="fixed"><parent link="base"/><child link="x"/>'
              f'<mimic joint="hinge"/></joint><link name="x">{INERTIAL}</link></robot>'), "fixed"),
        ({"object_dot_glb": None}, "object.glb"),
        ({"meshes__big_dot_obj": cube(1.0).replace("v 1.0 1.0 1.0", "v 1.0 1.0 1.5")}, "origin"),
        ({"meshes__hull_dot_obj": cube(0.1, depth=0.0)}, "flat"),
        ({"meshes__hull_dot_obj": "v 0 0 0\n"}, "no face"),
        ({"meshes__hull_dot_obj": "v 0 0\nf 1 1 1\n"}, "line 1"),
        ({"meshes__hull_dot_obj": "v nan 0 0\nf 1 1 1\n"}, "finite"),
        ({"meshes__hull_dot_obj": cube(0.5) + "f 1 2 9\n"}, "a face names vertices that the file"),
        ({"meshes__object_dot_mtl": None}, "material"),
        ({"meshes__paint_dot_png": None}, "texture"),
        ({"meshes__object_dot_mtl": "newmtl m\nmap_Kd -s 2 2 1 the paint.png\n"},
         "texture 'the paint.png'"),
    ],
)  # fmt: skip
def test_every_broken_rule_is_one_line_and_exit_1(
    write: Write, capsys: pytest.CaptureFixture[str], change: dict[str, Any], word: str
) -> None:
    folder = write(**change)
    assert main(["check", str(folder)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(word in line for line in lines), lines
    assert all(line.startswith(f"{folder}: ") and line.endswith(".") for line in lines)
    assert all("; " in line or "cannot be read" in line for line in lines)  # the next step


def test_masses_may_be_absent_on_request(write: Write) -> None:
    folder = write(object_dot_urdf=GOOD.replace(INERTIAL, ""))
    assert main(["check", str(folder)]) == 1
    assert main(["check", "--without-inertials", str(folder)]) == 0


def test_json_lists_every_file(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = write("good"), write("bad", object_dot_glb=None)
    assert main(["check", "--json", str(good), str(bad)]) == 1
    rows = json.loads(capsys.readouterr().out)
    assert [row["file"] for row in rows] == [str(good), str(bad)]
    assert rows[0]["problems"] == []
    assert len(rows[1]["problems"]) == 1


def test_what_is_not_there_or_named_by_nothing_is_a_usage_error(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe.urdf")
    for name in ("ghost.urdf", "empty", "x" * 300, "a\0b", "pipe.urdf"):
        assert main(["check", str(tmp_path / name)]) == 2
        assert "object.urdf" in capsys.readouterr().err
    with pytest.raises(SystemExit) as caught:
        main(["check"])
    assert caught.value.code == 2


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"\xff\xfe\x00",
        b"<robot",
        b'<!DOCTYPE r [<!ENTITY a "b">]><robot>&a;</robot>',
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot>&x;</robot>',
        b"<a>" * 1000,
        b'<robot name="x"/>',
        b'<robot><link name="a"/><link name="b"/></robot>',
        b'<robot><link name="\x1b[31m"/></robot>',
        b'<robot><link name="base"/><joint name="j" type="floating"/></robot>',
    ],
)
def test_hostile_documents_are_broken_rules_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], document: bytes
) -> None:
    (tmp_path / "object.urdf").write_bytes(document)
    assert main(["check", str(tmp_path)]) == 1
    captured = capsys.readouterr()
    assert "cannot be read" in captured.out
    assert "\x1b" not in captured.out
    assert captured.err == ""


def test_links_and_pipes_that_lead_elsewhere_are_not_followed(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(meshes__hull_dot_obj=None, meshes__small_dot_obj=None)
    secret = tmp_path / "secret.obj"
    secret.write_text(cube(0.1))
    (folder / "meshes/hull.obj").symlink_to(secret)
    os.mkfifo(folder / "meshes/small.obj")
    assert main(["check", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "'meshes/hull.obj' does not exist" in out
    assert "'meshes/small.obj' does not exist" in out


def test_a_cycle_of_mimics_and_a_ball_joint_are_reported_by_the_library_function() -> None:
    follows = f'<limit {TURN}/><mimic joint="hinge"/></joint>'
    circle = GOOD.replace(f"<limit {TURN}/>{RESISTS}</joint>", follows, 1)
    assert "returns to itself" in check_convention(circle.encode(), FILES)[0]
    ball = GOOD.replace('type="revolute"', 'type="ball"', 1)
    assert "degree of freedom" in check_convention(ball.encode(), FILES)[0]
    data = {name: text.encode() for name, text in FILES.items()}
    assert check_geometry(GOOD.encode(), data) == []
    assert check_geometry(b"<robot", data)[0].startswith("The URDF cannot be read")
    nothing = b'<robot name="o"><link name="base"/></robot>'
    assert "something to see" in check_geometry(nothing, data)[0]
