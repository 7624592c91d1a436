# SPDX-License-Identifier: Apache-2.0
"""What a scene has beside the object, the same in every simulator and export."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from aa_dataset.adapters.common import Array, ObjectFiles

VIEW = (1.0, -0.7, 0.6)  # direction from the object's middle to the camera; x is the front
FIELD_OF_VIEW = 45.0  # degrees, vertical
FAR = 1.6  # diagonals of the object's box from its middle to the camera
LIGHT = (-0.5, 0.4, -1.0)  # direction in which the light shines
SHADOW = 2.0  # diagonals around the object where MuJoCo draws shadows
FLOOR_COLORS = ((0.55, 0.57, 0.6), (0.62, 0.64, 0.67))


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """Floor, camera and two states of an object; lengths in m, object frame.

    Attributes
    ----------
    floor : float
        Height of the floor, the object's lowest point at rest.
    size : float
        Diagonal of the box around the object at rest and with every joint at its far end.
    middle, eye : (3,) float
        Middle of that box, and the camera's place, from which it looks there.
    right, up : (3,) float
        The camera's own axes.
    """

    floor: float
    size: float
    middle: Array
    eye: Array
    right: Array
    up: Array

    @property
    def angles(self) -> dict[str, float]:
        """Azimuth and elevation [degrees] of the same look, for MuJoCo's own viewer."""
        way = self.middle - self.eye
        level = math.hypot(way[0], way[1])
        azimuth, elevation = math.atan2(way[1], way[0]), math.atan2(way[2], level)
        return {"azimuth": math.degrees(azimuth), "elevation": math.degrees(elevation)}

    @property
    def lamp(self) -> Array:
        """Place (3,) of the light: MuJoCo casts no clean shadows farther from a directional one."""
        return np.asarray(self.middle - self.size * np.array(LIGHT) / np.linalg.norm(LIGHT))

    @classmethod
    def of(cls, files: ObjectFiles) -> Surroundings:
        """Return the surroundings of an object."""
        boxes = np.stack([files.bounds_at(state) for state in key_states(files).values()])
        low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
        size, middle = float(np.linalg.norm(high - low)), (low + high) / 2
        back = np.array(VIEW) / np.linalg.norm(VIEW)
        right = np.cross([0.0, 0.0, 1.0], back)
        right /= np.linalg.norm(right)
        eye = middle + FAR * size * back
        return cls(files.lowest, size, middle, eye, right, np.cross(back, right))


def key_states(files: ObjectFiles) -> dict[str, dict[str, float]]:
    """Return the coordinates of all joints at rest and with every joint at its far end."""
    ends = {
        joint.name: (joint.lower, joint.upper)
        for joint in files.movable
        if joint.name not in files.followers
    }
    rest = {name: min(max(0.0, a or 0.0), 0.0 if b is None else b) for name, (a, b) in ends.items()}
    far = {
        name: math.pi / 2 if a is None or b is None else max((a, b), key=abs)
        for name, (a, b) in ends.items()
    }
    return {"rest": files.expanded(rest), "open": files.expanded(far)}
