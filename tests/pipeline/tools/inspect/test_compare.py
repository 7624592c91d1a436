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
    for name in "efgh":
        bench.write_object(raw / name, urdf, {"meta.json": "{}"})
    bench.write_object(raw / "g", bench.robot(bench.box_link("a")), {"meta.json": "{}"})
    sheet = raw.parent / "sheet.png"
    # In order: broken, door, e | f, g, h. One object of each half is drawn.
    assert main(["local", str(sheet), "--folder", str(raw), "--most", "2"]) == 0
    rows = round(Image.open(sheet).height / 264)
    assert rows == 2
    assert "no joint" not in capsys.readouterr().err
    for name in ("broken", "door", "e", "f"):
        bench.write_object(raw / name, bench.robot(bench.box_link("a")), {"meta.json": "{}"})
    assert main(["local", str(sheet), "--folder", str(raw), "--most", "2"]) == 0
    assert "f: no joint can move." in capsys.readouterr().err
    assert round(Image.open(sheet).height / 264) == 1
