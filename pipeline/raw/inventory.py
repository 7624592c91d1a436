# SPDX-License-Identifier: Apache-2.0
"""Finds the raw objects of a source and digests their files, reading only what changed."""

from __future__ import annotations

import hashlib
import importlib
import itertools
import json
import math
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from pipeline.base import layout
from pipeline.base.errors import PipelineError, Rejection
from pipeline.base.tables import compact_json, dump_json, write_if_changed
from pipeline.base.trouble import FORBIDDEN, blame_machine
from pipeline.raw.records import ADAPTERS, Found
from pipeline.raw.walk import walk_files

ID_LENGTH = 90
# A folder that more objects than this share enters their digests as one digest, not line by line.
# Otherwise the work would be quadratic for a collection in one folder.
CROWD = 256
DIGEST = re.compile(r"\.[0-9a-f]{16}$")


@dataclass(frozen=True, slots=True)
class RawObject:
    """One object of a source: its id in the library, its entry in the source, its content.

    `digest` covers the content. `mark` covers sizes, times and inodes: it changes when a file is
    written, even if its content is restored.
    """

    object_id: str
    found: Found
    digest: str
    mark: str = ""

    def row(self) -> str:
        """Return the object's line in the inventory: id, digest, and the rest as JSON."""
        found = self.found
        rest = json.dumps([found.name, found.paths, found.facts], sort_keys=True)
        return f"{self.object_id}\t{self.digest}\t{rest}\n"

    def mark_row(self) -> str:
        """Return the object's line among the marks of the shard."""
        return f"{self.object_id}\t{self.mark}\n"


def read_inventory(path: Path) -> list[RawObject]:
    """Read the objects of one shard."""
    return [_parse_row(line) for line in path.read_text().splitlines()]


def _parse_row(line: str) -> RawObject:
    key, digest, rest = line.split("\t")
    name, paths, facts = json.loads(rest)
    return RawObject(key, Found(name, tuple(paths), facts), digest)


def read_marks(path: Path) -> dict[str, str]:
    """Read the marks of one shard by object id."""
    lines = path.read_text().splitlines() if path.is_file() else []
    return dict(line.split("\t") for line in lines)


def scan_source(
    source: str, adapter: str, root: Path, *, most_bytes: float = math.inf
) -> list[RawObject]:
    """Return every object of a source, sorted by id.

    The adapter lists the objects; `ingest` decides whether they are usable. It rejects an object
    with a file of more than `most_bytes`, so such a file is not read here.
    """
    listed = list(adapter_module(adapter).discover(root))
    cache = DigestCache(source, listed=listed, most_bytes=most_bytes)
    bar = tqdm(listed, desc=f"inventory {source}", unit="object", disable=None, leave=False)
    objects = [_raw_object(source, root, found, cache) for found in bar]
    cache.save()
    return _require_unique_ids(source, sorted(objects, key=lambda raw: raw.object_id))


def adapter_module(name: str) -> Any:
    """Return the adapter of that name."""
    return importlib.import_module(f"{ADAPTERS}.{name}")


def _raw_object(source: str, root: Path, found: Found, cache: DigestCache) -> RawObject:
    digest, mark = cache.digest(root, found)
    return RawObject(object_id(source, found.name), found, digest, mark)


def _require_unique_ids(source: str, objects: list[RawObject]) -> list[RawObject]:
    for first, second in itertools.pairwise(objects):
        if first.object_id == second.object_id:
            raise PipelineError(
                f"source {source}: {', '.join(first.found.paths)} and "
                f"{', '.join(second.found.paths)} both have the id {first.object_id}; rename one."
            )
    return objects


def object_id(source: str, name: str) -> str:
    """Return `<source>-<name>` in `[a-z0-9_.-]`; a name that had to be changed gets a digest.

    A name that ends like a digest gets one as well, so that it cannot collide with another id.
    """
    clean = re.sub(r"[^a-z0-9_.-]+", "_", name.lower())[:ID_LENGTH].strip(".-")
    if clean != name or DIGEST.search(name):
        clean = f"{clean}.{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"
    return f"{source}-{clean}"


def shard_of(identifier: str, shards: int) -> int:
    """Return the shard of an object: a stable hash of its id, the same on every machine."""
    return int.from_bytes(hashlib.sha256(identifier.encode()).digest()[:8], "big") % shards


class DigestCache:
    """Digests of files by size, times and inode; a damaged cache is an empty one.

    `listed` are the objects that will be requested; paths that they share are cached.
    """

    def __init__(
        self, source: str, *, listed: Sequence[Found] = (), most_bytes: float = math.inf
    ) -> None:
        self._most_bytes = most_bytes
        self._path = layout.digest_cache(source)
        self._old = self._read_cache()
        self._new: dict[str, list[str]] = {}
        self._uses = Counter(part for found in listed for part in found.paths)
        self._parts: dict[str, tuple[bytes, bytes]] = {}

    def _read_cache(self) -> dict[str, list[str]]:
        try:
            loaded = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        return loaded if isinstance(loaded, dict) else {}

    def digest(self, root: Path, found: Found) -> tuple[str, str]:
        """Return digest and mark of all files of one raw object, names and facts included."""
        total, marks = hashlib.sha256(compact_json(found.facts).encode()), hashlib.sha256()
        for part in found.paths:
            content, mark = self._path_digest_and_mark(root, part)
            total.update(content)
            marks.update(mark)
        return total.hexdigest(), marks.hexdigest()

    def _path_digest_and_mark(self, root: Path, part: str) -> tuple[bytes, bytes]:
        """Return a path's part of digest and mark; a shared path is read once."""
        if part in self._parts:
            return self._parts[part]
        files = _object_files(root, part)
        lines = [
            f"{path.relative_to(root).as_posix()}\0{self._file_digest(path, status)}\0"
            for path, status in files
        ]
        content = "".join(lines).encode("utf-8", "surrogateescape")
        if self._uses[part] > CROWD:
            content = hashlib.sha256(content).digest()
        found = content, _part_mark(root, files)
        if self._uses[part] > 1:
            self._parts[part] = found
        return found

    def _file_digest(self, path: Path, status: os.stat_result | None) -> str:
        if status is None:
            return "unreachable"
        if status.st_size > self._most_bytes:
            return f"oversize {status.st_size}"
        key = path.as_posix()
        mark = _status_mark(status)
        known = self._old.get(key)
        if isinstance(known, list) and known[:1] == [mark] and _is_digest(known[-1]):
            self._new[key] = known
        else:
            self._new[key] = [mark, _content_digest(path, status)]
        return self._new[key][1]

    def save(self) -> None:
        """Write the digests of the files that exist now."""
        if self._new != self._old:
            write_if_changed(self._path, dump_json(self._new))


def mark_files(root: Path, paths: Sequence[str]) -> str:
    """Return a digest of sizes, times and inodes of all files of one object."""
    return mark_objects(root, [paths])[0]


def mark_objects(root: Path, objects: Iterable[Sequence[str]]) -> list[str]:
    """Return the same for several objects; shared paths are walked once."""
    listed = [tuple(paths) for paths in objects]
    parts = {
        part: _part_mark(root, _object_files(root, part)) for part in {*itertools.chain(*listed)}
    }
    return [hashlib.sha256(b"".join(parts[part] for part in paths)).hexdigest() for paths in listed]


def _part_mark(root: Path, files: Sequence[tuple[Path, os.stat_result | None]]) -> bytes:
    lines = (
        f"{path.relative_to(root).as_posix()}\0{_status_mark(status)}\0" for path, status in files
    )
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).digest()


def _status_mark(status: os.stat_result | None) -> str:
    if status is None:
        return "unreachable"
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value) is not None


def _object_files(root: Path, part: str) -> list[tuple[Path, os.stat_result | None]]:
    """Return the files of one path of an object with their status, in a fixed order.

    Links are not followed. The status is None for a file in an unreadable folder, and for a folder
    with too many files to walk, which `ingest` rejects.
    """
    path = root / part
    if not path.is_dir() or path.is_symlink():  # a file, or a link, which `ingest` rejects
        return [(path, _status_or_none(path))]
    try:
        return [(inner, _status_or_none(inner)) for inner in walk_files(path)]
    except Rejection:
        return [(path, None)]


def _status_or_none(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None


def _is_link(status: os.stat_result | None) -> bool:
    return status is not None and stat.S_ISLNK(status.st_mode)


def _content_digest(path: Path, status: os.stat_result) -> str:
    """Digest a regular file's bytes; for anything else (link, pipe, device) only its type."""
    if _is_link(status):
        return f"link {path.readlink()}"
    if not stat.S_ISREG(status.st_mode):
        return f"special {stat.S_IFMT(status.st_mode)}"
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        if error.errno not in FORBIDDEN:  # `ingest` reports it if the object needs the file
            blame_machine(path, error)
        return f"unreadable {error.errno}"
