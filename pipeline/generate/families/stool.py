# SPDX-License-Identifier: Apache-2.0
"""Stools: a piano stool whose seat screws up, a bar stool that swivels and lifts, a folding chair.

Piano stools: seat 0.3-0.36 m across, 0.45-0.5 m high, thread of 8-12 mm per turn over 8-10 turns.
Bar stools: seat 0.62-0.72 m high, lift of 0.15-0.2 m, foot ring, turning without end. Folding
chairs: seat 0.4-0.45 m wide, folding by 55-65 degrees.
"""

import math

from pipeline.generate.vocabulary import (
    FABRICS,
    WOODS,
    Assembly,
    Draw,
    box,
    cylinder,
    lathe,
    plate,
    rounded_box,
    sweep,
    torus,
    tube,
    word,
)

CATEGORIES = {
    "piano_stool": "Tables & Seating",
    "bar_stool": "Tables & Seating",
    "folding_chair": "Tables & Seating",
}


def _piano_stool(draw: Draw, assembly: Assembly) -> str:
    """Add three or four turned legs, a nut and a seat on a wooden screw."""
    high = draw.number("height", 0.42, 0.47)
    r = draw.number("seat_radius", 0.15, 0.18)
    lead = draw.number("travel_per_turn", 0.008, 0.012)
    turns = draw.number("turns", 8, 10, digits=1)
    count = draw.count("legs", 3, 4)
    wood = draw.pick("material", WOODS)
    hub = lathe(
        [(0.021, 0), (0.05, 0), (0.06, 0.03), (0.06, 0.1), (0.045, 0.13), (0.021, 0.13)],
        wood,
        ring=True,
    ).at(0, 0, high - 0.19)
    legs = []
    for k in range(count):
        a = 2 * math.pi * k / count
        path = [
            (0.045 * math.cos(a), 0.045 * math.sin(a), high - 0.14),
            (0.2 * math.cos(a), 0.2 * math.sin(a), 0.015),
        ]
        legs.append(sweep(path, wood, radius=0.019))
    ring = torus((0.12, 0.009), "brass").at(0, 0, high * 0.38)
    base = assembly.part("base", hub, *legs, ring, label="stool_base")
    low = high - 0.19 - 0.03
    threads = [(0.02, low)]
    z = low + 0.005
    while z < high - 0.05:
        threads += [(0.02, z), (0.02, z + lead / 2), (0.0165, z + lead / 2), (0.0165, z + lead)]
        z += lead
    screw = lathe([*threads, (0.0165, high - 0.035)], wood, segments=20)
    top = [
        cylinder((r, 0.025), wood).on(0, 0, high - 0.035),
        lathe(
            [(r - 0.005, 0), (r - 0.008, 0.03), (0.6 * r, 0.045), (0, 0.048)],
            draw.pick("cushion", FABRICS),
        ).at(0, 0, high - 0.01),
    ]
    seat = assembly.part("seat", screw, *top)
    assembly.screw(
        base, seat, origin=(0, 0, high - 0.1), axis="z", turns=(0, turns), travel_per_turn=lead
    )
    return wood


def _bar_stool(draw: Draw, assembly: Assembly) -> str:
    """Add a disk foot, a gas lift and a swivel seat with a low back."""
    high = draw.number("height", 0.62, 0.72)
    lift = draw.number("lift", 0.15, 0.2)
    cloth = draw.pick("material", ("leather", "red_fabric", "black_plastic", "white_plastic"))
    foot = lathe([(0.21, 0), (0.21, 0.008), (0.06, 0.03), (0.035, 0.04)], "chrome")
    post = tube((0.032, 0.0255, high * 0.62), "chrome").on(0, 0, 0.03)
    ring = torus((0.15, 0.011), "chrome").at(0, 0, 0.3)
    stay = sweep([(-0.15, 0, 0.3), (-0.03, 0, 0.3)], "chrome", radius=0.011)
    base = assembly.part(
        "base",
        foot,
        post,
        ring,
        stay,
        sweep([(0.03, 0, 0.3), (0.15, 0, 0.3)], "chrome", radius=0.011),
        label="stool_base",
    )
    rod = assembly.part("gas_lift", cylinder((0.025, high - 0.3), "chrome").on(0, 0, 0.25))
    assembly.slide(base, rod, axis="z", lower=0, upper=lift)
    z = high - 0.049
    seat = [
        box((0.2, 0.2, 0.015), "black_plastic").on(0, 0, z),
        rounded_box((0.38, 0.4, 0.07), cloth, radius=0.034).on(0, 0, z + 0.014),
        rounded_box((0.05, 0.36, 0.22), cloth, radius=0.024).on(-0.18, 0, z + 0.05),
    ]
    top = assembly.part("seat", *seat)
    assembly.spin(rod, top, origin=(0, 0, z), axis="z")
    lever = assembly.part(
        "lever", sweep([(0.02, -0.06, z - 0.008), (0.02, -0.2, z - 0.012)], "chrome", radius=0.005)
    )
    assembly.hinge(top, lever, origin=(0.02, -0.06, z - 0.008), axis="-x", lower=0, upper=10)
    return cloth


def _add_rear_legs(assembly: Assembly, *, high: float, half: float, skin: str, frame: str) -> None:
    """Add the rear legs."""
    t = (high - 0.3) / (high - 0.012)
    pivot = (-0.2 + 0.44 * t, 0.3)
    inner = half - 0.026
    rear = [
        sweep([(-0.2, s * inner, 0.012), (pivot[0] + 0.1, s * inner, 0.41)], skin, radius=0.01)
        for s in (-1, 1)
    ]
    link = [sweep([(-0.16, -inner, 0.06), (-0.16, inner, 0.06)], skin, radius=0.008)]
    legs = assembly.part("rear_legs", *rear, *link)
    assembly.hinge(frame, legs, origin=(pivot[0], 0, pivot[1]), axis="-y", lower=0, upper=20)


def _folding_chair(draw: Draw, assembly: Assembly) -> str:
    """Add a back frame with front legs, crossing rear legs and a tilting seat."""
    wide = draw.number("width", 0.4, 0.45)
    high = draw.number("back_height", 0.78, 0.84)
    seat_z = 0.44
    skin = draw.pick("material", ("steel", "white_paint", "black_paint", "oak"))
    cloth = draw.pick("seat_material", (*FABRICS, "plywood"))
    half = wide / 2
    back = [
        sweep([(0.24, s * half, 0.012), (-0.2, s * half, high)], skin, radius=0.011)
        for s in (-1, 1)
    ]
    rail = sweep([(-0.2, -half, high), (-0.2, half, high)], skin, radius=0.011)
    rest = (
        plate((0.02, wide - 0.02, 0.2), cloth, radius=0.008)
        .turned("y", -29)
        .at(-0.155, 0, high - 0.13)
    )
    bar = sweep([(0.2, -half, 0.09), (0.2, half, 0.09)], skin, radius=0.008)
    frame = assembly.part("back_frame", *back, rail, rest, bar)
    _add_rear_legs(assembly, high=high, half=half, skin=skin, frame=frame)
    slab = plate((0.36, wide - 0.1, 0.025), cloth, radius=0.04).on(0.06, 0, seat_z)
    seat = assembly.part(
        "seat",
        slab,
        cylinder((0.007, wide - 0.024), skin, segments=12).along("y").at(-0.012, 0, seat_z + 0.014),
    )
    assembly.hinge(
        frame,
        seat,
        origin=(-0.012, 0, seat_z + 0.014),
        axis="-y",
        lower=0,
        upper=draw.number("fold_deg", 55, 65, digits=1),
    )
    return skin


def build(draw: Draw) -> Assembly:
    """Build one piano stool, bar stool or folding chair."""
    category = draw.take("category", CATEGORIES)
    noun = category.replace("_", " ")
    phrase = {
        "piano_stool": "whose seat screws up",
        "bar_stool": "that swivels and lifts",
        "folding_chair": "whose seat folds up",
    }
    assembly = Assembly("", category, f"A {noun} {phrase[category]}.")
    skin = {"piano_stool": _piano_stool, "bar_stool": _bar_stool, "folding_chair": _folding_chair}[
        category
    ](draw, assembly)
    assembly.name = f"{word(skin).capitalize()} {noun}"
    return assembly
