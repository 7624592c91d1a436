# SPDX-License-Identifier: Apache-2.0
"""The convex parts of an object as meshes to draw, every part in a color of its own."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from itertools import count

import numpy as np
import trimesh

from aa_dataset.format.layout import URDF
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import rest_frames
from pipeline.stages.annotate.collision.links import convex_parts

# Turns the hue by the golden ratio, so that neighbors differ.
_HUE_STEP = 0.618034


def collision_meshes(
    files: Mapping[str, bytes], *, diagonal: float, most: int
) -> dict[str, list[trimesh.Trimesh]]:
    """Return the convex parts of every link of a normalized object, object frame at rest."""
    model = parse_urdf(files[URDF])
    frames, numbers = rest_frames(model), count()
    parts = convex_parts(model, files, diagonal=diagonal, most=most)
    return {
        link: [
            _colored_mesh(hull.vertices + frames[link][:3, 3], hull.faces, next(numbers))
            for hull in found.hulls
        ]
        for link, found in parts.items()
    }


def _colored_mesh(vertices: np.ndarray, faces: np.ndarray, number: int) -> trimesh.Trimesh:
    color = (*colorsys.hsv_to_rgb(number * _HUE_STEP % 1, 0.45, 0.9), 1.0)
    colors = np.tile(np.rint(np.multiply(color, 255)).astype(np.uint8), (len(faces), 1))
    return trimesh.Trimesh(vertices, faces, face_colors=colors, process=False)
