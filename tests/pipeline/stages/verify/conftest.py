# SPDX-License-Identifier: Apache-2.0
"""Objects for the checks: by URDF through normalize and verify, or as plain meshes and joints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import trimesh

from aa_dataset.kinematics import Joint, KinematicTree
from pipeline.base.reasons import Finding
from pipeline.engine.runner import Outcome, Task
from pipeline.handover.normalized import NormalRecord
from pipeline.raw.taxonomy import Category, load_taxonomy
from pipeline.stages.verify.evidence import Evidence, link_shapes
from pipeline.stages.verify.stage import VerifyInput, verify
from tests.kit import bench
from tests.kit import settings as settings_kit

Meshes = Mapping[str, trimesh.Trimesh | Sequence[trimesh.Trimesh]]


@pytest.fixture
def shipped(workspace: Path) -> Iterator[None]:
    """Work with the repository's taxonomy."""
    load_taxonomy.cache_clear()
    yield
    load_taxonomy.cache_clear()


@pytest.fixture
def check(tmp_path: Path, shipped: None) -> Callable[..., Outcome]:
    """Normalize and verify an object given by its URDF parts."""

    def run_one(
        *parts: str,
        files: dict[str, str] | None = None,
        label: str = "uncategorized",
        reviews: tuple[tuple[str, str], ...] = (),
        earlier: tuple[tuple[str, str], ...] = (),
        change: Callable[[NormalRecord], NormalRecord] = lambda row: row,
        **options: Any,
    ) -> Outcome:
        raw = bench.write_object(tmp_path / "raw", bench.robot(*parts), files)
        row, where = bench.stored(tmp_path / "object.tar", bench.normal(raw))
        row = change(row)
        settings = settings_kit.changed(settings_kit.SETTINGS, verify=options)
        given = VerifyInput(row, where, label, reviews, earlier)
        return verify(Task("test-object", given), settings)

    return run_one


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


@pytest.fixture(scope="session")
def make() -> SimpleNamespace:
    """Return makers of boxes, joints and evidence."""

    def evidence(
        meshes: Meshes,
        *joints: Joint,
        extents: Sequence[float] | None = None,
        is_metric: bool = True,
        category: Category | None = None,
        **options: Any,
    ) -> Evidence:
        parts = {k: [m] if isinstance(m, trimesh.Trimesh) else list(m) for k, m in meshes.items()}
        tree = KinematicTree("thing", tuple(meshes), joints)
        shapes, broken = link_shapes(parts)
        corners = np.concatenate([shape.bounds for shape in shapes.values()] or [np.zeros((2, 3))])
        size = np.ptp(corners, axis=0) if extents is None else np.array(extents)
        chosen = replace(settings_kit.SETTINGS.verify, **options)
        return Evidence(tree, shapes, size, is_metric, category, chosen, broken)

    return SimpleNamespace(box=box, joint=joint, evidence=evidence, names=names)
