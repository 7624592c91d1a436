# SPDX-License-Identifier: Apache-2.0
"""Drops a ball of 1 cm into every hollow link, in MuJoCo: it must stay in.

A link is hollow at a place if a ray from above meets its own visual geometry below the rim, and if
level rays from a ball that lies there meet it in every direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from aa_dataset.adapters.common import Array, ObjectLike, open_object, require
from aa_dataset.adapters.mujoco import make_spec
from aa_dataset.judge.drive import Outcome, Trial
from aa_dataset.judge.quiet import captured_output

RADIUS = 0.005  # m
DENSITY = 2500.0  # kg/m^3, of glass
PLACES = 11  # per side of the grid of rays from above
ASIDE = (0.0137, -0.0071)  # of a step: rays along the edge between two triangles may miss both
DIRECTIONS = 16  # of level rays
RIM = 2.0  # radii above the floor at which walls must stand around
ROOM = 1.5  # radii between the middle of the ball and any wall
TRIES = 20  # places of a link that are looked at for a floor
FLOOR_SHARES = (0.2, 0.4, 0.6, 0.8, 0.95)  # of the way to a wall where the floor must be
DROP = 0.3  # m above the place where the ball would lie, or less under a ceiling
SECONDS = 1.0
FIT = 1.0  # radii by which a ball may overlap the collision parts where it would lie
_LINK_GROUP = 5  # of geometry that rays look for


@dataclass(frozen=True, slots=True, eq=False)
class Hollow:
    """A place (3,) [m] in the object frame at rest where a ball's middle would lie in a link."""

    link: str
    place: Array
    drop: float


def drop_balls(item: ObjectLike) -> list[Trial]:
    """Drop a ball into every hollow link of an object at rest, without its joints."""
    with captured_output():
        scene = _Scene(item)
        return [scene.dropped(hollow) for hollow in scene.hollows()]


class _Scene:
    """An object with one loose ball in MuJoCo."""

    def __init__(self, item: ObjectLike):
        self._mujoco = mujoco = require("mujoco", "the ball test", "mjcf")
        files = open_object(item)
        spec = make_spec(files)
        # Links cannot move: with inertias far above the ball's, MuJoCo's solver ends too early.
        for held in (*spec.equalities, *spec.joints):
            spec.delete(held)
        ball = spec.worldbody.add_body(name="ball of the judge", pos=[0, 0, 1e3])
        ball.add_freejoint()
        shape = mujoco.mjtGeom.mjGEOM_SPHERE
        ball.add_geom(type=shape, size=[RADIUS, 0, 0], density=DENSITY)
        self._model = model = spec.compile()
        self._data = mujoco.MjData(model)
        self._ball = model.body("ball of the judge").id
        self._place = model.jnt_qposadr[model.body_jntadr[self._ball]]
        self._visual = {
            link.name: [model.geom(shape.name).id for shape in link.visuals]
            for link in files.model.links
            if link.visuals and all(shape.name for shape in link.visuals)
        }
        mujoco.mj_forward(model, self._data)

    def hollows(self) -> Iterator[Hollow]:
        """Yield the roomiest hollow of every link that has one."""
        for link, geoms in self._visual.items():
            self._model.geom_group[:] = 0
            self._model.geom_group[geoms] = _LINK_GROUP
            roomiest = sorted(self._places(geoms), key=lambda found: -found[0])
            for _, place in roomiest[:TRIES]:
                if self._has_floor(place):
                    yield Hollow(link, place, min(DROP, self._headroom(place)))
                    break

    def _places(self, geoms: list[int]) -> Iterator[tuple[float, Array]]:
        """Yield room [m] and place of every ball that would lie in a link."""
        low, high = self._box(geoms)
        steps = (np.arange(PLACES)[:, None] + 0.5 + np.array(ASIDE)) / PLACES
        for x in low[0] + steps[:, 0] * (high[0] - low[0]):
            for y in low[1] + steps[:, 1] * (high[1] - low[1]):
                down = self._ray([x, y, high[2] + 1.0], [0.0, 0.0, -1.0], own=True) - 1.0
                if not RIM * RADIUS <= down < math.inf:
                    continue
                place = np.array([x, y, high[2] - down + 1.05 * RADIUS])
                distances = [distance for _, distance in self._walls(place)]
                if min(distances) >= ROOM * RADIUS and max(distances) < math.inf:
                    yield min(distances), place

    def _walls(self, place: Array) -> Iterator[tuple[Array, float]]:
        """Yield direction (3,) and distance [m] of walls at the ball's middle and top."""
        for height in (0.0, (RIM - 1) * RADIUS):
            for angle in (np.arange(DIRECTIONS) + ASIDE[0]) * (2 * math.pi / DIRECTIONS):
                way = np.array([math.cos(angle), math.sin(angle), 0.0])
                yield way, self._ray(place + np.array([0, 0, height]), way, own=True)

    def _has_floor(self, place: Array) -> bool:
        """Return whether a ball that rolls from a place to a wall always has a floor below it."""
        for way, distance in self._walls(place):
            for share in FLOOR_SHARES:
                below = self._ray(place + share * distance * way, [0.0, 0.0, -1.0], own=True)
                if below > 2 * RADIUS:
                    return False
        return True

    def _headroom(self, place: Array) -> float:
        """Return how far [m] a ball can be lifted without touching anything."""
        return max(0.0, self._ray(place, [0.0, 0.0, 1.0], own=False) - 2 * RADIUS)

    def _ray(self, start: Any, way: Any, *, own: bool) -> float:
        """Return the distance [m] to the link's own visuals, or to all but the ball."""
        groups = np.zeros(6, dtype=np.uint8)
        groups[_LINK_GROUP if own else slice(None)] = 1
        geom = np.zeros(1, dtype=np.int32)
        start, way = np.asarray(start, dtype=float), np.asarray(way, dtype=float)
        found = self._mujoco.mj_ray(
            self._model, self._data, start, way, groups, 1, self._ball, geom
        )
        return math.inf if found < 0 else float(found)

    def _box(self, geoms: list[int]) -> Array:
        """Return the corners (2, 3) of geometry in the world."""
        model, data, ends = self._model, self._data, []
        for geom in geoms:
            mesh = model.geom_dataid[geom]
            first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            points = model.mesh_vert[first : first + count]
            ends.append(points @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom])
        every = np.concatenate(ends)
        return np.stack([every.min(axis=0), every.max(axis=0)])

    def dropped(self, hollow: Hollow) -> Trial:
        """Drop a ball and return whether it is still in the hollow after a second."""
        depth = self._overlap(hollow)
        if depth > FIT * RADIUS:
            return Trial("ball", hollow.link, Outcome.FILLED, -depth)
        self._put(hollow.place + np.array([0, 0, hollow.drop]))
        steps = round(SECONDS / self._model.opt.timestep)
        self._mujoco.mj_step(self._model, self._data, steps)
        now = self._data.xpos[self._ball] - hollow.place
        low, high = self._box(self._visual[hollow.link])
        inside = (low < self._data.xpos[self._ball]) & (self._data.xpos[self._ball] < high)
        stays = bool(inside[:2].all()) and now[2] > -RADIUS
        outcome = Outcome.STAYS if stays else Outcome.LEAVES
        return Trial("ball", hollow.link, outcome, float(now[2]))

    def _put(self, place: Array) -> None:
        self._mujoco.mj_resetData(self._model, self._data)
        self._data.qpos[self._place : self._place + 3] = place
        self._mujoco.mj_forward(self._model, self._data)

    def _overlap(self, hollow: Hollow) -> float:
        """Return the deepest contact [m] of a hollow's own link with a ball that lies in it.

        Other links may stand there, as the blades in the jar of a blender.
        """
        self._put(hollow.place)
        pair = {self._ball, self._model.body(hollow.link).id}
        bodies = self._model.geom_bodyid[self._data.contact.geom.reshape(-1, 2)]
        found = zip(bodies.tolist(), self._data.contact.dist, strict=True)
        return max((float(-gap) for both, gap in found if {*both} == pair), default=0.0)
