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
from pipeline.stages.annotate.collision.links import drawn_shape, with_convex_parts

# Turns the hue by the golden ratio, so that neighbors differ.
_HUE_STEP = 0.618034


def collision_meshes(
    files: Mapping[str, bytes], *, diagonal: float, most: int
) -> dict[str, list[trimesh.Trimesh]]:
    """Return the convex parts of every link of a normalized object, object frame at rest."""
    model, files, _ = with_convex_parts(
        parse_urdf(files[URDF]), files, diagonal=diagonal, most=most
    )
    frames, numbers = rest_frames(model), count()
    found: dict[str, list[trimesh.Trimesh]] = {}
    for link in model.links:
        pieces = [drawn_shape(files[shape.geometry.filename]) for shape in link.collisions]
        origin = frames[link.name][:3, 3]
        found[link.name] = [
            _colored_mesh(piece.vertices + origin, piece.faces, next(numbers)) for piece in pieces
        ]
    return found


def _colored_mesh(vertices: np.ndarray, faces: np.ndarray, number: int) -> trimesh.Trimesh:
    color = (*colorsys.hsv_to_rgb(number * _HUE_STEP % 1, 0.45, 0.9), 1.0)
    colors = np.tile(np.rint(np.multiply(color, 255)).astype(np.uint8), (len(faces), 1))
    return trimesh.Trimesh(vertices, faces, face_colors=colors, process=False)
