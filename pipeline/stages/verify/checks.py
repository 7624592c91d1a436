# SPDX-License-Identifier: Apache-2.0
"""The list of checks: each reads one normalized object and yields findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pipeline.base.reasons import Finding
from pipeline.stages.verify import joints, meshes, size, structure, sweep, upright
from pipeline.stages.verify.evidence import Evidence

Check = Callable[[Evidence], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    meshes.check_finite,
    meshes.check_degenerate,
    meshes.check_doubled,
    meshes.check_manifold,
    meshes.check_open,
    meshes.check_inverted,
    structure.check_motion,
    structure.check_counts,
    structure.check_joint_places,
    structure.check_floating,
    joints.check_ranges,
    joints.check_travel,
    joints.check_tiny,
    joints.check_axes,
    joints.check_mimics,
    size.check_size,
    upright.check_up,
    sweep.check_sweep,
)


def all_findings(evidence: Evidence) -> list[Finding]:
    """Return the findings of every check about one object."""
    return [finding for check in CHECKS for finding in check(evidence)]
