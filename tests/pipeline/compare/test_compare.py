# SPDX-License-Identifier: Apache-2.0
"""The sheet of raw beside normalized objects."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from pipeline.compare.command import main
from pipeline.errors import PipelineError


@pytest.fixture
def raw(bench: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(bench.repository)
    urdf = bench.robot(
        bench.box_link("a"),
        bench.box_link("b", "0.1 0.1 0.8"),
        bench.joint_text("j", "revolute", "a", "b", axis="1 0 0"),
    )
    bench.write_object(tmp_path / "raw" / "door", urdf, {"meta.json": "{}"})
    bench.write_object(tmp_path / "raw" / "broken", "<robot", {"meta.json": "{}"})
    return tmp_path / "raw"


def test_one_row_per_usable_object_with_three_pictures(
    raw: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = raw.parent / "sheet.png"
    assert main(["local", str(sheet), "--folder", str(raw)]) == 0
    pixels = np.asarray(Image.open(sheet))[:256]
    before, rest, moved = np.array_split(pixels, 3, axis=1)
    width = min(before.shape[1], rest.shape[1], moved.shape[1])
    assert min(part.std() for part in (before, rest, moved)) > 5  # something is drawn in each
    assert not np.array_equal(rest[:, :width], moved[:, :width])
    assert "broken: xml_invalid" in capsys.readouterr().err


def test_an_unknown_source_is_a_sentence(raw: Path) -> None:
    with pytest.raises(PipelineError, match="'nothing' is not a source"):
        main(["nothing", "sheet.png"])
