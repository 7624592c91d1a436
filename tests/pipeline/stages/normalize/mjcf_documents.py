# SPDX-License-Identifier: Apache-2.0
"""MJCF documents of the tests, and what our reader makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aa_dataset.kinematics.urdf import UrdfModel
from pipeline.base.reasons import Finding
from pipeline.raw.files import MemoryFiles
from pipeline.stages.normalize.meshes import MeshReader
from pipeline.stages.normalize.mjcf import read_mjcf
from tests.kit import settings as kit

BUDGETS = replace(kit.BUDGETS, pixels=10**8)


def document(worldbody: str, head: str = "", tail: str = "") -> str:
    return f'<mujoco model="m">{head}<worldbody>{worldbody}</worldbody>{tail}</mujoco>'


def read(
    text: str, files: Mapping[str, bytes] | None = None
) -> tuple[UrdfModel, MeshReader, list[Finding]]:
    raw = MemoryFiles({"m.xml": text.encode(), **(files or {})}, most_bytes=10_000_000)
    urdf, given, findings = read_mjcf(raw, "m.xml", BUDGETS)
    return urdf, MeshReader(raw, "m.xml", BUDGETS, given), findings


def codes(findings: list[Finding]) -> list[str]:
    return sorted(str(finding.code) for finding in findings)
