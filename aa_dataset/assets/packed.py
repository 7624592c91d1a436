# SPDX-License-Identifier: Apache-2.0
"""The files of one object in an asset tar: list, read, unpack and check them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from aa_dataset.assets.contents import Contents
from aa_dataset.assets.tars import Member, read_members
from aa_dataset.errors import LibraryError
from aa_dataset.format.seal import NEXT_STEP


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
        with self._open_tar() as stream:
            return tuple(member.name for member in self._complete_members(stream))

    def read(self, name: str) -> bytes:
        """Return the contents of one file without checking them; see `check`."""
        with self._open_tar() as stream:
            for member in self._complete_members(stream):
                if member.name == name:
                    return self._member_bytes(stream, member)
        raise LibraryError(
            f"object {self.object_id!r} has no file {name!r}; `files()` lists its files."
        )

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield every file; after the last one, raise if they do not match the digest.

        All names are checked before the first file is yielded.
        """
        contents = Contents()
        with self._open_tar() as stream:
            for member in self._complete_members(stream):
                data = self._member_bytes(stream, member)
                contents.add(member.name, data)
                yield member.name, data
        if problem := contents.problem(self.content_sha256):
            raise self._damage_error(problem)

    def check(self) -> None:
        """Raise `LibraryError` unless the files match the digest in the tables."""
        for _ in self.files():
            pass

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

    def _open_tar(self) -> BinaryIO:
        if self.data is not None:
            return BytesIO(self.data)
        try:
            return self.path.open("rb")
        except OSError as error:
            raise self._damage_error(f"is not readable ({error.strerror})") from error

    def _complete_members(self, stream: BinaryIO) -> tuple[Member, ...]:
        """Return all files of the range, or raise if it is not a complete object."""
        try:
            members = read_members(stream, self.offset, self.size, object_id=self.object_id)
            return tuple(members)
        except ValueError as error:
            raise self._damage_error(str(error)) from None
        except OSError as error:
            raise self._damage_error(f"is not readable ({error.strerror})") from error

    def _member_bytes(self, stream: BinaryIO, member: Member) -> bytes:
        try:
            stream.seek(member.offset)
            data = stream.read(member.size)
        except OSError as error:
            raise self._damage_error(f"is not readable ({error.strerror})") from error
        if len(data) != member.size:
            raise self._damage_error(f"ends in the middle of {member.name!r}")
        return data

    def _damage_error(self, problem: str) -> LibraryError:
        return LibraryError(
            f"{self.path} at byte {self.offset} (object {self.object_id!r}) {problem}. {NEXT_STEP}"
        )
