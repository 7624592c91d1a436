# SPDX-License-Identifier: Apache-2.0
"""A nightstand: a small carcass on legs with one to three drawers, some with an open shelf.

Sizes after common furniture: 0.38-0.55 m wide, 0.32-0.42 m deep, 0.45-0.65 m tall, board
18 mm, drawers that pull out by 75 % of their depth.
"""

from pipeline.generate.fittings import carcass, drawer_box, legs, pull
from pipeline.generate.vocabulary import METALS, PAINTS, WOODS, Assembly, Draw, box

CATEGORIES = {"nightstand": "Storage Furniture"}

BOARD = 0.018
GAP = 0.002


def build(draw: Draw) -> Assembly:
    """Build one nightstand."""
    width = draw.number("width", 0.38, 0.55)
    depth = draw.number("depth", 0.32, 0.42)
    height = draw.number("height", 0.45, 0.65)
    leg = draw.number("leg_height", 0.06, 0.16)
    drawers = draw.count("drawers", 1, 3)
    has_shelf = drawers < 3 and draw.chance("open_shelf", 0.5)
    wood = draw.pick("body_material", WOODS + PAINTS)
    front = draw.pick("front_material", (wood, "walnut", "white_paint"))
    style = draw.pick("pull_style", ("knob", "bow", "strip"))
    metal = draw.pick("pull_material", METALS)
    body_height = height - leg
    rows = drawers + has_shelf
    pitch = (body_height - BOARD) / rows
    inner = width - 2 * BOARD
    openings = [
        (0.0, BOARD + pitch * row + (pitch - BOARD) / 2, inner, pitch - BOARD)
        for row in range(rows)
    ]
    top = box((depth + 0.03, width + 0.02, 0.02), wood).on(0.005, 0, height)
    assembly = Assembly(
        f"{wood.split('_')[0].capitalize()} nightstand with {drawers} drawer{'s'[: drawers > 1]}",
        "nightstand",
        f"A bedside table on four legs with {drawers} sliding drawer{'s'[: drawers > 1]}"
        f"{' and an open shelf' if has_shelf else ''}.",
    )
    body = assembly.part(
        "body",
        *(s.at(0, 0, leg) for s in carcass((depth, width, body_height), wood, openings=openings)),
        top,
        *legs((depth - 0.05, width - 0.05), wood, size=(0.035, leg)),
    )
    for number, (_, z, w, h) in enumerate(openings[rows - drawers :], start=1):
        face = depth / 2 + 0.001
        drawer = assembly.part(
            f"drawer_{number}",
            drawer_box((depth - 0.03, w - 2 * GAP, h * 0.8), wood).on(
                face, 0, leg + z - h / 2 + GAP
            ),
            box((0.018, width - 2 * GAP, pitch - GAP), front).at(face + 0.009, 0, leg + z),
            pull(style, width * 0.4, metal).at(face + 0.018, 0, leg + z),
        )
        assembly.slide(body, drawer, axis="x", lower=0, upper=round(0.75 * depth, 3))
    return assembly
