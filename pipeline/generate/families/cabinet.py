# SPDX-License-Identifier: Apache-2.0
"""A floor cabinet: a row of drawers above two hinged doors, shelves behind the doors.

Sizes after kitchen and living-room units: 0.7-1.3 m wide, 0.35-0.55 m deep, 0.75-1.1 m tall,
board 18 mm; doors open by 95-110 degrees, drawers pull out by 75 % of the depth.
"""

from pipeline.generate.fittings import carcass, drawer_box, legs, pull
from pipeline.generate.vocabulary import METALS, PAINTS, WOODS, Assembly, Draw, box

BOARD = 0.018
GAP = 0.002


def build(draw: Draw) -> Assembly:
    """Build one cabinet."""
    width = draw.number("width", 0.7, 1.3)
    depth = draw.number("depth", 0.35, 0.55)
    height = draw.number("height", 0.75, 1.1)
    columns = draw.count("drawer_columns", 1, 3)
    shelves = draw.count("shelves", 1, 2)
    wood = draw.pick("body_material", WOODS + PAINTS)
    front = draw.pick("front_material", (wood, "pine", "white_paint", "gray_paint"))
    style = draw.pick("pull_style", ("knob", "bow"))
    metal = draw.pick("pull_material", METALS)
    opening = draw.number("door_opening_deg", 95, 110, digits=1)

    foot = 0.08
    body_height = height - foot - 0.02
    row = draw.number("drawer_height", 0.14, 0.2)
    column = (width - BOARD) / columns
    below = body_height - row - BOARD
    openings = [(0.0, BOARD + (below - BOARD) / 2, width - 2 * BOARD, below - BOARD)]
    openings += [
        (
            (k - (columns - 1) / 2) * column,
            body_height - BOARD - (row - BOARD) / 2,
            column - BOARD,
            row - BOARD,
        )
        for k in range(columns)
    ]
    assembly = Assembly(
        f"{wood.split('_')[0].capitalize()} cabinet with two doors",
        "storage_furniture",
        f"A cabinet with two hinged doors below a row of {columns} drawer{'s'[: columns > 1]}.",
    )
    inside = [
        box((depth - 0.03, width - 2 * BOARD, 0.016), wood).at(
            -0.01, 0, foot + BOARD + below * (k + 1) / (shelves + 1)
        )
        for k in range(shelves)
    ]
    body = assembly.part(
        "body",
        *(s.at(0, 0, foot) for s in carcass((depth, width, body_height), wood, openings=openings)),
        box((depth + 0.03, width + 0.02, 0.02), wood).on(0.012, 0, height - 0.02),
        *legs((depth - 0.06, width - 0.06), "black_paint", size=(0.04, foot)),
        *inside,
    )
    face = depth / 2 + 0.001
    for name, s in (("door_left", 1), ("door_right", -1)):
        z = foot + below / 2
        door = assembly.part(
            name,
            box((0.018, width / 2 - GAP, below - GAP), front).at(face + 0.009, s * width / 4, z),
            pull(style, 0.12, metal).turned("x", 90).at(face + 0.018, s * 0.035, z + below * 0.2),
            label="door",
        )
        axis = "z" if s > 0 else "-z"
        hinge_at = (face, s * (width / 2 - GAP / 2), z)
        assembly.hinge(body, door, origin=hinge_at, axis=axis, lower=0, upper=opening)
    for number, (y, z, w, h) in enumerate(openings[1:], start=1):
        low = foot + z - h / 2 + GAP
        drawer = assembly.part(
            f"drawer_{number}",
            drawer_box((depth - 0.03, w - 2 * GAP, h * 0.8), wood).on(face, y, low),
            box((0.018, column - GAP, row - GAP), front).at(face + 0.009, y, foot + z),
            pull(style, column * 0.35, metal).at(face + 0.018, y, foot + z),
        )
        assembly.slide(body, drawer, axis="x", lower=0, upper=round(0.75 * depth, 3))
    return assembly
