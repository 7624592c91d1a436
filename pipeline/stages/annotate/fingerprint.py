# SPDX-License-Identifier: Apache-2.0
"""Numbers that identify an object independent of its source and frame.

They depend only on the triangles at rest and on the joints, and do not change with the frame, the
unit of length, names, colors, textures, collision shapes, or the order of vertices, triangles and
links. Lengths are divided by the root mean square distance of the surface from its centroid.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import trimesh

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.kinematics.screws import exp_twist
from aa_dataset.portable import (
    applied,
    determinant,
    dot,
    length,
    second_moments,
    symmetric_eigen,
    weighted_sum,
)
from pipeline.handover.annotated import Fingerprint

DECIMALS = 8
TYPES = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.HELICAL)


def fingerprint(
    tree: KinematicTree, meshes: Mapping[str, Sequence[trimesh.Trimesh]], *, is_metric: bool
) -> Fingerprint | None:
    """Return an object's fingerprint, None for an object without area.

    Parameters
    ----------
    tree : KinematicTree
        In the object frame, helical pairs folded.
    meshes : mapping of link name to meshes
        In the object frame at rest.
    is_metric : bool
        Whether lengths are true meters, so that objects of different size are different.
    """
    surfaces = {name: _surface(parts) for name, parts in meshes.items()}
    points = np.concatenate([np.zeros((0, 3)), *(found[0] for found in surfaces.values())])
    weights = np.concatenate([np.zeros(0), *(found[1] for found in surfaces.values())])
    area = float(weights.sum())
    if not area > 0:
        return None
    center = weighted_sum(weights, points) / area
    radius = math.sqrt(float((weights * dot(points - center, points - center)).sum()) / area)
    spread = (points - center) / radius
    shape = _invariants(spread, weights / area, area / radius**2)
    shape += _by_count(points / radius)
    # Area and first moment of every link, which is all that the joints need.
    sums = {
        name: np.append(weighted_sum(one[1], one[0]), one[1].sum())
        for name, one in surfaces.items()
    }
    lean = _lean(spread, weights / area)
    joints = [
        _motion(tree, joint, sums, lean, center=center, radius=radius, area=area)
        for joint in tree.movable
    ]
    return Fingerprint(
        faces=sum(len(mesh.faces) for parts in meshes.values() for mesh in parts),
        radius=float(format(radius, ".9g")),
        is_metric=is_metric,
        shape=_rounded(shape),
        joints=tuple(sorted(_rounded(joint) for joint in joints)),
    )


def _rounded(values: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(float(value), DECIMALS) + 0.0 for value in values)


def _surface(meshes: Sequence[trimesh.Trimesh]) -> tuple[np.ndarray, np.ndarray]:
    """Return the midpoints (3n, 3) of all triangle edges with a third of the area each."""
    corners = [np.asarray(m.vertices, dtype=float)[np.asarray(m.faces)] for m in meshes]
    triangles = np.concatenate(corners) if corners else np.zeros((0, 3, 3))
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    areas = length(normals) / 2
    midpoints = (triangles + np.roll(triangles, 1, axis=1)) / 2
    return midpoints.reshape(-1, 3), np.repeat(areas / 3, 3)


def _invariants(points: np.ndarray, weights: np.ndarray, extent: float) -> list[float]:
    """Return rotation invariants of centered points of unit spread.

    The last one changes its sign under reflection: a left-handed door is another object. It is a
    product of three vectors and therefore small, as is its rounding error; both are scaled up.
    """
    squared = dot(points, points)
    second = second_moments(points, weights)
    skew = _lean(points, weights)
    turned = applied(second, skew)
    chirality = float(determinant(np.stack([skew, turned, applied(second, turned)])))
    fourth = float((weights * squared**2).sum())
    sixth = float((weights * squared**2 * squared).sum())
    first, middle, _ = symmetric_eigen(second)[0]
    return [
        math.log(extent), math.log(fourth), math.log(sixth), first, middle,
        float(length(skew)), math.sqrt(max(float(dot(skew, turned)), 0.0)),
        100.0 * chirality,
    ]  # fmt: skip


def _lean(points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the direction (3,) in which centered points extend farther; 0 if symmetric."""
    return weighted_sum(weights * dot(points, points), points)


def _by_count(points: np.ndarray) -> list[float]:
    """Return the same numbers with equal weights for all triangles.

    Weighted by area, a small part that is moved a little would hardly count.
    """
    points = points - points.mean(axis=0)
    spread = math.sqrt(float((points**2).sum()) / len(points))
    weights = np.full(len(points), 1.0 / len(points))
    return _invariants(points / spread, weights, spread)


def _motion(
    tree: KinematicTree,
    joint: Joint,
    sums: Mapping[str, np.ndarray],
    lean: np.ndarray,
    *,
    center: np.ndarray,
    radius: float,
    area: float,
) -> list[float]:
    """Return what a joint moves, how far, and where its ends lead, in frame-free numbers."""
    below = sum((sums[name] for name in tree.below(joint.child)), np.zeros(4))
    moved = float(below[3])
    middle = below[:3] / moved if moved > 0 else np.asarray(joint.origin)
    ends = (-math.pi, math.pi) if joint.type is JointType.CONTINUOUS else joint.limits
    unit = radius if joint.type is JointType.PRISMATIC else 1.0
    led = [applied(exp_twist(end * joint.screw), np.append(middle, 1.0)) for end in ends]
    arm = joint.origin - center
    off_axis = arm - dot(arm, joint.axis) * joint.axis
    return [
        float(TYPES.index(joint.type)),
        *sorted(abs(end) / unit for end in ends),
        *sorted(float(length(place[:3] - center)) / radius for place in led),
        float(length(middle - center)) / radius,
        0.0 if joint.type is JointType.PRISMATIC else float(length(off_axis)) / radius,
        joint.pitch / radius,  # negative for a left-handed thread, in any frame
        moved / area,
        *_handedness(
            joint,
            lean,
            (middle - center) / radius,
            (sum(led, np.zeros(4))[:3] / 2 - center) / radius,
        ),
    ]


def _handedness(
    joint: Joint, lean: np.ndarray, middle: np.ndarray, led: np.ndarray
) -> tuple[float, float, float]:
    """Return numbers that change their sign under reflection.

    A cabinet that is its own mirror image is two objects with its door hinged on the left and on
    the right. A turn has a direction by itself; a displacement has one beside two others.
    """
    lower, upper = (0.0, 0.0) if joint.type is JointType.CONTINUOUS else joint.limits
    reach = abs(lower) + abs(upper)
    side = (lower + upper) / reach if reach > 0 else 0.0  # no large angle, no large error
    turn = side * np.asarray(joint.screw[:3])
    return (
        float(dot(turn, lean)), float(dot(turn, middle)),
        float(determinant(np.stack([lean, middle, led]))),
    )  # fmt: skip
