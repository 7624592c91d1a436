# SPDX-License-Identifier: Apache-2.0
"""Normalize: CPU time per object, compared with loading the same meshes once with trimesh.

The floor is measured in the same process right before each object: every mesh file of the URDF is
loaded once with `trimesh.load_scene(process=False)`. It finds no texture of PartNet and writes
nothing; normalize reads materials and pictures, and writes OBJ, GLB and URDF. Convex collision
parts are made by annotate and measured in benchmarks/collision.py.
Sources are the real samples (../shared/samples), if present, and the generated collection.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trimesh

from pipeline.base.errors import Rejection
from pipeline.engine.config import load_config
from pipeline.engine.runner import Outcome
from pipeline.engine.settings import Budgets, NormalizeSettings, select
from pipeline.generate.collection import generate_collection
from pipeline.handover.ingested import IngestedRecord
from pipeline.raw.files import open_raw
from pipeline.raw.records import Frame
from pipeline.stages.normalize.stage import normalize_raw, read_model

SAMPLES = Path(__file__).parents[2] / "shared" / "samples"
GOAL = 2.0
# Source, pattern of its URDF files, unit of its lengths; the first three are the goal's.
SOURCES = [
    ("partnet_mobility", "partnet_mobility/*/mobility.urdf", "unit_sphere"),
    ("partnet_mobility_edited", "partnet_mobility_edited/*/mobility.urdf", "unit_sphere"),
    ("gapartnet", "gapartnet/*/mobility.urdf", "unit_sphere"),
    ("articraft", "articraft/rec_[a-c]*/model.urdf", "metric"),  # a part, to save time
    ("articulated_object_code", "articulated_object_code/*/generated.urdf", "arbitrary"),
    ("tail", "tail/*/*.urdf", "metric"),
]
PARTNET = tuple(name for name, _, _ in SOURCES[:3])


@dataclass
class Row:
    """CPU seconds, bytes of mesh files and counts of one source."""

    objects: int = 0
    rejected: int = 0
    size: int = 0
    cpu: float = 0.0
    floor: float = 0.0
    ratios: list[float] = field(default_factory=list)


def main() -> None:
    """Measure every source and print one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--generated", type=int, default=100, help="objects of the collection")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the fastest counts")
    given = parser.parse_args()
    settings = select(load_config(), NormalizeSettings)
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        generate_collection(Path(folder), seed=1, count=given.generated, workers=1)
        for name, urdfs, scale in [*samples(), ("generated", urdfs_in(Path(folder)), "metric")]:
            rows[name] = measured(urdfs, scale, settings, rounds=given.rounds)
    report(rows)


def samples() -> Iterator[tuple[str, list[Path], str]]:
    """Yield name, URDF files and unit of length of every source with samples here."""
    for name, pattern, scale in SOURCES:
        urdfs = sorted(SAMPLES.glob(pattern))
        if urdfs:
            yield name, urdfs, scale
        else:
            print(f"skipped {name}: no {pattern} under ../shared/samples")


def urdfs_in(folder: Path) -> list[Path]:
    """Return the URDF files below a folder."""
    return sorted(folder.rglob("*.urdf"))


def measured(urdfs: Iterable[Path], scale: str, settings: NormalizeSettings, *, rounds: int) -> Row:
    """Normalize every object several times; the fastest round of each counts, as for the floor."""
    row = Row()
    for urdf in urdfs:
        meshes = named_meshes(urdf, settings.budgets)
        floors, times, is_rejected = [], [], False
        for _ in range(rounds):
            floors.append(cpu_of(load_all, meshes))
            start = time.process_time()
            try:
                normal(urdf, scale, settings)
            except Rejection:
                is_rejected = True
            times.append(time.process_time() - start)
        row.rejected += is_rejected
        if is_rejected:
            continue
        row.objects += 1
        row.size += sum(path.stat().st_size for path in meshes)
        row.cpu += min(times)
        row.floor += min(floors)
        if meshes:
            row.ratios.append(min(times) / min(floors))
    return row


def named_meshes(urdf: Path, budgets: Budgets) -> list[Path]:
    """Return the mesh files that an object shows or collides with, each once."""
    files = open_raw(urdf.parent, ["."], most_bytes=budgets.raw_bytes)
    names: dict[str, None] = {}
    with contextlib.suppress(Rejection):
        for link in read_model(files, urdf.name, budgets)[0].links:
            for shape in (*link.visuals, *link.collisions):
                if shape.geometry.kind == "mesh":
                    names[files.resolve(shape.geometry.filename)] = None
    return [urdf.parent / name for name in names if (urdf.parent / name).is_file()]


def load_all(meshes: Iterable[Path]) -> None:
    """Load mesh files with trimesh, the floor."""
    for path in meshes:
        trimesh.load_scene(path, process=False)


def normal(urdf: Path, scale: str, settings: NormalizeSettings) -> Outcome:
    """Normalize one object."""
    files = open_raw(urdf.parent, ["."], most_bytes=settings.budgets.raw_bytes)
    raw = IngestedRecord("x", "x", (".",), urdf.name, "urdf", Frame("z", "x"), scale, 1.0)
    return normalize_raw(files, raw, settings)


def cpu_of(work: Any, *arguments: Any) -> float:
    """Return the CPU seconds of one call."""
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start


def report(rows: Mapping[str, Row]) -> None:
    """Print objects per second, MB/s of mesh files and the ratio to the floor by source."""
    print("normalize, one core, CPU time    objects rejected  objects/s   MB/s  ratio to floor")
    for name, row in rows.items():
        # Primitives have no file to load, so a source of boxes has no floor.
        ratio = f"{row.cpu / row.floor:10.2f}" if row.floor > 0.05 * row.cpu else "         -"
        print(
            f"  {name:30s} {row.objects:7d} {row.rejected:8d} {row.objects / row.cpu:10.1f}"
            f" {row.size / 1e6 / row.cpu:6.1f} {ratio}"
        )
    partnet = [rows[name] for name in PARTNET if name in rows]
    if partnet:
        total = sum(row.cpu for row in partnet) / sum(row.floor for row in partnet)
        each = sorted(ratio for row in partnet for ratio in row.ratios)
        print(f"  ratio to the floor on PartNet samples (goal at most {GOAL})      {total:6.2f}")
        middle, largest = each[len(each) // 2], each[-1]
        print(f"    median and largest of {len(each)} objects        {middle:.2f} {largest:.2f}")


if __name__ == "__main__":
    main()
