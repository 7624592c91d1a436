# SPDX-License-Identifier: Apache-2.0
"""A strongbox: a safe with a dial and a spoked handle, or a wall mailbox with a flap and a flag.

Safes: 0.35-0.55 m wide, 0.35-0.5 m deep, 0.4-0.7 m tall, walls 40 mm, door of 100-130 degrees,
dial without end, handle of 90 degrees. Mailboxes: 0.16-0.2 m wide, 0.45-0.52 m long with a round
top, door of 90 degrees at the front and a flag of 90 degrees at the side.
"""

import math

from pipeline.generate.fittings import add_dial, carcass
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    capsule,
    cylinder,
    extrude,
    sphere,
    torus,
    word,
)

CATEGORIES = {"safe": "Storage Furniture", "mailbox": "Architectural Fixtures"}


def _add_dial_and_handle(
    assembly: Assembly, *, x: float, door: str, z: float, height: float, metal: str
) -> None:
    """Add the dial and handle."""
    face = x + 0.03
    add_dial(
        assembly,
        door,
        "dial",
        at=(face, -0.02, z + 0.12 * height),
        axis="x",
        size=(0.035, 0.02),
        material=metal,
        turn=0,
    )
    at = (face, -0.02, z - 0.14 * height)
    spokes = [
        capsule((0.007, 0.12), metal).turned("x", 60 * k).at(face + 0.02, at[1], at[2])
        for k in range(3)
    ]
    wheel = assembly.part(
        "handle",
        cylinder((0.018, 0.03), metal).along("x").at(face + 0.015, *at[1:]),
        *spokes,
        label="spoked_handle",
    )
    assembly.hinge(door, wheel, origin=at, axis="-x", lower=0, upper=90)


def _safe(draw: Draw, assembly: Assembly) -> str:
    """Add a safe whose door is hinged on the left."""
    width = draw.number("width", 0.35, 0.55)
    depth = draw.number("depth", 0.35, 0.5)
    height = draw.number("height", 0.4, 0.7)
    skin = draw.pick("material", ("dark_steel", "green_paint", "black_paint", "gray_paint"))
    metal = draw.pick("trim", ("brass", "chrome"))
    cell = (0.0, height / 2, width - 0.08, height - 0.08)
    shelf = box((depth - 0.12, width - 0.081, 0.008), "steel").at(0, 0, 0.03 + height / 2)
    foot = [
        cylinder((0.025, 0.03), "black_plastic").on(sx * 0.4 * depth, sy * 0.4 * width, 0)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
    shell = [
        s.at(0, 0, 0.03) for s in carcass((depth, width, height), skin, openings=[cell], back=0.04)
    ]
    body = assembly.part("body", *shell, shelf, *foot)
    x, z = depth / 2 + 0.002, 0.03 + height / 2
    hinges = [
        cylinder((0.012, 0.08), metal).at(x + 0.012, width / 2 - 0.006, z + s * 0.32 * height)
        for s in (-1, 1)
    ]
    bolts = [
        cylinder((0.009, 0.02), "chrome", segments=14)
        .along("-y")
        .at(x - 0.012, 0.06 - width / 2, z + s * 0.2 * height)
        for s in (-1, 0, 1)
    ]
    slab = box((0.03, width - 0.02, height - 0.01), skin).at(x + 0.015, 0, z)
    inner = box((0.024, width - 0.12, height - 0.1), "dark_steel").at(x - 0.012, 0, z)
    door = assembly.part("door", slab, inner, *hinges, *bolts)
    opening = draw.number("door_opening_deg", 100, 130, digits=1)
    assembly.hinge(
        body, door, origin=(x + 0.012, width / 2 - 0.006, z), axis="z", lower=0, upper=opening
    )
    _add_dial_and_handle(assembly, x=x, door=door, z=z, height=height, metal=metal)
    return skin


def _mailbox(draw: Draw, assembly: Assembly) -> str:
    """Add a round-topped mailbox on a post, door to the front, flag on the left."""
    width = draw.number("width", 0.16, 0.2)
    length = draw.number("length", 0.45, 0.52)
    post = draw.number("post_height", 0.9, 1.1)
    skin = draw.pick(
        "material", ("aluminum", "blue_paint", "black_paint", "green_paint", "white_paint")
    )
    arch = [
        (width / 2 * math.cos(a), 0.12 + width / 2 * math.sin(a))
        for a in (math.pi * k / 12 for k in range(13))
    ]
    outline = [(-width / 2, 0), (width / 2, 0), *arch]
    hole = [(0.94 * y, 0.006 + 0.955 * z) for y, z in outline]
    tube = extrude(outline, skin, height=length, holes=[hole]).along("x").at(0, 0, post)
    back = extrude(outline, skin, height=0.004).along("x").at(-length / 2 - 0.002, 0, post)
    stake = box((0.09, 0.09, post), "oak").on(0, 0, 0)
    body = assembly.part(
        "body", tube, back, stake, box((length * 0.8, 0.1, 0.02), "oak").on(0, 0, post - 0.021)
    )
    x = length / 2 + 0.001
    leaf = extrude(outline, skin, height=0.006).along("x").at(x + 0.003, 0, post)
    door = assembly.part(
        "door", leaf, torus((0.015, 0.003), "brass").along("y").at(x + 0.02, 0, post + 0.15)
    )
    assembly.hinge(
        body,
        door,
        origin=(x + 0.003, 0, post),
        axis="y",
        lower=0,
        upper=draw.number("door_opening_deg", 90, 110, digits=1),
    )
    at = (0.1, width / 2 + 0.004, post + 0.09)
    arm = box((0.16, 0.004, 0.014), "red_paint").at(at[0] - 0.07, at[1], at[2])
    flag = assembly.part(
        "flag",
        arm,
        box((0.06, 0.004, 0.04), "red_paint").at(at[0] - 0.12, at[1], at[2] + 0.02),
        sphere(0.006, "red_paint").at(*at),
    )
    assembly.hinge(body, flag, origin=at, axis="y", lower=0, upper=90)
    return skin


def build(draw: Draw) -> Assembly:
    """Build one safe or mailbox."""
    category = draw.take("category", CATEGORIES)
    phrase = "a dial and a spoked handle" if category == "safe" else "a front door and a red flag"
    assembly = Assembly("", category, f"A {category} with {phrase}.")
    skin = (_safe if category == "safe" else _mailbox)(draw, assembly)
    assembly.name = f"{word(skin).capitalize()} {category}"
    return assembly
