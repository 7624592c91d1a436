# SPDX-License-Identifier: Apache-2.0
"""Pictures and textures show the colors of the object, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from scipy.ndimage import map_coordinates

from aa_dataset.dataset import Dataset
from aa_dataset.format.layout import GLB
from aa_dataset.inputs.atlas import CELL, WIDTH, pack
from aa_dataset.inputs.make import Made, Settings, make
from aa_dataset.inputs.states import MOVED, REST
from aa_dataset.render.glb import GlbLook, read_glb
from aa_dataset.render.hits import Triangles
from aa_dataset.render.views import View, shoot, views_around
from tests.kit.inputs_library import CABINET, GLASS, GREEN, JAR, RED, box, doubled, packed, panel

CHECKERS = np.array([[230, 30, 30], [30, 200, 30], [30, 30, 230], [240, 220, 40]])


def triangles_of(*pieces: object) -> Triangles:
    model = read_glb(packed({"base": (np.zeros(3), list(pieces))}))  # type: ignore[arg-type]
    return Triangles(model.surface(), np.tile(np.eye(4), (len(model.pieces), 1, 1)))


def seen_from(side: float, size: int = 64) -> View:
    """Return a camera 2 m before the origin, on the side of +x or -x."""
    pose = np.eye(4)
    pose[:3, :3] = np.array([[0, 0, side], [side, 0, 0], [0, 1, 0]], float)
    pose[0, 3] = 2.0 * side
    return View(pose, size)


def hue(color: np.ndarray) -> np.ndarray:
    """Return colors without their brightness: the light multiplies all three channels alike."""
    color = color.astype(float)
    return color / color.max(axis=-1, keepdims=True)


def test_a_wall_with_two_looks_shows_each_on_its_side() -> None:
    sheet = panel(0.8, 0.8, 1.0)
    for pieces in ([sheet, doubled(sheet, GREEN)], [doubled(sheet, GREEN), sheet]):
        wall = triangles_of(*pieces)
        front, back = (shoot(wall, seen_from(side)).color for side in (1.0, -1.0))
        inner = np.s_[16:48, 16:48]
        assert np.abs(hue(back[inner][..., :3]) - hue(np.array([0.1, 0.6, 0.2]))).max() < 0.03
        near = np.abs(hue(front[..., :3])[..., None, :] - hue(CHECKERS)).max(axis=-1) < 0.05
        assert near.any(axis=(0, 1)).all()  # all four colors of the picture


def test_a_texture_is_where_its_coordinates_put_it() -> None:
    """The picture's lower left corner is at uv (0, 0): the quarters of one unrepeated picture."""
    sheet = panel(0.8, 0.8, 1.0)
    sheet = type(sheet)(sheet.vertices, sheet.faces, sheet.look, sheet.uv + 0.25)  # type: ignore[operator]
    color = shoot(triangles_of(sheet), seen_from(1.0)).color[..., :3]
    quarters = [color[24, 24], color[24, 40], color[40, 24], color[40, 40]]  # rows from above
    assert np.abs(hue(np.array(quarters)) - hue(CHECKERS)).max() < 0.02


def test_glass_covers_by_its_opacity_and_lets_a_color_through() -> None:
    pane = box((0.01, 0.6, 0.6), (0.5, 0.0, 0.0), GLASS)
    alone = shoot(triangles_of(pane), seen_from(1.0))
    opacity = GLASS.rgba[3]
    middle = alone.color[32, 32]
    assert middle[3] == round(255 * (1 - (1 - opacity) ** 2))  # its front and its back
    assert alone.mask[32, 32] and alone.depth[32, 32] == pytest.approx(
        2 - 0.505, abs=1e-7
    )  # float32
    wall = box((0.1, 0.6, 0.6), (-0.2, 0.0, 0.0), RED)
    both = shoot(triangles_of(pane, wall), seen_from(1.0)).color[32, 32].astype(float)
    bare = shoot(triangles_of(wall), seen_from(1.0)).color[32, 32].astype(float)
    expected = middle[:3] * (middle[3] / 255) + bare[:3] * (1 - middle[3] / 255)
    assert both[3] == 255 and np.abs(both[:3] - expected).max() <= 1.5


def test_pictures_have_no_floor_and_no_shadow(made: Made) -> None:
    for state in made.states.values():
        for one in state.pictures:
            empty = one.color[..., 3] == 0
            assert (one.color[empty] == (255, 255, 255, 0)).all()
            assert empty[0].all() and empty[:, 0].all() and empty[-1].all() and empty[:, -1].all()
            # The center of a covered pixel sees the object, but for those at its border.
            assert ((one.depth > 0) & empty).sum() == 0
            assert (one.color[one.depth > 0][:, 3] > 0).all()


def test_a_point_has_one_color_for_every_camera(made: Made) -> None:
    """The green top of the cabinet: the light does not follow the camera."""
    points = made.states[REST].points
    top = np.abs(points[:, 2] - 0.35) < 1e-4
    inner = top & (np.abs(points[:, 0]) < 0.25) & (np.abs(points[:, 1]) < 0.2)
    colors = made.states[REST].colors[inner].astype(int)
    usual = np.median(colors, axis=0)
    assert len(colors) > 300 and np.abs(hue(usual) - hue(np.array(GREEN.rgba[:3]))).max() < 0.02
    # Pixels at the border of the glass above, as each camera sees it, are mixed.
    assert (np.abs(colors - usual).max(axis=1) <= 1).mean() > 0.97


def test_the_atlas_shows_what_the_textures_show(dataset: Dataset) -> None:
    """Trimesh reads the written mesh; at sample points its texture has the color of the look."""
    made = make(dataset[CABINET], CABINET, Settings(views=1, size=16))
    model = read_glb(dataset[CABINET].read(GLB))
    mesh = made.states[MOVED].mesh
    weights = np.array([0.2, 0.3, 0.5])
    shown = (weights @ mesh.uv.astype(float)[mesh.faces]) * made.atlas.picture.shape[1::-1]
    column, row = shown[:, 0] - 0.5, made.atlas.picture.shape[0] - shown[:, 1] - 0.5
    got = np.stack(
        [map_coordinates(made.atlas.picture[..., k], [row, column], order=0) for k in range(4)], 1
    )
    plain = [k for k, piece in enumerate(model.pieces) if model.looks[piece.look].image is None]
    for k in plain:
        rows = mesh.pieces == k
        expected = np.rint(255 * np.array(model.looks[model.pieces[k].look].rgba))
        assert rows.any() and (got[rows] == expected).all()
    textured = got[~np.isin(mesh.pieces, plain)]
    assert all((color == CHECKERS).all(axis=1).any() for color in textured[:, :3])


@pytest.mark.parametrize("repeats", [1.0, 2.5, 400.0, 5000.0])
def test_a_texture_that_repeats_stays_in_bounds(repeats: float) -> None:
    image = np.random.default_rng(1).integers(0, 255, (64, 64, 4), np.uint8)
    uv = np.array([[[0.0, 0], [repeats, 0], [repeats, repeats]]])
    atlas = pack([GlbLook((1.0, 1.0, 1.0, 1.0), image)], np.zeros(1, np.int64), uv)
    assert max(atlas.picture.shape) <= WIDTH and 0 <= atlas.uv.min() <= atlas.uv.max() <= 1
    if repeats > CELL:  # less than a pixel each: the mean color
        assert np.ptp(atlas.picture[..., :3].reshape(-1, 3), axis=0).max() == 0


def test_many_textures_shrink_until_they_fit() -> None:
    colors = [np.array([k, k, k, 255], np.uint8) for k in range(20)]
    looks = [GlbLook((1.0, 1.0, 1.0, 1.0), np.tile(color, (1024, 1024, 1))) for color in colors]
    uv = np.tile(np.array([[[0.1, 0.1], [0.9, 0.1], [0.9, 0.9]]]), (20, 1, 1))
    atlas = pack(looks, np.arange(20), uv)
    assert max(atlas.picture.shape) <= WIDTH
    place = (atlas.uv.mean(axis=1) * atlas.picture.shape[1::-1]).astype(int)
    seen = atlas.picture[atlas.picture.shape[0] - 1 - place[:, 1], place[:, 0], 0]
    assert seen.tolist() == list(range(20))


def test_an_object_of_glass_alone_is_seen(dataset: Dataset) -> None:
    made = make(dataset[JAR], JAR, Settings(views=2, size=64))
    assert made.translucent
    assert all((one.depth > 0).sum() > 200 for one in made.states[REST].pictures)


def test_every_camera_sees_the_whole_sphere() -> None:
    center = np.array([0.3, -0.2, 0.1])
    sphere = trimesh.creation.icosphere(subdivisions=4, radius=0.7).vertices + center
    views = views_around(center, 0.7, 30, 128)
    for view in views:
        place, depth = view.project(np.asarray(sphere))
        assert place.min() > 0 and place.max() < 128 and depth.min() > 0
        assert place.max() > 120  # and fills the picture
    directions = np.array(
        [(view.eye - center) / np.linalg.norm(view.eye - center) for view in views]
    )
    gaps = 1 - (directions @ directions.T - 2 * np.eye(30)).max(axis=1)
    assert gaps.min() > 0.01  # no two cameras in one place


def test_a_texture_that_is_no_picture_is_a_sentence() -> None:
    from aa_dataset.errors import RenderError

    sheet = packed({"base": (np.zeros(3), [panel(1, 1, 1.0)])})
    start = sheet.index(b"\x89PNG")
    with pytest.raises(RenderError, match=r"a texture cannot be decoded"):
        read_glb(sheet[: start + 20] + b"\xff" * 12 + sheet[start + 32 :])
