# SPDX-License-Identifier: Apache-2.0
"""The picture of a raw MJCF model: MuJoCo's own geometry, which normalize must not change."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

from pipeline.shapes.glb import read_links
from pipeline.tools.inspect.command import SIZE, _render_views, main
from pipeline.tools.inspect.placed import Parts, part_points
from tests.kit import bench
from tests.kit.places import REPOSITORY

pytest.importorskip("mujoco", reason="`make test` installs mujoco")

from pipeline.tools.inspect.mjcf import mjcf_parts

# Every form, a mesh off its own center, angles in degrees, a hidden twin, an absent picture.
MODEL = """
<mujoco model="thing">
  <compiler angle="degree" meshdir="meshes"/>
  <asset>
    <mesh name="wedge" file="wedge.obj" scale="1 1 0.5"/>
    <texture name="wood" type="2d" file="absent.png"/>
    <material name="red" rgba="0.9 0.05 0.05 1" texture="wood"/>
  </asset>
  <default><geom material="red" contype="0" conaffinity="0"/></default>
  <worldbody>
    <geom type="plane" size="0 0 1" rgba="0.9 0 0 1" contype="1"/>
    <body name="stand" pos="1 2 3" euler="0 0 20">
      <geom type="box" size="0.3 0.2 0.1"/>
      <geom type="box" size="2 2 2" group="3" contype="1" conaffinity="1"/>
      <body name="arm" pos="0 0 0.1" euler="30 0 0">
        <joint name="tilt" axis="1 0 0" range="-20 20"/>
        <geom type="capsule" fromto="0 0 0 0.2 0 0.5" size="0.05"/>
        <geom type="cylinder" pos="-0.2 0 0.3" size="0.04 0.3" euler="0 40 0"/>
        <geom type="ellipsoid" pos="0.2 0 0.6" size="0.2 0.1 0.05"/>
        <geom type="sphere" pos="-0.3 0.2 0.4" size="0.08"/>
        <geom type="mesh" mesh="wedge" pos="0 -0.4 0.2" euler="0 90 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
FACTS = (
    "{title: t, label: Lamp, license: MIT, frame: {up: z, front: x}, scale: metric, format: mjcf}"
)


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Return a source with one collection of one model."""
    wedge = bench.obj_text(
        trimesh.Trimesh(
            [(0.1, 0.1, 0), (0.5, 0.1, 0), (0.1, 0.4, 0), (0.1, 0.1, 0.6)],
            [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)],
            process=False,
        )
    )
    files = {"thing.xml": MODEL, "source.yaml": FACTS, "meshes/wedge.obj": wedge}
    for name, text in files.items():
        path = tmp_path / "raw" / "lamps" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "raw"


def silhouette(parts: Parts) -> np.ndarray:
    """Return where a picture of the parts is red, (SIZE, SIZE) bool; shadow and ground are gray."""
    pixels = np.asarray(_render_views([parts])[0], dtype=int)
    return pixels[..., 0] - pixels[..., 1] > 30


def test_mujocos_geometry_has_the_silhouette_of_the_normalized_object(raw: Path) -> None:
    outcome = bench.normal(raw / "lamps", {**bench.METRIC, "format": "mjcf"}, urdf="thing.xml")
    meshes = read_links((outcome.files or {})["object.glb"], ("base", "arm"))
    ours: Parts = [(mesh, np.eye(4)) for parts in meshes.values() for mesh in parts]
    theirs = mjcf_parts(raw / "lamps/thing.xml")
    assert len(theirs) == 6  # neither the ground nor the twin
    # The object frame is the world's, about the center of the object.
    boxes = [np.array([p.min(axis=0), p.max(axis=0)]) for p in map(part_points, (ours, theirs))]
    size = np.ptp(boxes[1], axis=0)
    assert np.ptp(boxes[0], axis=0) == pytest.approx(size, rel=0.01)
    one, two = silhouette(ours), silhouette(theirs)
    assert 0.05 * SIZE**2 < two.sum() < 0.9 * SIZE**2
    assert (one & two).sum() > 0.97 * (one | two).sum()


def test_a_part_elsewhere_has_another_silhouette(raw: Path) -> None:
    """Shows that the agreement above can fail."""
    theirs = mjcf_parts(raw / "lamps/thing.xml")
    moved = [(mesh, pose.copy()) for mesh, pose in theirs]
    moved[3][1][:3, 3] += (0.0, 0.1, 0.0)
    one, two = silhouette(theirs), silhouette(moved)
    assert (one & two).sum() < 0.97 * (one | two).sum()


def test_the_sheet_shows_the_raw_model(raw: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    assert main(["tail", str(raw / "sheet.png"), "--folder", str(raw)]) == 0
    pixels = np.asarray(Image.open(raw / "sheet.png"), dtype=int)[:256]
    red = pixels[..., 0] - pixels[..., 1] > 30
    shares = [red[:, start : start + 256].mean() for start in (8, 272, 536)]  # not convex parts
    assert min(shares) > 0.03
