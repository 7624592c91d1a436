# SPDX-License-Identifier: Apache-2.0
"""Finds the raw objects of a source and digests their files, reading only what changed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from pipeline import layout
from pipeline.tables import dump_json, write_if_changed

ID_LENGTH = 90


@dataclass(frozen=True, slots=True)
class RawObject:
    """One object of a source: its id in the library, its folder in the source, its content."""

    object_id: str
    folder: str
    digest: str

    def row(self) -> str:
        """Return the object's line in the inventory."""
        return f"{self.object_id}\t{self.folder}\t{self.digest}\n"


def scan_source(source: str, root: Path) -> list[RawObject]:
    """Return every object of a source, sorted by id.

    An object is a folder of `root`; whether it is a usable one is decided by `ingest`.
    """
    cache = DigestCache(source)
    names = sorted(entry.name for entry in os.scandir(root) if _is_object(entry))
    bar = tqdm(names, desc=f"inventory {source}", unit="object", disable=None, leave=False)
    objects = [RawObject(object_id(source, name), name, cache.digest(root / name)) for name in bar]
    cache.save()
    return sorted(objects, key=lambda raw: raw.object_id)


def _is_object(entry: os.DirEntry[str]) -> bool:
    printable = entry.name.isprintable() and not entry.name.startswith(".")
    return printable and entry.is_dir(follow_symlinks=False)


def object_id(source: str, name: str) -> str:
    """Return `<source>-<name>` in `[a-z0-9_.-]`; a name that had to be changed gets a digest."""
    clean = re.sub(r"[^a-z0-9_.-]+", "_", name.lower())[:ID_LENGTH].strip(".-")
    if clean != name:
        clean = f"{clean}.{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    return f"{source}-{clean}"


def shard_of(identifier: str, shards: int) -> int:
    """Return the shard of an object: a stable hash of its id, the same on every machine."""
    return int.from_bytes(hashlib.sha256(identifier.encode()).digest()[:8], "big") % shards


class DigestCache:
    """Digests of files by size, times and inode; a damaged cache is an empty one."""

    def __init__(self, source: str) -> None:
        self._path = layout.digest_cache(source)
        self._old = self._load()
        self._new: dict[str, list[str]] = {}

    def _load(self) -> dict[str, list[str]]:
        try:
            loaded = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        return loaded if isinstance(loaded, dict) else {}

    def digest(self, folder: Path) -> str:
        """Return the digest of all files of one raw object, names included."""
        total = hashlib.sha256()
        for path, status in _files(folder):
            name = path.relative_to(folder).as_posix()
            total.update(f"{name}\0{self._file_digest(path, status)}\0".encode("utf-8", "replace"))
        return total.hexdigest()

    def _file_digest(self, path: Path, status: os.stat_result) -> str:
        key = path.as_posix()
        mark = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
        known = self._old.get(key)
        if isinstance(known, list) and len(known) == 2 and known[0] == mark:
            self._new[key] = known
        else:
            self._new[key] = [mark, _content_digest(path, status)]
        return self._new[key][1]

    def save(self) -> None:
        """Write the digests of the files that exist now."""
        if self._new != self._old:
            write_if_changed(self._path, dump_json(self._new))


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield everything below a folder with its status, sorted; links are not followed."""
    for parent, folders, files in os.walk(folder):
        linked = [name for name in folders if Path(parent, name).is_symlink()]
        folders[:] = sorted(set(folders) - set(linked))
        for name in sorted(files + linked):
            path = Path(parent, name)
            yield path, path.lstat()


def _content_digest(path: Path, status: os.stat_result) -> str:
    """Digest a regular file's bytes; of anything else (link, pipe, device) only what it is."""
    if stat.S_ISLNK(status.st_mode):
        return f"link {path.readlink()}"
    if not stat.S_ISREG(status.st_mode):
        return f"special {stat.S_IFMT(status.st_mode)}"
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        return f"unreadable {error.errno}"
