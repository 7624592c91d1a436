# SPDX-License-Identifier: Apache-2.0
"""Reads MTL material files: colors, transparency, and the pictures that they name.

The builder reads raw materials with it, the loader checks and exports those of the library.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aa_dataset.untrusted.obj import decoded

# Options of a `map_` line, with the maximum number of words after each.
_OPTIONS = {
    "-blendu": 1, "-blendv": 1, "-boost": 1, "-cc": 1, "-clamp": 1, "-imfchan": 1, "-texres": 1,
    "-bm": 1, "-type": 1, "-mm": 2, "-o": 3, "-s": 3, "-t": 3,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MapLine:
    """A picture by name, with its texture transform ``uv * scale + offset``."""

    name: str
    scale: tuple[float, float] = (1.0, 1.0)
    offset: tuple[float, float] = (0.0, 0.0)

    def placed(self, uv: np.ndarray) -> np.ndarray:
        """Return texture coordinates (n, 2) after the line's own scale and offset."""
        return uv * self.scale + self.offset


@dataclass(slots=True)
class MtlMaterial:
    """One material as written; missing values are None."""

    diffuse: tuple[float, float, float] | None = None
    dissolve: float | None = None
    picture: MapLine | None = None
    mask: MapLine | None = None

    def color(self) -> tuple[float, float, float, float] | None:
        """Return the color of the surface, or the factor of its picture.

        Exporters disagree about `Tr`, and write a black `Kd` beside a picture. An invisible
        material is therefore read as opaque, and a black factor of a picture as white.
        """
        if self.diffuse is None and self.picture is None:
            return None
        r, g, b = self.diffuse or (1.0, 1.0, 1.0)
        if self.picture is not None and r == g == b == 0:
            r = g = b = 1.0
        alpha = self.dissolve if self.dissolve is not None and 0 < self.dissolve < 1 else 1.0
        return r, g, b, alpha


def read_mtl(data: bytes) -> dict[str, MtlMaterial]:
    """Return the materials of an MTL file by name; invalid lines are skipped."""
    found: dict[str, MtlMaterial] = {}
    current = MtlMaterial()
    for line in decoded(data.replace(b"\r", b"\n")).split("\n"):
        key, *rest = line.split(maxsplit=1)[:2] or [""]
        if key == "newmtl":
            current = found.setdefault("".join(rest).strip(), MtlMaterial())
        elif rest:
            _read_line(current, key.lower(), rest[0].strip())
    return found


def _read_line(material: MtlMaterial, key: str, rest: str) -> None:
    if key == "kd":
        numbers = _numbers(rest.split())
        if len(numbers) >= 3:
            r, g, b = (round(min(max(number, 0.0), 1.0), 4) for number in numbers[:3])
            material.diffuse = (r, g, b)
    elif key == "d":
        last = _numbers(rest.split()[-1:])  # `d -halo 0.5`
        material.dissolve = round(last[0], 4) if last else material.dissolve
    elif key == "tr" and material.dissolve is None:
        first = _numbers(rest.split()[:1])
        material.dissolve = round(1.0 - first[0], 4) if first else None
    elif key == "map_kd":
        material.picture = _map_line(rest)
    elif key == "map_d":
        material.mask = _map_line(rest)


def _numbers(words: Sequence[str]) -> list[float]:
    """Return the finite numbers that the words start with."""
    found: list[float] = []
    for word in words:
        try:
            number = float(word)
        except ValueError:
            break
        if not math.isfinite(number):
            break
        found.append(number)
    return found


def _map_line(rest: str) -> MapLine | None:
    """Return what follows `map_Kd`: options, then a file name that may contain spaces."""
    scale, offset = (1.0, 1.0), (0.0, 0.0)
    words, at = rest.split(), 0
    while at < len(words) and (option := words[at].lower()) in _OPTIONS:
        most = _OPTIONS[option]
        numbers = _numbers(words[at + 1 : at + 1 + most])
        # Three words may follow `-s`, `-o` and `-t`, but only numbers belong to them.
        taken = len(numbers) if most == 3 else most
        if option == "-s" and numbers:
            scale = (numbers[0], numbers[1] if len(numbers) > 1 else 1.0)
        if option == "-o" and numbers:
            offset = (numbers[0], numbers[1] if len(numbers) > 1 else 0.0)
        at += 1 + taken
    # The name is cut from the line itself, so that its spaces are kept.
    name = _tail(rest, at).strip().strip('"')
    return MapLine(name, scale, offset) if name else None


def _tail(text: str, count: int) -> str:
    """Return the text after its first `count` words."""
    parts = text.split(maxsplit=count)
    return parts[count] if len(parts) > count else ""
