# SPDX-License-Identifier: Apache-2.0
"""The paths of `shapes.Stroke` as corners, for writers of other formats than SVG."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

Point = tuple[float, float]

PIECES = 24  # straight lines of a curve or an arc
_TOKEN = re.compile(r"[MLHVCA]|-?[0-9.]+")
_NUMBERS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "A": 7}


def corners(path: str) -> list[list[Point]]:
    """Return the lines of a path with absolute commands M, L, H, V, C and A (circles only)."""
    lines: list[list[Point]] = []
    for command, numbers in _commands(path):
        if command == "M":
            lines.append([(numbers[0], numbers[1])])
            continue
        start = lines[-1][-1]
        if command == "L":
            lines[-1].append((numbers[0], numbers[1]))
        elif command == "H":
            lines[-1].append((numbers[0], start[1]))
        elif command == "V":
            lines[-1].append((start[0], numbers[0]))
        elif command == "C":
            lines[-1] += _curve(start, numbers)
        else:
            lines[-1] += _arc(start, numbers)
    return lines


def _commands(path: str) -> Iterator[tuple[str, list[float]]]:
    tokens = _TOKEN.findall(path)
    while tokens:
        command = tokens.pop(0)
        count = _NUMBERS[command]
        while tokens and tokens[0] not in _NUMBERS:  # a command may be repeated without its letter
            yield command, [float(token) for token in tokens[:count]]
            del tokens[:count]


def _curve(start: Point, numbers: list[float]) -> Iterator[Point]:
    """Yield points of a cubic Bezier curve, without its start."""
    points = [start, *zip(numbers[::2], numbers[1::2], strict=True)]
    for piece in range(1, PIECES + 1):
        t = piece / PIECES
        rest = 1 - t
        weights = (rest * rest * rest, 3 * t * rest * rest, 3 * t * t * rest, t * t * t)
        yield (
            sum(w * x for w, (x, _) in zip(weights, points, strict=True)),
            sum(w * y for w, (_, y) in zip(weights, points, strict=True)),
        )


def _arc(start: Point, numbers: list[float]) -> Iterator[Point]:
    """Yield points of an arc of a circle, without its start (SVG 1.1, appendix F.6.5)."""
    radius, _, _, large, sweep, x, y = numbers
    half = ((start[0] - x) / 2, (start[1] - y) / 2)
    length = math.hypot(*half)
    radius = max(radius, length)
    height = math.sqrt(max(radius**2 - length**2, 0)) / length
    side = 1 if large != sweep else -1
    center = ((start[0] + x) / 2 + side * height * half[1],
              (start[1] + y) / 2 - side * height * half[0])  # fmt: skip
    first = math.atan2(start[1] - center[1], start[0] - center[0])
    turn = math.atan2(y - center[1], x - center[0]) - first
    turn += (2 * math.pi if turn < 0 else 0) if sweep else (-2 * math.pi if turn > 0 else 0)
    for piece in range(1, PIECES + 1):
        angle = first + turn * piece / PIECES
        yield center[0] + radius * math.cos(angle), center[1] + radius * math.sin(angle)
