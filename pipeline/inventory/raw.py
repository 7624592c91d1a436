# SPDX-License-Identifier: Apache-2.0
"""Finds the raw objects of a source and digests their files, reading only what changed."""

from __future__ import annotations

import hashlib
import json
import math
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
DIGEST = re.compile(r"\.[0-9a-f]{16}$")


@dataclass(frozen=True, slots=True)
class RawObject:
    """One object of a source: its id in the library, its folder in the source, its content."""

    object_id: str
    folder: str
    digest: str

    def row(self) -> str:
        """Return the object's line in the inventory; the folder is escaped as in JSON."""
        return f"{self.object_id}\t{json.dumps(self.folder)[1:-1]}\t{self.digest}\n"


def read_inventory(path: Path) -> list[RawObject]:
    """Read the objects of one shard."""
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    return [RawObject(key, json.loads(f'"{folder}"'), digest) for key, folder, digest in rows]


def scan_source(source: str, root: Path, *, most_bytes: float = math.inf) -> list[RawObject]:
    """Return every object of a source, sorted by id.

    An object is a folder of `root`; whether it is a usable one is decided by `ingest`, which
    refuses an object with a file of more than `most_bytes`: such a file is not read here.
    """
    cache = DigestCache(source, most_bytes=most_bytes)
    names = sorted(entry.name for entry in os.scandir(root) if _is_object(entry))
    bar = tqdm(names, desc=f"inventory {source}", unit="object", disable=None, leave=False)
    objects = [RawObject(object_id(source, name), name, cache.digest(root / name)) for name in bar]
    cache.save()
    return sorted(objects, key=lambda raw: raw.object_id)


def _is_object(entry: os.DirEntry[str]) -> bool:
    """Tell folders, and links that lead to no file: `ingest` refuses a link with a sentence."""
    if entry.name.startswith("."):
        return False
    if not entry.is_symlink():
        return entry.is_dir()
    try:
        return not Path(entry.path).is_file()
    except OSError:
        return True


def object_id(source: str, name: str) -> str:
    """Return `<source>-<name>` in `[a-z0-9_.-]`; a name that had to be changed gets a digest.

    A name that ends like a digest gets one as well, so that it cannot be taken for another's id.
    """
    clean = re.sub(r"[^a-z0-9_.-]+", "_", name.lower())[:ID_LENGTH].strip(".-")
    if clean != name or DIGEST.search(name):
        clean = f"{clean}.{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"
    return f"{source}-{clean}"


def shard_of(identifier: str, shards: int) -> int:
    """Return the shard of an object: a stable hash of its id, the same on every machine."""
    return int.from_bytes(hashlib.sha256(identifier.encode()).digest()[:8], "big") % shards


class DigestCache:
    """Digests of files by size, times and inode; a damaged cache is an empty one."""

    def __init__(self, source: str, *, most_bytes: float = math.inf) -> None:
        self._most_bytes = most_bytes
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
        if folder.is_symlink():  # not followed: `ingest` refuses it
            return hashlib.sha256(os.fsencode(folder.readlink())).hexdigest()
        total = hashlib.sha256()
        for path, status in _files(folder):
            name = path.relative_to(folder).as_posix()
            line = f"{name}\0{self._file_digest(path, status)}\0"
            total.update(line.encode("utf-8", "surrogateescape"))
        return total.hexdigest()

    def _file_digest(self, path: Path, status: os.stat_result | None) -> str:
        if status is None:
            return "unreachable"
        if status.st_size > self._most_bytes:
            return f"oversize {status.st_size}"
        key = path.as_posix()
        mark = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
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


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value) is not None


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result | None]]:
    """Yield everything below a folder with its status, sorted; links are not followed.

    The status is None where the folder around a file does not let us look at it.
    """
    for parent, folders, files in os.walk(folder):
        linked = [name for name in folders if _is_link(_status(Path(parent, name)))]
        folders[:] = sorted(set(folders) - set(linked))
        for name in sorted(files + linked):
            path = Path(parent, name)
            yield path, _status(path)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None


def _is_link(status: os.stat_result | None) -> bool:
    return status is not None and stat.S_ISLNK(status.st_mode)


def _content_digest(path: Path, status: os.stat_result) -> str:
    """Digest a regular file's bytes; of anything else (link, pipe, device) only what it is."""
    if _is_link(status):
        return f"link {path.readlink()}"
    if not stat.S_ISREG(status.st_mode):
        return f"special {stat.S_IFMT(status.st_mode)}"
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        return f"unreadable {error.errno}"
