# SPDX-License-Identifier: Apache-2.0
"""Reads the files of one raw object, and nothing else: from a folder, from siblings, from a tar.

Adapters and mesh readers open raw files only through `RawFiles`. A name in an untrusted file may be
absolute, contain `..`, follow a link or name another machine: such an object is rejected here.
Archives are read in memory and never unpacked.
"""

from __future__ import annotations

import errno
import gzip
import os
import posixpath
import re
import stat
import tarfile
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from aa_dataset.untrusted.inside import is_inside
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.base.trouble import blame_machine
from pipeline.raw.walk import walk_files

ARCHIVES = (".tar.gz", ".tgz", ".tar")
# Maximum number of members of an archive, counted before any of them is read.
MEMBERS = 100_000
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.EBADF, errno.ELOOP)
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):")


class RawFiles(ABC):
    """The files of one raw object by name; names are relative, with `/`, without `..`."""

    @abstractmethod
    def names(self) -> list[str]:
        """Return the names of all regular files, sorted."""

    @abstractmethod
    def has(self, name: str) -> bool:
        """Return whether `name` is a regular file of the object."""

    @abstractmethod
    def _read(self, name: str, most: int) -> bytes:
        """Return a file's bytes; `name` is already resolved."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes

    def read(self, name: str, *, beside: str = "", most: int | None = None) -> bytes:
        """Return the bytes of one file of the object.

        Parameters
        ----------
        name : str
            As written in a URDF, MTL or JSON file.
        beside : str
            Name of the file that contains the reference; `name` is relative to its folder.
        most : int
            Maximum number of bytes, if lower than the object's budget.

        Raises
        ------
        Rejection
            `mesh_outside`, `mesh_missing` or `too_many_bytes`.
        """
        return self._read(self.resolve(name, beside=beside), most or self.most_bytes)

    def resolve(self, name: str, *, beside: str = "") -> str:
        """Return `name` relative to the object; reject a name that leads out of it."""
        folder = posixpath.dirname(beside)
        scheme = _SCHEME.match(name)
        if scheme and scheme[1].lower() == "package":
            return self._ros_package_file(name, folder)
        plain = name.replace("\\", "/")
        if scheme or plain.startswith("/") or "\0" in name:
            raise Rejection(
                Reason.MESH_OUTSIDE, f"{name[:200]!r} is not a path relative to the object."
            )
        path = posixpath.normpath(posixpath.join(folder, plain))
        if not is_inside(path):
            raise Rejection(Reason.MESH_OUTSIDE, f"{name[:200]!r} leads out of the object's files.")
        return path

    def _ros_package_file(self, name: str, folder: str) -> str:
        """Return the file of a ROS package path; the object itself is the package."""
        _, _, whole = name.partition("://")
        _, _, rest = whole.partition("/")
        for start in dict.fromkeys((folder, "")):
            for tail in (rest, whole):
                candidate = self.resolve(tail, beside=posixpath.join(start, "urdf"))
                if self.has(candidate):
                    return candidate
        raise Rejection(
            Reason.MESH_MISSING, f"{name[:200]!r} names a package file that the object lacks."
        )


def _missing_file(name: str) -> Rejection:
    return Rejection(Reason.MESH_MISSING, f"{name[:200]!r} does not exist.")


@contextmanager
def _missing_as_rejection(root: Path, name: str) -> Iterator[None]:
    """Reject a name without a file; a system error is not the object's fault and is raised."""
    try:
        yield
    except OSError as error:
        blame_machine(root / name, error)
        if error.errno in _ABSENT:
            raise _missing_file(name) from None
        raise Rejection(Reason.MESH_MISSING, f"{name[:200]!r}: {error}.") from None
    except ValueError as error:
        raise Rejection(Reason.MESH_MISSING, f"{name[:200]!r}: {error}.") from None


def _too_large(name: str, size: int, most: int) -> Rejection:
    return Rejection(Reason.TOO_MANY_BYTES, f"{name} has {size} bytes, more than {most}.")


class FolderFiles(RawFiles):
    """Files below a folder, or below some of its entries; links may not lead out of them."""

    def __init__(self, root: Path, parts: Sequence[str] = ("",), *, most_bytes: int) -> None:
        super().__init__(most_bytes)
        self._root = root
        self._homes = [Path(os.path.realpath(root / part)) for part in parts]

    def _resolved_path(self, name: str) -> Path:
        """Return the path of a file with links resolved; reject one outside the object."""
        path = Path(os.path.realpath(self._root / name))
        if not any(path.is_relative_to(home) for home in self._homes):
            raise Rejection(Reason.MESH_OUTSIDE, f"{name[:200]!r} leads out of the object's files.")
        return path

    def names(self) -> list[str]:
        """Return the names of all regular files, sorted; links to folders are not followed."""
        found = []
        for home in self._homes:
            if home.is_file():
                found.append(home)
            found += walk_files(home)
        base = Path(os.path.realpath(self._root))
        names = {path.relative_to(base).as_posix() for path in found}
        return sorted(name for name in names if self.has(name))

    def has(self, name: str) -> bool:
        """Return whether `name` is a regular file of the object."""
        try:
            self._regular_file(name)
        except Rejection:
            return False
        return True

    def _regular_file(self, name: str) -> tuple[Path, int]:
        """Return the path of a regular file, and its size [B]."""
        with _missing_as_rejection(self._root, name):
            path = self._resolved_path(name)
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise _missing_file(name)
        return path, status.st_size

    def _read(self, name: str, most: int) -> bytes:
        path, size = self._regular_file(name)
        if size > most:
            raise _too_large(name, size, most)
        with _missing_as_rejection(self._root, name):
            return path.read_bytes()


class MemoryFiles(RawFiles):
    """Files that are in memory already, such as the members of an archive."""

    def __init__(self, files: Mapping[str, bytes], *, most_bytes: int) -> None:
        super().__init__(most_bytes)
        self._files = dict(files)

    def names(self) -> list[str]:
        """Return the names of all files, sorted."""
        return sorted(self._files)

    def has(self, name: str) -> bool:
        """Return whether `name` is a file of the object."""
        return name in self._files

    def _read(self, name: str, most: int) -> bytes:
        if name not in self._files:
            raise _missing_file(name)
        if len(self._files[name]) > most:
            raise _too_large(name, len(self._files[name]), most)
        return self._files[name]


def open_raw(root: Path, paths: Sequence[str], *, most_bytes: int) -> RawFiles:
    """Open one raw object.

    Parameters
    ----------
    root : Path
        Folder of the source.
    paths : sequence of str
        Files and folders that are the object, relative to `root`. One folder: names are relative
        to it. One archive: names are relative to its only top folder, or to its root. Several
        paths (siblings): names are relative to `root`.
    most_bytes : int
        Budget for each file, and for all members of an archive together.
    """
    if len(paths) == 1:
        only = root / paths[0]
        if only.name.endswith(ARCHIVES) and only.is_file():
            return MemoryFiles(_read_archive(only, most_bytes), most_bytes=most_bytes)
        if only.is_dir():
            return FolderFiles(only, most_bytes=most_bytes)
    return FolderFiles(root, paths, most_bytes=most_bytes)


class _Limited:
    """A bounded stream: tar headers may claim any size, and tarfile reads them completely.

    Headers and padding of all members are allowed in addition to the budget of their content.
    """

    def __init__(self, stream: IO[bytes] | gzip.GzipFile, name: str, most: int) -> None:
        self._stream, self._name, self._most = stream, name, most
        self._left = most + 4 * tarfile.BLOCKSIZE * MEMBERS

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            detail = f"{self._name} unpacks to more than {self._most} bytes."
            raise Rejection(Reason.TOO_MANY_BYTES, detail)
        return data


def _read_archive(path: Path, most: int) -> dict[str, bytes]:
    """Return the regular members of a tar by name, without its only top folder."""
    files: dict[str, bytes] = {}
    total = 0
    try:
        with (
            gzip.open(path) if path.suffix in (".gz", ".tgz") else path.open("rb") as stream,
            # A tar that is read as a stream needs only `read`.
            tarfile.open(
                fileobj=cast("IO[bytes]", _Limited(stream, path.name, most)), mode="r|"
            ) as archive,
        ):
            for number, member in enumerate(archive):
                if number >= MEMBERS:
                    raise Rejection(
                        Reason.ARCHIVE_INVALID, f"{path.name} has more than {MEMBERS} members."
                    )
                total += max(member.size, 0)
                if total > most:
                    raise _too_large(path.name, total, most)
                name = _member_name(path.name, member)
                if member.isfile():
                    content = archive.extractfile(member)
                    files[name] = b"" if content is None else content.read()
    except (tarfile.TarError, EOFError, OSError, zlib.error, ValueError) as error:
        if isinstance(error, OSError):
            blame_machine(path, error)
        raise Rejection(
            Reason.ARCHIVE_INVALID, f"{path.name} is not a usable archive: {error}."
        ) from None
    return _without_single_top_folder(files)


def _member_name(archive: str, member: tarfile.TarInfo) -> str:
    """Return a member's plain name; links, devices and names with `..` reject the object."""
    name = posixpath.normpath(member.name.replace("\\", "/"))
    if not is_inside(name) or _SCHEME.match(name):
        raise Rejection(
            Reason.ARCHIVE_INVALID, f"{archive}: the member {member.name[:200]!r} leads out of it."
        )
    if not (member.isfile() or member.isdir()):
        raise Rejection(
            Reason.ARCHIVE_INVALID,
            f"{archive}: the member {member.name[:200]!r} is a link or a device.",
        )
    return name


def _without_single_top_folder(files: Mapping[str, bytes]) -> dict[str, bytes]:
    tops = {name.split("/", 1)[0] for name in files}
    if len(tops) != 1 or any("/" not in name for name in files):
        return dict(files)
    return {name.split("/", 1)[1]: data for name, data in files.items()}


Sizes = Mapping[str, int | Rejection]


def total_bytes(root: Path, paths: Sequence[str], known: Sizes | None = None) -> int:
    """Return the total size of one object's files; links are not followed.

    Parameters
    ----------
    known : mapping of str to int or Rejection
        Results of `shared_sizes` for some paths, so that they are not walked again.

    Raises
    ------
    Rejection
        `folder_invalid` if there are too many files to walk.
    """
    total = 0
    for part in paths:
        size = (known or {}).get(part)
        if isinstance(size, Rejection):
            raise size
        total += _size_of_path(root, part) if size is None else size
    return total


def shared_paths(objects: Iterable[Sequence[str]]) -> set[str]:
    """Return the paths that belong to more than one object.

    Walking such a folder once per object would take quadratic time.
    """
    uses = Counter(part for paths in objects for part in set(paths))
    return {part for part, count in uses.items() if count > 1}


def shared_sizes(root: Path, objects: Iterable[Sequence[str]]) -> Sizes:
    """Return the size of every shared path, or why it has none; each is walked once."""
    sizes: dict[str, int | Rejection] = {}
    for part in sorted(shared_paths(objects)):
        try:
            sizes[part] = _size_of_path(root, part)
        except Rejection as rejection:
            sizes[part] = rejection
    return sizes


def _size_of_path(root: Path, part: str) -> int:
    path = root / part
    is_folder = path.is_dir() and not path.is_symlink()
    return sum(map(_file_size, walk_files(path) if is_folder else [path]))


def _file_size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
