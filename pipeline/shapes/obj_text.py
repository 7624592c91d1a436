# SPDX-License-Identifier: Apache-2.0
"""Writes OBJ and MTL text; coordinates are exact on the object's grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pipeline.shapes.pieces import UV_DECIMALS, Look, Piece

MATERIALS = "object.mtl"
# Beyond this many steps of the grid a double cannot represent every step.
_MOST_STEPS = 2**50
# The four digits of 0 to 9999 as one word each: a lookup writes four characters at once.
_FOUR = np.array([f"{number:04d}" for number in range(10_000)], dtype="S4").view("<u4")


@dataclass(frozen=True, slots=True)
class Paint:
    """What an OBJ says of its look: a material, and the library that has it."""

    material: str
    library: str = MATERIALS


@dataclass(frozen=True, slots=True, eq=False)
class UvText:
    """Texture coordinates (k, 2), those of every corner (m, 3), and the decimals to write."""

    values: np.ndarray
    corners: np.ndarray
    decimals: int


def obj_bytes(piece: Piece, material: str | None, decimals: int) -> bytes:
    """Return a piece in its link frame as OBJ text."""
    paint = None if material is None else Paint(material)
    uv = None if piece.uv is None else UvText(piece.uv, piece.faces, UV_DECIMALS)
    return mesh_text(piece.vertices, piece.faces, decimals=decimals, paint=paint, uv=uv)


def mesh_text(
    vertices: np.ndarray,
    faces: np.ndarray,
    *,
    decimals: int,
    paint: Paint | None = None,
    uv: UvText | None = None,
) -> bytes:
    """Return OBJ text of vertices (n, 3) with fixed decimals and of triangles (m, 3), from 0."""
    parts = [] if paint is None else [f"mtllib {paint.library}\n".encode()]
    parts.append(number_lines(b"v", vertices, decimals=decimals))
    if uv is not None:
        parts.append(number_lines(b"vt", uv.values, decimals=uv.decimals))
    parts += [] if paint is None else [f"usemtl {paint.material}\n".encode()]
    if uv is None:
        parts.append(number_lines(b"f", faces + 1))
    else:
        pairs = np.stack([faces, uv.corners], axis=2).reshape(-1, 6) + 1
        parts.append(number_lines(b"f", pairs, separators=b" / / /"))
    return b"".join(parts)


def mtl_bytes(looks: Mapping[Look, str]) -> bytes:
    """Return the material file of all looks."""
    lines = []
    for look, name in looks.items():
        r, g, b, a = look.rgba
        lines += [f"newmtl {name}", f"Kd {r:g} {g:g} {b:g}", f"d {a:g}"]
        lines += [f"map_Kd {look.texture.name}"] if look.texture else []
    return ("\n".join(lines) + "\n").encode()


def number_lines(
    key: bytes, values: np.ndarray, *, decimals: int = 0, separators: bytes = b""
) -> bytes:
    """Return one line of text per row: the key, and every number with fixed decimals.

    Parameters
    ----------
    key : bytes
        Prefix of every line.
    values : (n, k) float or int
        Numbers; they are rounded to the decimals, and a zero has no sign.
    decimals : int
        Digits after the point; no point for 0.
    separators : bytes
        The character before each of the k numbers; spaces by default.
    """
    if not len(values):
        return b""
    scaled = np.asarray(values, dtype=float) * 10.0**decimals
    marks = separators or b" " * values.shape[1]
    if np.abs(scaled).max() >= _MOST_STEPS:
        return _plain_lines(key, values, decimals, marks)
    steps = np.rint(scaled).astype(np.int64)
    chars, keep = _characters(np.abs(steps), steps < 0, decimals, marks)
    rows = len(values)
    head = np.frombuffer(key * rows, dtype=np.uint8).reshape(rows, -1)
    end = np.full((rows, 1), ord("\n"), dtype=np.uint8)
    whole = np.concatenate([head, chars.reshape(rows, -1), end], axis=1)
    shown = np.ones(whole.shape, dtype=bool)
    shown[:, len(key) : -1] = keep.reshape(rows, -1)
    return whole[shown].tobytes()


def _characters(
    steps: np.ndarray, negative: np.ndarray, decimals: int, marks: bytes
) -> tuple[np.ndarray, np.ndarray]:
    """Return separator, sign, digits and point of numbers (n, k), and which of them to show."""
    width = max(len(str(int(steps.max()))), decimals + 1)
    digits, before = _digits(steps, width), width - decimals
    chars = np.empty((*steps.shape, 2 + width + (decimals > 0)), dtype=np.uint8)
    keep = np.ones(chars.shape, dtype=bool)
    chars[..., 0] = np.frombuffer(marks, dtype=np.uint8)
    chars[..., 1], keep[..., 1] = ord("-"), negative
    chars[..., 2 : 2 + before] = digits[..., :before]
    for place in range(before - 1):  # leading zeros are not shown
        keep[..., 2 + place] = steps >= 10 ** (width - 1 - place)
    if decimals:
        chars[..., 2 + before] = ord(".")
        chars[..., 3 + before :] = digits[..., before:]
    return chars, keep


def _digits(steps: np.ndarray, width: int) -> np.ndarray:
    """Return the last `width` decimal digits (..., width) of whole numbers, as characters."""
    words = -(-width // 4)
    table = np.empty((*steps.shape, words), dtype="<u4")
    for word in range(words - 1, -1, -1):
        upper = steps // 10_000
        table[..., word] = _FOUR[steps - upper * 10_000]
        steps = upper
    return table.view(np.uint8)[..., 4 * words - width :]


def _plain_lines(key: bytes, values: np.ndarray, decimals: int, marks: bytes) -> bytes:
    rounded = np.round(np.asarray(values, dtype=float), decimals) + 0.0
    form = key.decode() + "".join(f"{chr(mark)}%.{decimals}f" for mark in marks) + "\n"
    return "".join(form % tuple(row) for row in rounded.tolist()).encode()
