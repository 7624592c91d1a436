# SPDX-License-Identifier: Apache-2.0
"""The files of one object in the folders and formats that methods read; docs/inputs.md lists them.

A layout is a function from the inputs in memory to names and bytes. `plain` has everything. The
others have what one family of methods reads, as their loaders read it.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.inputs.make import DEEPEST, Made, Picture, State
from aa_dataset.inputs.mesh_files import TEXTURE, material_file, write_glb, write_obj, write_ply
from aa_dataset.inputs.states import MOVED, REST
from aa_dataset.render.backend import encode_png
from aa_dataset.render.views import FOCAL

Array = NDArray[np.float64]
Files = Iterator[tuple[str, bytes]]

DESCRIPTION = "description.txt"
MILLI = 1e-3  # the unit of depth pictures of other projects
TIMES = {REST: 0, MOVED: 1}
SIDES = {REST: "start", MOVED: "end"}


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Where the files of a layout put the object: ``given = (meters - center) / scale``."""

    center: Array
    scale: float

    def pose(self, pose: Array) -> Array:
        """Return a camera's pose (4, 4) in this frame."""
        moved = pose.copy()
        moved[:3, 3] = (pose[:3, 3] - self.center) / self.scale
        return moved

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers for JSON."""
        return {"center": self.center.tolist(), "scale": self.scale}


def object_frame(_: Made) -> Frame:
    """Return the frame of the library: meters around the object's own origin."""
    return Frame(np.zeros(3), 1.0)


def unit_sphere(made: Made) -> Frame:
    """Return the frame in which the sphere around both states has radius 1."""
    return Frame(made.center, made.radius)


@dataclass(frozen=True, slots=True)
class Layout:
    """The files that a family of methods reads.

    Attributes
    ----------
    files : function of `Made`
        Yields name and bytes of every file; `inputs.json` is written beside them.
    frame : function of `Made`
        The frame of meshes, poses and clouds.
    """

    files: Callable[[Made], Files]
    frame: Callable[[Made], Frame] = object_frame


def mesh_name(made: Made, state: str) -> str | None:
    """Return the file of a state's mesh in the object's folder, None if its layout has none."""
    if made.settings.layout == "plain":
        return f"{state}/mesh.obj"
    return "mesh.obj" if _has_mesh(made.settings.layout) and state == REST else None


def _has_mesh(layout: str) -> bool:
    return LAYOUTS[layout].files is _mesh


def _plain(made: Made) -> Files:
    yield from _description(made)
    for name, state in made.states.items():
        yield from _mesh_files(made, state, f"{name}/")
        yield f"{name}/cloud.ply", write_ply(state.points, state.colors)
        yield f"{name}/transforms.json", _json(_transforms(made, state))
        for k, one in enumerate(state.pictures):
            yield f"{name}/rgb/{k:03d}.png", encode_png(one.color)
            yield f"{name}/mask/{k:03d}.png", _mask_png(one)
            yield f"{name}/depth/{k:03d}.png", encode_png(one.depth)


def _mesh(made: Made) -> Files:
    """Particulate, ArtLLM, Articulate AnyMesh: the mesh at rest, and what its cameras see."""
    rest = made.states[REST]
    yield from _description(made)
    yield from _mesh_files(made, rest, "")
    yield "cloud.ply", write_ply(rest.points, rest.colors)


def _image(made: Made) -> Files:
    """URDFormer, SPARK: one picture on white, from the camera of the library's previews."""
    yield f"images/{made.name}.png", encode_png(_on_white(made.states[REST].pictures[0]))


def _articulate_anything(made: Made) -> Files:
    """Articulate-Anything: a sentence, and one picture per state."""
    if made.description:
        yield "prompt.txt", f"{made.description}\n".encode()
    for name, state in made.states.items():
        yield f"{name}.png", encode_png(_on_white(state.pictures[0]))


def _ditto(made: Made) -> Files:
    """Ditto: both clouds as arrays, and depth with poses as its notebook reads them."""
    clouds = {f"pc_{SIDES[name]}": state.points for name, state in made.states.items()}
    stream = io.BytesIO()
    np.savez(stream, **clouds)  # type: ignore[arg-type]
    yield f"{made.name}.npz", stream.getvalue()
    for number, state in enumerate(made.states.values(), start=1):
        for k, one in enumerate(state.pictures):
            yield f"imgs_{number}/{k}_depth.png", _milli_png(made, one, 1.0)
    views = [one.view for one in made.states[REST].pictures]
    yield (
        "camera2base.json",
        _json({"camera2base": [view.opencv.tolist() for view in views]}),
    )
    yield "cam_K.txt", _matrix(views[0].intrinsics)


def _paris(made: Made) -> Files:
    """PARIS: `start` and `end`, each with pictures and one file of cameras per split."""
    frame = unit_sphere(made)
    for name, state in made.states.items():
        # The trainer opens all three splits; two of them have the first view alone.
        for split, count in (("train", len(state.pictures)), ("val", 1), ("test", 1)):
            cameras: dict[str, Any] = {"K": state.pictures[0].view.intrinsics.tolist()}
            for k, one in enumerate(state.pictures[:count]):
                cameras[f"{k:04d}"] = frame.pose(one.view.pose).tolist()
                yield f"{SIDES[name]}/{split}/{k:04d}.png", encode_png(one.color)
            yield f"{SIDES[name]}/camera_{split}.json", _json(cameras)


def _dta(made: Made) -> Files:
    """DigitalTwinArt: the frames of both states in one list, with depth and mask."""
    frame, lines = unit_sphere(made), []
    numbered = [(state, one) for state in made.states.values() for one in state.pictures]
    for k, (state, one) in enumerate(numbered):
        yield f"color_segmented/{k:04d}.png", encode_png(one.color[..., :3])
        yield f"depth_filtered/{k:04d}.png", _milli_png(made, one, frame.scale)
        yield f"mask/{k:04d}.png", _mask_png(one)
        pose = json.dumps(frame.pose(one.view.pose).ravel().tolist())
        lines += [f"frame_{k:04d}:", f"  cam_in_ob: {pose}", f"  time: {TIMES[state.name]}"]
    yield "init_keyframes.yml", "\n".join([*lines, ""]).encode()
    yield "cam_K.txt", _matrix(numbered[0][1].view.intrinsics)


def _artgs(made: Made) -> Files:
    """ArtGS: `transforms_train_<state>.json` of nerf form, pictures in `rgba`, then depth."""
    frame = unit_sphere(made)
    for name, state in made.states.items():
        side = SIDES[name]
        frames = [
            {
                "file_path": f"{side}/rgba/{k:04d}.png",
                "time": TIMES[name],
                "transform_matrix": frame.pose(one.view.pose).tolist(),
            }
            for k, one in enumerate(state.pictures)
        ]
        angles = {"camera_angle_x": _angle(), "camera_angle_y": _angle()}
        yield f"transforms_train_{side}.json", _json({**angles, "frames": frames})
        for k, one in enumerate(state.pictures):
            yield f"{side}/rgba/{k:04d}.png", encode_png(one.color)
            yield f"{side}/depth/{k:04d}.png", _milli_png(made, one, frame.scale)


LAYOUTS = {
    "plain": Layout(_plain),
    "ditto": Layout(_ditto),
    "paris": Layout(_paris, unit_sphere),
    "dta": Layout(_dta, unit_sphere),
    "artgs": Layout(_artgs, unit_sphere),
    "particulate": Layout(_mesh),
    "artllm": Layout(_mesh),
    "anymesh": Layout(_mesh),
    "urdformer": Layout(_image),
    "spark": Layout(_image),
    "articulate-anything": Layout(_articulate_anything),
}


def _description(made: Made) -> Files:
    if made.description:
        yield DESCRIPTION, f"{made.description}\n".encode()


def _mesh_files(made: Made, state: State, folder: str) -> Files:
    texture = encode_png(made.atlas.picture)
    yield f"{folder}mesh.glb", write_glb(state.mesh, texture, translucent=made.translucent)
    yield f"{folder}mesh.obj", write_obj(state.mesh)
    yield f"{folder}mesh.mtl", material_file()
    yield f"{folder}{TEXTURE}", texture


def _transforms(made: Made, state: State) -> dict[str, Any]:
    """Return cameras as instant-ngp and nerfstudio read them, with the OpenCV form beside."""
    size, camera = made.settings.size, state.pictures[0].view.intrinsics
    return {
        "camera_model": "PINHOLE",
        "camera_angle_x": _angle(),
        "camera_angle_y": _angle(),
        "fl_x": camera[0, 0],
        "fl_y": camera[1, 1],
        "cx": camera[0, 2],
        "cy": camera[1, 2],
        "w": size,
        "h": size,
        "integer_depth_scale": made.depth_scale,
        "frames": [
            {
                "file_path": f"rgb/{k:03d}.png",
                "mask_path": f"mask/{k:03d}.png",
                "depth_path": f"depth/{k:03d}.png",
                "depth_file_path": f"depth/{k:03d}.png",
                "time": TIMES[state.name],
                "transform_matrix": one.view.pose.tolist(),
                "opencv_camera_to_object": one.view.opencv.tolist(),
            }
            for k, one in enumerate(state.pictures)
        ],
    }


def _angle() -> float:
    """Return the angle of view, to digits that every machine has."""
    return round(2 * math.atan(0.5 / FOCAL), 12)


def _on_white(one: Picture) -> NDArray[np.uint8]:
    """Return a picture (n, n, 3) on a white ground."""
    cover = one.color[..., 3:].astype(np.uint32)
    mixed = one.color[..., :3] * cover + 255 * (255 - cover)
    return np.asarray((mixed + 127) // 255, np.uint8)


def _mask_png(one: Picture) -> bytes:
    return encode_png(np.where(one.depth > 0, 255, 0).astype(np.uint8))


def _milli_png(made: Made, one: Picture, scale: float) -> bytes:
    """Return depth in thousandths of a layout's unit of `scale` meters; 0 where it is too far."""
    units = np.rint(one.depth * (made.depth_scale / (scale * MILLI)))
    return encode_png(np.where(units > DEEPEST, 0, units).astype(np.uint16))


def _matrix(values: Array) -> bytes:
    return "".join(" ".join(map(repr, row)) + "\n" for row in values.tolist()).encode()


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, allow_nan=False) + "\n").encode()
