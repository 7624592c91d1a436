# SPDX-License-Identifier: Apache-2.0
"""A build of two small sources in the current folder, stage by stage, without Snakemake."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from pipeline.base import layout
from pipeline.base.tables import read_rows
from pipeline.engine.config import load_config, stage_settings
from pipeline.engine.inventory.refresh import refresh
from pipeline.engine.runner import Job, Outcome, Task, run_shard
from pipeline.handover.rendered import RenderedRecord
from tests.kit.bench import box_link, joint_text, robot, write_object
from tests.kit.labeled_library import png
from tests.kit.settings import with_shards

SHARDS = {"generated": 2, "local": 1}
MARKS = layout.WORK / "manifest" / "marks.json"
OPEN, CLOSED = ("CC0-1.0", "CC-BY-NC-4.0")
# Folder by source: width of the moving box (equal widths are equal content) and license.
OBJECTS: dict[str, dict[str, tuple[float, str]]] = {
    "generated": {f"o{n}": (0.3 + 0.01 * n, OPEN) for n in range(8)}
    | {"closed": (0.8, CLOSED), "twin": (0.3, OPEN)},
    "local": {"secret": (0.9, ""), "given": (0.95, OPEN), "copy": (0.31, "")},
}


def write_objects() -> None:
    """Write the raw sources, with one object that cannot be read in each."""
    roots = {"generated": Path("work/raw/generated"), "local": Path("raw/local")}
    for source, objects in OBJECTS.items():
        for name, (width, terms) in objects.items():
            urdf = robot(
                box_link("a", "0.5 0.5 0.5"),
                box_link("b", f"{width:.3f} 0.1 0.1"),
                joint_text("j", "revolute", "a", "b"),
            )
            meta = {"name": name, "category": "Door", "license": terms}
            write_object(roots[source] / name, urdf, {"meta.json": json.dumps(meta)})
        write_object(roots[source] / "broken", "<robot", {"meta.json": "{}"})


def picture(task: Task, _settings: Any) -> Outcome:
    """Stand in for the render stage."""
    return Outcome(RenderedRecord("egl"), files={"preview.png": png(task.object_id.encode())})


def stage_job(stage: str, source: str, shard: str, config: Any) -> Job[Any]:
    """Return the job that the stage's rule would start."""

    def table(name: str) -> Path:
        return layout.records(name, source, shard)

    inputs = {
        "ingest": {
            "facts": layout.source_facts(source),
            "inventory": layout.inventory(source, shard),
        },
        "normalize": {
            "facts": layout.source_facts(source),
            "records": table("ingest"),
            "repairs": layout.repairs(source, shard),
        },
        "categorize": {"records": table("ingest")},
        "verify": {
            "records": table("normalize"),
            "assets": table("normalize").with_suffix(".tar"),
            "categories": table("categorize"),
            "reviews": layout.curation(source, shard),
            **{
                f"{name}_findings": table(name).with_suffix(".findings.parquet")
                for name in ("ingest", "normalize", "categorize")
            },
        },
        "annotate": {
            "records": table("normalize"),
            "assets": table("normalize").with_suffix(".tar"),
            "verified": table("verify"),
            "sources": table("ingest"),
            "categories": table("categorize"),
        },
    }.get(stage, {})
    outputs = {"records": table(stage)}
    outputs |= {n: table(stage).with_suffix(f".{n}.parquet") for n in ("rejects", "findings")}
    if stage in ("normalize", "annotate", "render"):
        outputs["assets"] = table(stage).with_suffix(".tar")
    return Job(stage, source, shard, inputs, outputs, stage_settings(config, stage))


def library_job(stage: str, config: Any) -> Job[Any]:
    """Return the job of a whole-library stage."""
    root = layout.LIBRARY
    tables = ("objects", "links", "joints", "exclusions", "findings", "rejects", "categories")
    duplicates = layout.WORK / "deduplicate"
    wiring: dict[str, tuple[dict[str, Path], dict[str, Path]]] = {
        "deduplicate": ({}, {n: duplicates / f"{n}.parquet" for n in ("rejects", "findings")}),
        "manifest": (
            {
                "duplicates": duplicates / "rejects.parquet",
                "findings": duplicates / "findings.parquet",
            },
            {name: root / f"{name}.parquet" for name in tables} | {"marks": MARKS},
        ),
        "split": (
            {name: root / f"{name}.parquet" for name in ("objects", "joints")} | {"marks": MARKS},
            {
                "splits": root / "splits.parquet",
                "report": Path("work/split/report.txt"),
                "figure": Path("work/split/coverage.png"),
            },
        ),
        "publish": (
            {},
            {
                "card": layout.RELEASE / "README.md",
                "license": layout.RELEASE / "LICENSE",
                "croissant": layout.RELEASE / "croissant.json",
                "checksums": layout.RELEASE / "SHA256SUMS",
            },
        ),
    }
    inputs, outputs = wiring[stage]
    return Job(stage, "", "", inputs, outputs, stage_settings(config, stage))


def build() -> None:
    """Run every stage on every shard in the current folder."""
    write_objects()
    config = with_shards(load_config(), **SHARDS)
    refresh(config)
    for source, shards in SHARDS.items():
        for shard in map(layout.shard_name, range(shards)):
            for stage in ("ingest", "normalize", "categorize", "verify", "annotate"):
                job = stage_job(stage, source, shard, config)
                importlib.import_module(f"pipeline.stages.{stage}.stage").run(job)
            job = stage_job("render", source, shard, config)
            rows = read_rows(layout.records("annotate", source, shard))
            tasks = [Task(row["object_id"], None) for row in rows]
            run_shard(job, tasks, process=picture, record=RenderedRecord)
    for stage in ("deduplicate", "manifest", "split", "publish"):
        importlib.import_module(f"pipeline.stages.{stage}.stage").run(library_job(stage, config))
