# SPDX-License-Identifier: Apache-2.0
"""Normals are smooth where the surface is, and visuals arrive as display colors."""

from __future__ import annotations

import numpy as np
import trimesh
from PIL import Image
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial, SimpleMaterial

from aa_dataset.render.surface import TEXTURE_PIXELS, place, read_surface
from tests.kit import scenes


def test_a_sphere_is_smooth_even_with_split_vertices() -> None:
    ball = scenes.sphere(1.0)
    soup = trimesh.Trimesh(
        ball.triangles.reshape(-1, 3), np.arange(3 * len(ball.faces)).reshape(-1, 3), process=False
    )
    surface = read_surface([soup])
    cosines = (surface.normals * surface.corners).sum(axis=2)  # a unit sphere's normal is its point
    assert cosines.min() > np.cos(np.deg2rad(1.0))


def test_a_box_has_sharp_edges() -> None:
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    expected = np.repeat(box.face_normals[:, None], 3, axis=1)
    np.testing.assert_allclose(read_surface([box]).normals, expected, atol=1e-12)


def test_touching_parts_are_not_smoothed_together() -> None:
    flat = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    bent = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, -1, 0.2]], [[1, 0, 2]])
    expected = [np.tile(mesh.face_normals, (3, 1)) for mesh in (flat, bent)]
    np.testing.assert_allclose(read_surface([flat, bent]).normals, expected, atol=1e-12)


def test_normals_follow_a_stretch_and_a_mirror_image() -> None:
    ball = trimesh.creation.icosphere(subdivisions=4)
    stretch = np.diag([1.0, -2.0, 3.0, 1.0])
    surface = place(read_surface([ball]), stretch[None])
    # The gradient of x^2 + y^2/4 + z^2/9; the mirror image turns the winding inside out.
    gradient = surface.corners / np.square([1.0, 2.0, 3.0])
    gradient /= np.linalg.norm(gradient, axis=2, keepdims=True)
    assert (surface.normals * gradient).sum(axis=2).max() < -np.cos(np.deg2rad(3.0))


def test_opacity_counts_unless_the_material_is_declared_opaque() -> None:
    glass = scenes.colored(trimesh.creation.box(), (0.1, 0.2, 0.3, 0.5))
    solid = trimesh.creation.box()
    material = PBRMaterial(baseColorFactor=(0.1, 0.2, 0.3, 0.5), alphaMode="OPAQUE")
    solid.visual = TextureVisuals(material=material)
    surface = read_surface([glass, solid])
    assert (surface.is_transparent() == (surface.part == 0)).all()


def test_a_shared_large_texture_is_stored_once_and_shrunk() -> None:
    image = Image.new("RGB", (4 * TEXTURE_PIXELS, TEXTURE_PIXELS), (10, 20, 30))
    meshes = [trimesh.creation.box(), trimesh.creation.box()]
    for mesh in meshes:
        mesh.visual = TextureVisuals(uv=np.zeros((8, 2)), material=SimpleMaterial(image=image))
    surface = read_surface(meshes)
    assert len(surface.textures) == 1
    assert surface.textures[0].shape == (TEXTURE_PIXELS // 4, TEXTURE_PIXELS, 4)
    assert (surface.colors == 1.0).all() and (surface.texture == 0).all()
