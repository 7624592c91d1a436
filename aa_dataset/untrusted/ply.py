# SPDX-License-Identifier: Apache-2.0
"""Reads the triangles of binary PLY files, as methods write their meshes. numpy alone.

The file begins with vertices, then triangles; colors and normals are skipped. Text files, other
byte orders and polygons are refused, not guessed.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArenaError

Array = NDArray[np.float64]

_LONGEST_HEADER, _MOST_LINES = 20_000, 200
_END = re.compile(rb"\nend_header\r?\n")
_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "<i2", "int16": "<i2",
    "ushort": "<u2", "uint16": "<u2", "int": "<i4", "int32": "<i4", "uint": "<u4", "uint32": "<u4",
    "float": "<f4", "float32": "<f4", "double": "<f8", "float64": "<f8",
}  # fmt: skip
_COUNT = re.compile(r"\d{1,10}")


class PlyError(ArenaError, ValueError):
    """The bytes are not a binary PLY file of triangles."""


def read_ply_triangles(data: bytes) -> Array:
    """Return the corners (n, 3, 3) of the triangles; a cloud of points has none."""
    end = _END.search(data, 0, _LONGEST_HEADER)
    if not data.startswith(b"ply") or end is None:
        raise PlyError("it does not start like a PLY file.")
    elements = _elements(data[: end.start()].decode("latin-1").splitlines())
    if not elements or elements[0][0] != "vertex":
        raise PlyError("its first element is not `vertex`.")
    vertices, place = _rows(data, end.end(), elements[0])
    if not {"x", "y", "z"} <= set(vertices.dtype.names or ()):
        raise PlyError("its vertices lack x, y or z.")
    points = np.stack([vertices[axis].astype(float) for axis in "xyz"], axis=1)
    if len(elements) == 1 or elements[1][0] != "face":
        return np.zeros((0, 3, 3))
    faces, _ = _rows(data, place, elements[1])
    return _corners(points, faces)


_Element = tuple[str, int, list[tuple[str, ...]]]


def _elements(lines: list[str]) -> list[_Element]:
    """Return the elements of a header: name, number, and the words of each property."""
    if len(lines) > _MOST_LINES or "format binary_little_endian 1.0" not in lines[1:4]:
        raise PlyError("it is not binary in little-endian order. Save it as such, or as OBJ.")
    found: list[_Element] = []
    for words in (tuple(line.split()) for line in lines):
        if words[:1] == ("element",) and len(words) == 3 and _COUNT.fullmatch(words[2]):
            found.append((words[1], int(words[2]), []))
        elif words[:1] == ("property",) and found:
            found[-1][2].append(words[1:])
        elif words[:1] in (("element",), ("property",)):
            raise PlyError(f"its header has the line {' '.join(words)[:80]!r}.")
    return found


def _rows(data: bytes, place: int, element: _Element) -> tuple[NDArray[np.void], int]:
    """Return the rows of an element and its end."""
    name, count, properties = element
    fields = [_field(words, name) for words in properties]
    names = [field for one in fields for field in one]
    if len({field[0] for field in names}) < len(names):
        raise PlyError(f"its element `{name}` has a property twice.")
    dtype = np.dtype(names)
    end = place + count * dtype.itemsize
    if end > len(data):
        raise PlyError(f"it is cut off within its {count:,} rows of `{name}`. Write it again.")
    if not count or not dtype.itemsize:
        return np.zeros(0, dtype), end
    return np.frombuffer(data, dtype, count, place), end


def _field(words: tuple[str, ...], element: str) -> list[tuple[str, str, tuple[int, ...]]]:
    """Return the fields of a property: a number, or the count and corners of a triangle."""
    if len(words) == 2 and words[0] in _TYPES:
        return [(words[1], _TYPES[words[0]], ())]
    is_corners = element == "face" and words[-1:] in (("vertex_indices",), ("vertex_index",))
    if is_corners and len(words) == 4 and words[0] == "list":
        count, corner = _TYPES.get(words[1], ""), _TYPES.get(words[2], "")
        if count == "u1" and corner in ("<i4", "<u4"):
            return [("count", count, ()), ("corners", corner, (3,))]
    raise PlyError(f"its property {' '.join(words)[:80]!r} of `{element}` is not read.")


def _corners(points: Array, faces: NDArray[np.void]) -> Array:
    if "corners" not in (faces.dtype.names or ()):
        raise PlyError("its faces have no corners.")
    corners = faces["corners"].astype(np.int64)
    if (faces["count"] != 3).any():
        raise PlyError("it has faces that are not triangles. Split them.")
    if len(corners) and not (corners.min() >= 0 and corners.max() < len(points)):
        raise PlyError("a face names vertices that the file does not have.")
    return np.asarray(points[corners])
