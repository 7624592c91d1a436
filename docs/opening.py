# SPDX-License-Identifier: Apache-2.0
"""Draws six objects while a force at one point opens them, in MuJoCo with contacts on.

``MUJOCO_GL=egl PYTHONPATH=. python docs/opening.py library docs/_static/opening.png`` draws objects
of a library, or of a folder with one folder per object. The force has the size of a gripper's and
acts at the point of the link that moves fastest, in the direction of its motion.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from PIL import Image

from aa_dataset import load_dataset
from aa_dataset.adapters import load
from aa_dataset.adapters.mujoco import CAMERA, TIMESTEP
from aa_dataset.format.layout import ObjectLayout
from aa_dataset.kinematics.loads import moved_loads
from aa_dataset.kinematics.urdf_tree import link_bodies, rest_frames, urdf_tree

OPENED = {
    "generated-chest_of_drawers_00003": "body_to_drawer_3",
    "generated-cabinet_00006": "body_to_door_1",
    "generated-lidded_box_00006": "body_to_lid",
    "generated-safe_00010": "body_to_door",
    "generated-window_00000": "frame_to_sash_left",
    "generated-oven_00003": "body_to_door",
}
WIDTH, HEIGHT, COLUMNS, COLORS = 400, 300, 3, 128
SHARE = 0.5  # of the range, where the picture is taken
WEIGHTS, SPEED, MOST_SECONDS = 1.5, 0.4, 8.0  # of the moved weight; m/s of the point; s
ARROW = 0.25  # of the object's diagonal


def main() -> None:
    """Draw the sheet and print where every joint is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("library", type=Path)
    parser.add_argument("picture", type=Path)
    arguments = parser.parse_args()
    rows = math.ceil(len(OPENED) / COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * WIDTH, rows * HEIGHT))
    for number, (object_id, joint) in enumerate(OPENED.items()):
        folder = arguments.library / object_id
        is_folder = ObjectLayout(folder).urdf.is_file()
        item = folder if is_folder else load_dataset(arguments.library, verbose=False)[object_id]
        row, column = divmod(number, COLUMNS)
        sheet.paste(opening(item, joint), (column * WIDTH, row * HEIGHT))
    sheet.quantize(COLORS).save(arguments.picture, optimize=True)


def opening(item: Any, joint: str) -> Image.Image:
    """Open one joint by a force at a point and return the picture."""
    loaded = load("mujoco", item, scene=True)
    model, data, files = loaded.model, loaded.data, loaded.files
    tree = urdf_tree(files.model)
    moved = moved_loads(tree, link_bodies(files.model, rest_frames(files.model)))[joint]
    body, place = fastest_point(model, data, joint, tree.joint(joint).child)
    lower, upper = model.joint(joint).range
    end = upper if abs(upper) >= abs(lower) else lower
    force = WEIGHTS * 9.81 * moved.mass * moved.radius
    for _ in range(round(MOST_SECONDS / TIMESTEP)):
        point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ place
        way = velocity_of(model, data, joint, body, point) * np.sign(end)
        reach = float(np.linalg.norm(way))  # m per unit of the coordinate
        rate = data.joint(joint).qvel[0] * reach * np.sign(end)
        push = way / reach * (force / reach) * (1 - rate / SPEED)
        data.qfrc_applied[:] = 0
        mujoco.mj_applyFT(model, data, push, np.zeros(3), point, body, data.qfrc_applied)
        mujoco.mj_step(model, data)
        if data.joint(joint).qpos[0] / end >= SHARE:
            break
    now = data.joint(joint).qpos[0]
    said = f"{joint} at {100 * now / end:.0f} % after {data.time:.2f} s, {force / reach:.1f} N"
    sys.stdout.write(f"{files.urdf.parent.name}: {said}\n")
    return picture(model, data, point, way / reach)


def fastest_point(model: Any, data: Any, joint: str, link: str) -> tuple[int, np.ndarray]:
    """Return the body of a link and its point, in its frame, that the joint moves most."""
    mujoco.mj_forward(model, data)
    body = model.body(link).id
    ends = []
    for geom in range(
        model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body]
    ):
        mesh = model.geom_dataid[geom]
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        points = model.mesh_vert[first : first + count]
        ends.append(points @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom])
    points = np.concatenate(ends)
    ways = np.array([velocity_of(model, data, joint, body, point) for point in points])
    # Of a slide all points are as fast: take those farthest ahead, for a hinge the fastest ones.
    ahead = (points * ways).sum(axis=1) if np.allclose(ways, ways[0]) else (ways**2).sum(axis=1)
    best = points[ahead >= ahead.max() - 0.02 * np.ptp(ahead)]
    return body, data.xmat[body].reshape(3, 3).T @ (best.mean(axis=0) - data.xpos[body])


def velocity_of(model: Any, data: Any, joint: str, body: int, point: np.ndarray) -> np.ndarray:
    """Return the velocity (3,) of a point of a body at unit rate of a joint."""
    jacobian = np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, jacobian, None, point, body)
    return jacobian[:, model.joint(joint).dofadr[0]]


def picture(model: Any, data: Any, point: np.ndarray, way: np.ndarray) -> Image.Image:
    """Render the visuals with an arrow that ends at a point."""
    with mujoco.Renderer(model, HEIGHT, WIDTH) as renderer:
        renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = 1
        options = mujoco.MjvOption()
        mujoco.mj_forward(model, data)
        renderer.update_scene(data, CAMERA, options)
        arrow = renderer.scene.geoms[renderer.scene.ngeom]
        length = ARROW * model.stat.extent
        kind, red = mujoco.mjtGeom.mjGEOM_ARROW, np.array([0.9, 0.15, 0.1, 1], dtype=np.float32)
        mujoco.mjv_initGeom(arrow, kind, np.zeros(3), np.zeros(3), np.zeros(9), red)
        mujoco.mjv_connector(arrow, kind, 0.06 * length, point, point + length * way)
        renderer.scene.ngeom += 1
        return Image.fromarray(renderer.render())


if __name__ == "__main__":
    main()
