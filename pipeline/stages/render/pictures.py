# SPDX-License-Identifier: Apache-2.0
"""The pictures of one object, all drawn from one upload of its meshes by one camera."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from PIL import Image

from aa_dataset.assets.pictures import with_checksum
from aa_dataset.draw.joint_colors import link_colors
from aa_dataset.draw.palette import light_rgb
from aa_dataset.format.layout import PREVIEW, PREVIEW_OPEN, PREVIEW_PARTS, STRIP
from aa_dataset.kinematics import KinematicTree
from aa_dataset.render.backend import Picture, Scene, encode_png, open_scene
from aa_dataset.render.camera import Camera, bounding_sphere, look_at
from aa_dataset.render.glb import Model, read_glb
from aa_dataset.render.surface import Surface
from pipeline.engine.settings import Render
from pipeline.stages.render.states import State, open_state, strip_states

FRAMED = 12  # states on the way of the joints that the camera has in view, beside both ends
LONGEST = 8.0  # radii of the object that a slide is shown to go
FRAME_MS = 90
QUALITY, EFFORT = 75, 2  # of WebP; more effort takes longer and saves little

Array = np.ndarray


def draw_pictures(
    glb: bytes, tree: KinematicTree, settings: Render, *, backend: str
) -> dict[str, bytes]:
    """Return the files of an object's pictures by name.

    Raises
    ------
    RenderError
        If the object cannot be drawn.
    """
    model = read_glb(glb)
    (still,) = link_poses(tree, [{}])
    longest = LONGEST * bounding_sphere(_points(model, tree.links, [still]))[1]
    strip = strip_states(tree, settings.strip_frames, longest=longest)
    rest, opened, *frames = link_poses(tree, [{}, open_state(tree, longest=longest), *strip])
    between = link_poses(tree, strip_states(tree, FRAMED, longest=longest))
    surface = by_link(model, tree.links)
    camera = look_at(_points(model, tree.links, [rest, opened, *between]))
    with open_scene(surface, backend=backend) as scene:
        views = {PREVIEW: (rest, None), PREVIEW_PARTS: (rest, _paints(tree)),
                 PREVIEW_OPEN: (opened, None)}  # fmt: skip
        made = {
            name: encode_png(
                scene.draw(poses, camera, size=settings.size, paints=paints), quickly=True
            )
            for name, (poses, paints) in views.items()
        }
        if frames:
            made[STRIP] = encode_strip(_frames(scene, frames, camera, settings.strip_size))
    return made


def encode_strip(frames: Sequence[Picture]) -> bytes:
    """Return pictures (n, n, 3) as an animation without end, WebP with a checksum."""
    first, *others = map(Image.fromarray, frames)
    stream = io.BytesIO()
    options = {"duration": FRAME_MS, "loop": 0, "quality": QUALITY, "method": EFFORT}
    options |= {"kmin": 0, "kmax": 1}  # whole frames: a difference leaves traces of those before
    first.save(stream, "WEBP", save_all=True, append_images=others, **options)
    return with_checksum(stream.getvalue())


def by_link(model: Model, links: Sequence[str]) -> Surface:
    """Return the triangles at rest; `part` is the number of the link."""
    number = {link: row for row, link in enumerate(links)}
    surface = model.surface()
    owner = np.array([number[piece.link] for piece in model.pieces])
    return replace(surface, part=owner[surface.part])


def link_poses(tree: KinematicTree, states: Sequence[State]) -> Array:
    """Return the displacement of every link from rest in n states (n, links, 4, 4)."""
    names = sorted({name for state in states for name in state})
    values = {name: np.array([state.get(name, 0.0) for state in states]) for name in names}
    placed = tree.placements(values)
    shape = (len(states), 4, 4)
    return np.stack([np.broadcast_to(placed[link], shape) for link in tree.links], axis=1)


def _points(model: Model, links: Sequence[str], states: Sequence[Array]) -> Array:
    """Return the vertices (n, 3) of all links in all states, each place of a link once."""
    number = {link: row for row, link in enumerate(links)}
    found = []
    for piece in model.pieces:
        places = {one[number[piece.link]].tobytes(): one[number[piece.link]] for one in states}
        found += [piece.points @ pose[:3, :3].T + pose[:3, 3] for pose in places.values()]
    return np.concatenate(found or [np.zeros((0, 3))])


def _paints(tree: KinematicTree) -> Array:
    """Return the color (n, 3) of every link, that of the joint which moves it."""
    colors = link_colors(tree)
    return np.array([light_rgb(colors[link]) for link in tree.links])


def _frames(scene: Scene, states: Iterable[Array], camera: Camera, size: int) -> list[Picture]:
    """Draw every state once, also where it returns."""
    known: dict[bytes, Picture] = {}
    frames = []
    for poses in states:
        key = poses.tobytes()
        if key not in known:
            known[key] = scene.draw(poses, camera, size=size)
        frames.append(known[key])
    return frames
