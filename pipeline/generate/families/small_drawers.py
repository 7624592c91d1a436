# SPDX-License-Identifier: Apache-2.0
"""Small boxes of compartments: jewelry box, cantilever tool box, pill organizer.

Jewelry boxes: 0.22-0.32 m wide, 2-4 drawers below a mirror lid of 95-110 degrees. Tool boxes:
0.4-0.55 m long with a tray that lifts out by 0.1-0.15 m and a lid on each side. Pill organizers:
seven cells of 22-32 mm in one or two rows, each under its own lid of 100-130 degrees.
"""

from pipeline.generate.fittings import carcass, drawer_box, knob
from pipeline.generate.vocabulary import (
    WOODS,
    Assembly,
    Draw,
    box,
    cylinder,
    extrude,
    rectangle,
    rounded_path,
    sweep,
    tray,
    word,
)

CATEGORIES = {
    "jewelry_box": "Containers",
    "tool_box": "Containers",
    "pill_organizer": "Containers",
}
DAYS = ("blue_plastic", "green_plastic", "yellow_plastic", "red_plastic")


def _add_lid(
    draw: Draw, assembly: Assembly, *, low: float, depth: float, width: float, wood: str, body: str
) -> None:
    """Add the lid."""
    z = 0.012 + low + 0.051
    lid = assembly.part(
        "lid",
        box((depth, width, 0.014), wood).on(0, 0, z),
        box((depth - 0.04, width - 0.04, 0.002), "glass").on(0, 0, z - 0.002),
    )
    assembly.hinge(
        body,
        lid,
        origin=(-depth / 2, 0, z),
        axis="-y",
        lower=0,
        upper=draw.number("lid_opening_deg", 95, 110, digits=1),
    )


def _jewelry_box(draw: Draw, assembly: Assembly) -> str:
    """Add a chest of small drawers with a lidded tray on top."""
    width = draw.number("width", 0.22, 0.32)
    depth = draw.number("depth", 0.15, 0.2)
    rows = draw.count("drawers", 2, 4)
    wood = draw.pick("material", (*WOODS, "white_paint", "red_paint"))
    row, board = 0.045, 0.008
    low = rows * row + board
    cells = [
        (0.0, board + row * k + (row - board) / 2, width - 2 * board, row - board)
        for k in range(rows)
    ]
    top = tray((depth, width, 0.05), wood, wall=board).on(0, 0, low)
    feet = [
        box((0.02, 0.02, 0.012), wood).on(sx * (depth / 2 - 0.012), sy * (width / 2 - 0.012), 0)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
    body = assembly.part(
        "body",
        *(s.at(0, 0, 0.012) for s in (*carcass((depth, width, low), wood, openings=cells), top)),
        *feet,
    )
    face = depth / 2 + 0.001
    for k, (_, z, w, h) in enumerate(cells, start=1):
        shell = drawer_box((depth - 0.02, w - 0.002, 0.8 * h), "red_fabric", wall=0.004).on(
            face, 0, 0.012 + z - h / 2 + 0.001
        )
        front = box((0.006, width - 0.004, row - 0.003), wood).at(face + 0.003, 0, 0.012 + z)
        drawer = assembly.part(
            f"drawer_{k}", shell, front, knob(0.007, "brass").at(face + 0.006, 0, 0.012 + z)
        )
        assembly.slide(body, drawer, axis="x", lower=0, upper=round(0.7 * depth, 3))
    _add_lid(draw, assembly, low=low, depth=depth, width=width, wood=wood, body=body)
    return wood


def _tool_box(draw: Draw, assembly: Assembly) -> str:
    """Add a metal box with two roof-like lids, a lift-out tray and a folding handle."""
    width = draw.number("length", 0.4, 0.55)
    depth = draw.number("width", 0.2, 0.26)
    height = draw.number("height", 0.16, 0.22)
    skin = draw.pick("material", ("red_paint", "blue_paint", "yellow_plastic", "gray_paint"))
    ridge = box((0.03, width, 0.03), skin).on(0, 0, height - 0.031)
    ends = [
        box((depth, 0.006, 0.02), skin).on(0, s * (width / 2 - 0.003), height - 0.02)
        for s in (-1, 1)
    ]
    body = assembly.part(
        "body", tray((depth, width, height), skin, wall=0.006).on(0, 0, 0), ridge, *ends
    )
    for name, s in (("lid_front", 1), ("lid_rear", -1)):
        leaf = box((depth / 2 - 0.018, width - 0.002, 0.006), skin).on(
            s * (depth / 4 + 0.009), 0, height + 0.001
        )
        clasp = box((0.004, 0.03, 0.03), "chrome").at(s * (depth / 2 + 0.003), 0, height - 0.008)
        lid = assembly.part(name, leaf, clasp, label="lid")
        axis = "-y" if s > 0 else "y"
        assembly.hinge(
            body,
            lid,
            origin=(s * 0.018, 0, height + 0.001),
            axis=axis,
            lower=0,
            upper=draw.number(f"{name}_deg", 86, 90, digits=1),
        )
    side = 0.3 * width
    bow = [(0, -side, 0), (0, -side, 0.06), (0, side, 0.06), (0, side, 0)]
    handle = assembly.part(
        "handle",
        sweep(rounded_path(bow, radius=0.02), "black_plastic", radius=0.008).at(
            0, 0, height + 0.0075
        ),
    )
    assembly.slide(body, handle, axis="-z", lower=0, upper=0.006)
    insert = tray((depth / 2 - 0.042, width - 0.02, 0.05), "black_plastic", wall=0.003).on(
        depth / 4 + 0.009, 0, height - 0.056
    )
    inner = assembly.part("tray", insert)
    # Up to just below the clasp of the lid that stands upright in front of the ridge.
    assembly.slide(body, inner, axis="z", lower=0, upper=draw.number("tray_lift", 0.05, 0.075))
    return skin


def _pill_organizer(draw: Draw, assembly: Assembly) -> str:
    """Add one or two rows of seven lidded cells."""
    side = draw.number("cell", 0.022, 0.032)
    rows = draw.count("rows", 1, 2)
    color = draw.pick("lid_color", DAYS)
    wall, height = 0.002, 0.024
    pitch = side + wall
    spots = [((r - (rows - 1) / 2) * pitch, (3 - k) * pitch) for r in range(rows) for k in range(7)]
    holes = [rectangle(side, side, center=spot) for spot in spots]
    frame = extrude(
        rectangle(rows * pitch + wall, 7 * pitch + wall),
        "white_plastic",
        height=height - 0.002,
        holes=holes,
    )
    floor = box((rows * pitch + wall, 7 * pitch + wall, 0.002), "white_plastic")
    body = assembly.part("body", frame.on(0, 0, 0.002), floor.on(0, 0, 0))
    opening = draw.number("lid_opening_deg", 100, 130, digits=1)
    for k, (x, y) in enumerate(spots):
        # The front row opens forward, so that lids of two rows never meet.
        s = -1 if rows == 2 and x > 0 else 1
        cover = box((side + 0.0005, side, 0.002), color if k < 7 else "clear_plastic").on(
            x, y, height + 0.0004
        )
        tab = cylinder((0.004, 0.002), color, segments=12).on(
            x + s * (side / 2 - 0.006), y, height + 0.0024
        )
        lid = assembly.part(f"lid_{k + 1}", cover, tab)
        hinge_at = (x - s * side / 2, y, height + 0.0004)
        assembly.hinge(
            body, lid, origin=hinge_at, axis="-y" if s > 0 else "y", lower=0, upper=opening
        )
    return color


def build(draw: Draw) -> Assembly:
    """Build one jewelry box, tool box or pill organizer."""
    category = draw.take("category", CATEGORIES)
    noun = category.replace("_", " ")
    assembly = Assembly("", category, f"A {noun} with several compartments that open one by one.")
    add = {"jewelry_box": _jewelry_box, "tool_box": _tool_box, "pill_organizer": _pill_organizer}
    assembly.name = f"{word(add[category](draw, assembly)).capitalize()} {noun}"
    return assembly
