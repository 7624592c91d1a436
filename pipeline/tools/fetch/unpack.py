# SPDX-License-Identifier: Apache-2.0
"""Unpacks an untrusted archive: bounded, without links, completely or not at all.

An archive is first unpacked into a separate folder. Its files are then moved to their places. A new
folder is moved by one rename, so that an object is complete or absent. An interrupted move is
resumed from the same folder.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import hashlib
import json
import lzma
import os
import shutil
import stat
import tarfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from aa_dataset.files import file_sha256
from pipeline.base.tables import dump_json, write_bytes
from pipeline.engine.access import UnpackRule
from pipeline.tools.fetch.connection import TimeLimit
from pipeline.tools.fetch.errors import FetchError, Interrupted
from pipeline.tools.fetch.layout import FetchLayout, safe_name

CHUNK = 1 << 20  # B
HEADER = 1 << 20  # B of one tar header
FRAME = 1 << 13  # B of a tar per member, beside its content: headers, a long name, padding
EXTENSIONS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
# Only these zip methods decompress no more at a time than requested.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
METHOD_NAMES = {zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "lzma"}
COMPRESSIONS: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}
BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Member:
    """One regular file of an archive: its name and how to read it."""

    name: str
    stream: IO[bytes]


@dataclass(slots=True)
class Tally:
    """Counts members and enforces bounds; `left_out` are neither files nor folders."""

    archive: str
    rule: UnpackRule
    stop: threading.Event
    limit: TimeLimit
    members: int = 0
    left_out: int = 0

    def count_member(self) -> None:
        """Count one member; folders and links count as well, or they would be unbounded."""
        self.check()
        self.members += 1
        if self.members > self.rule.files:
            raise FetchError(
                f"{self.archive} contains more than {self.rule.files:,} files; {_limit_message()}"
            )

    def check(self) -> None:
        """Raise if the run was stopped or its time is over."""
        if self.stop.is_set():
            raise Interrupted(f"{self.archive}: stopped; run the command again to resume.")
        self.limit.check()

    def too_large(self) -> FetchError:
        """Return the error for an archive with too many bytes."""
        return FetchError(
            f"{self.archive} contains more than {self.rule.bytes:,} bytes; {_limit_message()}"
        )


class _Checked:
    """A stream whose every read checks the bounds and the time limit.

    It also counts bytes that belong to no file: those that a reader skips or that follow the end.
    """

    def __init__(self, stream: IO[bytes], tally: Tally, most: int | None = None) -> None:
        self._stream, self._tally, self._room = stream, tally, most

    def read(self, size: int = -1) -> bytes:
        self._tally.check()
        data = self._stream.read(size)
        if self._room is not None:
            self._room -= len(data)
            if self._room < 0:
                raise self._tally.too_large()
        return data


class _Header(tarfile.TarInfo):
    """A tar header; extended headers are bounded, because tarfile reads them into memory."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in EXTENSIONS and not 0 <= self.size <= HEADER:
            raise EOFError(f"a header of {self.size:,} bytes")
        found: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        return found


def unpack(
    archive: Path,
    rule: UnpackRule,
    place: FetchLayout,
    *,
    facts: dict[str, Any],
    stop: threading.Event,
    limit: TimeLimit,
) -> dict[str, Any]:
    """Unpack an archive beside the source's files; return the record of its members.

    Parameters
    ----------
    archive : Path
        The complete and checked archive.
    facts : dict
        The receipt's facts about the archive; part of the record. `path` is its name.
    stop : threading.Event
        Ends the work with `Interrupted` when set.
    limit : TimeLimit
        Ends it with an error; the archive is kept, and the next run unpacks it from the start.
    """
    name = facts["path"]
    tree, unfinished = place.tree(name), place.unfinished_tree(name)
    record = read_record(place.tree_record(name))
    if tree.is_dir() and record and record["archive"] == facts:
        return record
    for leftover in (tree, unfinished):
        shutil.rmtree(leftover, ignore_errors=True)
    unfinished.mkdir(parents=True)
    tally = Tally(name, rule, stop, limit)
    try:
        members = _write_members(_archive_members(archive, tally), tally, place)
    except BROKEN as error:
        raise FetchError(f"{name} is not a usable archive: {error}.") from None
    except OSError as error:  # a decompressor's has no errno
        raise FetchError(_disk_sentence(name, error)) from None
    except RuntimeError as error:  # what zipfile raises for an encrypted member
        raise FetchError(f"{name} cannot be read: {error}.") from None
    rows = sorted([key, *value] for key, value in members.items())
    record = {"archive": facts, "left_out": tally.left_out, "members": rows}
    write_bytes(place.tree_record(name), dump_json(record))
    unfinished.rename(tree)
    return record


def read_record(path: Path) -> dict[str, Any] | None:
    """Read the record of an unpacked archive, None if there is no usable one."""
    try:
        record = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    usable = (
        isinstance(record, dict)
        and isinstance(record.get("archive"), dict)
        and isinstance(record.get("left_out"), int)
        and isinstance(record.get("members"), list)
        and all(isinstance(row, list) and len(row) == 3 for row in record["members"])
    )
    return record if usable else None


def _write_members(
    found: Iterator[Member], tally: Tally, place: FetchLayout
) -> dict[str, tuple[int, str]]:
    """Write every file of an archive below the unfinished tree; return size and sha256 of each."""
    name, rule = tally.archive, tally.rule
    root = place.unfinished_tree(name)
    members: dict[str, tuple[int, str]] = {}
    room = rule.bytes
    for member in found:
        plain = member.name.replace("\\", "/").removeprefix("./")
        target = safe_name(rule.place(name, safe_name(plain, name)), name)
        path = place.below(root, target)
        if target in members:  # the later one counts, as for tar
            path.unlink()
        path.parent.mkdir(parents=True, exist_ok=True)
        members[target] = size, _ = _write_member(member.stream, path, room, tally)
        room -= size
        if room < 0:
            raise tally.too_large()
    return members


def _limit_message() -> str:
    return "pipeline/raw/sources.yaml sets this bound (`unpack`). Raise it if the archive is valid."


def _disk_sentence(name: str, error: OSError) -> str:
    if error.errno is None:
        return f"{name} is not a usable archive: {error}."
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk became full while unpacking {name}. Free some space and run it again."
    if isinstance(error, FileExistsError):
        return (
            f"{name} contains two names that are the same on this disk; the second is "
            f"{Path(str(error.filename)).name!r}. Give a folder on another disk with --dest."
        )
    where = Path(str(error.filename)).name[:200] if error.filename else "a file"
    return f"{name}: {where!r} cannot be written ({error.strerror})."


def _write_member(source: IO[bytes], path: Path, room: int, tally: Tally) -> tuple[int, str]:
    """Copy a stream to a new file, at most one chunk beyond `room`; return size and sha256."""
    total, size = hashlib.sha256(), 0
    with path.open("xb") as stream:
        while size <= room and (chunk := source.read(CHUNK)):
            stream.write(chunk)
            total.update(chunk)
            size += len(chunk)
            tally.check()
    return size, total.hexdigest()


def _archive_members(archive: Path, tally: Tally) -> Iterator[Member]:
    if zipfile.is_zipfile(archive):
        yield from _zip_members(archive, tally)
    else:
        yield from _tar_members(archive, tally)


def _tar_members(archive: Path, tally: Tally) -> Iterator[Member]:
    with (
        _open_tar(archive, tally) as plain,
        tarfile.open(fileobj=plain, mode="r|", tarinfo=_Header) as opened,
    ):
        for info in opened:
            tally.count_member()
            if info.isdir():
                continue
            stream = opened.extractfile(info) if info.isreg() else None
            if stream is None:  # a link, a pipe or a device
                tally.left_out += 1
                continue
            yield Member(info.name, stream)
        while plain.read(CHUNK):  # the checksum at the end detects a truncated file
            pass


@contextmanager
def _open_tar(archive: Path, tally: Tally) -> Iterator[Any]:
    """Open a tar without its compression; compressed input that yields nothing is checked too."""
    rule = tally.rule
    with ExitStack() as opened:
        stream: Any = opened.enter_context(archive.open("rb"))
        head = stream.read(6)
        stream.seek(0)
        for magic, opener in COMPRESSIONS.items():
            if head.startswith(magic):
                stream = opened.enter_context(opener(_Checked(stream, tally)))
                break
        yield _Checked(stream, tally, rule.bytes + rule.files * FRAME + HEADER)


def _zip_members(archive: Path, tally: Tally) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            tally.count_member()
            if info.is_dir():
                continue
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                tally.left_out += 1
                continue
            _require_method(info, tally.archive)
            with opened.open(info) as stream:
                yield Member(info.filename, stream)


def _require_method(info: zipfile.ZipInfo, archive: str) -> None:
    """Refuse a member that one read could unpack to any size, before reading it."""
    method = info.compress_type
    if method not in METHODS:
        raise FetchError(
            f"{archive}: the member {info.filename[:200]!r} is compressed with "
            f"{METHOD_NAMES.get(method, 'an unknown method')} (method {method}); only "
            "stored and deflated members are read. Unpack the archive by hand into the source's "
            "folder, or ask the publisher for a tar or a plain zip."
        )


def settle(name: str, record: dict[str, Any], place: FetchLayout) -> None:
    """Move an unpacked tree to its place and keep the record; resumes an interrupted move."""
    digests = {key: (size, sha256) for key, size, sha256 in record["members"]}
    tree = place.tree(name)
    _move_into(tree, "", digests, place)
    write_bytes(place.record(name), dump_json(record))
    place.tree_record(name).unlink(missing_ok=True)
    shutil.rmtree(tree, ignore_errors=True)


def _move_into(
    tree: Path, folder: str, digests: dict[str, tuple[int, str]], place: FetchLayout
) -> None:
    """Move the content of a folder; a subfolder is moved whole if its name is free."""
    for entry in sorted(os.scandir(place.below(tree, folder)), key=lambda item: item.name):
        name = f"{folder}/{entry.name}" if folder else entry.name
        target, source = place.file(name), Path(entry.path)
        if not os.path.lexists(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)
        elif entry.is_dir() and target.is_dir() and not target.is_symlink():
            _move_into(tree, name, digests, place)
        elif not _has_size_and_digest(target, digests.get(name)):
            raise FetchError(
                f"{target} exists already with other content. Move it away, then run the same "
                "command again."
            )


def _has_size_and_digest(path: Path, known: tuple[int, str] | None) -> bool:
    if known is None or path.is_symlink() or not path.is_file():
        return False
    return path.stat().st_size == known[0] and file_sha256(path) == known[1]
