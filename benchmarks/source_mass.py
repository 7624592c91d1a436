# SPDX-License-Identifier: Apache-2.0
"""Masses that sources state beside ours: ratios over the links of the real samples.

A source states the masses that its author guessed or measured; ours are volume times a density.
Links that a source gives the same round number in every object say nothing about either.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.build import kept
from benchmarks.normalize import SAMPLES, normal
from pipeline.base.errors import PipelineError, Rejection
from pipeline.engine.config import load_config
from pipeline.engine.runner import Task
from pipeline.engine.settings import AnnotateSettings, Config, NormalizeSettings, select
from pipeline.stages.annotate.facts import ObjectFacts
from pipeline.stages.annotate.stage import AnnotateInput, annotate

# Source, pattern of its URDF files, unit of its lengths; the others state no masses.
SOURCES = [
    ("articraft", "articraft/rec_*/model.urdf", "metric"),
    ("articulated_object_code", "articulated_object_code/*/generated.urdf", "arbitrary"),
    ("tail", "tail/*/**/*.urdf", "metric"),
]


@dataclass
class Row:
    """Ratios of our masses to those of one source, by link and by object."""

    links: list[float] = field(default_factory=list)
    objects: list[float] = field(default_factory=list)


def main() -> None:
    """Compare every sample that states masses and print one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="take every n-th sample of a source")
    given = parser.parse_args()
    config = load_config()
    rows = {}
    for name, pattern, scale in SOURCES:
        stating = [
            path for path in sorted(SAMPLES.glob(pattern)) if b"<inertial" in path.read_bytes()
        ]
        rows[name] = compared(stating[:: given.every], scale, config)
    report(rows)


def compared(urdfs: Sequence[Path], scale: str, config: Config) -> Row:
    """Return the ratios of every object of a source; rejected ones do not count."""
    row = Row()
    for urdf in urdfs:
        try:
            masses = list(stated_masses(urdf, scale, config))
        except (Rejection, PipelineError):
            continue
        row.links += [ours / theirs for ours, theirs in masses]
        if masses:
            row.objects.append(sum(one for one, _ in masses) / sum(other for _, other in masses))
    return row


def stated_masses(urdf: Path, scale: str, config: Config) -> Iterator[tuple[float, float]]:
    """Yield our mass and the source's [kg] of every link whose mass the source states."""
    made = normal(urdf, scale, select(config, NormalizeSettings))
    with tempfile.TemporaryDirectory() as folder:
        where = kept(Path(folder) / "normal.tar", made.files or {})
        task = Task("x", AnnotateInput(ObjectFacts(made.record, "x", {}), where))
        final = annotate(task, select(config, AnnotateSettings))
    for link in final.record.links:
        stated = link.source_inertial
        if stated is not None and stated.mass > 0:
            yield link.mass, stated.mass


def report(rows: Mapping[str, Row]) -> None:
    """Print counts, quartiles of the ratios and the shares within a factor."""
    print("our mass / source's           count  quartiles             within 2x  within 10x")
    for name, row in rows.items():
        for kind, ratios in (("links", row.links), ("objects", row.objects)):
            if len(ratios) < 2:
                print(f"  {name:23s} {kind:8s} {len(ratios):d}")
                continue
            quartiles = "".join(f"{one:7.2f}" for one in statistics.quantiles(ratios))
            near = [sum(abs(math.log(one)) <= math.log(n) for one in ratios) for n in (2, 10)]
            shares = "".join(f"{100 * one / len(ratios):10.0f}%" for one in near)
            print(f"  {name:23s} {kind:8s} {len(ratios):4d}{quartiles}{shares}")


if __name__ == "__main__":
    main()
