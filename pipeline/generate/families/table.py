# SPDX-License-Identifier: Apache-2.0
"""Tables: drop-leaf dining table with a drawer, lift-top coffee table, folding table.

Dining tables: 1.0-1.5 m wide, 0.75-0.9 m deep, 0.74-0.77 m high, two leaves folding down by 85-90
degrees and gate legs. Coffee tables: 0.9-1.2 m wide, 0.4-0.48 m high, two drawers. Folding tables:
1.2-1.8 m wide, two leg frames folding by 88 degrees.
"""

from pipeline.generate.fittings import drawer_box, knob, legs
from pipeline.generate.vocabulary import (
    METALS,
    WOODS,
    Assembly,
    Draw,
    Shape,
    box,
    extrude,
    plate,
    rectangle,
    rounded_path,
    sweep,
    word,
)

CATEGORIES = {
    "table": "Tables & Seating",
    "coffee_table": "Tables & Seating",
    "folding_table": "Tables & Seating",
}


def _apron(
    depth: float, width: float, *, top: float, tall: float, wood: str, open_front: bool
) -> list[Shape]:
    """Return the four rails under a table top; the front one may leave room for drawers."""
    rails = [box((0.02, width, tall), wood).on(-depth / 2, 0, top - tall)]
    if not open_front:
        rails.append(box((0.02, width, tall), wood).on(depth / 2, 0, top - tall))
    rails += [
        box((depth - 0.02, 0.02, tall), wood).on(0, s * (width / 2 - 0.01), top - tall)
        for s in (-1, 1)
    ]
    return rails


def _drop_leaf(draw: Draw, assembly: Assembly, wood: str) -> None:
    """Add a table whose side leaves fold down and whose drawer pulls out."""
    wide, deep = draw.number("width", 1.0, 1.5), draw.number("depth", 0.75, 0.9)
    high = draw.number("height", 0.74, 0.77)
    leaf, top = 0.28 * wide, high - 0.025
    mid = wide - 2 * leaf
    inner = (deep - 0.12, mid - 0.04)
    frame = _apron(*inner, top=top, tall=0.12, wood=wood, open_front=True)
    body = assembly.part(
        "table",
        box((deep, mid, 0.025), wood).on(0, 0, top),
        *frame,
        *legs((inner[0], inner[1]), wood, size=(0.055, top)),
        label="table_body",
    )
    fold = draw.number("fold_deg", 85, 90, digits=1)
    for name, s in (("left", 1), ("right", -1)):
        shape = plate((deep, leaf - 0.002, 0.025), wood, radius=0.08).on(
            0, s * (mid / 2 + leaf / 2), top
        )
        part = assembly.part(f"leaf_{name}", shape, label="leaf")
        assembly.hinge(
            body,
            part,
            origin=(0, s * (mid / 2 + 0.001), top),
            axis="-x" if s > 0 else "x",
            lower=0,
            upper=fold,
        )
    face = inner[0] / 2 - 0.01
    front = box((0.02, inner[1] - 0.06, 0.112), wood).on(face + 0.01, 0, top - 0.116)
    drawer = assembly.part(
        "drawer",
        front,
        drawer_box((inner[0] * 0.7, inner[1] - 0.07, 0.09), "pine").on(face, 0, top - 0.11),
        knob(0.016, draw.pick("knob_material", METALS)).at(face + 0.02, 0, top - 0.06),
    )
    assembly.slide(body, drawer, axis="x", lower=0, upper=round(0.5 * inner[0], 3))


def _coffee(draw: Draw, assembly: Assembly, wood: str) -> None:
    """Add a low table with two drawers and a shelf."""
    wide, deep = draw.number("width", 0.9, 1.2), draw.number("depth", 0.5, 0.65)
    high = draw.number("height", 0.4, 0.48)
    top = high - 0.03
    skin = draw.pick("top_material", (wood, "glass", "stone"))
    inner = (deep - 0.06, wide - 0.06)
    frame = _apron(*inner, top=top, tall=0.11, wood=wood, open_front=True)
    middle = box((inner[0] - 0.02, 0.02, 0.11), wood).on(0, 0, top - 0.11)
    shelf = box((inner[0], inner[1], 0.018), wood).on(0, 0, 0.1)
    body = assembly.part(
        "table",
        box((deep, wide, 0.03), skin).on(0, 0, top),
        *frame,
        middle,
        shelf,
        *legs((inner[0], inner[1]), wood, size=(0.045, top)),
        label="table_body",
    )
    face, half = inner[0] / 2 - 0.01, inner[1] / 2
    metal = draw.pick("knob_material", METALS)
    for k, s in enumerate((-1, 1), start=1):
        y, w = s * half / 2, half - 0.06
        front = box((0.02, w, 0.1), wood).on(face + 0.01, y, top - 0.104)
        drawer = assembly.part(
            f"drawer_{k}",
            front,
            drawer_box((inner[0] - 0.06, w - 0.01, 0.08), "pine").on(face, y, top - 0.1),
            knob(0.014, metal).at(face + 0.02, y, top - 0.055),
        )
        assembly.slide(body, drawer, axis="x", lower=0, upper=round(0.6 * inner[0], 3))


def _folding(draw: Draw, assembly: Assembly, wood: str) -> None:
    """Add a light table with two bent leg frames that fold under its top."""
    wide, deep = draw.number("width", 1.2, 1.8), draw.number("depth", 0.6, 0.76)
    high = draw.number("height", 0.7, 0.76)
    top = high - 0.03
    rim = extrude(
        rectangle(deep - 0.02, wide - 0.02),
        "gray_plastic",
        height=0.02,
        holes=[rectangle(deep - 0.05, wide - 0.05)],
    )
    body = assembly.part(
        "top",
        plate((deep, wide, 0.03), wood, radius=0.03).on(0, 0, top),
        rim.on(0, 0, top - 0.02),
        label="table_top",
    )
    for name, s in (("left", 1), ("right", -1)):
        y, half = s * (wide / 2 - 0.18), deep / 2 - 0.06
        reach = min(top - 0.02, wide / 2 - 0.2) if wide < 1.3 else top - 0.02
        bow = [(-half, y, top - 0.012), (-half, y, 0.012), (half, y, 0.012), (half, y, top - 0.012)]
        bar = sweep(rounded_path(bow, radius=0.06), "dark_steel", radius=0.012)
        rung = sweep([(-half, y, 0.5 * top), (half, y, 0.5 * top)], "dark_steel", radius=0.008)
        part = assembly.part(f"legs_{name}", bar, rung, label="leg_frame")
        limit = 84.0 if s > 0 else 88.0
        assembly.hinge(
            body,
            part,
            origin=(0, y, top - 0.016 - 0.022 * (s > 0)),
            axis="-x" if s > 0 else "x",
            lower=0,
            upper=limit if reach > 0 else 0,
        )


def build(draw: Draw) -> Assembly:
    """Build one table."""
    category = draw.take("category", CATEGORIES)
    wood = draw.pick(
        "material",
        (*WOODS, "white_plastic") if category == "folding_table" else (*WOODS, "white_paint"),
    )
    phrase = {
        "table": "with two drop leaves and a drawer",
        "coffee_table": "with two drawers",
        "folding_table": "whose legs fold under its top",
    }
    noun = category.replace("_", " ") if category != "table" else "drop-leaf table"
    assembly = Assembly(
        f"{word(wood).capitalize()} {noun}", category, f"A {noun} {phrase[category]}."
    )
    {"table": _drop_leaf, "coffee_table": _coffee, "folding_table": _folding}[category](
        draw, assembly, wood
    )
    return assembly
