# SPDX-License-Identifier: Apache-2.0
"""A Ferris wheel: two A-frames, a spoked double rim that turns, gondolas hanging from its rim.

Sizes after fairground wheels: 12-24 m across, 8-16 gondolas of 0.9-1.6 m; the wheel and every
gondola turn without end.
"""

import math

import numpy as np

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    circle,
    cone,
    cylinder,
    rectangle,
    sweep,
    tray,
)

CATEGORIES = {"ferris_wheel": "Infrastructure"}

CARS = ("red_paint", "yellow_paint", "blue_paint", "green_paint", "orange_paint", "purple_paint")


def _add_gondolas(
    assembly: Assembly, *, count: int, radius: float, hub: float, size: float, wheel: str
) -> None:
    """Add the gondolas."""
    for k in range(count):
        a = 2 * math.pi * k / count
        y, z = radius * math.cos(a), hub + radius * math.sin(a)
        paint = CARS[k % len(CARS)]
        posts = [
            box((0.06, 0.06, 0.75 * size), "white_paint").on(
                sx * 0.45 * size, sy * 0.4 * size, z - 0.9 * size
            )
            for sx in (-1, 1)
            for sy in (-1, 1)
        ]
        tub = tray((size, 0.9 * size, 0.5 * size), paint, wall=0.05).on(0, 0, z - 1.25 * size)
        roof = cone((0.62 * size, 0.1 * size, 0.25 * size), paint, segments=12)
        shapes = [tub, roof.on(0, 0, z - 0.055 - 0.25 * size), *posts]
        car = assembly.part(f"gondola_{k + 1}", *(shape.at(0, y) for shape in shapes))
        assembly.spin(wheel, car, origin=(0, y, z), axis="x")


def _add_support_and_wheel(
    assembly: Assembly, *, radius: float, count: int, color: str, rim_color: str
) -> None:
    """Add the support and wheel."""
    size = min(1.6, 0.38 * radius * 2 * math.pi / count)
    deep = size + 0.5
    hub = radius + 1.35 * size + 0.8
    beams = []
    for s in (-1, 1):
        x = s * (deep / 2 + 0.6)
        for side in (-1, 1):
            foot = (x + s * 0.8, side * 0.5 * radius, 0.1)
            beams.append(sweep([foot, (x, 0, hub)], color, section=rectangle(0.35, 0.35)))
        beams.append(cylinder((0.45, 0.5), color).along("x").at(x, 0, hub))
        beams.append(box((1.2, 1.2 * radius, 0.2), "concrete").on(x + s * 0.8, 0, 0))
    base = assembly.part("support", *beams, label="support_frame")

    rim = []
    loop = circle(radius, segments=4 * count)
    for s in (-1, 1):
        x = s * deep / 2
        path = np.column_stack((np.full(len(loop), x), loop))
        rim.append(sweep(path, rim_color, section=circle(0.12, segments=6), closed=True))
        for k in range(count):
            a = 2 * math.pi * k / count
            end = (x, radius * math.cos(a), radius * math.sin(a))
            rim.append(sweep([(x * 0.8, 0, 0), end], rim_color, section=circle(0.06, segments=6)))
    axles = [
        cylinder((0.05, deep), "steel", segments=8)
        .along("x")
        .at(0, radius * math.cos(a), radius * math.sin(a))
        for a in (2 * math.pi * k / count for k in range(count))
    ]
    spindle = cylinder((0.3, deep + 0.68), "dark_steel").along("x")
    wheel = assembly.part("wheel", *(s.at(0, 0, hub) for s in (*rim, *axles, spindle)))
    assembly.spin(base, wheel, origin=(0, 0, hub), axis="x")
    _add_gondolas(assembly, count=count, radius=radius, hub=hub, size=size, wheel=wheel)


def build(draw: Draw) -> Assembly:
    """Build one Ferris wheel, its axle along x."""
    radius = draw.number("radius", 6.0, 12.0, digits=2)
    count = draw.count("gondolas", 8, 16)
    color = draw.pick("frame_material", ("white_paint", "steel", "red_paint", "blue_paint"))
    rim_color = draw.pick(
        "rim_material", ("white_paint", "sky_paint", "yellow_paint", "purple_paint")
    )
    assembly = Assembly(
        f"Ferris wheel with {count} gondolas",
        "ferris_wheel",
        f"A Ferris wheel with {count} gondolas that hang freely from its rim.",
    )
    _add_support_and_wheel(assembly, radius=radius, count=count, color=color, rim_color=rim_color)
    return assembly
