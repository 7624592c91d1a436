# SPDX-License-Identifier: Apache-2.0
"""Both backends draw what geometry and materials say, and the same bytes every time."""

from __future__ import annotations

import io
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial

from aa_dataset.errors import RenderError
from aa_dataset.render import backend as rendering
from aa_dataset.render import look
from aa_dataset.render.camera import look_at
from tests.kit import scenes

Draw = Callable[..., np.ndarray]
RED = np.array([0.8, 0.2, 0.2])


def test_a_sphere_projects_to_the_circle_of_the_pinhole_formula(draw: Draw) -> None:
    radius, size = 0.3, 256
    parts = [(scenes.sphere(radius), np.eye(4))]
    camera = look_at(scenes.points_of(parts))
    seen = scenes.silhouette(draw(parts, camera, size=size))
    # A sphere of radius r at distance d on the axis has the tangent cone tan = r / sqrt(d^2-r^2).
    distance = np.linalg.norm(camera.pose[:3, 3])
    tangent = radius / np.sqrt(distance**2 - radius**2)
    expected = size / 2 * tangent / np.tan(camera.yfov_rad / 2)
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    for pixels in (rows, columns):
        assert len(pixels) == pytest.approx(2 * expected, abs=2.0)
        assert (pixels[0] + pixels[-1] + 1) / 2 == pytest.approx(size / 2, abs=1.0)
    # Any partly covered pixel counts, so the area may be too large by half the border.
    assert seen.sum() == pytest.approx(np.pi * expected**2, rel=2.0 / expected)


def test_backends_agree_on_silhouettes_and_colors(scene: Any) -> None:
    if not all(map(rendering.available, rendering.BACKENDS)):
        pytest.skip("the comparison needs both backends")
    camera = look_at(scenes.points_of(scene))
    pictures = [
        rendering.render(scene, camera, size=256, backend=name, ground=False)
        for name in rendering.BACKENDS
    ]
    first, second = map(scenes.silhouette, pictures)
    assert (first != second).mean() < 0.003  # of all pixels: those half covered at the border
    inside = first & second
    difference = np.abs(pictures[0].astype(int) - pictures[1])[inside].max(axis=1)
    assert np.median(difference) <= 1
    assert (difference > 24).mean() < 0.02  # inner edges are sampled at other points


def test_a_red_box_keeps_its_hue_and_its_lit_faces(draw: Draw) -> None:
    parts = [(scenes.colored(trimesh.creation.box((0.5, 0.5, 0.5)), (*RED, 1.0)), np.eye(4))]
    picture = draw(parts, look_at(scenes.points_of(parts))) / 255.0
    normals = np.eye(3)  # front, right and top of the box are the three faces in view
    diffuse, specular = look.light(normals)
    for gain, highlight in zip(diffuse, specular, strict=True):
        expected = RED * gain + highlight
        close = np.abs(picture - expected).max(axis=2) < 0.006
        assert close.mean() > 0.03, expected
        assert expected[0] > 0.6 * RED[0]  # no face is lost in the dark


def test_the_inside_of_an_open_box_is_lit(draw: Draw) -> None:
    box = trimesh.creation.box((0.5, 0.5, 0.5))
    box.update_faces(box.face_normals[:, 0] < 0.9)  # no front
    parts = [(scenes.colored(box, (*RED, 1.0)), np.eye(4))]
    picture = draw(parts, look_at(scenes.points_of(parts))).astype(float)
    seen = scenes.silhouette(picture.astype(np.uint8))
    assert picture[seen].min(axis=0)[0] > 255 * RED[0] * look.AMBIENT


def textured_square(image: Image.Image) -> trimesh.Trimesh:
    """Return a unit square in the plane x = 0 that faces +x, upright for a viewer in front."""
    vertices = [[0, -0.5, -0.5], [0, 0.5, -0.5], [0, 0.5, 0.5], [0, -0.5, 0.5]]
    square = trimesh.Trimesh(vertices, [[0, 1, 2], [0, 2, 3]], process=False)
    uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
    square.visual = TextureVisuals(uv=uv, material=PBRMaterial(baseColorTexture=image))
    return square


def test_a_texture_appears_upright_and_unmirrored(draw: Draw) -> None:
    quarters = np.array(
        [[[200, 40, 40], [40, 180, 40]], [[40, 40, 200], [200, 200, 40]]], dtype=np.uint8
    )
    image = Image.fromarray(quarters.repeat(32, axis=0).repeat(32, axis=1))
    parts = [(textured_square(image), np.eye(4))]
    camera = look_at(scenes.points_of(parts))
    picture = draw(parts, camera)
    gain, highlight = look.light(np.array([1.0, 0.0, 0.0]))
    for row, column in np.ndindex(2, 2):
        point = np.array([0.0, column * 0.5 - 0.25, 0.25 - row * 0.5])
        x, y = pixel_of(point, camera, len(picture))
        expected = quarters[row, column] * gain + 255 * highlight
        np.testing.assert_allclose(picture[y, x], expected, atol=3)


def pixel_of(point: np.ndarray, camera: Any, size: int) -> tuple[int, int]:
    """Return the column and row at which a point of the object frame is seen."""
    local = (point - camera.pose[:3, 3]) @ camera.pose[:3, :3]
    plane = local[:2] / -local[2] / np.tan(camera.yfov_rad / 2)
    return int((plane[0] + 1) / 2 * size), int((1 - plane[1]) / 2 * size)


def test_a_transparent_panel_blends_with_the_part_behind(draw: Draw) -> None:
    opacity, blue = 0.4, np.array([0.2, 0.4, 0.8])
    wall = (
        scenes.colored(trimesh.creation.box((0.01, 1.0, 1.0)), (*RED, 1.0)),
        scenes.shift(-0.3, 0, 0),
    )
    sheet = trimesh.Trimesh([[0, -0.4, -0.4], [0, 0.4, -0.4], [0, 0, 0.4]], [[0, 1, 2]])
    pane = (scenes.colored(sheet, (*blue, opacity)), np.eye(4))
    camera = look_at(scenes.points_of([wall, pane]))
    picture = draw([pane, wall], camera)
    gain, highlight = look.light(np.array([1.0, 0.0, 0.0]))
    glass, behind = blue * gain + highlight, RED * gain + highlight
    x, y = pixel_of(np.zeros(3), camera, len(picture))
    expected = 255 * (opacity * glass + (1 - opacity) * behind)
    np.testing.assert_allclose(picture[y, x], expected, atol=4)


def test_vertex_and_face_colors_are_drawn(draw: Draw) -> None:
    by_vertex, by_face = trimesh.creation.box((0.3,) * 3), trimesh.creation.box((0.3,) * 3)
    by_vertex.visual.vertex_colors = [0, 200, 0, 255]
    by_face.visual.face_colors = [0, 0, 200, 255]
    parts = [(by_vertex, scenes.shift(0, -0.3, 0)), (by_face, scenes.shift(0, 0.3, 0))]
    picture = draw(parts, look_at(scenes.points_of(parts))).astype(int)
    left, right = np.array_split(picture, 2, axis=1)
    assert (left[..., 1] - left[..., 2] > 80).mean() > 0.05
    assert (right[..., 2] - right[..., 1] > 80).mean() > 0.05


def test_a_mirror_image_is_lit_like_the_original(draw: Draw) -> None:
    ball = scenes.sphere(0.3)
    camera = look_at(ball.vertices)
    mirrored = draw([(ball, np.diag([1.0, -1.0, 1.0, 1.0]))], camera)
    plain = draw([(ball, np.eye(4))], camera)
    assert np.abs(mirrored.astype(int) - plain).mean() < 1.0


def test_two_renders_are_identical_and_views_are_independent(
    draw: Draw, working_backend: str, scene: Any
) -> None:
    moved = [(mesh, scenes.shift(0, 0, 0.1) @ pose) for mesh, pose in scene]
    camera = look_at(scenes.points_of(scene, moved))
    first, second = (draw(scene, camera, ground=True) for _ in range(2))
    assert rendering.encode_png(first) == rendering.encode_png(second)
    views = rendering.render_views([moved, scene], camera, size=160, backend=working_backend)
    assert (views[1] == first).all()
    assert (views[0] != first).any()


def test_the_ground_shadow_darkens_only_the_surroundings(draw: Draw, scene: Any) -> None:
    camera = look_at(scenes.points_of(scene))
    plain, shadowed = draw(scene, camera), draw(scene, camera, ground=True)
    assert (shadowed <= plain).all()
    assert (shadowed < plain).any(axis=2)[~scenes.silhouette(plain)].mean() > 0.05
    assert (shadowed == plain)[: len(plain) // 8].all()  # nothing above the object


def test_more_samples_keep_the_picture(draw: Draw, scene: Any) -> None:
    camera = look_at(scenes.points_of(scene))
    coarse, fine = draw(scene, camera, size=64), draw(scene, camera, size=64, samples=16)
    assert fine.shape == coarse.shape
    assert np.abs(fine.astype(int) - coarse).mean() < 2.0


@pytest.mark.parametrize("samples", [0, 1, 5])
def test_other_sample_counts_are_refused(samples: int, scene: Any) -> None:
    with pytest.raises(RenderError, match=r"choose 4, 16"):
        rendering.render(scene, look_at(scenes.points_of(scene)), samples=samples)


def test_nothing_to_draw_is_a_sentence() -> None:
    camera = look_at(np.eye(3))
    for parts in ([], [(trimesh.Trimesh(), np.eye(4))]):
        with pytest.raises(RenderError, match=r"nothing to draw"):
            rendering.render(parts, camera, backend="embree")


def test_vertices_and_poses_that_are_not_finite_are_sentences() -> None:
    box, camera = trimesh.creation.box(), look_at(np.eye(3))
    with pytest.raises(RenderError, match=r"pose"):
        rendering.render([(box, np.full((4, 4), np.nan))], camera, backend="embree")
    box.vertices[3, 1] = np.nan
    with pytest.raises(RenderError, match=r"Part 0 has vertices that are not finite"):
        rendering.render([(box, np.eye(4))], camera, backend="embree")


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(RenderError, match=r"auto, egl or embree"):
        rendering.choose_backend("vulkan")


def test_a_machine_without_egl_falls_back_with_the_reason() -> None:
    code = """
import numpy, trimesh
from aa_dataset.render.backend import BackendUnavailableError, choose_backend, render
from aa_dataset.render.camera import look_at
box = trimesh.creation.box()
parts, camera = [(box, numpy.eye(4))], look_at(box.vertices)
assert choose_backend("auto") == "embree"
assert render(parts, camera, size=16).shape == (16, 16, 3)
for ask in (lambda: choose_backend("egl"), lambda: render(parts, camera, backend="egl")):
    try:
        ask()
    except BackendUnavailableError as error:
        assert "libegl1" in str(error)
    else:
        raise SystemExit("egl was accepted")
"""
    # Another platform in the environment must be respected, which makes EGL unavailable.
    environment = {**os.environ, "PYOPENGL_PLATFORM": "osmesa"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_png_bytes_are_lossless_and_bare() -> None:
    picture = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    data = rendering.encode_png(picture)
    image = Image.open(io.BytesIO(data))
    assert (np.asarray(image) == picture).all()
    assert image.info == {}


@pytest.mark.slow
def test_memory_is_flat_over_many_objects(draw: Draw) -> None:
    def draw_one() -> int:
        parts = [(scenes.sphere(0.1 + 0.01 * i), scenes.shift(0, 0.3 * i, 0)) for i in range(2)]
        draw(parts, look_at(scenes.points_of(parts)), size=256)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    warm = [draw_one() for _ in range(5)][-1]
    peak = [draw_one() for _ in range(20)][-1]
    assert peak - warm < 60_000  # kB; twenty objects that stayed would cost about 400 MB


def test_a_wall_drawn_once_per_side_shows_the_color_of_the_side_seen(draw: Draw) -> None:
    box = trimesh.creation.box((0.4, 0.4, 0.4))
    inside = trimesh.Trimesh(box.vertices, box.faces[:, ::-1], process=False)
    parts = [
        (scenes.colored(inside, (0.2, 0.2, 0.8, 1.0)), np.eye(4)),
        (scenes.colored(box, (*RED, 1.0)), np.eye(4)),
    ]
    camera = look_at(scenes.points_of(parts))
    picture = draw(parts, camera, size=128)
    seen = picture[scenes.silhouette(picture)].astype(int)
    assert (seen[:, 0] >= seen[:, 2]).mean() > 0.97  # red, but for the border
