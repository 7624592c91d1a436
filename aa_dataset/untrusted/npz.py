# SPDX-License-Identifier: Apache-2.0
"""Strict reader of untrusted `.npz` files: plain arrays, within limits, without pickle.

numpy's own reader evaluates the header of an array as Python text, and follows whatever the archive
says about itself. This one accepts exactly what numpy's writers write. A pickled object is handed
out as bytes (`aa_dataset/untrusted/pickled.py` reads those), never loaded.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArenaError

_END = struct.Struct("<4s4H2LH")  # the last record of an archive without a comment
_LOCATOR = struct.Struct("<4sLQL")  # stands before it if the archive is a large one
_MAGIC = b"\x93NUMPY"
_HEADER = re.compile(
    r"\{'descr': '([<>|=])([biufO])(\d{0,2})', 'fortran_order': (True|False), "
    r"'shape': \(((?:\d{1,15},? ?)*)\), ?\} *\n"
)
_LONGEST_HEADER, _MOST_DIMENSIONS = 10_000, 8
_WIDTHS = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8)}


class NpzError(ArenaError, ValueError):
    """The bytes are not an archive of plain arrays; the message names the array where it can."""


@dataclass(frozen=True, slots=True)
class NpzBudget:
    """Limits of an archive: counts, so that every machine gives the same result.

    `max_bytes` limits what is unpacked, of all arrays that are asked for together.
    """

    max_arrays: int = 256
    max_bytes: int = 256_000_000


class NpzFile:
    """The arrays of an archive by name, each unpacked when it is asked for.

    Parameters
    ----------
    data : bytes
        The archive, as `numpy.savez` or `numpy.savez_compressed` writes it.
    budget : NpzBudget, optional
        The limits.
    """

    def __init__(self, data: bytes, budget: NpzBudget | None = None):
        self._budget = budget or NpzBudget()
        self._left = self._budget.max_bytes
        _require_small_index(data, self._budget.max_arrays)
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise NpzError(f"it is not an archive of arrays: {error}.") from None
        self._members = _members(self._archive)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays, sorted."""
        return tuple(sorted(self._members))

    def array(self, name: str) -> NDArray[Any]:
        """Return an array of numbers or booleans in the machine's byte order."""
        kind, shape, is_fortran, body = self._parsed(name)
        if kind == "O":
            raise NpzError(
                f"array {name!r} is a pickled Python object, which could run code. Save it as "
                "plain numbers."
            )
        try:
            return plain_array(np.dtype(kind), shape, body, is_fortran=is_fortran)
        except ValueError as error:
            raise NpzError(f"array {name!r} {error}.") from None

    def pickled(self, name: str) -> bytes:
        """Return the bytes of a pickled array of objects; nothing of it is loaded."""
        kind, _, _, body = self._parsed(name)
        if kind != "O":
            raise NpzError(f"array {name!r} holds plain numbers, not Python objects.")
        return body

    def _parsed(self, name: str) -> tuple[str, tuple[int, ...], bool, bytes]:
        """Return type, shape, order and body of an array."""
        if name not in self._members:
            shown = ", ".join(repr(one[:40]) for one in self.names[:8]) or "no array"
            raise NpzError(f"array {name!r} is missing; the file has {shown}.")
        return _split(name, self._unpacked(name))

    def _unpacked(self, name: str) -> bytes:
        try:
            with self._archive.open(self._members[name]) as stream:
                data = stream.read(self._left + 1)
        # Damaged archives raise all of these; RuntimeError is a password.
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as bad:
            raise NpzError(f"array {name!r} cannot be unpacked: {bad}.") from None
        self._left -= len(data)
        if self._left < 0:
            raise NpzError(
                f"array {name!r}: the file unpacks to more than {self._budget.max_bytes:,} bytes."
            )
        return data


def _require_small_index(data: bytes, most: int) -> None:
    """Refuse an archive with too large an index, before it is read."""
    place = len(data) - _END.size
    if place < 0 or data[place : place + 4] != b"PK\5\6":
        raise NpzError("it is not an archive of arrays, or it is cut off. Write it again.")
    _, disk, first, here, count, size, _, comment = _END.unpack_from(data, place)
    locator = data[max(place - _LOCATOR.size, 0) : place][:4]
    if disk or first or comment or here != count or locator == b"PK\6\7":
        raise NpzError("its last record is not one that numpy writes.")
    # Every entry has a name, and few other bytes.
    if count > most or size > most * 512:
        raise NpzError(f"it has more than {most:,} arrays, or very long names.")


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the entries by the names of their arrays."""
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        name = entry.filename.removesuffix(".npy")
        if name == entry.filename or name in found:
            raise NpzError(f"its entry {name[:80]!r} is not an array, or it is there twice.")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise NpzError(f"array {name[:80]!r} is packed in a way that numpy does not use.")
        found[name] = entry
    return found


def _split(name: str, data: bytes) -> tuple[str, tuple[int, ...], bool, bytes]:
    """Return type, shape, order and body of the bytes of a `.npy` file."""
    wide = {(1, 0): 2, (2, 0): 4, (3, 0): 4}.get((data[6], data[7]), 0) if len(data) > 12 else 0
    size = int.from_bytes(data[8 : 8 + wide], "little")
    body = 8 + wide + size
    if not (data.startswith(_MAGIC) and wide and size <= _LONGEST_HEADER and body <= len(data)):
        raise NpzError(f"array {name!r} does not start like an array.")
    header = _HEADER.fullmatch(data[8 + wide : body].decode("latin-1"))
    if header is None:
        raise NpzError(f"array {name!r} does not hold plain numbers: its header is another one.")
    order, kind, width, is_fortran, dimensions = header.groups()
    if kind != "O" and int(width or 0) not in _WIDTHS[kind]:
        raise NpzError(f"array {name!r} has numbers of {width} bytes, which are not read.")
    shape = tuple(int(one) for one in dimensions.replace(",", " ").split())
    stated = "O" if kind == "O" else order + kind + width
    return stated, shape, is_fortran == "True", data[body:]


def plain_array(
    dtype: np.dtype[Any], shape: tuple[int, ...], body: bytes, *, is_fortran: bool
) -> NDArray[Any]:
    """Return the array of some bytes in the machine's byte order.

    A shape that does not fit the bytes, or that no array can have, raises `ValueError`; its message
    lacks the name of the array.
    """
    if len(shape) > _MOST_DIMENSIONS:
        raise ValueError(f"has more than {_MOST_DIMENSIONS} dimensions")
    wanted, largest = math.prod(shape), math.prod(max(one, 1) for one in shape)
    if min(shape, default=0) < 0 or wanted * dtype.itemsize != len(body) or largest > 2**31:
        raise ValueError(f"has {len(body):,} bytes, not those of its shape {shape}")
    native = dtype.newbyteorder("=")
    if not body:  # `numpy.frombuffer` takes no empty one
        return np.zeros(shape, native)
    flat = np.frombuffer(body, dtype).astype(native)
    return flat.reshape(shape, order="F" if is_fortran else "C")
