# SPDX-License-Identifier: Apache-2.0
"""Drives on hand-made boxes: what can move reaches its end, what cannot names the parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from aa_dataset.cli import main
from aa_dataset.judge import ball
from aa_dataset.judge.ball import drop_balls
from aa_dataset.judge.drive import Outcome, Trial, drive_object

pytest.importorskip("mujoco", reason="`make test` installs mujoco")

Box = tuple[float, float, float, float, float, float]  # size and middle [m]


def box_text(box: Box) -> str:
    """Return a box as OBJ text."""
    size, middle = box[:3], box[3:]
    signs = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    corners = [tuple(m + s * k for m, s, k in zip(middle, size, one, strict=True)) for one in signs]
    faces = ("1 2 4", "1 4 3", "5 7 8", "5 8 6", "1 5 6", "1 6 2", "3 4 8", "3 8 7", "1 3 7",
             "1 7 5", "2 6 8", "2 8 4")  # fmt: skip
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {face}" for face in faces]
    return "\n".join(lines) + "\n"


def write(folder: Path, links: dict[str, list[Box]], joints: str) -> Path:
    """Write an object whose links are boxes of 1 kg, each its own visual and collision part."""
    (folder / "meshes").mkdir(parents=True)
    body = ""
    for name, boxes in links.items():
        shapes = ""
        for number, box in enumerate(boxes):
            (folder / f"meshes/{name}{number}.obj").write_text(box_text(box))
            mesh = f'<geometry><mesh filename="meshes/{name}{number}.obj"/></geometry>'
            shapes += f'<visual name="{name}{number}">{mesh}</visual>\n'
            shapes += f'<collision name="{name}{number}-c">{mesh}</collision>\n'
        inertia = '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
        body += (
            f'<link name="{name}"><inertial><mass value="1"/>{inertia}</inertial>{shapes}</link>'
        )
    (folder / "object.urdf").write_text(f'<robot name="boxes">\n{body}\n{joints}\n</robot>')
    return folder


def slide(name: str, child: str, axis: str, upper: float, lower: float = 0, more: str = "") -> str:
    return (
        f'<joint name="{name}" type="prismatic"><parent link="base"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/><limit lower="{lower}" upper="{upper}" effort="9" velocity="9"/>'
        f"{more}</joint>\n"
    )


FRAME: list[Box] = [(0.6, 0.02, 0.4, 0, -0.2, 0), (0.6, 0.02, 0.4, 0, 0.2, 0)]
DRAWER: list[Box] = [(0.5, 0.3, 0.1, 0, 0, 0)]
DOOR: list[Box] = [(0.02, 0.36, 0.4, 0.31, 0, 0)]
PULL = slide("pull", "drawer", "1 0 0", 0.4)


def trials(folder: Path, simulator: str) -> dict[tuple[str, str], Trial]:
    return {(one.check, one.part): one for one in drive_object(folder, simulator)}


def test_a_free_drawer_reaches_its_end(tmp_path: Path, simulator: str) -> None:
    folder = write(tmp_path / "o", {"base": FRAME, "drawer": DRAWER}, PULL)
    found = trials(folder, simulator)
    assert found["drive", "pull"].outcome is Outcome.REACHED
    assert found["drive", "pull"].value == pytest.approx(1.0, abs=0.01)
    assert found["rest", ""].outcome is Outcome.CLEAR


def blocked_cabinet(folder: Path, wall: Box, more: str = "", **links: list[Box]) -> Path:
    """Return a drawer with a wall in its way, welded to a part of its own beside the base."""
    post = '<joint name="weld" type="fixed"><parent link="base"/><child link="post"/></joint>\n'
    parts: dict[str, list[Box]] = {"base": FRAME, "drawer": DRAWER, "post": [wall], **links}
    return write(folder, parts, PULL + post + more)


def test_a_blocked_drawer_stops_at_the_wall_and_names_it(tmp_path: Path, simulator: str) -> None:
    # The front of the drawer is at 0.25 m, the wall begins at 0.35 m: a quarter of the range.
    folder = blocked_cabinet(tmp_path / "o", (0.02, 0.36, 0.4, 0.36, 0, 0))
    found = trials(folder, simulator)["drive", "pull"]
    assert found.outcome is Outcome.BLOCKED
    assert found.value == pytest.approx(0.25, abs=0.03)
    assert found.pair == ("drawer", "post")


def test_a_drawer_behind_a_door_is_reached_when_the_door_is_open(
    tmp_path: Path, simulator: str
) -> None:
    links = {"base": FRAME, "drawer": DRAWER, "door": DOOR}
    folder = write(tmp_path / "o", links, PULL + slide("open", "door", "0 0 1", 0.5))
    found = trials(folder, simulator)["drive", "pull"]
    assert (found.outcome, found.detail) == (Outcome.OPENED, "open")
    assert found.value == pytest.approx(1.0, abs=0.02)


def test_neighbors_on_both_sides_are_opened_to_the_end_that_helps(
    tmp_path: Path, simulator: str
) -> None:
    # From -0.1 m to 3 m high: in the way of the drawer also 1 m lower, but not 0.2 m higher.
    left: list[Box] = [(0.1, 0.3, 3.1, -0.35, 0, 1.45)]
    right: list[Box] = [(0.1, 0.3, 3.1, 0.35, 0, 1.45)]
    links = {"base": FRAME, "drawer": DRAWER, "left": left, "right": right}
    joints = slide("both", "drawer", "1 0 0", 0.3, -0.3)
    joints += slide("a", "left", "0 0 1", 0.2, -1) + slide("b", "right", "0 0 1", 0.2, -1)
    found = trials(write(tmp_path / "o", links, joints), simulator)["drive", "both"]
    assert (found.outcome, found.detail) == (Outcome.OPENED, "a b")


def test_a_light_part_with_a_large_armature_reaches_its_end(tmp_path: Path, simulator: str) -> None:
    """It behaves like 100 kg, so it gets the push that 100 kg need."""
    heavy = '<dynamics damping="200" friction="0" armature="99"/>'
    pull = slide("pull", "drawer", "1 0 0", 0.4, more=heavy)
    folder = write(tmp_path / "o", {"base": FRAME, "drawer": DRAWER}, pull)
    assert trials(folder, simulator)["drive", "pull"].outcome is Outcome.REACHED


def test_a_lifted_part_falls_back_unless_something_holds_it(tmp_path: Path, simulator: str) -> None:
    lift = slide("lift", "drawer", "0 0 1", 0.3)
    folder = write(tmp_path / "o", {"base": FRAME, "drawer": DRAWER}, lift)
    assert trials(folder, simulator)["fall", "lift"].outcome is Outcome.FALLS
    free = write(tmp_path / "level", {"base": FRAME, "drawer": DRAWER}, PULL)
    assert ("fall", "pull") not in trials(free, simulator)


def test_parts_that_overlap_at_rest_are_measured(tmp_path: Path, simulator: str) -> None:
    folder = blocked_cabinet(tmp_path / "o", (0.02, 0.36, 0.4, 0.257, 0, 0))
    found = trials(folder, simulator)["rest", ""]
    # The wall begins at 0.247 m and the drawer ends at 0.25 m.
    assert found.outcome is Outcome.PENETRATES
    assert found.value == pytest.approx(0.003, abs=2e-4)
    assert found.pair == ("drawer", "post")


def test_links_that_cannot_part_may_overlap(tmp_path: Path, simulator: str) -> None:
    weld = '<joint name="too" type="fixed"><parent link="base"/><child link="rail"/></joint>\n'
    wall: Box = (0.1, 0.1, 0.1, 0, 0, 0.3)
    folder = blocked_cabinet(tmp_path / "o", wall, weld, rail=[wall])
    assert trials(folder, simulator)["rest", ""].outcome is Outcome.CLEAR


def test_a_drawer_passes_a_post_at_a_fifth_of_a_millimeter(tmp_path: Path, simulator: str) -> None:
    # The side of the drawer is at 0.15 m, the post begins at 0.1502 m.
    folder = blocked_cabinet(tmp_path / "o", (0.02, 0.02, 0.1, 0.27, 0.1602, 0))
    assert trials(folder, simulator)["drive", "pull"].outcome is Outcome.REACHED


def test_a_turn_without_limits_is_driven_once_around(tmp_path: Path, simulator: str) -> None:
    spin = (
        '<joint name="spin" type="continuous"><parent link="base"/><child link="drawer"/>'
        '<origin xyz="0 0 1"/><axis xyz="0 0 1"/><limit effort="9" velocity="9"/></joint>'
    )
    folder = write(tmp_path / "o", {"base": FRAME, "drawer": DRAWER}, spin)
    found = trials(folder, simulator)["drive", "spin"]
    assert found.outcome is Outcome.REACHED


# A tray with a floor of 6 mm, walls of 6 mm and 0.1 m of height.
TRAY: list[Box] = [
    (0.3, 0.3, 0.006, 0, 0, 0),
    (0.3, 0.006, 0.1, 0, -0.147, 0.053),
    (0.3, 0.006, 0.1, 0, 0.147, 0.053),
    (0.006, 0.288, 0.1, -0.147, 0, 0.053),
    (0.006, 0.288, 0.1, 0.147, 0, 0.053),
]


def test_a_ball_stays_in_a_tray_whose_floor_is_thinner_than_it(tmp_path: Path) -> None:
    tray = slide("pull", "drawer", "1 0 0", 0.4)
    folder = write(tmp_path / "o", {"base": [(1, 1, 0.1, 0, 0, -0.5)], "drawer": TRAY}, tray)
    (found,) = drop_balls(folder)
    assert (found.part, found.outcome) == ("drawer", Outcome.STAYS)
    assert found.value == pytest.approx(0.0, abs=1e-3)


def test_a_ball_never_passes_a_floor_of_half_a_millimeter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After 0.3 m it falls 4.85 mm in a time step, so it meets the floor anywhere on that way."""
    floor: Box = (0.3, 0.3, 5e-4, 0, 0, 0.00275)
    folder = write(tmp_path / "o", {"base": [floor, *TRAY[1:]]}, "")
    for tenth in range(10):
        monkeypatch.setattr(ball, "DROP", 0.3 - tenth * 4.85e-4)
        (found,) = drop_balls(folder)
        assert (found.outcome, found.value) == (Outcome.STAYS, pytest.approx(0.0, abs=1e-3))


def test_a_link_that_stands_in_a_tray_does_not_fill_it(tmp_path: Path) -> None:
    links: dict[str, list[Box]] = {"base": TRAY, "blades": [(0.2, 0.2, 0.03, 0, 0, 0.02)]}
    folder = write(tmp_path / "o", links, slide("lift", "blades", "0 0 1", 0.1))
    (found,) = drop_balls(folder)
    assert (found.part, found.outcome) == ("base", Outcome.STAYS)


def test_a_ball_leaves_a_tray_whose_floor_does_not_collide_and_a_block_is_filled(
    tmp_path: Path,
) -> None:
    folder = write(tmp_path / "o", {"base": TRAY}, "")
    text = (folder / "object.urdf").read_text()
    start, end = text.index('<collision name="base0-c">'), text.index('<visual name="base1">')
    (folder / "object.urdf").write_text(text[:start] + text[end:])
    (found,) = drop_balls(folder)
    assert found.outcome is Outcome.LEAVES
    solid = write(tmp_path / "solid", {"base": TRAY}, "")
    (solid / "meshes/block.obj").write_text(box_text((0.3, 0.3, 0.1, 0, 0, 0.05)))
    text = (solid / "object.urdf").read_text()
    block = '<collision name="base0-c"><geometry><mesh filename="meshes/block.obj"/></geometry>'
    first = text.index('<collision name="base0-c">')
    rest = text[text.index("</collision>", first) :]
    (solid / "object.urdf").write_text(text[:first] + block + rest)
    (found,) = drop_balls(solid)
    assert found.outcome is Outcome.FILLED


@pytest.mark.parametrize(
    "shape", [[(0.3, 0.3, 0.1, 0, 0, 0)], TRAY[1:], TRAY[:-1]], ids=["block", "tube", "open side"]
)
def test_what_is_not_hollow_gets_no_ball(tmp_path: Path, shape: list[Box]) -> None:
    assert drop_balls(write(tmp_path / "o", {"base": shape}, "")) == []


def test_the_command_counts_and_names_findings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    links: dict[str, Any] = {"base": FRAME, "drawer": DRAWER}
    write(tmp_path / "objects/free", links, PULL)
    blocked_cabinet(tmp_path / "objects/shut", (0.02, 0.36, 0.4, 0.36, 0, 0))
    out = tmp_path / "report.parquet"
    options = ["--drive", "--ball", "--only", "mujoco", "--out", str(out)]
    assert main(["judge", str(tmp_path / "objects"), *options]) == 1
    printed = capsys.readouterr().out
    assert "shut: joint pull is blocked at 2" in printed
    assert "drawer and post touch" in printed
    rows = {(r["object_id"], r["check"], r["part"]): r for r in pq.read_table(out).to_pylist()}
    assert rows["free", "drive", "pull"]["passed"]
    shut = rows["shut", "drive", "pull"]
    assert (shut["passed"], shut["first"], shut["second"]) == (False, "drawer", "post")
    assert main(["judge", str(tmp_path / "objects"), "--ids", "free", *options]) == 0


def test_of_many_joints_evenly_spaced_ones_are_driven(tmp_path: Path) -> None:
    links: dict[str, list[Box]] = {"base": FRAME}
    links |= {f"key{n}": [(0.02, 0.02, 0.02, 0.1 * n, 0, 1)] for n in range(7)}
    joints = "".join(slide(f"press{n}", f"key{n}", "0 0 1", 0.01) for n in range(7))
    folder = write(tmp_path / "objects/keys", links, joints)
    driven = [one.part for one in drive_object(folder, "mujoco", most=3) if one.check == "drive"]
    assert driven == ["press0", "press2", "press4"]
    out = tmp_path / "report.parquet"
    options = ["--drive", "--joints", "2", "--only", "mujoco", "--out", str(out)]
    assert main(["judge", str(tmp_path / "objects"), *options]) == 0
    rows = [row for row in pq.read_table(out).to_pylist() if row["check"] == "drive"]
    assert [row["part"] for row in rows] == ["press0", "press3"]


def test_a_simulator_without_contacts_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pinocchio", reason="`make test` installs pin")
    write(tmp_path / "objects/free", {"base": FRAME, "drawer": DRAWER}, PULL)
    assert main(["judge", str(tmp_path / "objects"), "--drive", "--only", "pinocchio"]) == 2
    assert "no chosen simulator has contacts" in capsys.readouterr().err
