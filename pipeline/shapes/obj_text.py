# SPDX-License-Identifier: Apache-2.0
"""Writes OBJ and MTL text; coordinates are exact on the object's grid."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pipeline.shapes.pieces import UV_DECIMALS, Look, Piece

MATERIALS = "object.mtl"
# Beyond this many steps of the grid a double cannot represent every step.
_MOST_STEPS = 2**50
# The four digits of 0 to 9999 as one word each: a lookup writes four characters at once.
_FOUR = np.array([f"{number:04d}" for number in range(10_000)], dtype="S4").view("<u4")


def obj_bytes(piece: Piece, material: str | None, decimals: int) -> bytes:
    """Return a piece in its link frame as OBJ text."""
    faces = piece.faces + 1
    parts = [] if material is None else [f"mtllib {MATERIALS}\n".encode()]
    parts.append(number_lines(b"v", piece.vertices, decimals=decimals))
    if piece.uv is not None:
        parts.append(number_lines(b"vt", piece.uv, decimals=UV_DECIMALS))
    parts += [] if material is None else [f"usemtl {material}\n".encode()]
    if piece.uv is None:
        parts.append(number_lines(b"f", faces))
    else:
        parts.append(number_lines(b"f", np.repeat(faces, 2, axis=1), separators=b" / / /"))
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
