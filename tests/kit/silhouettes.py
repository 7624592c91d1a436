# SPDX-License-Identifier: Apache-2.0
"""Where a picture shows an object, and where it must: triangles filled by matplotlib."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from aa_dataset.format.layout import GLB, URDF
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.render.backend import open_scene
from aa_dataset.render.camera import Camera, look_at
from aa_dataset.render.glb import read_glb
from aa_dataset.render.prepared import prepare
from pipeline.generate.emit import emit, object_files
from pipeline.stages.render.pictures import by_link, link_poses
from pipeline.stages.render.states import open_state
from tests.kit import bench

FINE, FINEST = 4, 8  # pixels of the picture and of the reference along a compared one


def family_files(family: str, folder: Path) -> dict[str, bytes]:
    """Return the files of a normalized object of a family."""
    emit(folder, family, files=object_files(family, 0, seed=1))
    urdf = next((folder / family).glob("*.urdf")).name
    return dict(bench.normal(folder / family, urdf=urdf).files or {})


def agreements(files: dict[str, bytes], backend: str, size: int) -> list[float]:
    """Return intersection over union with the reference, at rest and opened.

    Pixels count by how much of them is covered: of a thin rod in a small picture most are border.
    """
    tree = urdf_tree(parse_urdf(files[URDF]))
    surface = by_link(read_glb(files[GLB]), tree.links)
    poses = link_poses(tree, [{}, open_state(tree)])
    prepared = prepare(surface)
    places = [prepared.placed(one) for one in poses]
    camera = look_at(np.concatenate(places).reshape(-1, 3))
    ink = np.zeros((len(tree.links), 3))
    found = []
    with open_scene(surface, backend=backend) as scene:
        for one, corners in zip(poses, places, strict=True):
            picture = scene.draw(one, camera, size=size * FINE, ground=False, paints=ink)
            # The highlight of black is no more than a tenth of white.
            seen = np.clip((1 - picture[..., 1] / picture[0, 0, 1]) / 0.9, 0, 1)
            both = _shrunk(seen), filled(corners, camera, size)
            found.append(float(np.minimum(*both).sum() / np.maximum(*both).sum()))
    return found


def filled(corners: np.ndarray, camera: Camera, size: int) -> np.ndarray:
    """Return how much of every pixel (size, size) triangles (f, 3, 3) cover."""
    local = (corners - camera.pose[:3, 3]) @ camera.pose[:3, :3]
    plane = local[..., :2] / -local[..., 2:] / np.tan(camera.yfov_rad / 2)
    figure = Figure(figsize=(size, size), dpi=FINEST)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-1, 1), ylim=(-1, 1))
    axes.set_axis_off()
    axes.add_collection(PolyCollection(plane, facecolors="black", linewidths=0, antialiaseds=True))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return _shrunk(np.asarray(canvas.buffer_rgba())[..., 0] < 128, FINEST)


def _shrunk(cover: np.ndarray, factor: int = FINE) -> np.ndarray:
    """Return the mean over squares of pixels."""
    size = len(cover) // factor
    return np.asarray(cover.reshape(size, factor, size, factor).mean(axis=(1, 3)))
