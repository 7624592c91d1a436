# SPDX-License-Identifier: Apache-2.0
"""A desk telephone: handset on a cradle with hook buttons, and a rotary dial or a keypad.

Sizes after desk phones: 0.2-0.24 m wide, 0.18-0.22 m deep, handset 0.2-0.23 m long; it lifts by
0.12-0.18 m, the dial turns by 330 degrees, keys travel 2 mm.
"""

import math

from pipeline.generate.fittings import add_button, feet
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    circle,
    cylinder,
    extrude,
    lathe,
    loft,
    rectangle,
    rounded_path,
    sweep,
    word,
)

CATEGORIES = {"telephone": "Electronics"}


def _handset(length: float, color: str) -> list[Shape]:
    """Return a handset along y whose cups rest on z = 0."""
    half = length / 2
    bar = [
        (0, -half + 0.012, 0.03),
        (0, -0.6 * half, 0.05),
        (0, 0.6 * half, 0.05),
        (0, half - 0.012, 0.03),
    ]
    cup = lathe([(0.024, 0), (0.027, 0.006), (0.022, 0.026), (0.012, 0.034)], color)
    return [
        sweep(rounded_path(bar, radius=0.04), color, radius=0.012),
        *(cup.at(0, s * (half - 0.026)) for s in (-1, 1)),
    ]


def _rotary(assembly: Assembly, body: str, at: tuple[float, float, float], tilt: float) -> None:
    """Add a dial with ten finger holes."""
    spots = [math.radians(60 + 28 * k) for k in range(10)]
    holes = [
        circle(0.0062, segments=12, center=(0.027 * math.cos(a), 0.027 * math.sin(a)))
        for a in spots
    ]
    disk = extrude(circle(0.037, segments=36), "chrome", height=0.004, holes=holes).on(0, 0, 0.0005)
    hub = cylinder((0.014, 0.002), "paper").on(0, 0, 0.0045)
    dial = assembly.part(
        "dial", *(s.turned("y", tilt).at(*at) for s in (disk, hub)), label="rotary_dial"
    )
    normal = (math.sin(math.radians(tilt)), 0.0, math.cos(math.radians(tilt)))
    assembly.hinge(body, dial, origin=at, axis=normal, lower=-330, upper=0)


def _keypad(assembly: Assembly, body: str, at: tuple[float, float, float], tilt: float) -> None:
    """Add twelve keys on the slope."""
    normal = (-math.sin(math.radians(tilt)), 0.0, -math.cos(math.radians(tilt)))
    for r in range(4):
        for c in range(3):
            cap = box((0.012, 0.015, 0.004), "white_plastic").on(
                (r - 1.5) * 0.018, (c - 1) * 0.022, 0.0025
            )
            key = assembly.part(f"key_{r + 1}_{c + 1}", cap.turned("y", tilt).at(*at))
            assembly.slide(body, key, axis=normal, lower=0, upper=0.002)


def _rings(
    depth: float, width: float, *, low: float, high: float
) -> list[list[tuple[float, float, float]]]:
    """Return the outlines of the body from its foot to its top."""
    return [
        [(x, y, z) for x, y in rectangle(a, b, center=(c, 0))]
        for a, b, c, z in (
            (depth, width, 0, 0.008),
            (depth, width, 0, low),
            (0.32 * depth, 0.72 * width, -0.3 * depth, high),
        )
    ]


def _forks_and_saddle(
    color: str, depth: float, *, length: float, high: float
) -> tuple[list[Shape], list[Shape]]:
    """Return the solids of the forks and the saddle."""
    forks = [
        box((0.07, 0.012, 0.026), color).on(-0.3 * depth, s * 0.3 * length + d, high - 0.001)
        for s in (-1, 1)
        for d in (-0.02, 0.02)
    ]
    saddle = [
        box((0.03, 0.028, 0.008), color).on(-0.3 * depth, s * 0.3 * length, high - 0.001)
        for s in (-1, 1)
    ]
    return forks, saddle


def build(draw: Draw) -> Assembly:
    """Build one telephone."""
    style = draw.pick("style", ("rotary", "push-button"))
    width = draw.number("width", 0.2, 0.24)
    depth = draw.number("depth", 0.18, 0.22)
    length = draw.number("handset", 0.2, 0.23)
    lift = draw.number("lift", 0.12, 0.18)
    color = draw.pick(
        "material", ("black_plastic", "red_plastic", "cream_paint", "green_paint", "gray_plastic")
    )
    assembly = Assembly(
        f"{word(color).capitalize()} {style} telephone",
        "telephone",
        f"A {style} desk telephone with a handset on its cradle.",
    )
    low, high = 0.035, 0.095
    rings = _rings(depth, width, low=low, high=high)
    front, rear = (depth / 2, low), (-0.14 * depth, high)
    tilt = math.degrees(math.atan2(rear[1] - front[1], front[0] - rear[0]))
    forks, saddle = _forks_and_saddle(color, depth, length=length, high=high)
    plinth = lathe([(0.041, -0.004), (0.041, 0.0002)], color).turned("y", tilt)
    at = ((front[0] + rear[0]) / 2 + 0.004, 0.0, (front[1] + rear[1]) / 2 + 0.0025)
    body = assembly.part(
        "body",
        loft(rings, color),
        plinth.at(*at),
        *forks,
        *saddle,
        *feet((depth - 0.04, width - 0.04), height=0.008),
    )
    handset = assembly.part(
        "handset", *(s.at(-0.3 * depth, 0, high + 0.0262) for s in _handset(length, color))
    )
    assembly.slide(body, handset, axis="z", lower=0, upper=lift)
    for k, s in enumerate((-1, 1), start=1):
        pin = cylinder((0.004, 0.01), "chrome", segments=12).on(
            -0.3 * depth, s * 0.3 * length, high + 0.0068
        )
        add_button(assembly, body, f"hook_{k}", pin, axis="-z", travel=0.004, label="hook_button")
    (_rotary if style == "rotary" else _keypad)(assembly, body, at, tilt)
    return assembly
