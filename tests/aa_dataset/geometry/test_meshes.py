# SPDX-License-Identifier: Apache-2.0
"""Meshes, scenes and pictures of an object against what trimesh reads from its GLB."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest
import trimesh
from PIL import Image

from aa_dataset.dataset import Dataset
from aa_dataset.errors import MissingExtraError, RenderError
from aa_dataset.format.layout import GLB
from aa_dataset.render import backend as rendering
from aa_dataset.render.camera import look_at
from tests.kit.inputs_library import BARE, CABINET, GLASS, JAR, LAMP, checkers, posed_truth


@pytest.mark.parametrize("object_id", [CABINET, LAMP, JAR])
def test_meshes_are_posed(dataset: Dataset, object_id: str) -> None:
    item = dataset[object_id]
    for state in (None, item.random_configuration(2)):
        meshes = item.meshes(state)
        truth = posed_truth(item.read(GLB), item.tree.placements(state or {}))
        assert meshes.keys() == truth.keys()
        for link, mesh in meshes.items():
            np.testing.assert_allclose(mesh.triangles, truth[link].triangles, atol=1e-7)


def test_faces_have_the_color_of_their_material(dataset: Dataset) -> None:
    meshes = dataset[JAR].meshes()
    expected = [round(255 * value) for value in GLASS.rgba]
    colors = {tuple(color) for mesh in meshes.values() for color in mesh.visual.face_colors}
    assert len(colors) == 1
    assert np.abs(np.subtract(colors.pop(), expected)).max() <= 1


def test_a_scene_has_a_node_per_link_and_its_textures(dataset: Dataset) -> None:
    item = dataset[CABINET]
    state = item.random_configuration(7)
    scene = item.scene(state)
    placements = item.tree.placements(state)
    for link in placements:
        np.testing.assert_allclose(scene.graph.get(link)[0], placements[link], atol=1e-12)
    truth = trimesh.util.concatenate(list(posed_truth(item.read(GLB), placements).values()))
    np.testing.assert_allclose(scene.bounds, truth.bounds, atol=1e-7)
    assert scene.area == pytest.approx(truth.area)
    pictured = [
        mesh
        for mesh in scene.geometry.values()
        if mesh.visual.material.baseColorTexture is not None
    ]
    (sheet,) = pictured
    wanted = np.array(Image.open(io.BytesIO(checkers().data)).convert("RGBA"))
    assert np.array_equal(np.array(sheet.visual.material.baseColorTexture), wanted)
    # trimesh reads the same texture coordinates from the file.
    judge = trimesh.load_scene(io.BytesIO(item.read(GLB)), file_type="glb")
    (other,) = (
        mesh for mesh in judge.geometry.values()
        if mesh.visual.material.baseColorTexture is not None
    )  # fmt: skip
    np.testing.assert_allclose(sheet.visual.uv, other.visual.uv, atol=1e-6)
    clear = [mesh for mesh in scene.geometry.values() if mesh.visual.material.alphaMode == "BLEND"]
    assert len(clear) == 1  # the pane


def test_an_exported_scene_is_read_again(dataset: Dataset) -> None:
    scene = dataset[CABINET].scene()
    again = trimesh.load_scene(io.BytesIO(scene.export(file_type="glb")), file_type="glb")
    np.testing.assert_allclose(again.bounds, scene.bounds, atol=1e-6)
    textures = [mesh.visual.material.baseColorTexture for mesh in again.geometry.values()]
    assert sum(texture is not None for texture in textures) == 1


def working_backend() -> str:
    """Return a backend that draws here."""
    found = [name for name in rendering.BACKENDS if rendering.available(name)]
    if not found:
        pytest.skip("no rendering backend works on this machine")
    return found[-1]


def test_a_picture_is_that_of_the_same_meshes(dataset: Dataset) -> None:
    item, backend = dataset[CABINET], working_backend()
    state = item.random_configuration(7)
    scene = item.scene(state)
    parts = [
        (scene.geometry[scene.graph[node][1]], scene.graph[node][0])
        for node in scene.graph.nodes_geometry
    ]
    points = np.concatenate([trimesh.transform_points(m.vertices, pose) for m, pose in parts])
    camera = look_at(points)
    expected = rendering.render(parts, camera, size=96, backend=backend).astype(int)
    found = item.render(state, size=96, backend=backend).astype(int)
    assert found.shape == (96, 96, 3)
    assert np.mean(np.abs(found - expected)) < 1
    rest = item.render(size=96, camera=camera, backend=backend).astype(int)
    assert np.mean(np.abs(rest - expected)) > 1


def test_an_object_without_geometry(dataset: Dataset) -> None:
    item = dataset[BARE]
    assert item.meshes() == {} and len(item.scene().geometry) == 0
    with pytest.raises(RenderError, match="nothing to draw"):
        item.render(backend=working_backend())


@pytest.mark.parametrize(
    ("module", "call", "extra"),
    [
        ("PIL.Image", lambda item: item.sample_points(8), "mesh"),
        ("PIL.Image", lambda item: item.render(), "render"),
        ("trimesh", lambda item: item.meshes(), "mesh"),
        ("trimesh", lambda item: item.scene(), "mesh"),
    ],
)
def test_a_missing_extra_is_a_sentence_with_the_command(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch, module: str, call: object, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'aa-dataset\[{extra}\]'"):
        call(dataset[CABINET])  # type: ignore[operator]
