# SPDX-License-Identifier: Apache-2.0
"""Makes the inputs of one object in memory: two states, each as mesh, views and cloud."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArenaError
from aa_dataset.format.layout import GLB
from aa_dataset.inputs.atlas import Atlas
from aa_dataset.inputs.meshes import Extent, MergedMesh, atlas_of, merge
from aa_dataset.inputs.seeds import order
from aa_dataset.inputs.states import MOVED, REST, second_state
from aa_dataset.objects import ArticulatedObject
from aa_dataset.portable import length
from aa_dataset.render.glb import Model, read_glb
from aa_dataset.render.hits import Triangles, piece_poses
from aa_dataset.render.views import Shot, View, shoot, views_around

Array = NDArray[np.float64]

DEEPEST = 2**16 - 1  # of a depth picture
MOST_VIEWS, MOST_SIZE = 1_000, 4_096


class InputsError(ArenaError):
    """Inputs cannot be made or written as asked."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the files of an object depend on, besides the object.

    Attributes
    ----------
    layout : str
        One of `aa_dataset.inputs.layouts.LAYOUTS`.
    views, size : int
        Cameras per state; width and height of a picture in pixels.
    points : int
        Points of a cloud at most.
    seed : int
        Of the second state, of the order of triangles and points, and of neutral names.
    blind : bool
        Whether objects have neutral names and no description.
    truth : bool
        Whether joint values and parts are written, apart.
    """

    layout: str = "plain"
    views: int = 12
    size: int = 512
    points: int = 100_000
    seed: int = 0
    blind: bool = False
    truth: bool = False

    def __post_init__(self) -> None:
        for name, least, most in (
            ("views", 1, MOST_VIEWS),
            ("size", 16, MOST_SIZE),
            ("points", 1, 10**8),
            ("seed", 0, 2**63),
        ):
            value = getattr(self, name)
            if not least <= value <= most:
                raise InputsError(f"{name} is {value}; it must be from {least:,} to {most:,}.")

    def as_dict(self) -> dict[str, Any]:
        """Return the settings for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """One view as it is written.

    Attributes
    ----------
    view : View
    color : (n, n, 4) uint8
        Display color and coverage, not multiplied; white where nothing is.
    depth : (n, n) uint16
        Times `Made.depth_scale` the distance along the view direction [m]; 0 where nothing is.
    """

    view: View
    color: NDArray[np.uint8]
    depth: NDArray[np.uint16]


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """One state of an object.

    Attributes
    ----------
    name : str
    mesh : MergedMesh
    extent : Extent
    pictures : tuple of Picture
    points, colors : (k, 3) float32 [m], (k, 3) uint8
        What the pictures see, object frame, in a seeded order.
    """

    name: str
    mesh: MergedMesh
    extent: Extent
    pictures: tuple[Picture, ...]
    points: NDArray[np.float32]
    colors: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """All inputs of one object.

    Attributes
    ----------
    name : str
        The object's id, or a neutral name.
    front : str or None
        `x` if the source defines a front.
    center, radius : (3,) float [m], float [m]
        The sphere that every camera sees whole: both states are in it.
    depth_scale : float
        Meters per unit of a depth picture.
    coordinates : mapping
        Every joint in the second state [rad or m]: truth.
    links : tuple of str
        The link of every piece: truth.
    """

    name: str
    description: str
    front: str | None
    revision: str
    settings: Settings
    atlas: Atlas
    translucent: bool
    center: Array
    radius: float
    depth_scale: float
    states: Mapping[str, State]
    coordinates: Mapping[str, float]
    links: tuple[str, ...]


def make(item: ArticulatedObject, name: str, settings: Settings) -> Made:
    """Make the inputs of one object.

    Raises
    ------
    RenderError
        If the object has no triangle, or its GLB is not usable.
    """
    model, tree = read_glb(item.read(GLB)), item.tree
    surface = model.surface()
    moved = second_state(tree, item.object_id, settings.seed)
    links = tuple(piece.link for piece in model.pieces)
    poses = {
        state: piece_poses(links, tree.placements(values))
        for state, values in ((REST, {}), (MOVED, moved))
    }
    triangles = {state: Triangles(surface, pose) for state, pose in poses.items()}
    center, radius = _sphere([one.corners for one in triangles.values()])
    views = views_around(center, radius, settings.views, settings.size)
    scale = _depth_scale(views[0], center, radius)
    atlas = atlas_of(model)
    studio = _Studio(item.object_id, settings, model, atlas, views, scale)
    return Made(
        name,
        "" if settings.blind else item.description,
        "x" if item.fact("front") else None,
        item.revision,
        settings,
        atlas,
        bool((atlas.picture[..., 3] < 255)[_covered(atlas)].any()),
        center,
        radius,
        scale,
        {state: studio.state(state, poses[state], triangles[state]) for state in poses},
        {name: float(value) for name, value in tree.coordinates(moved).items()},
        links,
    )


def _covered(atlas: Atlas) -> NDArray[np.bool_]:
    """Return the pixels (h, w) of cells; what lies between them is empty."""
    return np.asarray(atlas.picture.any(axis=2))


def _sphere(corners: list[Array]) -> tuple[Array, float]:
    """Return center and radius of a sphere around triangles (f, 3, 3) of all states [m]."""
    points = np.concatenate([one.reshape(-1, 3) for one in corners])
    center = (points.min(axis=0) + points.max(axis=0)) / 2
    return center, float(length(points - center).max()) or 1.0


def _depth_scale(view: View, center: Array, radius: float) -> float:
    """Return meters per unit of a depth picture: the least power of two that reaches far enough."""
    farthest = float(length(view.eye - center)) + radius
    mantissa, power = math.frexp(farthest / DEEPEST)
    return math.ldexp(1.0, power - (mantissa == 0.5))


@dataclass(frozen=True, slots=True, eq=False)
class _Studio:
    """What both states of an object share."""

    object_id: str
    settings: Settings
    model: Model
    atlas: Atlas
    views: tuple[View, ...]
    depth_scale: float

    def state(self, name: str, poses: Array, triangles: Triangles) -> State:
        """Make one state."""
        seed, words = self.settings.seed, (self.object_id, name)
        mesh = merge(self.model, poses, self.atlas, seed=seed, words=("faces", *words))
        pictures = tuple(self._picture(view, shoot(triangles, view)) for view in self.views)
        points, colors = fused(pictures, self.depth_scale)
        kept = order(len(points), seed, "points", *words)[: self.settings.points]
        extent = Extent.of(mesh.points)
        return State(name, mesh, extent, pictures, points[kept].astype(np.float32), colors[kept])

    def _picture(self, view: View, shot: Shot) -> Picture:
        units = np.rint(shot.depth / self.depth_scale).astype(np.uint16)
        return Picture(view, shot.color, units)


def fused(pictures: tuple[Picture, ...], depth_scale: float) -> tuple[Array, NDArray[np.uint8]]:
    """Return the points (k, 3) [m] that the depth of pictures shows, and their colors (k, 3)."""
    points, colors = [np.zeros((0, 3))], [np.zeros((0, 3), np.uint8)]
    for one in pictures:
        row, column = np.nonzero(one.depth)
        rays = one.view.rays(column + 0.5, row + 0.5)
        points.append(one.view.eye + rays * (one.depth[row, column] * depth_scale)[:, None])
        colors.append(one.color[row, column, :3])
    return np.concatenate(points), np.concatenate(colors)
