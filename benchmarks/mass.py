# SPDX-License-Identifier: Apache-2.0
"""Errors of mass properties on damaged meshes with closed forms, compared with a naive method.

The naive method is trimesh's. `--markdown` prints the table of
`pipeline/stages/annotate/README.md`.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter

import numpy as np
import trimesh

from aa_dataset.kinematics import RigidBody
from aa_dataset.kinematics.bodies import BodyError
from benchmarks.mass_cases import DENSITY, Solid, damages, placed, placed_body, solids
from pipeline.stages.annotate.accuracy import relative_error
from pipeline.stages.annotate.mass import link_mass
from pipeline.stages.annotate.sheets import NARROW

SEEDS = 10
# Of a sheet [m].
THICKNESS = 0.002


def main() -> None:
    """Measure every solid under every damage and print one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--markdown", action="store_true")
    markdown = parser.parse_args().markdown
    rows: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    methods: Counter[str] = Counter()
    start = time.process_time()
    for solid in solids():
        for damage, mesh in damages(solid, SEEDS):
            error, estimate, naive, method = measure(solid, mesh)
            rows.setdefault((solid.name, damage), []).append((error, estimate, naive))
            methods[method] += 1
    seconds = time.process_time() - start
    head = ("solid", "damage", "cases", "worst error", "worst estimate", "bounded", "trimesh")
    print("|".join(["", *head, ""]) if markdown else " ".join(f"{h:>14}" for h in head))
    if markdown:
        print("|---|---|--:|--:|--:|--:|--:|")
    for (name, damage), found in rows.items():
        print_row(name, damage, np.array(found), markdown=markdown)
    damaged = np.array([one for (_, d), found in rows.items() if d != "none" for one in found])
    bounded = (damaged[:, 0] <= damaged[:, 1]).mean()
    print(f"\nestimate bounds the error in {bounded:.1%} of {len(damaged)} damaged cases")
    print(f"methods {dict(methods)}, {seconds / len(damaged) * 1e3:.0f} ms of CPU each")


def measure(solid: Solid, mesh: trimesh.Trimesh) -> tuple[float, float, float, str]:
    """Return our error, our estimate of it, the naive error, and our method."""
    there, truth = placed(mesh), placed_body(solid.body)
    radius = float(np.linalg.norm(there.extents)) / 2
    narrow = NARROW * 2 * radius
    found = link_mass([there], density=DENSITY, thickness=THICKNESS, narrow=narrow)
    error = relative_error(found.body, truth, radius)
    return error, found.error, naive_error(there, truth, radius), found.method


def naive_error(mesh: trimesh.Trimesh, truth: RigidBody, radius: float) -> float:
    """Return the error of trimesh's mass properties, infinite if they are not a valid body."""
    mesh.density = DENSITY
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = mesh.mass_properties
    try:
        body = RigidBody(abs(found.mass), found.center_mass, found.inertia)
    except BodyError:
        return float("inf")
    return max(relative_error(body, truth, radius), abs(found.mass / truth.mass - 1))


def print_row(name: str, damage: str, found: np.ndarray, *, markdown: bool) -> None:
    """Print the worst of the cases of one solid and damage."""
    error, estimate, naive = found.max(axis=0)
    bounded = f"{int((found[:, 0] <= found[:, 1]).sum())}/{len(found)}"
    cells = (name, damage, str(len(found)), _percent(error), _percent(estimate), bounded,
             _percent(naive))  # fmt: skip
    print("|".join(["", *cells, ""]) if markdown else " ".join(f"{c:>14}" for c in cells))


def _percent(share: float) -> str:
    if not np.isfinite(share):
        return "no body"
    return f"{100 * share:.2g} %" if share < 1 else f"{100 * share:.0f} %"


if __name__ == "__main__":
    main()
