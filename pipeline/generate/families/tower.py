# SPDX-License-Identifier: Apache-2.0
"""Towers: clock tower with four dials, bell tower with swinging bells, lighthouse with a lamp.

Clock towers: 14-22 m tall, 3-4 m wide, dials 1.8-2.4 m across whose eight hands turn without end.
Bell towers: 10-16 m, two or three bells of 0.7-1.0 m swinging by +-50 degrees, clappers by +-20.
Lighthouses: 12-20 m, lamp turning without end, door of 90 degrees.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cone,
    cylinder,
    extrude,
    lathe,
    sphere,
    tube,
    word,
)

CATEGORIES = {
    "clock_tower": "Infrastructure",
    "bell_tower": "Infrastructure",
    "lighthouse": "Infrastructure",
}


def _pyramid(side: float, tall: float, z: float, color: str) -> list[Shape]:
    """Return a square spire with a ball on top, standing on z."""
    roof = cone((0.72 * side, 0.02, tall), color, segments=4).turned("z", 45).on(0, 0, z)
    return [roof, sphere(0.12, "brass").at(0, 0, z + tall + 0.05)]


def _hand(length: float, wide: float, color: str) -> list[Shape]:
    """Return a clock hand in the plane x = 0, pointing up, with an eye around the axis."""
    blade = extrude(
        [(-wide, 0.12), (wide, 0.12), (0.3 * wide, length), (-0.3 * wide, length)],
        color,
        height=0.03,
    ).along("x")
    return [blade, tube((0.14, 0.06, 0.03), color).along("x")]


def _add_hands(assembly: Assembly, *, r: float, room: float, z: float, body: str) -> None:
    """Add the hands."""
    sides = ("front", "left", "rear", "right")
    for k, name in enumerate(sides):
        axis = ((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))[k]
        for kind, reach, depth in (("hour", 0.55, 0.16), ("minute", 0.82, 0.22)):
            shapes = [
                s.turned("x", 0 if kind == "minute" else -60)
                .at(room / 2 + depth)
                .turned("z", 90 * k)
                .at(0, 0, z)
                for s in _hand(reach * r, 0.09 if kind == "hour" else 0.06, "black_paint")
            ]
            part = assembly.part(f"{kind}_hand_{name}", *shapes, label=f"{kind}_hand")
            assembly.spin(body, part, origin=(0, 0, z), axis=axis)


def _clock_tower(draw: Draw, assembly: Assembly, wall: str) -> None:
    """Add a shaft, a clock room with four faces and a spire."""
    tall, side = draw.number("height", 14, 22, digits=2), draw.number("width", 3, 4, digits=2)
    r = draw.number("dial_radius", 0.9, 1.2)
    roof = draw.pick("roof_material", ("green_paint", "dark_steel", "copper", "red_paint"))
    room = side + 0.4
    shaft = box((side, side, tall), wall).on(0, 0, 0)
    head = box((room, room, 2 * r + 0.8), wall).on(0, 0, tall)
    bands = [
        box((side + 0.3, side + 0.3, 0.25), "stone").on(0, 0, z)
        for z in (0, tall * 0.5, tall - 0.12)
    ]
    slits = [
        box((0.1, 0.4, 1.2), "smoked_glass").on(side / 2 + 0.02, 0, tall * t) for t in (0.25, 0.65)
    ]
    door = box((0.1, 1.1, 2.2), "oak").on(side / 2 + 0.02, 0, 0.25)
    z = tall + r + 0.4
    dials = []
    for k in range(4):
        ticks = [
            box((0.03, 0.07, 0.2), "black_paint")
            .at(room / 2 + 0.11, 0, 0.86 * r)
            .turned("x", 30 * j, about=(0, 0, 0))
            for j in range(12)
        ]
        face = [
            cylinder((r, 0.1), "cream_paint", segments=40).along("x").at(room / 2 + 0.05),
            tube((r + 0.1, r - 0.01, 0.16), roof, segments=40).along("x").at(room / 2 + 0.08),
            cylinder((0.05, 0.2), "brass").along("x").at(room / 2 + 0.19),
        ]
        dials += [s.turned("z", 90 * k).at(0, 0, z) for s in (*face, *ticks)]
    body = assembly.part(
        "tower",
        shaft,
        head,
        *bands,
        *slits,
        door,
        *dials,
        *_pyramid(room + 0.3, 0.9 * side, tall + 2 * r + 0.8, roof),
    )
    _add_hands(assembly, r=r, room=room, z=z, body=body)


def _add_bells_and_clappers(
    assembly: Assembly, *, side: float, bells: int, loft_z: float, body: str
) -> None:
    """Add the bells and clappers."""
    pitch = (side - 1.5) / bells
    for k in range(bells):
        y, r = (k - (bells - 1) / 2) * pitch, 0.4 * pitch
        z = loft_z + 2.2
        dome = [
            (r, -1.5 * r),
            (0.8 * r, -1.1 * r),
            (0.55 * r, -0.5 * r),
            (0.3 * r, -0.25 * r),
            (0.0, -0.2 * r),
            (0.0, -0.3 * r),
            (0.5 * r, -0.6 * r),
            (0.74 * r, -1.1 * r),
            (0.92 * r, -1.5 * r),
        ]
        yoke = [
            cylinder((0.06, pitch * 0.94), "dark_steel").along("y"),
            box((0.12, 0.3 * r, 0.4 * r), "oak").at(0, 0, -0.05),
        ]
        bell = assembly.part(
            f"bell_{k + 1}", *(s.at(0, y, z) for s in (lathe(dome, "brass", ring=True), *yoke))
        )
        assembly.hinge(body, bell, origin=(0, y, z), axis="y", lower=-50, upper=50)
        pin = z - 0.35 * r
        clapper = assembly.part(
            f"clapper_{k + 1}",
            cylinder((0.03 * r + 0.01, 0.9 * r), "cast_iron", segments=10).on(0, y, pin - 0.95 * r),
            sphere(0.12 * r, "cast_iron").at(0, y, pin - 1.0 * r),
        )
        assembly.hinge(bell, clapper, origin=(0, y, pin), axis="y", lower=-20, upper=20)


def _bell_tower(draw: Draw, assembly: Assembly, wall: str) -> None:
    """Add a shaft with an open belfry in which bells swing about y."""
    tall, side = draw.number("height", 8, 13, digits=2), draw.number("width", 3.2, 4, digits=2)
    bells = draw.count("bells", 2, 3)
    roof = draw.pick("roof_material", ("brick", "dark_steel", "copper"))
    loft_z = tall
    posts = [
        box((0.6, 0.6, 3.0), wall).on(sx * (side / 2 - 0.3), sy * (side / 2 - 0.3), loft_z)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
    ends = [
        box((side - 1.2, 0.2, 0.24), "oak").on(0, s * (side / 2 - 0.6), loft_z + 2.3)
        for s in (-1, 1)
    ]
    slab = box((side + 0.3, side + 0.3, 0.3), "stone").on(0, 0, loft_z + 3.0)
    body = assembly.part(
        "tower",
        box((side, side, tall), wall).on(0, 0, 0),
        *posts,
        slab,
        *ends,
        *_pyramid(side + 0.4, 0.8 * side, loft_z + 3.3, roof),
        box((0.1, 1.2, 2.2), "oak").on(side / 2 + 0.02, 0, 0),
    )
    _add_bells_and_clappers(assembly, side=side, bells=bells, loft_z=loft_z, body=body)


def _lighthouse(draw: Draw, assembly: Assembly, wall: str) -> None:
    """Add a tapering tower with stripes, a gallery, a glass room and its lamp."""
    tall, r = draw.number("height", 10, 17, digits=2), draw.number("base_radius", 1.6, 2.2)
    color = draw.pick("stripe", ("red_paint", "black_paint", "blue_paint"))
    shaft = []
    for k in range(6):
        a, b = r * (1 - 0.07 * k), r * (1 - 0.07 * (k + 1))
        shaft.append(
            cone((a, b, tall / 6), color if k % 2 else "white_paint", segments=32).on(
                0, 0, tall * k / 6
            )
        )
    deck = cylinder((0.95 * r, 0.2), "dark_steel").on(0, 0, tall)
    rails = [
        cylinder((0.03, 0.9), "dark_steel", segments=8)
        .on(0.9 * r, 0, tall + 0.2)
        .turned("z", 30 * k)
        for k in range(12)
    ]
    ring = tube((0.93 * r, 0.87 * r, 0.06), "dark_steel", segments=32).on(0, 0, tall + 1.08)
    glass = tube((0.55 * r, 0.52 * r, 1.6), "glass").on(0, 0, tall + 0.2)
    roof = cone((0.65 * r, 0.02, 0.9), color, segments=24).on(0, 0, tall + 1.8)
    body = assembly.part(
        "tower", *shaft, deck, *rails, ring, glass, roof, box((0.5, 1.0, 0.2), wall).on(r, 0, 0)
    )
    z = tall + 0.205
    lamp = [
        cylinder((0.1 * r, 0.5), "dark_steel").on(0, 0, z),
        sphere(0.2 * r, "lamp_glow").at(0, 0, z + 0.75),
        *(
            cylinder((0.22 * r, 0.12), "glass").along("x").at(s * 0.28 * r, 0, z + 0.75)
            for s in (-1, 1)
        ),
    ]
    beacon = assembly.part("lamp", *lamp, label="beacon")
    assembly.spin(body, beacon, origin=(0, 0, z), axis="z")
    leaf = assembly.part("door", box((0.06, 0.8, 1.8), "oak").on(r + 0.04, 0, 0.21))
    assembly.hinge(body, leaf, origin=(r + 0.07, 0.4, 1.0), axis="z", lower=0, upper=90)


def build(draw: Draw) -> Assembly:
    """Build one tower."""
    category = draw.take("category", CATEGORIES)
    wall = draw.pick(
        "wall_material",
        ("brick", "stone", "concrete") if category != "lighthouse" else ("stone", "concrete"),
    )
    noun = category.replace("_", " ")
    phrase = {
        "clock_tower": "with four dials",
        "bell_tower": "with swinging bells",
        "lighthouse": "with a turning lamp",
    }
    assembly = Assembly(
        f"{word(wall).capitalize()} {noun}", category, f"A {noun} {phrase[category]}."
    )
    {"clock_tower": _clock_tower, "bell_tower": _bell_tower, "lighthouse": _lighthouse}[category](
        draw, assembly, wall
    )
    return assembly
