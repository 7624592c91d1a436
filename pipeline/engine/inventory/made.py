# SPDX-License-Identifier: Apache-2.0
"""Records of finished jobs: digests of all their inputs and outputs.

Every finished job writes a record to `work/made`. Before planning, the records are compared with
the files: digests decide what is fresh, and modification times are set to match, because Snakemake
plans by them. A file with the size, times and inode of its record is not read again.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aa_dataset.files import file_sha256
from pipeline.base import layout
from pipeline.base.errors import ChangedDuringBuildError
from pipeline.base.tables import dump_json, write_bytes, write_if_changed
from pipeline.engine.stages import SHARD_STAGES, STAGES

Wiring = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Job:
    """One job with the paths of all its inputs and outputs."""

    stage: str
    source: str
    shard: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def record(self) -> Path:
        """Path of the job's record."""
        return layout.made(self.stage, self.source, self.shard)

    def filled(self) -> list[str]:
        """Return the files that are now in the folders that the stage fills, sorted."""
        folders = layout.FILLED.get(self.stage, ())
        found = (path for folder in folders for path in folder.rglob("*") if not path.is_dir())
        return sorted(path.as_posix() for path in found)


@dataclass(frozen=True, slots=True)
class Record:
    """Digests of a job's inputs, digests and marks of its outputs, by path."""

    inputs: Mapping[str, str | None]
    outputs: Mapping[str, tuple[str | None, str]]

    def as_json(self) -> bytes:
        """Return the record as bytes of its file."""
        return dump_json({"inputs": self.inputs, "outputs": self.outputs})


@dataclass(slots=True)
class Digests:
    """Digests of files; a file is read at most once, and not at all if its mark is known."""

    known: dict[str, tuple[str, str | None]] = field(default_factory=dict)

    def add_outputs_of(self, record: Record | None) -> None:
        """Add the digests and marks of a record's outputs."""
        for path, (digest, mark) in record.outputs.items() if record else ():
            self.known[path] = mark, digest

    def of(self, path: str) -> str | None:
        """Return the digest of a file, None for anything but a regular file."""
        mark = file_mark(path)
        if mark is None:
            return None
        known = self.known.get(path)
        if known is None or known[0] != mark:
            self.known[path] = mark, _sha256_or_none(path)
        return self.known[path][1]

    def redate(self, path: str, nanoseconds: int) -> None:
        """Set the time of a file and update its mark; its digest stays known."""
        digest = self.of(path)
        os.utime(path, ns=(nanoseconds, nanoseconds))
        self.known[path] = file_mark(path) or "", digest

    def all_of(self, paths: Iterable[str]) -> dict[str, str | None]:
        """Return the digests of several files by path."""
        return {path: self.of(path) for path in paths}


def file_mark(path: str) -> str | None:
    """Return size, times and inode of a regular file, which change when it is written to."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def _sha256_or_none(path: str) -> str | None:
    try:
        return file_sha256(Path(path))
    except OSError:  # an unreadable file counts as missing
        return None


def read_record(path: Path) -> Record | None:
    """Read a job's record, None if there is no usable one."""
    try:
        found = json.loads(path.read_bytes())
        inputs = {str(key): _text_or_none(value) for key, value in found["inputs"].items()}
        outputs = {
            str(key): (_text_or_none(digest), str(mark))
            for key, (digest, mark) in found["outputs"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return Record(inputs, outputs)


def _text_or_none(value: Any) -> str | None:
    return None if value is None else str(value)


def write_wiring(wiring: Wiring) -> None:
    """Write the inputs and outputs of the rules for the jobs to read."""
    write_if_changed(layout.WIRING, dump_json(wiring))


def job_of(wiring: Wiring, stage: str, source: str, shard: str) -> Job:
    """Return one job; the rules' patterns have `{source}` and `{shard}`."""
    inputs, outputs = (
        tuple(text.replace("{source}", source).replace("{shard}", shard) for text in texts)
        for texts in (wiring[stage]["inputs"], wiring[stage]["outputs"])
    )
    return Job(stage, source, shard, inputs, outputs)


def all_jobs(wiring: Wiring, shards: Mapping[str, int]) -> Iterator[Job]:
    """Yield every job of the workflow, each after the jobs that it depends on."""
    for stage in STAGES:
        if stage not in SHARD_STAGES:
            yield job_of(wiring, stage, "", "")
            continue
        for source, count in shards.items():
            for number in range(count):
                yield job_of(wiring, stage, source, layout.shard_name(number))


@contextmanager
def recorded(stage: str, source: str, shard: str) -> Iterator[None]:
    """Write a record of the job that runs in the block; without a plan, write none."""
    try:
        job = job_of(json.loads(layout.WIRING.read_bytes()), stage, source, shard)
    except (OSError, ValueError, KeyError):
        yield
        return
    digests = Digests()
    for record in layout.made_before(source, shard):
        digests.add_outputs_of(read_record(record))
    inputs = digests.all_of(job.inputs)
    yield
    for path, digest in inputs.items():
        if digests.of(path) != digest:
            raise ChangedDuringBuildError(path)
    write_bytes(job.record, _job_record(job, inputs, digests).as_json())


def _job_record(job: Job, inputs: Mapping[str, str | None], digests: Digests) -> Record:
    """Return the record of a job whose outputs are in place."""
    outputs = {}
    for path in (*job.outputs, *job.filled()):
        digest = digests.of(path)
        outputs[path] = digest, digests.known[path][0] if digest else ""
    return Record(inputs, outputs)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a job's outputs are up to date, and which of them are missing or damaged."""

    is_fresh: bool
    damaged: tuple[str, ...] = ()


def judge(job: Job, record: Record | None, digests: Digests) -> Verdict:
    """Compare a job's record with the files."""
    if record is None or not set(job.outputs) <= set(record.outputs):
        return Verdict(is_fresh=False)
    found = record.outputs.items()
    damaged = tuple(path for path, (digest, _) in found if digests.of(path) != digest)
    same = dict(record.inputs) == digests.all_of(job.inputs)
    same = same and set(record.outputs) == {*job.outputs, *job.filled()}
    return Verdict(is_fresh=same and not damaged, damaged=damaged)


def refresh_marks(job: Job, record: Record | None, digests: Digests) -> None:
    """Update a record whose files have the same content and new times, as after a copy."""
    if record is None:
        return
    outputs = dict(record.outputs)
    for path, (digest, _) in record.outputs.items():
        if digest is not None and digests.of(path) == digest:
            outputs[path] = digest, digests.known[path][0]
    if outputs != record.outputs:
        write_bytes(job.record, Record(record.inputs, outputs).as_json(), lasting=False)
