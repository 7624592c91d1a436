# SPDX-License-Identifier: Apache-2.0
"""yourdfpy has an object's geometry in every state, with its textures."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from aa_dataset.adapters import SimulatorError
from aa_dataset.adapters.yourdfpy import load
from aa_dataset.errors import MissingExtraError
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import rest_frames, urdf_tree
from tests.kit.inputs_library import checkers


@pytest.mark.parametrize("name", ["screw", "geared"])
def test_links_are_where_the_tree_says(name: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(name)
    model = parse_urdf((folder / "object.urdf").read_bytes())
    tree, rest, robot = urdf_tree(model), rest_frames(model), load(folder)
    leaders = [joint for joint in tree.movable if joint.mimic is None]
    state = {joint.name: 0.3 + 0.1 * k for k, joint in enumerate(leaders)}
    robot.update_cfg(state)
    for link, moved in tree.placements(state).items():
        np.testing.assert_allclose(robot.get_transform(link), moved @ rest[link], atol=1e-9)


def textured(folder: Path) -> Path:
    """Give the wheel a sheet with a texture."""
    (folder / "meshes/wheel.obj").write_text(
        "mtllib wheel.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\n"
        "usemtl paint\nf 1/1 2/2 3/3\n"
    )
    (folder / "meshes/wheel.mtl").write_text("newmtl paint\nKd 1 1 1\nmap_Kd paint.png\n")
    (folder / "meshes/paint.png").write_bytes(checkers().data)
    return folder


def test_textures_survive(geared: Path) -> None:
    robot = load(textured(geared))
    (sheet,) = (
        mesh for mesh in robot.scene.geometry.values()
        if getattr(mesh.visual, "material", None) and mesh.visual.material.image is not None
    )  # fmt: skip
    wanted = Image.open(io.BytesIO(checkers().data)).convert("RGB")
    assert np.array_equal(np.array(sheet.visual.material.image.convert("RGB")), np.array(wanted))
    uv = {tuple(np.round(one, 6)) for one in sheet.visual.uv}
    assert uv == {(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)}


def test_a_mesh_that_is_absent_or_elsewhere_is_a_sentence(geared: Path, tmp_path: Path) -> None:
    (geared / "meshes/wheel.obj").unlink()
    with pytest.raises(SimulatorError, match=r"'meshes/wheel\.obj', which is not beside it"):
        load(geared)
    (tmp_path / "outside.obj").write_text("v 0 0 0\n")
    (geared / "meshes/wheel.obj").symlink_to(tmp_path / "outside.obj")
    with pytest.raises(SimulatorError, match="not beside it"):
        load(geared)
    text = (geared / "object.urdf").read_text().replace("meshes/wheel.obj", "../outside.obj")
    (geared / "object.urdf").write_text(text)
    with pytest.raises(SimulatorError, match=r"'\.\./outside\.obj'"):
        load(geared)


def test_a_missing_extra_is_a_sentence_with_the_command(
    geared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "yourdfpy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'aa-dataset\[mesh\]'"):
        load(geared)
