# SPDX-License-Identifier: Apache-2.0
"""The stages that work object by object: CPU seconds per object by source, beside their floor.

The floor loads every mesh file of the same object once with trimesh (`benchmarks/normalize.py`), in
the same process, right before it. The stages are normalize, verify, annotate and render, with the
files that they hand over; the others read tables only. CPU time, one core, one round: the worst
object is printed too, because one of a minute keeps a whole shard waiting. The first objects of the
collection warm up and do not count: a worker imports libraries and loads kernels once for 200
objects.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from aa_dataset.render.backend import choose_backend
from benchmarks.normalize import cpu_of, load_all, named_meshes, normal, samples, urdfs_in
from pipeline.base.assets import AssetRange, pack
from pipeline.base.errors import Rejection
from pipeline.engine.config import load_config
from pipeline.engine.runner import Task
from pipeline.engine.settings import (
    AnnotateSettings,
    Config,
    NormalizeSettings,
    RenderSettings,
    VerifySettings,
    select,
)
from pipeline.generate.collection import generate_collection
from pipeline.stages.annotate.facts import ObjectFacts
from pipeline.stages.annotate.stage import AnnotateInput, annotate
from pipeline.stages.render.stage import RenderInput, render
from pipeline.stages.verify.stage import VerifyInput, verify

T = TypeVar("T")
STAGES = ("normalize", "verify", "annotate", "render")
# Goals [CPU s per object]; sources without one of their own are the others.
GOALS = {
    "generated": 0.35,
    "partnet_mobility": 0.8,
    "partnet_mobility_edited": 0.8,
    "articraft": 1.2,
}
OTHERS, WORST = 2.0, 60.0
# Objects that are built before the others, which load the kernels.
WARM_UP = 5


@dataclass
class Row:
    """CPU seconds of one source by stage, of its floor, and of each object."""

    floor: float = 0.0
    stages: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))
    objects: dict[str, float] = field(default_factory=dict)


def main() -> None:
    """Measure every source and print one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--generated", type=int, default=60, help="objects of the collection")
    parser.add_argument("--every", type=int, default=1, help="take every n-th sample of a source")
    parser.add_argument("--source", help="only this one")
    given = parser.parse_args()
    config, rows = load_config(), {}
    with tempfile.TemporaryDirectory() as folder:
        generate_collection(Path(folder), seed=1, count=given.generated, workers=1)
        made = urdfs_in(Path(folder))
        measured(made[:WARM_UP], "metric", config)
        for name, urdfs, scale in [*samples(), ("generated", made, "metric")]:
            if given.source in (None, name):
                rows[name] = measured(urdfs[:: given.every], scale, config)
    report(rows)
    print(f"  drawn by {choose_backend(config.render.backend)}")


def measured(urdfs: Sequence[Path], scale: str, config: Config) -> Row:
    """Bring every object of a source through the stages; rejected ones do not count."""
    row = Row()
    for urdf in urdfs:
        floor = cpu_of(load_all, named_meshes(urdf, config.budgets))
        try:
            spent = stages_of(urdf, scale, config)
        except Rejection:
            continue
        row.floor += floor
        row.objects[f"{urdf.parent.name}/{urdf.name}"] = sum(spent.values())
        for stage, seconds in spent.items():
            row.stages[stage] += seconds
    return row


def stages_of(urdf: Path, scale: str, config: Config) -> dict[str, float]:
    """Return the CPU seconds of every stage on one object."""
    spent: dict[str, float] = {}
    made = timed(spent, "normalize", lambda: normal(urdf, scale, select(config, NormalizeSettings)))
    with tempfile.TemporaryDirectory() as folder:
        where = kept(Path(folder) / "normal.tar", made.files or {})
        to_verify = Task("x", VerifyInput(made.record, where, ""))
        timed(spent, "verify", lambda: verify(to_verify, select(config, VerifySettings)))
        to_annotate = Task("x", AnnotateInput(ObjectFacts(made.record, "x", {}), where))
        settings = select(config, AnnotateSettings)
        final = timed(spent, "annotate", lambda: annotate(to_annotate, settings))
        where = kept(Path(folder) / "final.tar", final.files or {})
        to_render = Task("x", RenderInput(where, choose_backend(config.render.backend)))
        timed(spent, "render", lambda: render(to_render, select(config, RenderSettings)))
    return spent


def timed(spent: dict[str, float], stage: str, work: Callable[[], T]) -> T:
    """Run something and note its CPU time."""
    start = time.process_time()
    answer = work()
    spent[stage] = time.process_time() - start
    return answer


def kept(path: Path, files: Mapping[str, bytes]) -> AssetRange:
    """Write the files of an object as a stage does, and return their range."""
    fragment = pack("x", files)
    path.write_bytes(fragment)
    return AssetRange(path, 0, len(fragment))


def report(rows: Mapping[str, Row]) -> None:
    """Print the seconds per object by source and stage, the floor, the worst object, the goal."""
    names = "".join(f"{stage:>10s}" for stage in STAGES)
    print(f"build, CPU s/object         objects{names}       all  goal  floor  worst")
    for name, row in rows.items():
        count = max(len(row.objects), 1)
        each = "".join(f"{row.stages[stage] / count:10.3f}" for stage in STAGES)
        total, goal = sum(row.stages.values()) / count, GOALS.get(name, OTHERS)
        worst = max(row.objects, key=lambda one: row.objects[one], default="")
        print(
            f"  {name:25s} {len(row.objects):7d}{each}{total:10.3f} {goal:5.2f}"
            f" {row.floor / count:6.3f} {row.objects.get(worst, 0.0):6.1f} {worst}"
        )
    slow = sum(seconds > WORST for row in rows.values() for seconds in row.objects.values())
    print(f"  objects above {WORST:g} s                {slow}")


if __name__ == "__main__":
    main()
