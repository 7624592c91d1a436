# SPDX-License-Identifier: Apache-2.0
"""A paper container: shipping carton with four flaps, or matchbox whose tray slides out.

Cartons: 0.25-0.5 m wide, 0.2-0.4 m deep, 0.18-0.35 m tall, flaps opening by 150-200 degrees.
Matchboxes: 50-56 mm long, 34-38 mm wide, 14-18 mm tall, tray sliding both ways by 55 %.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    extrude,
    rectangle,
    sphere,
    tray,
    word,
)

CATEGORIES = {"cardboard_box": "Containers", "matchbox": "Containers"}


def _carton(draw: Draw, assembly: Assembly) -> None:
    """Add a carton: inner flaps on the short sides, outer flaps above them."""
    width = draw.number("width", 0.25, 0.5)
    depth = draw.number("depth", 0.2, 0.4)
    height = draw.number("height", 0.18, 0.35)
    skin = draw.pick("material", ("cardboard",))
    tape = box((0.001, 0.05, height * 0.3), "paper").at(depth / 2 + 0.0005, 0, height * 0.8)
    mark = box((0.001, 0.09, 0.06), "black_paint").at(
        depth / 2 + 0.0005, -width * 0.25, height * 0.25
    )
    body = assembly.part(
        "body", tray((depth, width, height), skin, wall=0.004).on(0, 0, 0), tape, mark
    )
    opening = draw.number("flap_opening_deg", 150, 200, digits=1)
    flaps = (
        ("left", 0, 1, 0.0008),
        ("right", 0, -1, 0.0008),
        ("front", 1, 0, 0.0056),
        ("rear", -1, 0, 0.0056),
    )
    for name, sx, sy, lift in flaps:
        reach = depth / 2
        size = (
            (reach - 0.001, width, 0.004)
            if sx
            else (depth - 0.01, min(reach, width / 2) - 0.001, 0.004)
        )
        at = (sx * (depth / 2 - size[0] / 2), sy * (width / 2 - size[1] / 2), height + lift)
        flap = assembly.part(f"flap_{name}", box(size, skin).on(*at), label="flap")
        edge = (sx * depth / 2, sy * width / 2, height + lift)
        axis = {(1, 0): "y", (-1, 0): "-y", (0, 1): "-x", (0, -1): "x"}[sx, sy]
        assembly.hinge(body, flap, origin=edge, axis=axis, lower=0, upper=opening)


def _matchbox(draw: Draw, assembly: Assembly) -> None:
    """Add a sleeve with striking faces and a tray of matches."""
    long = draw.number("length", 0.05, 0.056)
    wide = draw.number("width", 0.034, 0.038)
    tall = draw.number("height", 0.014, 0.018)
    color = draw.pick("material", ("red_paint", "blue_paint", "green_paint", "yellow_paint"))
    heads = draw.pick("match_head", ("red_paint", "black_paint", "green_paint"))
    sleeve = extrude(
        rectangle(wide, tall), color, height=long, holes=[rectangle(wide - 0.0014, tall - 0.0014)]
    )
    strips = [
        box((long - 0.002, 0.0004, tall * 0.7), "cast_iron").at(
            0, s * (wide / 2 + 0.0002), tall / 2
        )
        for s in (-1, 1)
    ]
    print_ = box((long * 0.7, wide * 0.6, 0.0003), "cream_paint").on(0, 0, tall)
    flame = sphere(0.25 * wide, "orange_paint", segments=12).scaled(1.4, 0.8, 0.0006 / wide)
    picture = [print_, flame.at(0, 0, tall + 0.0003)]
    cover = assembly.part("sleeve", sleeve.along("x").at(0, 0, tall / 2), *strips, *picture)
    shell = tray((long - 0.001, wide - 0.002, tall - 0.0024), "paper", wall=0.0007).on(0, 0, 0.0009)
    sticks = []
    for k in range(9):
        y = (k - 4) * (wide - 0.008) / 8
        sticks.append(box((long - 0.012, 0.002, 0.002), "pine").on(0, y, 0.0018))
        sticks.append(sphere(0.0015, heads, segments=8).at(long / 2 - 0.006, y, 0.0032))
    drawer = assembly.part("tray", shell, *sticks)
    travel = round(0.55 * long, 3)
    assembly.slide(cover, drawer, axis="x", lower=-travel, upper=travel)


def build(draw: Draw) -> Assembly:
    """Build one carton or matchbox."""
    category = draw.take("category", CATEGORIES)
    noun = category.replace("_", " ")
    phrase = (
        "with four top flaps" if noun == "cardboard box" else "whose tray slides out of its sleeve"
    )
    assembly = Assembly("", category, f"A {noun} {phrase}.")
    (_carton if noun == "cardboard box" else _matchbox)(draw, assembly)
    color = word(str(draw.parameters["material"]))
    assembly.name = noun.capitalize() if color == "cardboard" else f"{color.capitalize()} {noun}"
    return assembly
