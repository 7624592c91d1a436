# SPDX-License-Identifier: Apache-2.0
"""Cabinets with hinged doors: floor cabinet with drawers, wardrobe, wall cabinet, locker.

Floor cabinets: 0.7-1.3 m wide, 0.75-1.1 m tall, drawers above two doors. Wardrobes: 0.9-1.4 m wide,
1.8-2.2 m tall with a rail inside. Wall cabinets: 0.5-0.9 m wide, 0.5-0.75 m tall, glazed doors.
Lockers: 0.3-0.45 m wide, 1.7-1.9 m tall, two or three metal doors. Doors open by 95-110 degrees.
"""

from pipeline.generate.fittings import carcass, drawer_box, legs, pull
from pipeline.generate.vocabulary import (
    METALS,
    PAINTS,
    WOODS,
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    extrude,
    rectangle,
    word,
)

CATEGORIES = {
    "storage_furniture": "Storage Furniture",
    "wardrobe": "Storage Furniture",
    "wall_cabinet": "Storage Furniture",
    "locker": "Storage Furniture",
}
# Ranges of (depth, width, height) [m].
SIZES = {
    "storage_furniture": ((0.35, 0.55), (0.7, 1.3), (0.75, 1.1)),
    "wardrobe": ((0.5, 0.62), (0.9, 1.4), (1.8, 2.2)),
    "wall_cabinet": ((0.28, 0.36), (0.5, 0.9), (0.5, 0.75)),
    "locker": ((0.4, 0.5), (0.3, 0.45), (1.7, 1.9)),
}
STYLES = {"wall_cabinet": "glazed", "locker": "vented"}
BOARD = 0.018
GAP = 0.002
Cell = tuple[float, float, float, float]


def _door(
    assembly: Assembly,
    body: str,
    name: str,
    *,
    cell: Cell,
    face: float,
    side: int,
    swing: float,
    skin: str,
    metal: str,
    style: str,
) -> None:
    """Add a door before a cell (y, z, width, height), hinged on one side of it."""
    y, z, w, h = cell
    size = (w - GAP, h - GAP)
    if style == "glazed":
        pane = (w - 0.12, h - 0.12)
        frame = extrude(rectangle(*size), skin, height=0.018, holes=[rectangle(*pane)]).along("x")
        shapes = [frame.at(face + 0.009, y, z), box((0.006, *pane), "glass").at(face + 0.009, y, z)]
    else:
        shapes = [box((0.018, *size), skin).at(face + 0.009, y, z)]
    if style == "vented":
        slots = [z + h / 2 - 0.08 - 0.02 * k for k in range(4)]
        shapes += [
            box((0.002, 0.5 * w, 0.006), "black_paint").at(face + 0.019, y, at) for at in slots
        ]
    grip = pull("bow", min(0.14, 0.3 * h), metal).turned("x", 90)
    door = assembly.part(
        name, *shapes, grip.at(face + 0.018, y - side * (w / 2 - 0.03), z), label="door"
    )
    hinge_at = (face, y + side * (w / 2 - GAP / 2), z)
    axis = "z" if side > 0 else "-z"
    assembly.hinge(body, door, origin=hinge_at, axis=axis, lower=0, upper=swing)


def _inside(category: str, size: tuple[float, float, float], wood: str, low: float) -> list[Shape]:
    """Return shelves, or the rail of a wardrobe, in a body that stands at height `low`."""
    depth, width, height = size
    if category == "wardrobe":
        rail = (
            cylinder((0.014, width - 2 * BOARD), "chrome").along("y").at(0, 0, low + 0.88 * height)
        )
        return [
            rail,
            box((depth - 0.03, width - 2 * BOARD, 0.016), wood).at(-0.01, 0, low + 0.94 * height),
        ]
    share = 0.4 if category == "storage_furniture" else 0.5
    return [box((depth - 0.03, width - 2 * BOARD, 0.016), wood).at(-0.01, 0, low + share * height)]


def _drawers(
    draw: Draw,
    assembly: Assembly,
    body: str,
    *,
    cells: list[Cell],
    depth: float,
    wood: str,
    front: str,
) -> None:
    """Add a drawer into each cell, its front covering the edges of the boards around it."""
    metal = draw.pick("drawer_pull_material", METALS)
    face = depth / 2 + 0.001
    for number, (y, z, w, h) in enumerate(cells, start=1):
        inner = drawer_box((depth - 0.03, w - 2 * BOARD - 2 * GAP, (h - BOARD) * 0.8), wood)
        drawer = assembly.part(
            f"drawer_{number}",
            inner.on(face, y, z - h / 2 + BOARD + GAP - 0.006),
            box((0.018, w - GAP, h - GAP), front).at(face + 0.009, y, z),
            pull("bow", w * 0.35, metal).at(face + 0.018, y, z),
        )
        assembly.slide(body, drawer, axis="x", lower=0, upper=round(0.75 * depth, 3))


def _cells(
    category: str, size: tuple[float, float, float], low: float, parts: int
) -> tuple[list[Cell], list[Cell]]:
    """Return the doors and drawers as cells (y, z, width, height) of the front view."""
    _, width, height = size
    if category == "locker":
        pitch = height / parts
        return [(0.0, low + pitch * (k + 0.5), width, pitch) for k in range(parts)], []
    row = 0.17 if category == "storage_furniture" else 0.0
    tall = height - row
    doors = [(s * width / 4, low + tall / 2, width / 2, tall) for s in (1, -1)]
    column = width / parts
    drawers = [
        ((k - (parts - 1) / 2) * column, low + height - row / 2, column, row) for k in range(parts)
    ]
    return doors, drawers if row else []


def _add_body(
    assembly: Assembly,
    *,
    shapes: list[Shape],
    doors: list[Cell],
    category: str,
    depth: float,
    swing: float,
    front: str,
    metal: str,
) -> str:
    """Add the body."""
    body = assembly.part("body", *shapes)
    for k, cell in enumerate(doors, start=1):
        side = 1 if category == "locker" or cell[0] > 0 else -1
        _door(
            assembly,
            body,
            f"door_{k}",
            cell=cell,
            face=depth / 2 + 0.001,
            side=side,
            swing=swing,
            skin=front,
            metal=metal,
            style=STYLES.get(category, "plain"),
        )
    return body


def _openings(
    category: str, doors: list[Cell], *, width: float, low: float, drawers: list[Cell]
) -> list[tuple[float, float, float, float]]:
    """Return the cavities of the body, z above its own bottom."""
    walls = doors if category == "locker" else [(0.0, doors[0][1], width, doors[0][3])]
    openings = [
        (y, z - low, w - BOARD * (2 if w == width else 1), h - 2 * BOARD) for y, z, w, h in walls
    ]
    openings += [
        (y, z - low, w - BOARD * (2 if len(drawers) == 1 else 1.5), h - BOARD * 1.5)
        for y, z, w, h in drawers
    ]
    return openings


def _materials(draw: Draw, *, category: str) -> tuple[str, str]:
    """Draw the materials of the body and of its fronts."""
    wood = draw.pick(
        "body_material",
        ("gray_paint", "blue_paint", "green_paint", "steel")
        if category == "locker"
        else WOODS + PAINTS,
    )
    front = (
        wood
        if category == "locker"
        else draw.pick("front_material", (wood, "pine", "white_paint", "oak"))
    )
    return wood, front


def build(draw: Draw) -> Assembly:
    """Build one cabinet."""
    category = draw.take("category", CATEGORIES)
    depth, width, height = (
        draw.number(n, *r)
        for n, r in zip(("depth", "width", "height"), SIZES[category], strict=True)
    )
    size = (depth, width, height)
    wood, front = _materials(draw, category=category)
    metal = draw.pick("pull_material", METALS)
    swing = draw.number("door_opening_deg", 95, 110, digits=1)
    parts = draw.count(
        "rows" if category == "locker" else "columns", *((2, 3) if category == "locker" else (1, 3))
    )
    low = 0.0 if category == "wall_cabinet" else 0.08
    doors, drawers = _cells(category, size, low, parts)
    noun = "cabinet" if category == "storage_furniture" else category.replace("_", " ")
    assembly = Assembly(
        f"{word(wood).capitalize()} {noun}",
        category,
        f"A {noun} with {len(doors)} hinged doors{' below a row of drawers' if drawers else ''}.",
    )
    openings = _openings(category, doors, width=width, low=low, drawers=drawers)
    shapes = [s.at(0, 0, low) for s in carcass(size, wood, openings=openings)]
    if category != "locker":
        shapes += _inside(category, (depth, width, doors[0][3]), wood, low)
        shapes.append(
            box((depth + 0.03, width + 0.02, 0.02), wood).on(0.012, 0, low + height + 0.0005)
        )
    if low:
        shapes += legs((depth - 0.06, width - 0.06), "black_paint", size=(0.04, low))
    body = _add_body(
        assembly,
        shapes=shapes,
        doors=doors,
        category=category,
        depth=depth,
        swing=swing,
        front=front,
        metal=metal,
    )
    if drawers:
        _drawers(draw, assembly, body, cells=drawers, depth=depth, wood=wood, front=front)
    return assembly
