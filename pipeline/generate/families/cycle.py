# SPDX-License-Identifier: Apache-2.0
"""Light wheels: a bicycle with pedals and brakes, or a skateboard with tilting trucks.

Bicycles: wheels 0.6-0.7 m, wheelbase 0.98-1.08 m, saddle 0.9-1.0 m; fork steering by +-60 degrees,
crank, pedals and wheels without end, brake levers of 20. Skateboards: 0.75-0.85 m long, trucks of
+-12 degrees, wheels of 52-60 mm.
"""

import math

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    capsule,
    circle,
    cylinder,
    extrude,
    gear,
    loft,
    plate,
    rounded_path,
    sweep,
    torus,
    tube,
    word,
)

CATEGORIES = {"bicycle": "Mobility", "skateboard": "Mobility"}


def _spoked(r: float) -> list[Shape]:
    """Return a bicycle wheel about y."""
    rim = [
        torus((r - 0.018, 0.018), "rubber", segments=40),
        torus((r - 0.04, 0.01), "aluminum", segments=40),
    ]
    hub = tube((0.022, 0.0062, 0.07), "aluminum", segments=16)
    spokes = [
        cylinder((0.0015, r - 0.06), "chrome", segments=5)
        .along("x")
        .at((r - 0.06) / 2 + 0.02)
        .turned("z", 15 * k)
        for k in range(24)
    ]
    return [s.along("y") for s in (*rim, hub, *spokes)]


RAKE = math.radians(23)  # of the steering axis


def _head(base: float, r: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the (x, z) of the fork's crown and of the middle of the head tube."""
    z = 2 * r + 0.05
    crown = (base / 2 - math.tan(RAKE) * (z - r), z)
    return crown, (crown[0] - 0.1 * math.sin(RAKE), crown[1] + 0.1 * math.cos(RAKE))


def _frame(
    assembly: Assembly, base: float, r: float, paint: str
) -> tuple[str, tuple[float, float]]:
    """Add the diamond frame with saddle; return it and the (x, z) of the bottom bracket."""
    rear, bb = (-base / 2, r), (-0.06, r - 0.06)
    _, head = _head(base, r)
    seat = (-0.22, head[1] + 0.02)

    def rod(
        a: tuple[float, float],
        b: tuple[float, float],
        radius: float,
        y: tuple[float, float] = (0, 0),
    ) -> Shape:
        """Return a tube between two (x, z) points at two widths."""
        return sweep([(a[0], y[0], a[1]), (b[0], y[1], b[1])], paint, radius=radius)

    tubes = [
        rod(seat, (head[0] - 0.018, head[1] + 0.03), 0.013),
        rod((bb[0] + 0.017, bb[1] + 0.017), (head[0] - 0.014, head[1] - 0.03), 0.015),
        rod((bb[0] - 0.008, bb[1] + 0.02), seat, 0.013),
    ]
    stays = [rod((bb[0] - 0.02, bb[1]), rear, 0.008, (s * 0.025, s * 0.055)) for s in (-1, 1)]
    stays += [
        rod((seat[0] + 0.004, seat[1] - 0.04), rear, 0.007, (s * 0.012, s * 0.055)) for s in (-1, 1)
    ]
    axle = cylinder((0.0056, 0.12), "steel", segments=12).along("y").at(rear[0], 0, rear[1])
    shell = tube((0.022, 0.0125, 0.07), paint).along("y").at(bb[0], 0, bb[1])
    neck = (
        tube((0.021, 0.0142, 0.13), paint).turned("y", -math.degrees(RAKE)).at(head[0], 0, head[1])
    )
    post = sweep(
        [(seat[0], 0, seat[1] - 0.02), (seat[0] - 0.04, 0, seat[1] + 0.13)], "chrome", radius=0.012
    )
    ring = [[(x, y, z) for x, y in circle(1.0, segments=20) * (0.13, 0.07)] for z in (0.0, 0.035)]
    saddle = loft(ring, "leather").at(seat[0] - 0.05, 0, seat[1] + 0.125)
    body = assembly.part(
        "frame", *tubes, *stays, axle, shell, neck, post, saddle, label="bicycle_frame"
    )
    return body, bb


def _drive(assembly: Assembly, body: str, bb: tuple[float, float]) -> None:
    """Add chainring with cranks, and two pedals."""
    x, z = bb
    ring = (
        extrude(gear(32, 0.085, depth=0.008), "dark_steel", height=0.004, holes=[circle(0.055)])
        .along("y")
        .at(x, -0.052, z)
    )
    spider = [
        box((0.16, 0.004, 0.018), "dark_steel").turned("y", 60 * k).at(x, -0.052, z)
        for k in range(3)
    ]
    shaft = cylinder((0.011, 0.14), "steel").along("y").at(x, 0, z)
    arms = [
        box((0.18, 0.012, 0.024), "dark_steel").at(x + s * 0.08, s * 0.076 * -1, z) for s in (-1, 1)
    ]
    pins = [
        cylinder((0.006, 0.1), "steel", segments=12).along("y").at(x + s * 0.16, -s * 0.125, z)
        for s in (-1, 1)
    ]
    crank = assembly.part("crank", ring, *spider, shaft, *arms, *pins)
    assembly.spin(body, crank, origin=(x, 0, z), axis="y")
    for name, s in (("right", 1), ("left", -1)):
        at = (x + s * 0.16, -s * 0.13, z)
        pedal = extrude(
            [(-0.045, -0.012), (0.045, -0.012), (0.045, 0.012), (-0.045, 0.012)],
            "black_plastic",
            height=0.08,
            holes=[circle(0.0066, segments=12)],
        )
        part = assembly.part(f"{name}_pedal", pedal.along("-y").at(*at), label="pedal")
        assembly.spin(crank, part, origin=at, axis="y")


def _handle(top: tuple[float, float]) -> Shape:
    """Return the solids of the handle."""
    bar = [
        (-0.1, -0.29, 0.04),
        (-0.06, -0.2, 0.03),
        (0.05, 0, 0),
        (-0.06, 0.2, 0.03),
        (-0.1, 0.29, 0.04),
    ]
    return sweep(rounded_path(bar, radius=0.06), "chrome", radius=0.011).at(top[0], 0, top[1])


def _bicycle(draw: Draw, assembly: Assembly, paint: str) -> None:
    """Add a bicycle."""
    base = draw.number("wheelbase", 0.98, 1.08)
    r = draw.number("wheel_radius", 0.3, 0.35)
    body, bb = _frame(assembly, base, r, paint)
    _drive(assembly, body, bb)
    front, (crown, head) = base / 2, _head(base, r)
    up = (-math.sin(RAKE), 0.0, math.cos(RAKE))
    top = (crown[0] + 0.24 * up[0], crown[1] + 0.24 * up[2])
    blades = [
        sweep(
            rounded_path(
                [
                    (crown[0], s * 0.02, crown[1]),
                    (crown[0] + 0.01, s * 0.05, crown[1] - 0.03),
                    (front, s * 0.055, r),
                ],
                radius=0.02,
            ),
            paint,
            radius=0.009,
        )
        for s in (-1, 1)
    ]
    steerer = sweep([(crown[0], 0, crown[1]), (top[0], 0, top[1])], "chrome", radius=0.0135)
    cap = box((0.03, 0.06, 0.02), paint).turned("y", -23).at(crown[0], 0, crown[1])
    handle = _handle(top)
    stem = sweep([(top[0], 0, top[1]), (top[0] + 0.045, 0, top[1])], "chrome", radius=0.0135)
    grips = [
        cylinder((0.017, 0.09), "rubber")
        .along("y")
        .turned("z", -s * 22)
        .at(top[0] - 0.085, s * 0.255, top[1] + 0.036)
        for s in (-1, 1)
    ]
    axle = cylinder((0.0056, 0.12), "steel", segments=12).along("y").at(front, 0, r)
    fork = assembly.part("fork", *blades, steerer, cap, handle, stem, *grips, axle)
    assembly.hinge(body, fork, origin=(head[0], 0, head[1]), axis=up, lower=-45, upper=45)
    for name, parent, x in (("front", fork, front), ("rear", body, -base / 2)):
        roll = assembly.part(f"{name}_wheel", *(s.at(x, 0, r) for s in _spoked(r)), label="wheel")
        assembly.spin(parent, roll, origin=(x, 0, r), axis="y")


def _skateboard(draw: Draw, assembly: Assembly, paint: str) -> None:
    """Add a deck with kicked ends, two tilting trucks and four wheels."""
    long = draw.number("length", 0.75, 0.85)
    wide = draw.number("width", 0.19, 0.22)
    r = draw.number("wheel_radius", 0.026, 0.03)
    z = 2 * r + 0.045
    middle = plate((0.72 * long, wide, 0.012), paint, radius=0.01).on(0, 0, z)
    tape = box((0.7 * long, wide - 0.01, 0.001), "rubber").on(0, 0, z + 0.012)
    kick = plate((0.2 * long, wide, 0.012), paint, radius=0.07).at(0.09 * long)
    ends = [
        kick.turned("y", -18).at(0.35 * long, 0, z + 0.007),
        kick.turned("y", -18).at(0.35 * long, 0, z + 0.007).mirrored("x"),
    ]
    blocks = [
        box((0.06, 0.05, 0.02), "dark_steel").on(s * 0.27 * long, 0, z - 0.02) for s in (-1, 1)
    ]
    deck = assembly.part("deck", middle, tape, *ends, *blocks)
    for name, s in (("front", 1), ("rear", -1)):
        x = s * 0.27 * long
        hanger = [
            capsule((0.009, wide * 0.55), "aluminum").along("y").at(x, 0, r),
            box((0.03, 0.03, z - 0.022 - r), "aluminum").on(x, 0, r),
            cylinder((0.004, wide + 0.02), "steel", segments=10).along("y").at(x, 0, r),
        ]
        truck = assembly.part(f"{name}_truck", *hanger, label="truck")
        assembly.hinge(
            deck, truck, origin=(x, 0, z - 0.021), axis=(0.8, 0, -0.6 * s), lower=-6, upper=6
        )
        for side, d in (("left", 1), ("right", -1)):
            at = (x, d * (wide / 2 - 0.012), r)
            roll = assembly.part(
                f"{name}_{side}_wheel",
                tube((r, 0.0045, 0.034), "white_plastic").along("y").at(*at),
                label="wheel",
            )
            assembly.spin(truck, roll, origin=at, axis="y")


def build(draw: Draw) -> Assembly:
    """Build one bicycle or skateboard."""
    category = draw.take("category", CATEGORIES)
    paint = draw.pick(
        "paint",
        ("red_paint", "blue_paint", "mint_paint", "black_paint", "orange_paint")
        if category == "bicycle"
        else ("pine", "red_paint", "purple_paint", "sky_paint"),
    )
    assembly = Assembly(
        f"{word(paint).capitalize()} {category}",
        category,
        f"A {category} whose wheels roll and steer.",
    )
    (_bicycle if category == "bicycle" else _skateboard)(draw, assembly, paint)
    return assembly
