# SPDX-License-Identifier: Apache-2.0
"""Law: over the generated collection, what the sweep reports has a volume that booleans confirm.

The families were built with a clearance, which their own tests check in four states of a range.
The judge here intersects volumes exactly, in 33 states of both directions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aa_dataset.kinematics import Joint, JointType
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from pipeline.generate.emit import emit, object_files
from pipeline.generate.registry import family_categories, family_names
from pipeline.shapes.glb import read_links
from pipeline.stages.verify.checks import all_findings
from pipeline.stages.verify.evidence import Evidence, link_shapes
from pipeline.stages.verify.sweep import Sweep
from tests.kit import bench
from tests.kit import settings as settings_kit

CASES = [(name, k) for name in family_names() for k in range(len(family_categories(name)))]
STATES = 33
CONFIRMED = 0.005  # of the smaller volume


def evidence_of(folder: Path, name: str, index: int) -> Evidence:
    """Generate and normalize one object."""
    emit(folder, "object", files=object_files(name, index, seed=5))
    outcome = bench.normal(folder / "object")
    tree = urdf_tree(parse_urdf(outcome.files["object.urdf"]))
    shapes, broken = link_shapes(read_links(outcome.files["object.glb"], tree.links))
    extents = np.array(outcome.record.extents)
    return Evidence(tree, shapes, extents, True, None, settings_kit.SETTINGS.verify, broken)


def solid(evidence: Evidence, link: str) -> Any:
    """Return a link as the union of its connected parts."""
    from manifold3d import Manifold, Mesh64, OpType

    shape = evidence.shapes[link]
    parts = []
    for number in range(int(shape.components.max()) + 1):
        faces = shape.outward_faces[shape.components == number].astype(np.uint64)
        parts.append(Manifold(Mesh64(shape.vertices, faces)))
    return Manifold.batch_boolean(parts, OpType.Add)


def settings(
    evidence: Evidence, joint: Joint, links: tuple[str, str]
) -> Iterator[dict[str, float]]:
    """Yield where another joint may stand while one is driven: at rest or at an end."""
    yield {}
    one, other = ({j.name for j in evidence.carriers(link)} for link in links)
    for name in sorted((one ^ other) - {joint.name}):
        carrier = evidence.tree.joint(name)
        if carrier.type is not JointType.CONTINUOUS and carrier.mimic is None:
            yield from ({name: end} for end in (carrier.lower, carrier.upper) if end)


def confirmed(evidence: Evidence, joint: Joint, links: tuple[str, str]) -> bool:
    """Tell whether two links share volume somewhere on the way, wherever other joints stand."""
    low, high = joint.lower, joint.upper
    if joint.type is JointType.CONTINUOUS:
        low, high = 0.0, 2 * math.pi
    solids = [solid(evidence, link) for link in links]
    smaller = min(one.volume() for one in solids)

    def shared(values: dict[str, float]) -> float:
        placed = evidence.tree.placements(values)
        a, b = (s.transform(placed[k][:3]) for s, k in zip(solids, links, strict=True))
        return float((a ^ b).volume() / smaller)

    return all(
        max(shared({**others, joint.name: float(q)}) for q in np.linspace(low, high, STATES))
        - shared(others)
        > CONFIRMED
        for others in settings(evidence, joint, links)
    )


def examine(folder: Path, name: str, index: int) -> None:
    evidence = evidence_of(folder, name, index)
    sweep = Sweep(evidence)
    for joint in evidence.tree.movable:
        for entry in sweep.entries(joint) if joint.mimic is None else ():
            assert confirmed(evidence, joint, (entry.link, entry.other)), entry
    assert not [finding for finding in all_findings(evidence) if str(finding.severity) != "info"]


@pytest.mark.parametrize("name", family_names()[::8])
def test_alarms_of_some_families_are_confirmed(tmp_path: Path, name: str) -> None:
    pytest.importorskip("manifold3d")
    examine(tmp_path, name, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "index"), CASES)
def test_alarms_of_every_category_are_confirmed(tmp_path: Path, name: str, index: int) -> None:
    pytest.importorskip("manifold3d")
    examine(tmp_path, name, index)
