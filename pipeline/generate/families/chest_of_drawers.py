# SPDX-License-Identifier: Apache-2.0
"""Stacked drawers in a frame: chest of drawers with a split top row, or filing cabinet.

Sizes after bedroom furniture: 0.7-1.2 m wide, 0.4-0.52 m deep, 0.8-1.3 m tall, 4-7 rows; inset
fronts flush with the frame; drawers pull out by 80 % of their depth.
 Filing cabinets: 0.4-0.48 m wide, 0.55-0.65 m deep, 0.7-1.35 m tall, 2-4 rows.
"""

from pipeline.generate.fittings import carcass, drawer_box, knob, pull
from pipeline.generate.vocabulary import METALS, PAINTS, WOODS, Assembly, Draw, box, word

CATEGORIES = {"chest_of_drawers": "Storage Furniture", "filing_cabinet": "Storage Furniture"}

BOARD = 0.024
GAP = 0.003
FILES = ("gray_paint", "cream_paint", "green_paint", "black_paint", "steel")


def _add_drawers(
    assembly: Assembly,
    *,
    depth: float,
    openings: list[tuple[float, float, float, float]],
    plinth: float,
    metal: str,
    style: str,
    front: str,
    body: str,
) -> None:
    """Add the drawers."""
    face = depth / 2
    for number, (y, level, w, h) in enumerate(openings, start=1):
        z = plinth + level
        pulls = [pull("bow", w * 0.35, metal)]
        if style == "two_knobs":
            pulls = [knob(0.017, metal).at(0, s * w * 0.28) for s in ((-1, 1) if w > 0.5 else (0,))]
        drawer = assembly.part(
            f"drawer_{number}",
            drawer_box((depth - 0.05, w - 2 * GAP, h * 0.75), "pine").on(
                face - 0.02, y, z - h / 2 + GAP
            ),
            box((0.02, w - 2 * GAP, h - 2 * GAP), front).at(face - 0.01, y, z),
            *(s.at(face, y, z) for s in pulls),
        )
        assembly.slide(body, drawer, axis="x", lower=0, upper=round(0.8 * (depth - 0.05), 3))


def _stack(
    height: float, rows: int, *, taper: float, office: bool, width: float
) -> tuple[float, list[tuple[float, float, float, float]], float]:
    """Return the height of the plinth, the drawers' cells and the height of their stack."""
    plinth = 0.07
    inner_height = height - plinth - BOARD * (rows + 1)
    weights = [1 - taper * k for k in range(rows)]
    openings, z = [], BOARD
    for k, weight in enumerate(weights):
        h = inner_height * weight / sum(weights)
        split = 2 if k == rows - 1 and not office else 1
        w = (width - BOARD * (split + 1)) / split
        openings += [((c - (split - 1) / 2) * (w + BOARD), z + h / 2, w, h) for c in range(split)]
        z += h + BOARD
    return plinth, openings, z


def build(draw: Draw) -> Assembly:
    """Build one chest of drawers."""
    category = draw.take("category", CATEGORIES)
    office = category == "filing_cabinet"
    width = draw.number("width", *((0.4, 0.48) if office else (0.7, 1.2)))
    depth = draw.number("depth", *((0.55, 0.65) if office else (0.4, 0.52)))
    height = draw.number("height", *((0.7, 1.35) if office else (0.8, 1.3)))
    rows = draw.count("rows", *((2, 4) if office else (4, 7)))
    taper = 0.0 if office else draw.number("row_taper", 0.0, 0.08)
    wood = draw.pick("body_material", FILES if office else WOODS + PAINTS)
    front = wood if office else draw.pick("front_material", (wood, "oak", "cream_paint"))
    style = "bow" if office else draw.pick("pull_style", ("two_knobs", "bow"))
    metal = draw.pick("pull_material", METALS)

    plinth, openings, z = _stack(height, rows, taper=taper, office=office, width=width)
    assembly = Assembly(
        f"{word(wood).capitalize()} {category.replace('_', ' ')} with {len(openings)} drawers",
        category,
        f"A {category.replace('_', ' ')} with {len(openings)} inset drawers on a plinth.",
    )
    frame = carcass((depth, width, z), wood, openings=openings)
    body = assembly.part(
        "body",
        *(s.at(0, 0, plinth) for s in frame),
        box((depth - 0.04, width - 0.02, plinth), wood).on(-0.02, 0, 0),
        box((depth + 0.03, width + 0.04, 0.022), wood).on(0.005, 0, plinth + z),
    )
    _add_drawers(
        assembly,
        depth=depth,
        openings=openings,
        plinth=plinth,
        metal=metal,
        style=style,
        front=front,
        body=body,
    )
    return assembly
