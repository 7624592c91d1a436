# SPDX-License-Identifier: Apache-2.0
"""A knife block: slanted wooden block whose knives and steel pull out along the slant.

Sizes after kitchenware: block 0.1-0.14 m wide, 0.2-0.25 m tall, leaning by 25-35 degrees; 4-7
knives with blades of 0.09-0.18 m that slide out by their length.
"""

import math

from pipeline.generate.vocabulary import (
    WOODS,
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    extrude,
    plate,
    rectangle,
    word,
)

CATEGORIES = {"knife_block": "Kitchen & Cooking"}


def _knife(blade: float, wide: float, handle: str) -> list[Shape]:
    """Return a knife along z: handle above z = 0, blade below, edge toward +x."""
    steel = extrude(
        [(-wide / 2, 0), (wide / 2, 0), (wide / 2, 0.3 * wide - blade), (-wide / 2, -blade)],
        "chrome",
        height=0.002,
    )
    grip = plate((0.024, 0.016, 0.1), handle, radius=0.006).on(0, 0, 0.001)
    rivets = [
        cylinder((0.003, 0.017), "steel", segments=10).along("y").at(0, 0, z)
        for z in (0.025, 0.075)
    ]
    return [steel.along("-y"), grip, *rivets]


def build(draw: Draw) -> Assembly:
    """Build one knife block, handles toward the front."""
    count = draw.count("knives", 4, 7)
    lean = draw.number("lean_deg", 25, 35, digits=1)
    long = draw.number("block_length", 0.2, 0.24)
    wood = draw.pick("block_material", (*WOODS, "black_paint"))
    handle = draw.pick("handle_material", ("black_plastic", "walnut", "red_plastic", "steel"))
    assembly = Assembly(
        f"{word(wood).capitalize()} knife block with {count} knives",
        "knife_block",
        f"A slanted block from which {count} knives slide out.",
    )
    pitch, deep = 0.022, 0.1
    width = pitch * count + 0.016
    spots = [(k - (count - 1) / 2) * pitch for k in range(count)]
    slots = [rectangle(0.046, 0.004, center=(0, y)) for y in spots]
    pivot = (0.0, 0.0, 0.03)
    block = extrude(rectangle(deep, width), wood, height=long, holes=slots).at(
        0, 0, long / 2 + 0.03
    )
    foot = box((0.22, width, 0.03), wood).on(0.03, 0, 0)
    strut = box((0.03, width * 0.8, 0.1), wood).on(0.105, 0, 0.028)
    body = assembly.part("block", block.turned("y", lean, about=pivot), foot, strut)
    axis = (math.sin(math.radians(lean)), 0.0, math.cos(math.radians(lean)))
    for k, y in enumerate(spots):
        blade = (long - 0.02) * (1 - 0.5 * k / count)
        shapes = [
            s.at(0, y, long + 0.031).turned("y", lean, about=pivot)
            for s in _knife(blade, 0.042 - 0.003 * k, handle)
        ]
        knife = assembly.part(f"knife_{k + 1}", *shapes)
        assembly.slide(body, knife, axis=axis, lower=0, upper=round(blade, 3))
    return assembly
