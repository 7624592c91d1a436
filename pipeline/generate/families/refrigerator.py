# SPDX-License-Identifier: Apache-2.0
"""A fridge-freezer: two doors one above the other or side by side, glass shelves.

Sizes after household appliances: 0.55-0.75 m wide (0.85-0.95 m side by side), 0.58-0.7 m deep,
1.4-1.9 m tall; walls 45 mm, doors 60 mm thick opening by 100-130 degrees.
"""

from pipeline.generate.fittings import carcass
from pipeline.generate.vocabulary import Assembly, Draw, box, rounded_path, sweep

CATEGORIES = {"refrigerator": "Kitchen & Cooking"}

WALL = 0.045
DOOR = 0.06


def _add_doors_and_shelves(
    assembly: Assembly,
    *,
    depth: float,
    cells: list[tuple[float, float, float, float, int]],
    skin: str,
    foot: float,
    body: str,
    opening: float,
    shelves: int,
) -> None:
    """Add the doors and shelves."""
    face = depth / 2 + 0.003
    for number, (y, z, w, h, s) in enumerate(cells, start=1):
        edge = y - s * (w / 2 - 0.035)
        grip = 0.5 * min(h, 0.9)
        bow = rounded_path([(0, 0, 0), (0.04, 0, 0), (0.04, 0, grip), (0, 0, grip)], radius=0.025)
        door = assembly.part(
            f"door_{number}",
            box((DOOR, w - 0.006, h - 0.006), skin).at(face + DOOR / 2, y, foot + z),
            box((0.004, w - 0.05, h - 0.05), "rubber").at(face, y, foot + z),
            sweep(bow, "chrome", radius=0.01).at(face + DOOR, edge, foot + z - grip / 2),
        )
        axis = "z" if s > 0 else "-z"
        hinge_at = (face + 0.004, y + s * (w / 2 - 0.005), foot + z)
        assembly.hinge(body, door, origin=hinge_at, axis=axis, lower=0, upper=opening)
        inner = (depth - WALL - 0.04, w - 2 * WALL)
        levels = shelves if h > 0.6 else 1
        racks = [
            box((inner[0], inner[1], 0.008), "glass").at(
                WALL / 2 - 0.02,
                y,
                foot + z - h / 2 + WALL + (h - 2 * WALL) * (k + 1) / (levels + 1),
            )
            for k in range(levels)
        ]
        rack = assembly.part(f"shelves_{number}", *racks, label="shelf")
        assembly.weld(body, rack, origin=(0, y, foot + z))


def _add_body(
    assembly: Assembly,
    *,
    depth: float,
    width: float,
    z1: float,
    skin: str,
    openings: list[tuple[float, float, float, float]],
    foot: float,
    cells: list[tuple[float, float, float, float, int]],
    opening: float,
    shelves: int,
) -> None:
    """Add the body."""
    body = assembly.part(
        "body",
        *(
            s.at(0, 0, foot)
            for s in carcass((depth, width, z1), skin, openings=openings, back=WALL)
        ),
        box((depth - 0.08, width - 0.06, foot), "black_plastic").on(-0.02, 0, 0),
    )
    _add_doors_and_shelves(
        assembly,
        depth=depth,
        cells=cells,
        skin=skin,
        foot=foot,
        body=body,
        opening=opening,
        shelves=shelves,
    )


def build(draw: Draw) -> Assembly:
    """Build one refrigerator."""
    layout = draw.pick("layout", ("freezer_top", "freezer_bottom", "side_by_side"))
    twin = layout == "side_by_side"
    width = draw.number("width", 0.85, 0.95) if twin else draw.number("width", 0.55, 0.75)
    depth = draw.number("depth", 0.5, 0.6)
    height = draw.number("height", 1.4, 1.9)
    share = draw.number("freezer_share", 0.26, 0.38)
    shelves = draw.count("shelves", 2, 4)
    skin = draw.pick(
        "skin_material", ("white_paint", "steel", "black_paint", "red_paint", "mint_paint")
    )
    side = 1 if draw.chance("hinged_left", 0.5) else -1
    opening = draw.number("door_opening_deg", 100, 130, digits=1)

    foot, z0, z1 = 0.04, 0.0, height - 0.04
    cut = z1 * share if layout == "freezer_bottom" else z1 * (1 - share)
    if twin:
        cells = [(s * width / 4, z1 / 2, width / 2, z1, s) for s in (1, -1)]
    else:
        cells = [(0.0, (a + b) / 2, width, b - a, side) for a, b in ((z0, cut), (cut, z1))]
    openings = [(y, z, w - 2 * WALL, h - 2 * WALL) for y, z, w, h, _ in cells]
    assembly = Assembly(
        f"{skin.split('_')[0].capitalize()} {layout.replace('_', ' ')} refrigerator",
        "refrigerator",
        "A refrigerator and freezer, each behind its own insulated door, with glass shelves.",
    )
    _add_body(
        assembly,
        depth=depth,
        width=width,
        z1=z1,
        skin=skin,
        openings=openings,
        foot=foot,
        cells=cells,
        opening=opening,
        shelves=shelves,
    )
    return assembly
