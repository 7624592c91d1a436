# SPDX-License-Identifier: Apache-2.0
"""Evidence for the checks of verify from plain meshes and joints, without files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import trimesh

from aa_dataset.kinematics import Joint, KinematicTree
from pipeline.base.reasons import Finding
from pipeline.raw.taxonomy import Category
from pipeline.stages.verify.evidence import Evidence, link_shapes
from tests.kit.settings import SETTINGS

Meshes = Mapping[str, trimesh.Trimesh | Sequence[trimesh.Trimesh]]


def box(size: Sequence[float], center: Sequence[float] = (0, 0, 0)) -> trimesh.Trimesh:
    """Return a closed box [m]."""
    mesh = trimesh.creation.box(extents=size)
    mesh.apply_translation(center)
    return mesh


def joint(name: str, kind: str, parent: str, child: str, **changes: Any) -> Joint:
    """Return a joint about or along z through the origin, over [0, 1]."""
    given = {"axis": (0, 0, 1), "origin": (0, 0, 0), "lower": 0.0, "upper": 1.0} | changes
    ends = {"axis": np.array(given.pop("axis"), float), "origin": np.array(given.pop("origin"))}
    return Joint(name, kind, parent=parent, child=child, **ends, **given)


def names(findings: Sequence[Finding]) -> list[str]:
    """Return the codes of findings, in their order."""
    return [str(finding.code) for finding in findings]


def evidence(
    meshes: Meshes,
    *joints: Joint,
    extents: Sequence[float] | None = None,
    is_metric: bool = True,
    category: Category | None = None,
    **options: Any,
) -> Evidence:
    """Return what the checks see of links with these meshes; options are settings of verify."""
    parts = {k: [m] if isinstance(m, trimesh.Trimesh) else list(m) for k, m in meshes.items()}
    tree = KinematicTree("thing", tuple(meshes), joints)
    shapes, broken = link_shapes(parts)
    corners = np.concatenate([shape.bounds for shape in shapes.values()] or [np.zeros((2, 3))])
    size = np.ptp(corners, axis=0) if extents is None else np.array(extents)
    chosen = replace(SETTINGS.verify, **options)
    return Evidence(tree, shapes, size, is_metric, category, chosen, broken)
