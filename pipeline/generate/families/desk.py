# SPDX-License-Identifier: Apache-2.0
"""A desk: table top on a panel leg and a drawer pedestal, or a sit-stand desk on lifting columns.

Sizes after office furniture: 1.1-1.8 m wide, 0.6-0.8 m deep, 0.72-0.76 m high; pedestal 0.4 m wide
with 3-4 drawers; sit-stand columns rise by 0.35-0.5 m and the top has a pencil drawer.
"""

from pipeline.generate.fittings import carcass, drawer_box, pull
from pipeline.generate.vocabulary import METALS, WOODS, Assembly, Draw, box, tray

CATEGORIES = {"desk": "Tables & Seating"}

GAP = 0.002
BOARD = 0.018


def _pedestal_desk(
    draw: Draw, assembly: Assembly, size: tuple[float, float, float], wood: str
) -> None:
    """Add a fixed desk with a stack of drawers on one side."""
    width, depth, height = size
    rows = draw.count("drawers", 3, 4)
    s = 1 if draw.chance("pedestal_left", 0.5) else -1
    style = draw.pick("pull_style", ("bow", "knob", "strip"))
    metal = draw.pick("pull_material", METALS)
    wide, deep, tall = 0.4, depth - 0.06, height - 0.028
    y0 = s * (width / 2 - wide / 2 - 0.02)
    pitch = (tall - BOARD) / rows
    cells = [
        (0.0, BOARD + pitch * (k + 0.5) - BOARD / 2, wide - 2 * BOARD, pitch - BOARD)
        for k in range(rows)
    ]
    box_shapes = [p.at(0, y0) for p in carcass((deep, wide, tall), wood, openings=cells)]
    body = assembly.part(
        "body",
        box((depth, width, 0.028), wood).on(0, 0, tall),
        box((deep, 0.028, tall), wood).on(0, -s * (width / 2 - 0.034), 0),
        box((BOARD, width - wide - 0.08, tall * 0.5), wood).on(
            -deep / 4, -s * (wide / 2 - 0.006), tall * 0.5
        ),
        *box_shapes,
        label="desk_body",
    )
    face = deep / 2 + 0.001
    for number, (_, z, w, h) in enumerate(cells, start=1):
        drawer = assembly.part(
            f"drawer_{number}",
            drawer_box((deep - 0.04, w - 2 * GAP, h * 0.8), "plywood").on(
                face, y0, z - h / 2 + GAP
            ),
            box((0.018, wide - GAP, pitch - GAP), wood).at(face + 0.009, y0, z),
            pull(style, 0.14, metal).at(face + 0.018, y0, z),
        )
        assembly.slide(body, drawer, axis="x", lower=0, upper=round(0.75 * deep, 3))


def _standing_desk(
    draw: Draw, assembly: Assembly, size: tuple[float, float, float], wood: str
) -> None:
    """Add a desk whose top rises on two columns."""
    width, depth, height = size
    paint = draw.pick("frame_material", ("black_paint", "white_paint", "gray_paint"))
    rise = draw.number("rise", 0.35, 0.5)
    shapes = []
    for s in (-1, 1):
        y = s * (width / 2 - 0.25)
        shapes.append(box((depth - 0.1, 0.07, 0.03), paint).on(0, y, 0))
        column = tray((0.07, 0.1, height - 0.12), paint, wall=0.004)
        shapes.append(column.on(0, y, 0.03))
    shapes.append(box((0.04, width - 0.6, 0.06), paint).on(0, 0, 0.3))
    base = assembly.part("base", *shapes, label="desk_base")
    under = height - 0.028
    inner = [
        box((0.06, 0.09, height - 0.17), "steel").on(0, s * (width / 2 - 0.25), 0.09)
        for s in (-1, 1)
    ]
    beams = [
        box((depth - 0.15, 0.08, 0.05), paint).on(0, s * (width / 2 - 0.25), under - 0.05)
        for s in (-1, 1)
    ]
    rails = [
        box((depth * 0.6, 0.012, 0.07), paint).on(0.05, s * 0.23, under - 0.07) for s in (-1, 1)
    ]
    top = assembly.part(
        "top",
        box((depth, width, 0.028), wood).on(0, 0, under),
        *inner,
        *beams,
        *rails,
        label="table_top",
    )
    assembly.slide(base, top, origin=(0, 0, under), axis="z", lower=0, upper=rise)
    drawer = assembly.part(
        "pencil_drawer",
        tray((depth * 0.55, 0.44, 0.05), paint, wall=0.006).on(0.05, 0, under - 0.06),
        label="drawer",
    )
    assembly.slide(top, drawer, axis="x", lower=0, upper=round(depth * 0.4, 3))


def build(draw: Draw) -> Assembly:
    """Build one desk."""
    kind = draw.pick("kind", ("pedestal", "standing"))
    width = draw.number("width", 1.1, 1.8)
    depth = draw.number("depth", 0.6, 0.8)
    height = draw.number("height", 0.72, 0.76)
    wood = draw.pick("top_material", (*WOODS, "white_paint"))
    drawn = "with a pedestal of drawers" if kind == "pedestal" else "that rises on two columns"
    assembly = Assembly(
        f"{wood.split('_')[0].capitalize()} desk {drawn}", "desk", f"A desk {drawn}."
    )
    add = _pedestal_desk if kind == "pedestal" else _standing_desk
    add(draw, assembly, (width, depth, height), wood)
    return assembly
