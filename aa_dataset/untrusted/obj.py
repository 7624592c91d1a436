# SPDX-License-Identifier: Apache-2.0
"""Reads Wavefront OBJ text into arrays, several times faster than one line at a time. numpy alone.

The builder reads raw meshes with it, the loader checks and exports those of the library.
Most files repeat one pattern: `v x y z`, `vt u v`, `f a/b/c a/b/c a/b/c`. Such lines are parsed all
at once in C. Everything else that OBJ allows (polygons, mixed corners, negative indices, comments
after numbers, broken lines) is parsed by the plain loops below, with the same result.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from aa_dataset.errors import ArenaError

_DIGITS = b"0123456789-+.eE"
# Relevant numbers of a line: a position, a color, and one more, which means that it is neither.
_WIDEST = 8
# Larger than any index of a vertex.
_FARTHEST = 2**48


class ObjError(ArenaError, ValueError):
    """Text that is not a usable OBJ file; the message names the line where it can."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Triangles (m, 3) of one material; `uv_corners` is -1 for a corner without uv."""

    material: str | None
    corners: np.ndarray
    uv_corners: np.ndarray | None


@dataclass(frozen=True, slots=True, eq=False)
class ObjText:
    """An OBJ file: points (n, 3), colors (n, 3) in [0, 1] or none, uv (k, 2), groups in order."""

    points: np.ndarray
    colors: np.ndarray | None
    uv: np.ndarray
    groups: list[Group] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)

    @property
    def whole(self) -> Group:
        """All triangles as one group without a material, in the order of the file."""
        if len(self.groups) == 1:
            return replace(self.groups[0], material=None)
        none = np.zeros((0, 3), dtype=np.int64)
        corners = np.concatenate([none, *(group.corners for group in self.groups)])
        if all(group.uv_corners is None for group in self.groups):
            return Group(None, corners, None)
        return Group(None, corners, np.concatenate([_uv_corners(group) for group in self.groups]))


def _uv_corners(group: Group) -> np.ndarray:
    return np.full(group.corners.shape, -1) if group.uv_corners is None else group.uv_corners


def read_obj(data: bytes) -> ObjText:
    """Parse OBJ text; free-form curves, lines and normals are left out.

    Raises
    ------
    ObjError
        If a line is malformed or a face names a vertex that does not exist.
    """
    text = _plain(data)
    rows, uv = _number_rows(text, b"v", 3), _number_rows(text, b"vt", 1)
    if uv.shape[1] == 1:  # a one-dimensional texture
        uv = np.column_stack([uv, np.zeros(len(uv))])
    colors = rows[:, 3:6] if rows.shape[1] in (6, 7) else None
    libraries = [decoded(text[start:end]) for start, end in _statements(text, b"mtllib")]
    return ObjText(rows[:, :3], colors, uv[:, :2], _groups(text, len(rows), len(uv)), libraries)


def read_points(data: bytes) -> np.ndarray:
    """Return the points (n, 3) of OBJ text alone, used by a face or not."""
    return _number_rows(_plain(data), b"v", 3)[:, :3]


def decoded(text: bytes) -> str:
    """Return a name as text: UTF-8, else the old Western code page."""
    try:
        return text.decode().strip()
    except UnicodeDecodeError:
        return text.decode("cp1252", errors="replace").strip()


def _plain(data: bytes) -> bytes:
    """Return the text with uniform spaces and line ends, an empty line first and last."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        data = data.decode("utf-16", errors="replace").encode()
    data = b"\n" + data.removeprefix(codecs.BOM_UTF8) + b"\n"
    for odd, plain in ((b"\r\n", b"\n"), (b"\r", b"\n"), (b"\\\n", b" "), (b"\t", b" ")):
        if odd in data:
            data = data.replace(odd, plain)
    if b"\n " in data:
        data = b"\n".join(line.lstrip() for line in data.split(b"\n"))
    return data if data.endswith(b"\n") else data + b"\n"  # a backslash removed the last line end


def _statements(text: bytes, key: bytes) -> Iterator[tuple[int, int]]:
    """Yield start and end of the text after a key that begins a line."""
    mark = b"\n" + key + b" "
    start = text.find(mark)
    while start >= 0:
        start += len(mark)
        end = text.index(b"\n", start)
        yield start, end
        start = text.find(mark, end)


def _block(text: bytes, key: bytes) -> bytes:
    """Return the text from the first to the last line that begins with a key."""
    mark = b"\n" + key + b" "
    start = text.find(mark)
    if start < 0:
        return b""
    return text[start + 1 : text.index(b"\n", text.rfind(mark) + 1) + 1]


def _lines_with_key(block: bytes, key: bytes) -> list[bytes]:
    mark = key + b" "
    return [line for line in block.split(b"\n") if line.startswith(mark)]


def _uniform_lines(block: bytes) -> tuple[int, list[bytes]] | None:
    """Return count and first line of lines that differ only in their digits, else None.

    Without digits all lines of a plain file are the same text. Comparing them takes two passes in C
    and proves that every line has the same number of values.
    """
    first, count = block[: block.index(b"\n") + 1], block.count(b"\n")
    if block.translate(None, _DIGITS) != first.translate(None, _DIGITS) * count:
        return None
    return count, first.split()


def _number_rows(text: bytes, key: bytes, least: int) -> np.ndarray:
    """Return the numbers (n, k) of the lines that start with one key; short lines get zeros."""
    block = _block(text, key)
    if not block:
        return np.zeros((0, max(least, 2)))
    written, alike = block, _uniform_lines(block)
    if alike is None:
        lines = _lines_with_key(block, key)
        block = b"\n".join(b" ".join(line.split()) for line in lines) + b"\n"
        alike = _uniform_lines(block)
    if alike is not None and len(alike[1]) > least:
        numbers = _parsed(block.replace(key, b""), float)
        if len(numbers) == alike[0] * (len(alike[1]) - 1):
            return numbers.reshape(alike[0], -1)
    return _odd_rows(text, _lines_with_key(written, key), least)


def _parsed(text: bytes, kind: type) -> np.ndarray:
    try:
        return np.fromstring(text, dtype=kind, sep=" ")
    except ValueError:
        return np.zeros(0, dtype=kind)


def _odd_rows(text: bytes, lines: Sequence[bytes], least: int) -> np.ndarray:
    rows = [_floats(line) for line in lines]
    shortest = min(range(len(rows)), key=lambda number: len(rows[number]))
    if len(rows[shortest]) < least:
        # The text begins with an empty line, so the first line of the file has the number 1.
        number = text.split(b"\n").index(lines[shortest])
        raise ObjError(f"line {number} has fewer than {least} numbers.")
    width = max(len(row) for row in rows)
    return np.array([row + [0.0] * (width - len(row)) for row in rows])


def _floats(line: bytes) -> list[float]:
    words = line.partition(b"#")[0].split()[1:]
    try:
        return [float(word) for word in words[:_WIDEST]]
    except ValueError:
        raise ObjError(f"{decoded(line[:80])!r} does not hold numbers.") from None


def _groups(text: bytes, points: int, uvs: int) -> list[Group]:
    """Return the faces between the lines that change the material."""
    names: list[str | None] = [None]
    starts, ends = [0], []
    for start, end in _statements(text, b"usemtl"):
        names.append(decoded(text[start:end]))
        ends.append(end)
        starts.append(end)
    groups, counter = [], _Counter(text)
    for name, start, end in zip(names, starts, [*ends, len(text)], strict=True):
        block = _block(text[start:end], b"f")
        if not block:
            continue
        corners = _alike_faces(block)
        if corners is None:
            corners = _odd_faces(text[start:end], *counter.before(start))
        _require_inside(corners, points, uvs)
        has_uv = uvs and (corners[..., 1] >= 0).any()
        groups.append(Group(name, corners[..., 0], corners[..., 1] if has_uv else None))
    return groups


def _alike_faces(block: bytes) -> np.ndarray | None:
    """Return corners (m, 3, 2) from zero if all lines are of one form and count from the start."""
    alike = _uniform_lines(block)
    if alike is None or b"-" in block or b"." in block or len(alike[1]) < 4:
        return None
    count, words = alike
    slashes = {word.count(b"/") for word in words[1:]}
    parts = {len(word.replace(b"//", b"/").split(b"/")) for word in words[1:]}
    if len(slashes) > 1 or len(parts) > 1:
        return None
    numbers = _parsed(block.translate(bytes.maketrans(b"/f", b"  ")), np.int64)
    width = parts.pop()
    if len(numbers) != count * (len(words) - 1) * width:
        return None
    table = numbers.reshape(count, len(words) - 1, width) - 1
    has_uv = width > 1 and b"//" not in block
    places = table[..., 1] if has_uv else np.full(table.shape[:2], -1)
    if table[..., 0].min() < 0:
        raise ObjError("a face names the vertex 0, but vertices count from 1.")
    return _fans(np.stack([table[..., 0], places], axis=2))


def _fans(polygons: np.ndarray) -> np.ndarray:
    """Return the triangles (m * (k - 2), 3, ...) of polygons (m, k, ...) around their first."""
    count = polygons.shape[1]
    if count == 3:
        return polygons
    spokes = [polygons[:, [0, number, number + 1]] for number in range(1, count - 1)]
    return np.stack(spokes, axis=1).reshape(-1, 3, *polygons.shape[2:])


class _Counter:
    """Counts the vertices before an offset in the text, continuing from the last offset."""

    def __init__(self, text: bytes) -> None:
        self._text, self._place = text, 0
        self._points = self._uvs = 0

    def before(self, place: int) -> tuple[int, int]:
        """Return the number of `v` and of `vt` lines; offsets must be increasing."""
        self._points += self._text.count(b"\nv ", self._place, place)
        self._uvs += self._text.count(b"\nvt ", self._place, place)
        self._place = place
        return self._points, self._uvs


def _odd_faces(block: bytes, points: int, uvs: int) -> np.ndarray:
    """Return corners (m, 3, 2) of faces of any form; negative numbers count back from the face."""
    found: list[np.ndarray] = []
    for line in block.split(b"\n"):
        points += line.startswith(b"v ")
        uvs += line.startswith(b"vt ")
        if line.startswith(b"f "):
            corners = list(_face_corners(line, points, uvs))
            if len(corners) >= 3:
                found.append(_fans(np.array([corners])))
    return np.concatenate(found) if found else np.zeros((0, 3, 2), dtype=np.int64)


def _face_corners(line: bytes, points: int, uvs: int) -> Iterator[tuple[int, int]]:
    for word in line.partition(b"#")[0].split()[1:]:
        numbers = (*word.split(b"/"), b"")
        try:
            place = int(numbers[0])
            texture = int(numbers[1]) if numbers[1] else 0
        except ValueError:
            raise ObjError(f"{decoded(line[:80])!r} is not a face.") from None
        if place == 0:
            raise ObjError("a face names the vertex 0, but vertices count from 1.")
        if max(abs(place), abs(texture)) > _FARTHEST:
            raise ObjError(f"{decoded(line[:80])!r} names vertices that the file does not have.")
        place = place - 1 if place > 0 else points + place
        if place < 0:
            raise ObjError(f"{decoded(line[:80])!r} counts back beyond the first vertex.")
        yield place, texture - 1 if texture >= 0 else max(uvs + texture, -1)


def _require_inside(corners: np.ndarray, points: int, uvs: int) -> None:
    if len(corners) and corners[..., 0].max() >= points:
        raise ObjError("a face names vertices that the file does not have.")
    if uvs:
        corners[..., 1][corners[..., 1] >= uvs] = -1
