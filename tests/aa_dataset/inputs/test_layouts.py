# SPDX-License-Identifier: Apache-2.0
"""Each layout gives back the object's surface when it is read as the method's loader reads it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

from aa_dataset.cli.inputs import NAMES
from aa_dataset.dataset import Dataset
from aa_dataset.inputs.layouts import LAYOUTS
from aa_dataset.inputs.make import Settings, make
from aa_dataset.inputs.states import MOVED, REST
from tests.aa_dataset.inputs.test_geometry import truth
from tests.kit.inputs_library import CABINET

Run = Callable[..., int]
Cloud = tuple[int, np.ndarray]
STEP = 7  # every seventh pixel is enough


def pixels(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path))


def lifted(depth: np.ndarray, camera: np.ndarray, opencv: np.ndarray) -> np.ndarray:
    """Return the points of a depth picture: pinhole camera, y down and z forward."""
    row, column = np.nonzero(depth)
    z = depth[row, column]
    local = np.stack([column + 0.5, row + 0.5, np.ones(len(z))]) * z
    return (opencv[:3, :3] @ np.linalg.inv(camera) @ local + opencv[:3, 3:]).T


def flipped(pose: np.ndarray) -> np.ndarray:
    """Turn an OpenGL pose into an OpenCV one, as ArtGS does."""
    pose = np.array(pose, dtype=float)
    pose[:3, 1:3] *= -1
    return pose


def read_plain(folder: Path) -> Iterator[Cloud]:
    for number, state in enumerate((REST, MOVED)):
        told = json.loads((folder / state / "transforms.json").read_text())
        camera = np.array([[told["fl_x"], 0, told["cx"]], [0, told["fl_y"], told["cy"]], [0, 0, 1]])
        assert told["fl_x"] == pytest.approx(told["w"] / 2 / np.tan(told["camera_angle_x"] / 2))
        for frame in told["frames"]:
            depth = pixels(folder / state / frame["depth_path"]) * told["integer_depth_scale"]
            mask = pixels(folder / state / frame["mask_path"])
            assert ((mask == 255) == (depth > 0)).all() and set(np.unique(mask)) <= {0, 255}
            pose = flipped(frame["transform_matrix"])
            assert np.array_equal(pose, np.array(frame["opencv_camera_to_object"]))
            yield number, lifted(depth, camera, pose)


def read_ditto(folder: Path) -> Iterator[Cloud]:
    poses = np.array(json.loads((folder / "camera2base.json").read_text())["camera2base"])
    camera = np.loadtxt(folder / "cam_K.txt")
    for number in (0, 1):
        for k, pose in enumerate(poses):
            depth = pixels(folder / f"imgs_{number + 1}" / f"{k}_depth.png") * 0.001
            yield number, lifted(depth, camera, pose)
    clouds = np.load(folder / f"{CABINET}.npz")
    yield 0, clouds["pc_start"].astype(float)
    yield 1, clouds["pc_end"].astype(float)


def read_dta(folder: Path) -> Iterator[Cloud]:
    camera = np.loadtxt(folder / "cam_K.txt").reshape(3, 3)
    keys: dict[str, dict[str, str]] = {}
    for line in (folder / "init_keyframes.yml").read_text().splitlines():
        if line.startswith("frame_"):
            last = keys.setdefault(line.rstrip(":"), {})
        else:
            name, value = line.strip().split(": ")
            last[name] = value
    for key, told in keys.items():
        file = f"{key.removeprefix('frame_')}.png"
        pose = flipped(np.reshape(json.loads(told["cam_in_ob"]), (4, 4)))
        assert pixels(folder / "color_segmented" / file).shape == (96, 96, 3)
        assert pixels(folder / "mask" / file).max() == 255
        depth = pixels(folder / "depth_filtered" / file) / 1e3
        yield int(told["time"]), lifted(depth, camera, pose)


def read_artgs(folder: Path) -> Iterator[Cloud]:
    for number, side in enumerate(("start", "end")):
        told = json.loads((folder / f"transforms_train_{side}.json").read_text())
        focal = 48 / np.tan(told["camera_angle_x"] / 2)
        camera = np.array([[focal, 0, 48], [0, focal, 48], [0, 0, 1]])
        for frame in told["frames"]:
            assert frame["time"] == number
            path = folder / frame["file_path"]
            assert pixels(path).shape == (96, 96, 4) and int(path.stem) >= 0
            depth = pixels(Path(str(path).replace("rgba", "depth"))) / 1e3
            yield number, lifted(depth, camera, flipped(frame["transform_matrix"]))


READERS = {"plain": read_plain, "ditto": read_ditto, "dta": read_dta, "artgs": read_artgs}


@pytest.mark.parametrize("layout", READERS)
def test_depth_read_as_the_loader_reads_it_lies_on_the_object(
    run: Run, tmp_path: Path, dataset: Dataset, layout: str
) -> None:
    assert run(tmp_path / "out", "--layout", layout, "--truth") == 0
    folder = tmp_path / "out" / CABINET
    frame = json.loads((folder / "inputs.json").read_text())["frame"]
    told = json.loads((tmp_path / "out" / "truth" / f"{CABINET}.json").read_text())
    meshes = [truth(dataset, CABINET, values) for values in ({}, told["joints"])]
    seen = [0, 0]
    for number, given in READERS[layout](folder):
        points = given[::STEP] * frame["scale"] + np.array(frame["center"])
        away = trimesh.proximity.closest_point_naive(meshes[number], points)[1]
        # Thousandths of a unit in three layouts; the library's own scale is finer.
        assert away.max() < (1e-4 * 3 if layout == "plain" else 6e-4 * frame["scale"])
        seen[number] += len(points)
    assert min(seen) > 300


def test_paris_reads_its_pictures_and_cameras(run: Run, tmp_path: Path, dataset: Dataset) -> None:
    """Its rays: pixel centers, y up, -z forward; the mask is where opacity is above 0."""
    assert run(tmp_path / "out", "--layout", "paris") == 0
    folder = tmp_path / "out" / CABINET
    frame = json.loads((folder / "inputs.json").read_text())["frame"]
    mesh = truth(dataset, CABINET, {})
    mesh.apply_translation(-np.array(frame["center"]))
    mesh.apply_scale(1 / frame["scale"])
    assert np.linalg.norm(mesh.vertices, axis=1).max() <= 1 + 1e-9
    cameras = json.loads((folder / "start" / "camera_train.json").read_text())
    focal = cameras.pop("K")[0][0]
    assert list(cameras) == [f"{k:04d}" for k in range(5)]
    row, column = np.mgrid[:96, :96] + 0.5
    local = np.stack([(column - 48) / focal, -(row - 48) / focal, -np.ones((96, 96))], axis=-1)
    for name, pose in cameras.items():
        image = pixels(folder / "start" / "train" / f"{name}.png")
        c2w = np.array(pose)
        rays = (local @ c2w[:3, :3].T).reshape(-1, 3)
        hit = mesh.ray.intersects_any(np.broadcast_to(c2w[:3, 3], rays.shape), rays)
        assert (hit.reshape(96, 96) != (image[..., 3] > 0)).mean() < 0.03  # half-covered borders
    for split in ("val", "test"):
        assert set(json.loads((folder / "end" / f"camera_{split}.json").read_text())) == {
            "K", "0000",
        }  # fmt: skip
        assert (folder / "end" / split / "0000.png").is_file()


@pytest.mark.parametrize("layout", ["particulate", "artllm", "anymesh"])
def test_mesh_layouts_have_the_mesh_at_rest(
    run: Run, tmp_path: Path, dataset: Dataset, layout: str
) -> None:
    assert run(tmp_path / "out", "--layout", layout) == 0
    folder = tmp_path / "out" / CABINET
    mesh = trimesh.load_mesh(folder / "mesh.obj", process=False)
    assert np.abs(mesh.bounds - truth(dataset, CABINET, {}).bounds).max() < 1e-6
    # Particulate joins the meshes of a GLB without their nodes; y is up there.
    glb = trimesh.load(folder / "mesh.glb", process=False)
    bare = trimesh.util.concatenate(list(glb.geometry.values()))
    assert np.abs(bare.vertices[:, [2, 0, 1]] - mesh.vertices).max() < 1e-6
    assert json.loads((folder / "inputs.json").read_text())["states"]["rest"]["mesh"] == "mesh.obj"
    assert not list(folder.rglob("*moved*"))


@pytest.mark.parametrize("layout", ["urdformer", "spark"])
def test_picture_layouts_have_one_picture_on_white(
    run: Run, tmp_path: Path, dataset: Dataset, layout: str
) -> None:
    assert run(tmp_path / "out", "--layout", layout) == 0
    folder = tmp_path / "out" / CABINET
    picture = pixels(folder / "images" / f"{CABINET}.png")
    made = make(dataset[CABINET], CABINET, Settings(layout, views=1, size=96))
    color = made.states[REST].pictures[0].color / 255
    expected = color[..., :3] * color[..., 3:] + 1 - color[..., 3:]
    assert np.abs(picture / 255 - expected).max() < 0.51 / 255
    assert sorted(path.name for path in folder.iterdir()) == ["images", "inputs.json"]


def test_articulate_anything_gets_a_sentence_and_two_pictures(run: Run, tmp_path: Path) -> None:
    assert run(tmp_path / "out", "--layout", "articulate-anything") == 0
    folder = tmp_path / "out" / CABINET
    assert (folder / "prompt.txt").read_text() == "A cabinet made for tests.\n"
    rest, moved = (pixels(folder / f"{state}.png").astype(int) for state in (REST, MOVED))
    assert (np.abs(rest - moved).max(axis=2) > 8).mean() > 0.01


def test_the_command_knows_the_layouts() -> None:
    assert tuple(LAYOUTS) == NAMES


def test_an_npz_has_no_clock() -> None:
    """`np.savez` writes 1980 as the time of every member."""
    import zipfile

    stream = io.BytesIO()
    np.savez(stream, a=np.zeros(1))
    assert zipfile.ZipFile(stream).infolist()[0].date_time == (1980, 1, 1, 0, 0, 0)
