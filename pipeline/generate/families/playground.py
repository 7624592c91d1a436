# SPDX-License-Identifier: Apache-2.0
"""Things to play on: seesaw, carousel with riding poles, table football.

Seesaws: beam 2.5-3.2 m, rocking by +-14 degrees, spring seats optional. Carousels: 4-6 m across,
turning without end, 6-10 horses that rise by 0.25-0.35 m. Football tables: 1.2-1.4 m long, eight
rods that slide by +-80 mm and turn without end.
"""

import math

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    capsule,
    cone,
    cylinder,
    extrude,
    rounded_box,
    rounded_path,
    sphere,
    sweep,
    tray,
    word,
)

CATEGORIES = {
    "seesaw": "Recreation",
    "carousel": "Recreation",
    "foosball_table": "Recreation",
}
COLORS = ("red_paint", "yellow_paint", "blue_paint", "green_paint", "purple_paint")


def _seesaw(draw: Draw, assembly: Assembly) -> None:
    """Add a stand and a beam with seats and handles."""
    long, high = draw.number("length", 2.5, 3.2), draw.number("height", 0.5, 0.6)
    paint = draw.pick("material", COLORS)
    legs = [
        sweep([(d * 0.35, s * 0.14, 0.02), (0, s * 0.14, high)], "dark_steel", radius=0.03)
        for s in (-1, 1)
        for d in (-1, 1)
    ]
    axle = cylinder((0.025, 0.36), "steel").along("y").at(0, 0, high)
    stand = assembly.part(
        "stand", *legs, axle, box((0.9, 0.5, 0.02), "grass").on(0, 0, 0), label="seesaw_stand"
    )
    plank = box((long, 0.2, 0.05), paint).on(0, 0, high + 0.03)
    shapes: list[Shape] = [plank]
    for s in (-1, 1):
        x = s * (long / 2 - 0.2)
        bow = [
            (x - s * 0.3, -0.12, high + 0.08),
            (x - s * 0.3, -0.12, high + 0.36),
            (x - s * 0.3, 0.12, high + 0.36),
            (x - s * 0.3, 0.12, high + 0.08),
        ]
        shapes += [
            rounded_box((0.3, 0.24, 0.05), "black_plastic", radius=0.02).on(x, 0, high + 0.079),
            sweep(rounded_path(bow, radius=0.06), "chrome", radius=0.016),
        ]
    beam = assembly.part("beam", *shapes)
    assembly.hinge(stand, beam, origin=(0, 0, high + 0.03), axis="y", lower=-14, upper=14)


def _horse(color: str) -> list[Shape]:
    """Return a simple horse around a pole at the origin, about 1 m long along +x."""
    body = capsule((0.14, 0.4), color).along("x")
    neck = capsule((0.08, 0.25), color).turned("y", 35).at(0.32, 0, 0.2)
    head = capsule((0.07, 0.14), color).turned("y", 110).at(0.48, 0, 0.36)
    legs = [
        capsule((0.04, 0.24), color, segments=10)
        .turned("y", 30 * s)
        .at(s * 0.24 + s * 0.06, d * 0.09, -0.2)
        for s in (-1, 1)
        for d in (-1, 1)
    ]
    saddle = rounded_box((0.24, 0.3, 0.08), "leather", radius=0.03).at(-0.02, 0, 0.11)
    tail = capsule((0.03, 0.2), "black_paint", segments=10).turned("y", 20).at(-0.38, 0, -0.02)
    return [body, neck, head, *legs, saddle, tail]


def _add_horses(
    draw: Draw, assembly: Assembly, *, count: int, r: float, high: float, turn: str
) -> None:
    """Add the horses."""
    rise = draw.number("rise", 0.25, 0.35)
    for k in range(count):
        a = 2 * math.pi * k / count
        x, y = 0.72 * r * math.cos(a), 0.72 * r * math.sin(a)
        pole = cylinder((0.025, high - 0.35), "brass", segments=12).on(0, 0, 0.32)
        shapes = [
            pole,
            *(
                s.at(0, 0, 0.95)
                for s in _horse(("white_paint", "pine", "walnut", "gray_paint")[k % 4])
            ),
        ]
        horse = assembly.part(
            f"horse_{k + 1}", *(s.turned("z", math.degrees(a) + 90).at(x, y) for s in shapes)
        )
        assembly.slide(turn, horse, axis="z", lower=0, upper=min(rise, 0.26))


def _carousel(draw: Draw, assembly: Assembly) -> None:
    """Add a platform with a striped roof and horses on poles."""
    r, count = draw.number("radius", 2.0, 3.0), draw.count("horses", 6, 10)
    paint = draw.pick("material", COLORS)
    base = assembly.part(
        "base",
        cylinder((0.9 * r, 0.2), "concrete").on(0, 0, 0),
        cylinder((0.12, 3.0), "dark_steel").on(0, 0, 0.2),
        label="carousel_base",
    )
    high = 2.6
    floor = extrude(
        [(r * math.cos(a), r * math.sin(a)) for a in (math.pi * k / 18 for k in range(36))],
        "oak",
        height=0.1,
        holes=[
            [(0.2 * math.cos(a), 0.2 * math.sin(a)) for a in (math.pi * k / 10 for k in range(20))]
        ],
    )
    drum = [box((0.12, 0.5, high), paint).on(0.5, 0, 0.3).turned("z", 60 * k) for k in range(6)]
    rim = extrude(
        [
            ((r + 0.1) * math.cos(a), (r + 0.1) * math.sin(a))
            for a in (math.pi * k / 18 for k in range(36))
        ],
        "yellow_paint",
        height=0.25,
        holes=[
            [(0.3 * math.cos(a), 0.3 * math.sin(a)) for a in (math.pi * k / 10 for k in range(20))]
        ],
    )
    lamps = [
        sphere(0.05, "lamp_glow", segments=8).at(r + 0.12, 0, high + 0.42).turned("z", 360 * k / 24)
        for k in range(24)
    ]
    roof = [
        cone((r, 0.3, 1.0), paint, segments=24).on(0, 0, high + 0.75),
        sphere(0.18, "brass").at(0, 0, high + 1.85),
    ]
    turn = assembly.part(
        "platform", floor.on(0, 0, 0.205), *drum, rim.on(0, 0, high + 0.3), *lamps, *roof
    )
    assembly.spin(base, turn, origin=(0, 0, 0.2), axis="z")
    _add_horses(draw, assembly, count=count, r=r, high=high, turn=turn)


def _man(color: str) -> list[Shape]:
    """Return a player hanging from a rod along y at the origin."""
    return [
        box((0.022, 0.026, 0.09), color).at(0, 0, -0.02),
        sphere(0.013, "pine", segments=10).at(0, 0, 0.036),
        box((0.02, 0.022, 0.02), "black_paint").at(0, 0, -0.07),
    ]


def _add_bearings_and_rods(
    assembly: Assembly, *, top: float, long: float, wide: float, body: str
) -> None:
    """Add the bearings and rods."""
    z = top + 0.045
    players = (1, 2, 3, 5, 5, 3, 2, 1)
    for k, count in enumerate(players):
        x, s = long * (k - 3.5) / 9, 1 if k in (0, 1, 3, 5) else -1
        carrier = assembly.part(
            f"bearing_{k + 1}",
            box((0.03, 0.02, 0.02), "steel").at(x, s * (wide / 2 + 0.012), z + 0.02),
            label="bearing",
        )
        assembly.slide(body, carrier, axis="y", lower=-0.07, upper=0.07)
        rod = cylinder((0.007, wide + 0.28), "chrome", segments=12).along("y").at(x, 0, z)
        grip = (
            cylinder((0.016, 0.1), "rubber", segments=14).along("y").at(x, s * (wide / 2 + 0.19), z)
        )
        team = "red_plastic" if s > 0 else "blue_plastic"
        men = [
            p.at(x, (j - (count - 1) / 2) * (wide - 0.26) / max(count, 2), z)
            for j in range(count)
            for p in _man(team)
        ]
        part = assembly.part(f"rod_{k + 1}", rod, grip, *men)
        assembly.spin(carrier, part, origin=(x, 0, z), axis="y")


def _foosball(draw: Draw, assembly: Assembly) -> None:
    """Add a table with eight rods of players."""
    long, wide = draw.number("length", 1.2, 1.4), draw.number("width", 0.68, 0.76)
    wood = draw.pick("material", ("oak", "walnut", "black_paint", "blue_paint"))
    top = 0.88
    shell = tray((long, wide, 0.2), wood, wall=0.03).on(0, 0, top - 0.2)
    field = box((long - 0.06, wide - 0.06, 0.004), "grass").on(0, 0, top - 0.1705)
    lines = [
        box((0.006, wide - 0.07, 0.001), "white_paint").on(x * long, 0, top - 0.1665)
        for x in (-0.35, 0, 0.35)
    ]
    legs = [
        box((0.1, 0.1, top - 0.2), wood).on(sx * (long / 2 - 0.08), sy * (wide / 2 - 0.08), 0)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
    ears = [
        box((0.04, 0.012, 0.07), "black_plastic").at(
            long * (k - 3.5) / 9, s * (wide / 2 + 0.006), top + 0.034
        )
        for k in range(8)
        for s in (-1, 1)
    ]
    body = assembly.part(
        "table",
        shell,
        field,
        *lines,
        *legs,
        *(e.at(0, 0, -0.035) for e in ears),
        label="table_body",
    )
    _add_bearings_and_rods(assembly, top=top, long=long, wide=wide, body=body)


def build(draw: Draw) -> Assembly:
    """Build one seesaw, carousel or table football."""
    category = draw.take("category", CATEGORIES)
    noun = category.replace("_", " ")
    phrase = {
        "seesaw": "that rocks on its stand",
        "carousel": "whose horses rise and fall",
        "foosball_table": "with eight rods of players",
    }
    assembly = Assembly("", category, f"A {noun} {phrase[category]}.")
    {"seesaw": _seesaw, "carousel": _carousel, "foosball_table": _foosball}[category](
        draw, assembly
    )
    assembly.name = f"{word(str(draw.parameters['material'])).capitalize()} {noun}"
    return assembly
