# SPDX-License-Identifier: Apache-2.0
"""The map from the source's frame to the object frame, and the grid that numbers are rounded to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aa_dataset.kinematics import Joint, JointType
from aa_dataset.portable import applied, length, settled
from pipeline.handover.ingested import IngestedRecord
from pipeline.raw.records import Frame
from pipeline.shapes.grid import DIGITS, grid_decimals

# Rotation that maps (front, up) of a source to (x, z), row by row; None means no front.
_AXES = {
    "x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1),
    "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1),
}  # fmt: skip

# Distance [m] beyond which a float cannot represent the digits of the object's grid.
FARTHEST = 1e9


@dataclass(frozen=True, slots=True, eq=False)
class Similarity:
    """``y = scale * rotation @ x - center``: source frame to object frame.

    Attributes
    ----------
    rotation : (3, 3) float
        Proper rotation.
    scale : float
        Library length per source length.
    center : (3,) float [m]
        Center of the rotated and scaled box, which becomes the origin.
    decimals : int
        Coordinates are rounded to this many decimals.
    """

    rotation: np.ndarray
    scale: float
    center: np.ndarray
    decimals: int

    def points(self, points: np.ndarray) -> np.ndarray:
        """Map points (n, 3) and round them to the grid."""
        # Round to the grid first, then shift by whole steps: the box stays centered to one step.
        return self.rounded(self.rounded(applied(self.rotation, points) * self.scale) - self.center)

    def rounded(self, values: np.ndarray) -> np.ndarray:
        """Round lengths to the grid, without negative zeros."""
        return settled(values, self.decimals)

    def joint(self, joint: Joint) -> Joint:
        """Map a joint; lengths in its limits and pitch are scaled."""
        stretch = self.scale if joint.type is JointType.PRISMATIC else 1.0
        return replace(
            joint,
            axis=self._axis(joint),
            origin=self.points(joint.origin[None])[0],
            lower=_short(joint.lower * stretch),
            upper=_short(joint.upper * stretch),
            pitch=_short(joint.pitch * self.scale),
            mimic=joint.mimic if joint.is_movable else None,
        )

    def _axis(self, joint: Joint) -> np.ndarray:
        if not joint.is_movable:
            return np.zeros(3)
        return stable_axis(applied(self.rotation, joint.axis))


def _short(value: float) -> float:
    """Round to ten significant digits, so that the text in the URDF is the whole number.

    First to thirteen, as `settled` does.
    """
    return float(format(float(format(value, ".13g")), ".10g"))


def stable_axis(axis: np.ndarray) -> np.ndarray:
    """Round a direction so that normalizing and rounding it again gives the same numbers."""
    for _ in range(8):
        rounded = settled(axis / length(axis), 10)
        if np.array_equal(rounded, axis):
            break
        axis = rounded
    return axis


def frame_rotation(frame: Frame) -> np.ndarray:
    """Return the rotation (3, 3) that maps a source's up to z and its front to x."""
    up = np.array(_AXES[frame.up], dtype=float)
    front = np.array(_AXES[frame.front or _any_front(frame.up)], dtype=float)
    return np.stack([front, np.cross(up, front), up])


def _any_front(up: str) -> str:
    return "x" if up.endswith(("y", "z")) else "y"


def find_similarity(points: np.ndarray, source: IngestedRecord) -> Similarity:
    """Choose frame, scale and origin for an object from all its visual vertices (n, 3)."""
    rotation = frame_rotation(source.frame)
    turned = applied(rotation, points) * source.unit
    lower, upper = turned.min(axis=0), turned.max(axis=0)
    radius = float(length(upper - lower)) / 2
    # An object that has the radius 1 up to the grid keeps its numbers.
    has_unit = abs(radius - 1.0) < 10.0**-DIGITS * 10
    rescale = source.scale == "arbitrary" and radius > 0 and not has_unit
    stretch = 1.0 / radius if rescale else 1.0
    decimals = grid_decimals(2 * radius * stretch)
    center = _grid_center(lower, upper, stretch, decimals)
    return Similarity(rotation, source.unit * stretch, center, decimals)


def _grid_center(lower: np.ndarray, upper: np.ndarray, scale: float, decimals: int) -> np.ndarray:
    """Return the box center on the grid, halves to even: a second pass then moves nothing."""
    ends = settled(lower * scale, decimals) + settled(upper * scale, decimals)
    steps = np.round(ends * 10.0**decimals)
    return np.round(steps / 2) / 10.0**decimals


def all_points(pieces: Iterable[Iterable[Any]]) -> np.ndarray:
    """Return the vertices (n, 3) of every piece of every link."""
    arrays = [piece.vertices for link in pieces for piece in link]
    return np.concatenate(arrays) if arrays else np.zeros((0, 3))
