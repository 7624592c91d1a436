# SPDX-License-Identifier: Apache-2.0
"""Doors that do not swing: glazed patio slider, barn door on a rail, revolving door.

Sliding doors: 1.5-2.4 m wide, 2.0-2.2 m tall, one leaf slides by half the width, thumb latch.
Barn doors: leaf 0.9-1.1 m wide on two rollers that turn, 0.9-1.1 m of travel. Revolving doors:
drum 2.0-2.8 m across, 2.2-2.5 m tall, three or four wings turning without end.
"""

import math

from pipeline.generate.fittings import bar_pull
from pipeline.generate.vocabulary import (
    WOODS,
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    extrude,
    rectangle,
    sector,
    tube,
    word,
)

CATEGORIES = {
    "sliding_door": "Architectural Fixtures",
    "barn_door": "Architectural Fixtures",
    "revolving_door": "Architectural Fixtures",
}


def _glazed(width: float, height: float, skin: str) -> list[Shape]:
    """Return a glazed leaf in the plane x = 0, centered on the origin."""
    pane = (width - 0.16, height - 0.16)
    frame = extrude(rectangle(width, height), skin, height=0.04, holes=[rectangle(*pane)])
    return [frame.along("x"), box((0.012, *pane), "glass")]


def _sliding(draw: Draw, assembly: Assembly) -> str:
    """Add a fixed and a sliding glazed leaf in a frame."""
    width = draw.number("width", 1.5, 2.4)
    height = draw.number("height", 2.0, 2.2)
    skin = draw.pick("material", ("aluminum", "white_paint", "oak", "black_paint"))
    z = height / 2
    ring = extrude(
        rectangle(width, height), skin, height=0.12, holes=[rectangle(width - 0.1, height - 0.1)]
    )
    leaf = (width / 2 - 0.01, height - 0.106)
    fixed = [s.at(-0.026, width / 2 - 0.049 - leaf[0] / 2, z) for s in _glazed(*leaf, skin)]
    body = assembly.part("frame", ring.along("x").at(0, 0, z), *fixed, label="door_frame")
    y = -(width / 2 - 0.053) + leaf[0] / 2
    grip = (
        bar_pull(0.25, "chrome", reach=0.04, radius=0.008)
        .turned("x", 90)
        .at(0.046, y - leaf[0] / 2 + 0.04, 1.0)
    )
    door = assembly.part(
        "leaf", *(s.at(0.026, y, z) for s in _glazed(*leaf, skin)), grip, label="door_leaf"
    )
    assembly.slide(body, door, axis="y", lower=0, upper=round(width - 0.106 - leaf[0] - 0.05, 3))
    at = (0.046, y - leaf[0] / 2 + 0.04, 1.2)
    latch = assembly.part(
        "latch",
        cylinder((0.016, 0.012), "chrome").along("x").at(0.052, *at[1:]),
        box((0.01, 0.012, 0.05), "chrome").at(0.063, *at[1:]),
    )
    assembly.hinge(door, latch, origin=at, axis="x", lower=0, upper=90)
    return skin


def _add_leaf_and_rollers(
    assembly: Assembly, *, width: float, height: float, wood: str, body: str, top: float
) -> None:
    """Add the leaf and rollers."""
    boards = [
        box((0.03, width / 6 - 0.004, height), wood).on(0.052, width * (k - 2.5) / 6, 0.01)
        for k in range(6)
    ]
    beams = [
        box((0.02, width, 0.12), wood).at(0.077, 0, z) for z in (0.12, height / 2, height - 0.1)
    ]
    lean = math.degrees(math.atan2(height / 2 - 0.22, width))
    brace = (
        box((0.018, math.hypot(width, height / 2 - 0.22) * 0.93, 0.1), wood)
        .turned("x", lean)
        .at(0.076, 0, height * 0.28)
    )
    straps = [
        box((0.006, 0.05, 0.3), "cast_iron").on(0.07, s * 0.35 * width, height - 0.12)
        for s in (-1, 1)
    ]
    grip = (
        bar_pull(0.3, "cast_iron", reach=0.05, radius=0.01)
        .turned("x", 90)
        .at(0.087, -0.4 * width, 1.0)
    )
    door = assembly.part("leaf", *boards, *beams, brace, *straps, grip, label="door_leaf")
    assembly.slide(body, door, axis="y", lower=0, upper=width)
    for k, s in enumerate((-1, 1), start=1):
        at = (0.05, s * 0.35 * width, top + 0.06)
        roll = assembly.part(
            f"roller_{k}",
            tube((0.04, 0.012, 0.022), "cast_iron").along("x").at(*at),
            cylinder((0.013, 0.026), "steel").along("x").at(0.054, *at[1:]),
        )
        assembly.spin(door, roll, origin=at, axis="x")


def _barn(draw: Draw, assembly: Assembly) -> str:
    """Add a wall with an opening, a rail and a braced leaf on two rollers."""
    width = draw.number("leaf_width", 0.9, 1.1)
    height = draw.number("leaf_height", 2.0, 2.15)
    wood = draw.pick("material", (*WOODS, "red_paint"))
    hole = [
        (-width / 2 + 0.05, 0),
        (-width / 2 + 0.05, height - 0.05),
        (width / 2 - 0.05, height - 0.05),
        (width / 2 - 0.05, 0),
    ]
    wall = [
        (-width * 0.75, 0),
        *hole,
        (width * 1.75, 0),
        (width * 1.75, height + 0.3),
        (-width * 0.75, height + 0.3),
    ]
    top = height + 0.13
    rail = box((0.012, 2.1 * width, 0.04), "cast_iron").at(0.05, 0.52 * width, top)
    posts = [
        cylinder((0.015, 0.05), "cast_iron").along("x").at(0.024, width * t, top)
        for t in (-0.4, 0.5, 1.4)
    ]
    body = assembly.part(
        "wall", extrude(wall, "cream_paint", height=0.1).along("x").at(-0.05), rail, *posts
    )
    _add_leaf_and_rollers(assembly, width=width, height=height, wood=wood, body=body, top=top)
    return wood


def _revolving(draw: Draw, assembly: Assembly) -> str:
    """Add a glass drum with two openings, a ceiling, and wings on a center post."""
    r = draw.number("radius", 1.0, 1.4)
    height = draw.number("height", 2.2, 2.5)
    wings = draw.count("wings", 3, 4)
    skin = draw.pick("material", ("brass", "aluminum", "black_paint"))
    drum = [
        extrude(
            sector(r + 0.05, r + 0.02, degrees=(a - 42, a + 42), steps=16), "glass", height=height
        ).on(0, 0, 0.02)
        for a in (90, -90)
    ]
    posts = [
        box((0.08, 0.08, height), skin).on(
            (r + 0.035) * math.cos(a), (r + 0.035) * math.sin(a), 0.02
        )
        for a in (math.radians(d) for d in (46, 134, 226, 314))
    ]
    roof = cylinder((r + 0.1, 0.2), skin, segments=40).on(0, 0, height + 0.025)
    floor = cylinder((r + 0.1, 0.02), "tiles", segments=40).on(0, 0, 0)
    body = assembly.part("drum", *drum, *posts, roof, floor, label="door_drum")
    shapes = [cylinder((0.04, height - 0.01), skin).on(0, 0, 0.025)]
    for k in range(wings):
        leaf = [
            s.turned("z", 90).at(r / 2 + 0.01, 0, height / 2 + 0.025)
            for s in _glazed(r - 0.05, height - 0.05, skin)
        ]
        bar = cylinder((0.015, r * 0.7), skin).along("x").at(r / 2, 0.05, 1.0)
        shapes += [s.turned("z", 360 * k / wings + 20) for s in (*leaf, bar)]
    wheel = assembly.part("wings", *shapes)
    assembly.spin(body, wheel, origin=(0, 0, 0.02), axis="z")
    return skin


def build(draw: Draw) -> Assembly:
    """Build one sliding, barn or revolving door."""
    category = draw.take("category", CATEGORIES)
    noun = category.replace("_", " ")
    assembly = Assembly("", category, f"A {noun} in its frame.")
    skin = {"sliding_door": _sliding, "barn_door": _barn, "revolving_door": _revolving}[category](
        draw, assembly
    )
    assembly.name = f"{word(skin).capitalize()} {noun}"
    return assembly
