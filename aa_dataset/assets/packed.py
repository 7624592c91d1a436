# SPDX-License-Identifier: Apache-2.0
"""The files of one object in an asset tar: list, read, unpack and check them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from aa_dataset.assets.contents import Contents
from aa_dataset.assets.tars import Member, read_members
from aa_dataset.errors import LibraryError
from aa_dataset.format.seal import NEXT_STEP

AT_ONCE = 1 << 24  # [B] a larger range is read file by file


@dataclass(frozen=True, slots=True)
class Found:
    """One file of an object.

    Attributes
    ----------
    data : bytes
        Its contents.
    offset : int [B]
        Where they begin in the tar.
    status : os.stat_result or None
        The tar when it was opened; None if the object is in memory only.
    """

    data: bytes
    offset: int
    status: os.stat_result | None


@dataclass(frozen=True, slots=True)
class _Range:
    """An open stream, where the object begins in it, and the state of the tar."""

    stream: BinaryIO
    start: int
    status: os.stat_result | None

    def __enter__(self) -> _Range:
        return self

    def __exit__(self, *error: object) -> None:
        self.stream.close()


@dataclass(frozen=True, slots=True)
class Asset:
    """The byte range of one object in an asset tar: a tar fragment without an end mark.

    Attributes
    ----------
    path : Path
        The tar.
    offset, size : int [B]
        Start and total length of the object's members.
    object_id : str
        The folder of every member.
    content_sha256 : str
        Digest of all files except pictures, in hex.
    data : bytes or None
        The bytes of the object, if they are in memory only; `path` is then a name for messages.
    """

    path: Path
    offset: int
    size: int
    object_id: str
    content_sha256: str
    data: bytes | None = field(default=None, repr=False)

    def names(self) -> tuple[str, ...]:
        """Return the object's files, relative to its folder, in the order of the tar."""
        with self._open_range() as opened:
            return tuple(member.name for member in self._complete_members(opened))

    def read(self, name: str) -> bytes:
        """Return the contents of one file without checking them; see `check`."""
        return self.find(name).data

    def find(self, name: str) -> Found:
        """Return one file with its place, without checking its contents."""
        with self._open_range() as opened:
            for member in self._complete_members(opened):
                if member.name == name:
                    return self._found(opened, member)
        raise self.absent_error(name)

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield every file; after the last one, raise if they do not match the digest.

        All names are checked before the first file is yielded.
        """
        for name, found in self.found_files():
            yield name, found.data

    def found_files(self) -> Iterator[tuple[str, Found]]:
        """Yield every file as `files`, with its place."""
        contents = Contents()
        with self._open_range() as opened:
            for member in self._complete_members(opened):
                found = self._found(opened, member)
                contents.add(member.name, found.data)
                yield member.name, found
        if problem := contents.problem(self.content_sha256):
            raise self._damage_error(problem)

    def check(self) -> None:
        """Raise `LibraryError` unless the files match the digest in the tables."""
        for _ in self.files():
            pass

    def checked(self, name: str) -> Found:
        """Return one file with its place, after all files were checked."""
        found = None
        for one, file in self.found_files():  # raises after the last file if one is damaged
            found = file if one == name else found
        if found is None:
            raise self.absent_error(name)
        return found

    def extract(self, folder: Path) -> tuple[str, ...]:
        """Write every file into the empty `folder`, none outside it, and return their names."""
        made: set[Path] = set()
        names = []
        for name, data in self.files():
            path = folder.joinpath(*name.split("/"))
            if path.parent not in made:
                path.parent.mkdir(parents=True, exist_ok=True)
                made.add(path.parent)
            with path.open("xb") as stream:  # names are distinct on every file system
                stream.write(data)
            names.append(name)
        return tuple(names)

    def absent_error(self, name: str) -> LibraryError:
        """Return the error for a file that the object does not have."""
        return LibraryError(
            f"object {self.object_id!r} has no file {name!r}; `files()` lists its files."
        )

    def _open_range(self) -> _Range:
        """Open the tar, and read the object's range at once if it is small."""
        if self.data is not None:
            return _Range(BytesIO(self.data), self.offset, None)
        try:
            stream = self.path.open("rb")
            status = os.fstat(stream.fileno())
            if self.size > AT_ONCE:
                return _Range(stream, self.offset, status)
            with stream:
                stream.seek(self.offset)
                return _Range(BytesIO(stream.read(self.size)), 0, status)
        except OSError as error:
            raise self._damage_error(f"is not readable ({error.strerror})") from error

    def _complete_members(self, opened: _Range) -> tuple[Member, ...]:
        """Return all files of the range, or raise if it is not a complete object."""
        stream, start = opened.stream, opened.start
        try:
            return tuple(read_members(stream, start, self.size, object_id=self.object_id))
        except ValueError as error:
            raise self._damage_error(str(error)) from None
        except OSError as error:
            raise self._damage_error(f"is not readable ({error.strerror})") from error

    def _found(self, opened: _Range, member: Member) -> Found:
        try:
            opened.stream.seek(member.offset)
            data = opened.stream.read(member.size)
        except OSError as error:
            raise self._damage_error(f"is not readable ({error.strerror})") from error
        if len(data) != member.size:
            raise self._damage_error(f"ends in the middle of {member.name!r}")
        return Found(data, member.offset - opened.start + self.offset, opened.status)

    def _damage_error(self, problem: str) -> LibraryError:
        return LibraryError(
            f"{self.path} at byte {self.offset} (object {self.object_id!r}) {problem}. {NEXT_STEP}"
        )
