# SPDX-License-Identifier: Apache-2.0
"""Convex collision parts: CPU time per object, compared with one hull per component (the floor).

The floor fills every hollow; it is measured in the same process, right after. A second table
compares single shapes with CoACD and V-HACD (`pip install coacd vhacdx`), if installed, with their
default settings and with coarse ones: CPU time, parts, and the volume of all parts over that of the
shape (1 is perfect).
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import trimesh

from aa_dataset.format.layout import URDF
from aa_dataset.kinematics.urdf import parse_urdf
from benchmarks.normalize import normal, samples, urdfs_in
from pipeline.base.errors import Rejection
from pipeline.engine.config import load_config
from pipeline.engine.runner import Outcome
from pipeline.engine.settings import Config, NormalizeSettings, select
from pipeline.generate.collection import generate_collection
from pipeline.handover.collisions import COLLISIONS, CollisionShapes
from pipeline.shapes.grid import grid_decimals
from pipeline.shapes.pieces import Piece
from pipeline.stages.annotate.collision.convex import components, convex
from pipeline.stages.annotate.collision.links import convex_parts, link_parts, part_findings

# The fastest settings that still leave hollows open.
COARSE_COACD = {
    "threshold": 0.15, "max_convex_hull": 32, "preprocess_resolution": 30, "resolution": 500,
    "mcts_nodes": 10, "mcts_iterations": 40, "mcts_max_depth": 2,
}  # fmt: skip
COARSE_VHACD = {"maxConvexHulls": 32, "resolution": 20_000}
HEADER = "collision, one core, CPU time    objects  components  parts      filled  ms/object  floor"


@dataclass
class Row:
    """Counts and CPU seconds of one source."""

    objects: int = 0
    components: int = 0
    parts: int = 0
    filled: int = 0
    cpu: float = 0.0
    floor: float = 0.0


def main() -> None:
    """Measure every source and a few shapes, and print both tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--generated", type=int, default=100, help="objects of the collection")
    given = parser.parse_args()
    config = load_config()
    print(HEADER)
    with tempfile.TemporaryDirectory() as folder:
        generate_collection(Path(folder), seed=1, count=given.generated, workers=1)
        for name, urdfs, scale in [*samples(), ("generated", urdfs_in(Path(folder)), "metric")]:
            report(name, measured(urdfs, scale, config))
    compare_shapes()


def measured(urdfs: Sequence[Path], scale: str, config: Config) -> Row:
    """Make the convex parts of every object, and one hull per component."""
    row = Row()
    for urdf in urdfs:
        try:
            outcome = normal(urdf, scale, select(config, NormalizeSettings))
        except Rejection:
            continue
        add(row, outcome, config.annotate.collision_parts)
    return row


def add(row: Row, outcome: Outcome, most: int) -> None:
    """Measure one normalized object."""
    files = outcome.files or {}
    model = parse_urdf(files[URDF])
    diagonal = float(np.linalg.norm(outcome.record.extents))
    start = time.process_time()
    found = convex_parts(model, files, diagonal=diagonal, most=most)
    row.cpu += time.process_time() - start
    start, decimals = time.process_time(), grid_decimals(diagonal)
    pieces = CollisionShapes.from_bytes(files[COLLISIONS]).pieces
    for link in parse_urdf(files[URDF]).links:
        shapes = [pieces[shape.geometry.filename] for shape in link.collisions]
        row.components += len([convex(part, decimals) for part in components(shapes)])
    row.floor += time.process_time() - start
    row.objects += 1
    row.parts += sum(len(parts.hulls) for parts in found.values())
    row.filled += sum(one.code == "collision_filled" for one in part_findings(found, most))


def report(name: str, row: Row) -> None:
    """Print one line of the table of sources."""
    each, floor = (1000 * seconds / max(row.objects, 1) for seconds in (row.cpu, row.floor))
    print(
        f"  {name:30s} {row.objects:8d} {row.components:11d} {row.parts:6d} {row.filled:12d}"
        f" {each:10.0f} {floor:6.0f}"
    )


def compare_shapes() -> None:
    """Print time, parts and volume of single shapes by every installed tool."""
    tools = dict(tools_here())
    print("single shapes: ms, parts, volume of the parts over the shape's")
    print("  " + " " * 10 + "".join(f"{name:>24s}" for name in tools))
    for name, mesh in shapes():
        cells = []
        for tool in tools.values():
            start = time.process_time()
            parts = tool(mesh)
            cpu = time.process_time() - start
            volume = sum(trimesh.convex.convex_hull(points).volume for points in parts)
            cells.append(f"{1000 * cpu:10.0f} {len(parts):5d} {volume / mesh.volume:7.2f}")
        print(f"  {name:10s}" + "".join(cells))


def shapes() -> Iterator[tuple[str, trimesh.Trimesh]]:
    """Yield closed hollow shapes of one component."""
    inner = trimesh.creation.box((0.96, 0.76, 0.5)).apply_translation([0, 0, 0.02])
    yield "drawer", trimesh.creation.box((1, 0.8, 0.5)).difference(inner)
    yield "ring", trimesh.creation.annulus(0.4, 0.5, 0.2)
    yield "torus", trimesh.creation.torus(0.4, 0.05)
    ball, hole = trimesh.creation.icosphere(3), trimesh.creation.icosphere(3, radius=0.93)
    upper = trimesh.creation.box((3, 3, 3)).apply_translation([0, 0, 1.5])
    yield "bowl", ball.difference(hole).difference(upper)


def tools_here() -> Iterator[tuple[str, Callable[[trimesh.Trimesh], list[np.ndarray]]]]:
    """Yield our own tool and the usual ones, if installed."""
    yield "ours", by_ours
    for name, tool, coarse in (
        ("coacd", by_coacd, COARSE_COACD),
        ("vhacdx", by_vhacd, COARSE_VHACD),
    ):
        if importlib.util.find_spec(name) is None:
            print(f"skipped {name}: pip install {name}")
        else:
            yield name, tool
            yield f"{name} coarse", partial(tool, **coarse)


def by_ours(mesh: trimesh.Trimesh) -> list[np.ndarray]:
    """Return the points of our parts."""
    piece = Piece(np.round(np.asarray(mesh.vertices), 9), np.asarray(mesh.faces))
    return [hull.vertices for hull in link_parts([piece], most=64).hulls]


def by_coacd(mesh: trimesh.Trimesh, **options: float) -> list[np.ndarray]:
    """Return the points of CoACD's parts."""
    import coacd

    coacd.set_log_level("error")
    parts = coacd.run_coacd(coacd.Mesh(mesh.vertices, mesh.faces), **options)
    return [np.asarray(part[0]) for part in parts]


def by_vhacd(mesh: trimesh.Trimesh, **options: int) -> list[np.ndarray]:
    """Return the points of V-HACD's parts."""
    import vhacdx

    faces = np.insert(np.asarray(mesh.faces), 0, 3, axis=1).astype(np.uint32)
    parts = vhacdx.compute_vhacd(np.asarray(mesh.vertices, dtype=float), faces.ravel(), **options)
    return [np.asarray(part[0]) for part in parts]


if __name__ == "__main__":
    main()
