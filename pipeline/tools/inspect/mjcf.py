# SPDX-License-Identifier: Apache-2.0
"""A raw MJCF model as MuJoCo itself compiles it, independent of `normalize`.

MuJoCo reads the files from a folder, meshes included, and places its geoms at `qpos0`. The geom
groups that its viewer shows are drawn; planes and height fields are ground, not object.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import trimesh

from pipeline.tools.inspect.placed import Parts


def mjcf_parts(path: Path) -> Parts:
    """Return every geom that the viewer shows with its pose (4, 4) in the world frame."""
    model = _compile_model(path)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return list(_visible_geoms(model, data))


def _compile_model(path: Path) -> Any:
    """Compile a model; if that fails, try again without its textures, which may be absent."""
    previous = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)  # or it writes a file in the working directory
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return mujoco.MjSpec.from_file(str(path)).compile()
            except ValueError:
                return _without_textures(mujoco.MjSpec.from_file(str(path))).compile()
    finally:
        mujoco.set_mju_user_warning(previous)


def _without_textures(spec: Any) -> Any:
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for texture in list(spec.textures):
        spec.delete(texture)
    return spec


def _visible_geoms(model: Any, data: Any) -> Iterator[tuple[trimesh.Trimesh, np.ndarray]]:
    groups = mujoco.MjvOption().geomgroup
    for k in range(model.ngeom):
        group = min(max(int(model.geom_group[k]), 0), len(groups) - 1)
        color = _geom_color(model, k)
        mesh = _geom_mesh(model, k)
        if mesh is None or not groups[group] or color[3] == 0:
            continue
        mesh.visual = trimesh.visual.ColorVisuals(
            mesh, face_colors=np.tile(np.rint(255 * color).astype(np.uint8), (len(mesh.faces), 1))
        )
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = data.geom_xmat[k].reshape(3, 3), data.geom_xpos[k]
        yield mesh, pose


def _geom_mesh(model: Any, k: int) -> Any:
    """Return the shape of a geom in its own frame, a Trimesh; None for ground."""
    kind, (a, b, c) = mujoco.mjtGeom(model.geom_type[k]), model.geom_size[k]
    make: Any = trimesh.creation
    if kind in (mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_SDF):
        return _file_mesh(model, int(model.geom_dataid[k]))
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return make.box(extents=(2 * a, 2 * b, 2 * c))
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return make.icosphere(radius=a)
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        return make.icosphere().apply_scale((a, b, c))
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return make.cylinder(radius=a, height=2 * b)
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return make.capsule(radius=a, height=2 * b)
    return None


def _file_mesh(model: Any, mesh: int) -> trimesh.Trimesh:
    first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    start, faces = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
    return trimesh.Trimesh(
        np.array(model.mesh_vert[first : first + count], dtype=float),
        np.array(model.mesh_face[start : start + faces]),
        process=False,
    )


def _geom_color(model: Any, k: int) -> np.ndarray:
    """Return the color (4,) of a geom, multiplied with the mean of its picture."""
    material = int(model.geom_matid[k])
    if material < 0:
        return np.array(model.geom_rgba[k], dtype=float)
    color = np.array(model.mat_rgba[material], dtype=float)
    texture = int(model.mat_texid[material, mujoco.mjtTextureRole.mjTEXROLE_RGB])
    if texture >= 0:
        channels = int(model.tex_nchannel[texture])
        size = int(model.tex_height[texture]) * int(model.tex_width[texture]) * channels
        start = int(model.tex_adr[texture])
        pixels = model.tex_data[start : start + size].reshape(-1, channels)
        color[:3] *= pixels[:, :3].mean(axis=0) / 255
    return np.asarray(np.clip(color, 0.0, 1.0))
