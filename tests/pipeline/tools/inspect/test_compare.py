# SPDX-License-Identifier: Apache-2.0
"""The sheet of raw beside normalized objects."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pipeline.base.errors import PipelineError
from pipeline.tools.inspect.command import main
from tests.kit import bench
from tests.kit.places import REPOSITORY


@pytest.fixture
def raw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(REPOSITORY)
    urdf = bench.robot(
        bench.box_link("a"),
        bench.box_link("b", "0.1 0.1 0.8"),
        bench.joint_text("j", "revolute", "a", "b", axis="1 0 0"),
    )
    bench.write_object(tmp_path / "raw" / "door", urdf, {"meta.json": "{}"})
    bench.write_object(tmp_path / "raw" / "broken", "<robot", {"meta.json": "{}"})
    return tmp_path / "raw"


def test_one_row_per_usable_object_with_four_pictures(
    raw: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = raw.parent / "sheet.png"
    assert main(["local", str(sheet), "--folder", str(raw)]) == 0
    pixels = np.asarray(Image.open(sheet))[:256]
    tiles = [pixels[:, start : start + 256] for start in np.linspace(8, 8 + 3 * 264, 4, dtype=int)]
    before, rest, moved, parts = tiles
    assert min(tile.std() for tile in (before, rest, moved, parts)) > 5  # something is in each
    assert not np.array_equal(rest, moved)
    # Boxes are convex: their parts have the silhouette of what is shown, in other colors.
    drawn = [np.abs(tile.astype(int) - tile[3, 3].astype(int)).max(axis=2) > 60 for tile in tiles]
    assert (drawn[2] ^ drawn[3]).mean() < 0.02
    assert not np.array_equal(moved, parts)
    assert "broken: xml_invalid" in capsys.readouterr().err


def test_an_unknown_source_is_a_sentence(raw: Path) -> None:
    with pytest.raises(PipelineError, match="'nothing' is not a source"):
        main(["nothing", "sheet.png"])


def test_a_source_that_is_not_here_is_a_sentence(raw: Path, tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match=r"absent is not a folder; `aa sources local`"):
        main(["local", "sheet.png", "--folder", str(tmp_path / "absent")])


def test_objects_are_spread_over_the_source_and_those_without_joints_are_named(
    raw: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf = (raw / "door" / "model.urdf").read_text()
    still = bench.robot(bench.box_link("a"))
    for name, text in {"e": urdf, "f": still, "g": still, "h": urdf}.items():
        bench.write_object(raw / name, text, {"meta.json": "{}"})
    sheet = raw.parent / "sheet.png"
    # Two runs, broken, door, e and f, g, h, in turns: broken, f, door, g, e. Two are drawn.
    assert main(["local", str(sheet), "--folder", str(raw), "--most", "2"]) == 0
    assert round(Image.open(sheet).height / 284) == 2
    words = capsys.readouterr().err
    lines = [line for line in words.splitlines() if line[:2] in ("br", "f:", "g:", "h:")]
    assert [line.split(":")[0] for line in lines] == ["broken", "f", "g"]
    assert "f: no joint can move." in lines


def test_the_raw_picture_of_a_model_with_packages_shows_its_meshes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(REPOSITORY)
    urdf = bench.robot(
        bench.mesh_link("a", "package://arm/meshes/a.obj"),
        bench.box_link("b"),
        bench.joint_text("j", "revolute", "a", "b"),
    )
    files = {
        "c/arm/meshes/a.obj": bench.box_text((1, 1, 1)),
        "c/arm/urdf/arm.urdf": urdf,
        "c/source.yaml": "{title: t, license: MIT, frame: {up: z}, scale: metric, label: x}",
    }
    for name, text in files.items():
        (tmp_path / "raw" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "raw" / name).write_text(text)
    sheet = tmp_path / "sheet.png"
    assert main(["tail", str(sheet), "--folder", str(tmp_path / "raw")]) == 0
    before = np.asarray(Image.open(sheet))[:256, 8:264]
    assert before.std() > 5  # an empty picture is white
