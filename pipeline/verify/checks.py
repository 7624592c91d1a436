# SPDX-License-Identifier: Apache-2.0
"""The checks: each reads one normalized object and yields findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import trimesh

from aa_dataset.kinematics import JointType, KinematicTree
from pipeline.categorize.taxonomy import Category
from pipeline.reasons import Code, Finding, Severity


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the checks look at: tree and geometry in the object frame, size, category."""

    tree: KinematicTree
    meshes: Mapping[str, Sequence[trimesh.Trimesh]]
    extents: np.ndarray
    is_metric: bool
    category: Category | None
    size_factor: float


def check_ranges(evidence: Evidence) -> Iterator[Finding]:
    """Find joints that cannot move, and stored states outside the range."""
    for joint in evidence.tree.movable:
        if joint.lower == joint.upper:
            yield Finding(Code.LIMIT_ZERO, f"joint {joint.name}: lower and upper are equal.")
        if joint.type is not JointType.CONTINUOUS and not joint.lower <= 0.0 <= joint.upper:
            span = f"[{joint.lower:.6g}, {joint.upper:.6g}]"
            yield Finding(
                Code.REST_OUTSIDE_LIMITS,
                f"joint {joint.name}: the stored state 0 is not in {span}.",
            )


def check_meshes(evidence: Evidence) -> Iterator[Finding]:
    """Find links whose visual geometry is not closed."""
    for link, meshes in evidence.meshes.items():
        opened = sum(not closed(mesh) for mesh in meshes)
        if opened:
            detail = f"link {link}: {opened} of {len(meshes)} meshes are not closed."
            yield Finding(Code.MESH_OPEN, detail, Severity.INFO)


def closed(mesh: trimesh.Trimesh) -> bool:
    """Tell whether a mesh is closed once vertices at one place count as one."""
    merged = trimesh.Trimesh(mesh.vertices, mesh.faces, process=True)
    return bool(merged.is_watertight)


def check_size(evidence: Evidence) -> Iterator[Finding]:
    """Compare the diagonal with the category's usual one, for metric objects."""
    category = evidence.category
    if category is None or category.usual_size is None or not evidence.is_metric:
        return
    diagonal = float(np.linalg.norm(evidence.extents))
    ratio = max(diagonal / category.usual_size, category.usual_size / max(diagonal, 1e-12))
    if ratio > evidence.size_factor:
        yield Finding(
            Code.SIZE_UNUSUAL,
            f"a diagonal of {diagonal:.3g} m is far from the {category.usual_size:.3g} m that a "
            f"{category.name} usually has.",
        )


CHECKS = (check_ranges, check_meshes, check_size)
