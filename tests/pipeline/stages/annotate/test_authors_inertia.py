# SPDX-License-Identifier: Apache-2.0
"""Mass moments from meshes by the package of the paper's authors, against ours."""

import numpy as np
import pytest
import trimesh
from articulatearena.read.inertia_loader import load_link_inertia

from aa_dataset.kinematics.urdf import parse_urdf
from pipeline.stages.annotate.mass import link_mass
from tests.kit.places import SAMPLES, skip_without_samples


def sample_files():
    if not SAMPLES.is_dir():
        skip_without_samples()
    return sorted(SAMPLES.rglob("*.urdf"))


def single_solids(path):
    """Yield the links whose only geometry is one closed mesh of one piece, with that mesh."""
    for link in parse_urdf(path.read_bytes()).links:
        if len(link.visuals) != 1 or link.visuals[0].geometry.kind != "mesh":
            continue
        shape = link.visuals[0]
        file = path.parent / shape.geometry.filename
        if not file.is_file() or shape.geometry.scale != (1.0, 1.0, 1.0):
            continue
        mesh = trimesh.load(file, force="mesh")
        if mesh.is_watertight and mesh.volume > 1e-12 and mesh.body_count == 1:
            yield link.name, mesh.apply_transform(shape.pose)


@pytest.mark.slow
def test_inertia_of_samples_by_both_packages():
    """Where a link is one closed solid, their mass moments are those that `annotate` finds."""
    compared = 0
    for path in sample_files():
        for name, mesh in single_solids(path):
            theirs = load_link_inertia(path, name)
            ours = link_mass([mesh], density=1.0, thickness=0.002).body
            size = float(np.linalg.norm(mesh.extents))
            assert ours.mass == pytest.approx(theirs.mass, rel=1e-6)
            np.testing.assert_allclose(ours.center, theirs.com, atol=1e-6 * size)
            np.testing.assert_allclose(
                ours.inertia, theirs.inertia, atol=1e-6 * np.abs(theirs.inertia).max()
            )
            compared += 1
    assert compared >= 50
