# SPDX-License-Identifier: Apache-2.0
"""CPU time of `annotate` per object, compared with reading the same GLB in the same run.

On generated objects of every kind, and on the PartNet-Mobility samples if present.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from aa_dataset.format.layout import GLB, URDF
from aa_dataset.kinematics.urdf import parse_urdf
from pipeline.base.assets import AssetRange, pack
from pipeline.engine.config import load_config
from pipeline.engine.runner import Outcome, Task
from pipeline.engine.settings import AnnotateSettings, Config, NormalizeSettings, select
from pipeline.generate.collection import generate_collection
from pipeline.handover.ingested import IngestedRecord
from pipeline.raw.files import open_raw
from pipeline.raw.records import Frame
from pipeline.shapes.glb import read_links
from pipeline.stages.annotate.facts import ObjectFacts
from pipeline.stages.annotate.stage import AnnotateInput, annotate
from pipeline.stages.normalize.stage import normalize_raw

SAMPLES = Path("../shared/samples/partnet_mobility")
RAW = IngestedRecord("bench", "x", (".",), "", "urdf", Frame("z", "x"), "metric", 1.0)


def main() -> None:
    """Measure both sets and print one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=60)
    count = parser.parse_args().count
    settings = load_config()
    head = ("objects", "links", "annotate ms", "floor ms", "ratio")
    print(f"{'annotate, CPU per object':<28}" + "".join(f"{h:>13}" for h in head))
    with tempfile.TemporaryDirectory() as folder:
        report("generated", generated(Path(folder), count, settings), settings)
    if SAMPLES.is_dir():
        report("PartNet-Mobility samples", samples(settings), settings)
    else:
        print(f"PartNet-Mobility samples: skipped, {SAMPLES} does not exist")


def generated(folder: Path, count: int, settings: Config) -> Iterator[Outcome]:
    """Yield normalized objects of the generated collection."""
    generate_collection(folder, seed=settings.generated.seed, count=count, workers=1)
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            yield normal(path, next(path.glob("*.urdf")).name, settings)


def samples(settings: Config) -> Iterator[Outcome]:
    """Yield the normalized samples."""
    for path in sorted(SAMPLES.iterdir()):
        yield normal(path, "mobility.urdf", settings)


def normal(folder: Path, urdf: str, settings: Config) -> Outcome:
    """Normalize one raw folder."""
    files = open_raw(folder, ["."], most_bytes=settings.budgets.raw_bytes)
    return normalize_raw(files, replace(RAW, model=urdf), select(settings, NormalizeSettings))


def report(name: str, objects: Iterator[Outcome], settings: Config) -> None:
    """Annotate every object and print the mean times and the methods."""
    times, floors, methods, errors = [], [], Counter[str](), []
    for outcome in objects:
        files = outcome.files or {}
        links = tuple(link.name for link in parse_urdf(files[URDF]).links)
        start = time.process_time()
        read_links(files[GLB], links)
        floors.append(time.process_time() - start)
        found, seconds = annotated(outcome, settings)
        times.append(seconds)
        methods.update(row.inertia_method for row in found.record.links)
        errors += [row.inertia_error for row in found.record.links]
    cells = (f"{len(times)}", f"{methods.total()}", f"{1e3 * np.mean(times):.1f}",
             f"{1e3 * np.mean(floors):.1f}", f"{np.sum(times) / np.sum(floors):.1f}")  # fmt: skip
    print(f"{name:<28}" + "".join(f"{cell:>13}" for cell in cells))
    half, most = np.quantile(errors, [0.5, 0.9])
    print(f"  methods {dict(methods)}; error estimates: median {half:.2g}, nine tenths {most:.2g}")


def annotated(outcome: Outcome, settings: Config) -> tuple[Outcome, float]:
    """Annotate one normalized object and return the CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "object.tar"
        fragment = pack("bench-object", outcome.files or {})
        path.write_bytes(fragment)
        where = AssetRange(path, 0, len(fragment))
        task = Task("bench-object", AnnotateInput(ObjectFacts(outcome.record, "bench", {}), where))
        start = time.process_time()
        found = annotate(task, select(settings, AnnotateSettings))
        return found, time.process_time() - start


if __name__ == "__main__":
    main()
