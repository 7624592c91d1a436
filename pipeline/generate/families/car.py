# SPDX-License-Identifier: Apache-2.0
"""Road vehicles: a sedan with doors, hood and trunk, or a dump truck with a tipping bed.

Cars: 4.0-4.7 m long, 1.7-1.85 m wide, 1.4-1.5 m tall, wheels 0.6-0.68 m; four doors of 60-70
degrees, hood of 55, trunk of 60, front wheels steering by +-30. Trucks: 5.5-6.5 m long, 2.2-2.5 m
wide, bed that tips by 40-50 degrees, tailgate of 80, two cab doors.
"""

from pipeline.generate.fittings import wheel
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    extrude,
    rectangle,
    word,
)

CATEGORIES = {"car": "Mobility", "truck": "Mobility"}
PAINT = ("red_paint", "blue_paint", "gray_paint", "green_paint", "yellow_paint", "white_paint")


def _wheels(
    assembly: Assembly, body: str, axles: list[float], *, track: float, size: tuple[float, float]
) -> None:
    """Add a pair of wheels per axle; the first pair is steered."""
    r, wide = size
    for k, x in enumerate(axles):
        for name, s in (("left", 1), ("right", -1)):
            at = (x, s * track / 2, r)
            parent = body
            if k == 0:
                # The knuckle sits inside the wheel's hub, on the side of the car.
                block = (
                    cylinder((0.18 * r, 0.1), "dark_steel", segments=14)
                    .along("y")
                    .at(x, s * (track / 2 - 0.53 * wide - 0.051), r)
                )
                parent = assembly.part(f"{name}_knuckle", block, label="steering_knuckle")
                assembly.hinge(
                    body,
                    parent,
                    origin=(x, s * (track / 2 - 0.6 * wide), r),
                    axis="z",
                    lower=-25,
                    upper=25,
                )
            shapes = [p.at(*at) for p in wheel((r, wide), "rubber", hub="aluminum")]
            rolling = assembly.part(f"wheel_{k + 1}_{name}", *shapes, label="wheel")
            assembly.spin(parent, rolling, origin=at, axis="y")


def _lamps(long: float, half: float) -> list[Shape]:
    """Return the solids of the lamps."""
    lamps = [
        box((0.03, 0.22, 0.1), "lamp_glow").at(long / 2 + 0.005, s * (half - 0.2), 0.5)
        for s in (-1, 1)
    ]
    lamps += [
        box((0.03, 0.22, 0.1), "red_plastic").at(-long / 2 - 0.005, s * (half - 0.2), 0.56)
        for s in (-1, 1)
    ]
    return lamps


def _glass_and_seats(
    belt: float, tall: float, *, long: float, wide: float
) -> tuple[list[Shape], list[Shape]]:
    """Return the solids of the glass and the seats."""
    slope = [(0.235, belt), (0.11, tall - 0.03), (0.1, tall - 0.03), (0.22, belt)]
    rear = [(-0.235, belt), (-0.19, tall - 0.03), (-0.18, tall - 0.03), (-0.22, belt)]
    glass = [
        extrude([(x * long, z) for x, z in p], "smoked_glass", height=wide * 0.8).along("-y")
        for p in (slope, rear)
    ]
    seats = [
        box((0.12 * long, 0.35 * wide, 0.35), "leather").on(x * long, s * 0.2 * wide, 0.32)
        for x in (0.04, -0.14)
        for s in (-1, 1)
    ]
    return glass, seats


def _car_body(
    assembly: Assembly, size: tuple[float, float, float], paint: str
) -> tuple[str, float]:
    """Add floor, pillars, roof, bumpers and glass of a sedan; return it and the belt height."""
    long, wide, tall = size
    belt, half = 0.62 * tall, wide / 2
    floor = box((long * 0.46, wide - 0.02, 0.12), paint).on(0, 0, 0.2)
    nose = box((0.1, wide, 0.34), paint).on(long / 2 - 0.05, 0, 0.26)
    tail = box((0.1, wide, 0.42), paint).on(-long / 2 + 0.05, 0, 0.26)
    engine = box((0.2 * long, 0.55 * wide, 0.3), "dark_steel").on(0.36 * long, 0, 0.3)
    bay = box((0.2 * long, 0.55 * wide, 0.16), paint).on(-0.38 * long, 0, 0.3)
    fenders = [
        box((0.26 * long, 0.1, belt - 0.68), paint).on(sx * 0.365 * long, sy * (half - 0.05), 0.68)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
    wall = [
        box((0.04, wide - 0.02, belt - 0.2), paint).on(x * long, 0, 0.2) for x in (0.235, -0.235)
    ]
    roof = box((0.3 * long, wide * 0.82, 0.05), paint).on(-0.04 * long, 0, tall - 0.05)
    glass, seats = _glass_and_seats(belt, tall, long=long, wide=wide)
    lamps = _lamps(long, half)
    center = [
        box((0.05, 0.05, tall - 0.35), paint).on(-0.05 * long, s * (0.41 * wide - 0.03), 0.32)
        for s in (-1, 1)
    ]
    body = assembly.part(
        "body",
        floor,
        nose,
        tail,
        engine,
        bay,
        *fenders,
        *wall,
        roof,
        *glass,
        *seats,
        *lamps,
        *center,
        label="car_body",
    )
    return body, belt


def _doors(
    draw: Draw,
    assembly: Assembly,
    body: str,
    size: tuple[float, float, float],
    *,
    belt: float,
    paint: str,
) -> None:
    """Add four doors with windows, hinged at their front edges."""
    long, wide, tall = size
    opening = draw.number("door_opening_deg", 60, 70, digits=1)
    for name, x0, x1 in (("front", -0.035, 0.21), ("rear", -0.21, -0.065)):
        for side, s in (("left", 1), ("right", -1)):
            length = (x1 - x0) * long
            at = ((x0 + x1) / 2 * long, s * (wide / 2 + 0.002), 0)
            skin = box((length, 0.05, belt - 0.26), paint).on(at[0], s * (wide / 2 - 0.023), 0.33)
            pane = box((length * 0.72, 0.012, tall - belt - 0.12), "smoked_glass").on(
                at[0] - 0.1 * length, s * (wide / 2 - 0.05), belt + 0.068
            )
            pull = box((0.16, 0.03, 0.03), "chrome").at(
                at[0] - 0.36 * length, s * (wide / 2 + 0.017), belt - 0.04
            )
            door = assembly.part(f"door_{name}_{side}", skin, pane, pull, label="door")
            hinge_at = (x1 * long, s * (wide / 2 + 0.002), 0.6)
            assembly.hinge(
                body, door, origin=hinge_at, axis="z" if s < 0 else "-z", lower=0, upper=opening
            )


def _car(draw: Draw, assembly: Assembly, paint: str) -> None:
    """Add a sedan."""
    size = (
        draw.number("length", 4.0, 4.7),
        draw.number("width", 1.7, 1.85),
        draw.number("height", 1.4, 1.5),
    )
    long, wide, _ = size
    body, belt = _car_body(assembly, size, paint)
    _doors(draw, assembly, body, size, belt=belt, paint=paint)
    r = draw.number("wheel_radius", 0.3, 0.34)
    _wheels(assembly, body, [0.34 * long, -0.34 * long], track=wide - 0.24, size=(r, 0.2))
    hood = assembly.part(
        "hood", box((0.245 * long, wide - 0.01, 0.03), paint).on(0.3775 * long, 0, belt + 0.001)
    )
    assembly.hinge(body, hood, origin=(0.256 * long, 0, belt + 0.001), axis="-y", lower=0, upper=55)
    lid = assembly.part(
        "trunk",
        box((0.245 * long, wide - 0.01, 0.03), paint).on(-0.3775 * long, 0, belt + 0.001),
        label="trunk_lid",
    )
    assembly.hinge(body, lid, origin=(-0.256 * long, 0, belt + 0.001), axis="y", lower=0, upper=60)


def _cab(assembly: Assembly, long: float, wide: float, paint: str) -> str:
    """Add the chassis with cab of a truck."""
    frame = box((long, 0.9, 0.16), "dark_steel").on(0, 0, 0.62)
    ring = (
        extrude(
            rectangle(1.3, 1.3),
            paint,
            height=wide - 0.16,
            holes=[
                rectangle(1.1, 0.5, center=(0, 0.3)),
                rectangle(0.9, 0.5, center=(-0.05, -0.32)),
            ],
        )
        .along("-y")
        .at(long / 2 - 0.75, 0, 1.66)
    )
    glass = box((0.04, wide - 0.3, 0.6), "smoked_glass").at(long / 2 - 0.1, 0, 1.9)
    grille = [
        box((0.03, wide * 0.6, 0.04), "chrome").at(long / 2 - 0.09, 0, 1.0 + 0.1 * k)
        for k in range(5)
    ]
    bumper = box((0.12, wide, 0.24), "dark_steel").on(long / 2 - 0.05, 0, 0.5)
    lamps = [
        box((0.04, 0.26, 0.16), "lamp_glow").at(long / 2 - 0.08, s * (wide / 2 - 0.25), 1.05)
        for s in (-1, 1)
    ]
    tank = cylinder((0.2, 0.6), "aluminum").along("x").at(0.05 * long, wide / 2 - 0.35, 0.55)
    seat = box((0.5, wide - 0.4, 0.4), "leather").on(long / 2 - 0.9, 0, 1.0)
    return assembly.part("chassis", frame, ring, glass, *grille, bumper, *lamps, tank, seat)


def _truck(draw: Draw, assembly: Assembly, paint: str) -> None:
    """Add a dump truck."""
    long, wide = draw.number("length", 5.5, 6.5), draw.number("width", 2.2, 2.5)
    body = _cab(assembly, long, wide, paint)
    _wheels(
        assembly,
        body,
        [long / 2 - 0.9, -0.2 * long, -0.2 * long - 1.1],
        track=wide - 0.3,
        size=(0.48, 0.28),
    )
    for name, s in (("left", 1), ("right", -1)):
        panel = box((1.2, 0.06, 1.24), paint).at(long / 2 - 0.78, s * (wide / 2 - 0.045), 1.66)
        pane = box((0.8, 0.02, 0.5), "smoked_glass").at(
            long / 2 - 0.78, s * (wide / 2 - 0.01), 1.88
        )
        door = assembly.part(f"door_{name}", panel, pane, label="door")
        hinge_at = (long / 2 - 0.18, s * (wide / 2 - 0.015), 1.5)
        assembly.hinge(body, door, origin=hinge_at, axis="z" if s < 0 else "-z", lower=0, upper=65)
    deep = long - 1.75
    x = -long / 2 + deep / 2
    walls: list[Shape] = [
        box((deep, 0.08, 0.8), paint).on(x, s * (wide / 2 - 0.04), 1.06) for s in (-1, 1)
    ]
    walls += [
        box((deep, wide, 0.08), paint).on(x, 0, 0.99),
        box((0.08, wide, 1.0), paint).on(x + deep / 2 - 0.04, 0, 1.06),
    ]
    walls += [
        box((0.06, 0.1, 0.8), paint).on(x + deep * t, s * (wide / 2 + 0.02), 1.0)
        for t in (-0.3, 0, 0.3)
        for s in (-1, 1)
    ]
    bed = assembly.part("bed", *walls, label="dump_bed")
    tip = draw.number("tip_deg", 40, 50, digits=1)
    assembly.hinge(body, bed, origin=(-long / 2 + 0.1, 0, 0.98), axis="-y", lower=0, upper=tip)
    gate = assembly.part(
        "tailgate", box((0.06, wide - 0.02, 0.78), paint).on(-long / 2 - 0.032, 0, 1.08)
    )
    assembly.hinge(bed, gate, origin=(-long / 2 - 0.032, 0, 1.86), axis="y", lower=0, upper=80)


def build(draw: Draw) -> Assembly:
    """Build one car or truck."""
    category = draw.take("category", CATEGORIES)
    paint = draw.pick("paint", PAINT)
    noun = "sedan car" if category == "car" else "dump truck"
    assembly = Assembly(
        f"{word(paint).capitalize()} {noun}",
        category,
        f"A {noun} with doors that open and wheels that steer and roll.",
    )
    (_car if category == "car" else _truck)(draw, assembly, paint)
    return assembly
