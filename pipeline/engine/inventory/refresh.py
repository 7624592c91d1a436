# SPDX-License-Identifier: Apache-2.0
"""Updates the inventory, code, settings and curation files of a build before planning.

These files are inputs of the rules. They are written only if their content changed, so that a new
time means a change. `dates` then sets the times of outputs by their digests.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from pipeline.base import layout
from pipeline.base.locks import locked
from pipeline.base.tables import dump_json, write_if_changed
from pipeline.engine.config import stage_settings
from pipeline.engine.inventory.code import Code
from pipeline.engine.processes import end_with_parent
from pipeline.engine.settings import Config, dump
from pipeline.engine.stages import STAGES
from pipeline.raw.curation.repairs import parse_repair
from pipeline.raw.curation.reviews import load_reviews, unknown_objects
from pipeline.raw.inventory import RawObject, scan_source, shard_of

# Set by `python -m pipeline build` for its children: the parent holds the lock already.
LOCK_HELD = "AA_BUILD_LOCK_HELD"


@contextmanager
def build_lock(*, wait: bool) -> Iterator[bool]:
    """Hold the lock of the working directory; yield whether it was obtained."""
    if os.environ.get(LOCK_HELD):
        yield True
        return
    with locked(layout.BUILD_LOCK, wait=wait) as stream:
        if stream is None:
            yield False
            return
        holder = os.getpid()
        os.register_at_fork(after_in_child=lambda: _close_lock_and_end_with_parent(stream, holder))
        yield True


def _close_lock_and_end_with_parent(stream: TextIO, parent: int) -> None:
    """Close the lock in a forked child and end the child with the process that holds the lock."""
    if not stream.closed:
        stream.close()
        end_with_parent(parent)


def refresh(config: Config) -> dict[str, int]:
    """Write what changed; return the number of shards of every source that has objects."""
    reviews, code = load_reviews(layout.REVIEWS), Code()
    for stage in STAGES:
        if stage != "ingest":
            write_if_changed(layout.code(stage), code.digest(stage).encode())
        write_if_changed(layout.settings(stage), dump(stage_settings(config, stage)))
    curated = (sorted(review.row() for review in reviews), _repair_rows())
    shards: dict[str, int] = {}
    found_ids: set[str] = set()
    for source, options in config.sources.items():
        facts, root = options.facts, Path(options.facts.folder)
        most = config.budgets.raw_bytes
        found = root.is_dir()
        objects = scan_source(source, facts.adapter, root, most_bytes=most) if found else []
        if objects:
            shards[source] = options.shards
            write_if_changed(layout.source_facts(source), dump(facts))
            digest = code.digest("ingest", facts.adapter)
            write_if_changed(layout.code("ingest", source), digest.encode())
            _write_shards(source, objects, options.shards)
            _write_curation(source, options.shards, curated)
            found_ids.update(raw.object_id for raw in objects)
    write_if_changed(layout.INDEX, dump_json(shards))
    absent = [source for source in config.sources if source not in shards]
    for sentence in unknown_objects(reviews, found_ids, absent, layout.REVIEWS):
        sys.stderr.write(f"{sentence}\n")
    return shards


def _write_shards(source: str, objects: list[RawObject], shards: int) -> None:
    rows: list[list[str]] = [[] for _ in range(shards)]
    marks: list[list[str]] = [[] for _ in range(shards)]
    for raw in objects:
        number = shard_of(raw.object_id, shards)
        rows[number].append(raw.row())
        marks[number].append(raw.mark_row())
    for number in range(shards):
        shard = layout.shard_name(number)
        write_if_changed(layout.inventory(source, shard), "".join(rows[number]).encode())
        write_if_changed(layout.marks(source, shard), "".join(marks[number]).encode())


def _write_curation(source: str, shards: int, curated: tuple[list[str], list[str]]) -> None:
    """Write each shard's rows of the two curation files."""
    for rows, place in zip(curated, (layout.curation, layout.repairs), strict=True):
        slices: list[list[str]] = [[] for _ in range(shards)]
        for line in rows:
            identifier = line.split("\t", 1)[0]
            if identifier.startswith(f"{source}-"):
                slices[shard_of(identifier, shards)].append(line)
        for number, lines in enumerate(slices):
            name = layout.shard_name(number)
            write_if_changed(place(source, name), "".join(lines).encode())


def _curation_rows(path: Path) -> list[str]:
    lines = path.read_text().splitlines()
    return sorted(f"{line}\n" for line in lines[1:] if line.strip())


def _repair_rows() -> list[str]:
    """Return the corrections of raw objects; raise for a row that cannot be read."""
    rows = _curation_rows(layout.REPAIRS)
    for row in rows:
        parse_repair(row.removesuffix("\n"))
    return rows
