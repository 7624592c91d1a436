# SPDX-License-Identifier: Apache-2.0
"""Pipe valves: gate valve with a rising handwheel, globe valve, ball valve with a lever.

Gate valves: pipe 60-120 mm across, wheel 0.12-0.2 m, stem of 4-6 mm per turn over 8-12 turns.
Globe valves: round body, small wheel, 3-4 mm per turn over 4-6 turns. Ball valves: lever of
0.12-0.18 m that turns by 90 degrees.
"""

import math

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    capsule,
    cylinder,
    extrude,
    gear,
    lathe,
    sphere,
    torus,
    tube,
    word,
)

CATEGORIES = {
    "gate_valve": "Architectural Fixtures",
    "globe_valve": "Architectural Fixtures",
    "ball_valve": "Architectural Fixtures",
}


def _pipe(r: float, length: float, z: float, metal: str) -> list[Shape]:
    """Return a pipe along y with a bolted flange on both ends."""
    bolts = [
        cylinder((0.14 * r, 0.5 * r), "dark_steel", segments=6)
        .along("y")
        .at(1.35 * r * math.cos(a), s * (length / 2 - 0.2 * r), z + 1.35 * r * math.sin(a))
        for s in (-1, 1)
        for a in (math.pi * (2 * k + 1) / 6 for k in range(6))
    ]
    flanges = [
        tube((1.7 * r, 0.75 * r, 0.3 * r), metal).along("y").at(0, s * (length / 2 - 0.15 * r), z)
        for s in (-1, 1)
    ]
    return [tube((r, 0.75 * r, length - 0.1 * r), metal).along("y").at(0, 0, z), *flanges, *bolts]


def _wheel(radius: float, z: float, color: str) -> list[Shape]:
    """Return a spoked handwheel about z."""
    spokes = [
        box((radius, 0.14 * radius, 0.08 * radius), color)
        .at(radius / 2)
        .turned("z", 72 * k)
        .at(0, 0, z)
        for k in range(5)
    ]
    return [
        torus((radius, 0.1 * radius), color).at(0, 0, z),
        *spokes,
        cylinder((0.2 * radius, 0.2 * radius), color).at(0, 0, z),
    ]


def _screwed(draw: Draw, assembly: Assembly, *, metal: str, gate: bool) -> None:
    """Add a valve whose stem rises on a thread with its wheel."""
    r = draw.number("pipe_radius", *((0.04, 0.06) if gate else (0.02, 0.035)))
    lead = draw.number("travel_per_turn", *((0.004, 0.006) if gate else (0.003, 0.004)))
    turns = draw.number("turns", *((8, 12) if gate else (4, 6)), digits=1)
    color = draw.pick("wheel_material", ("red_paint", "blue_paint", "green_paint", "yellow_paint"))
    z = 1.8 * r
    body = _pipe(r, 5.2 * r, z, metal)
    stem = 0.22 * r
    bore = stem + 0.0006
    if gate:
        body.append(box((1.5 * r, 2.2 * r, 2.3 * r), metal).on(0, 0, z - 0.9 * r))
        top = z + 1.4 * r
        rim = [
            (bore, 0),
            (1.1 * r, 0),
            (1.1 * r, 0.25 * r),
            (0.6 * r, 0.4 * r),
            (0.45 * r, 1.4 * r),
            (bore, 1.4 * r),
        ]
    else:
        body.append(sphere(1.5 * r, metal).at(0, 0, z))
        top = z + 1.35 * r
        rim = [
            (bore, 0),
            (0.9 * r, 0),
            (0.9 * r, 0.4 * r),
            (0.5 * r, 0.5 * r),
            (0.5 * r, 1.1 * r),
            (bore, 1.1 * r),
        ]
    bonnet = lathe(rim, metal, segments=24 if gate else 6, ring=True).at(0, 0, top + 0.0005)
    part = assembly.part("body", *body, bonnet, label="valve_body")
    high = top + rim[-1][1]
    rod = cylinder((stem, 1.5 * r), "steel", segments=16).on(0, 0, top + 0.2 * r)
    tall = max(0.0, high + 0.3 * r - (top + 1.5 * r))
    if tall:
        rod = cylinder((stem, 1.5 * r + tall), "steel", segments=16).on(0, 0, top + 0.2 * r)
    shapes = _wheel((1.9 if gate else 1.6) * r, high + 0.35 * r, color)
    wheel = assembly.part("handwheel", rod, *shapes)
    assembly.screw(
        part, wheel, origin=(0, 0, top), axis="z", turns=(0, turns), travel_per_turn=lead
    )


def _ball(draw: Draw, assembly: Assembly, *, metal: str) -> None:
    """Add a hexagonal body with a lever on top."""
    r = draw.number("pipe_radius", 0.014, 0.024)
    long = draw.number("lever", 0.12, 0.18)
    color = draw.pick("lever_material", ("red_plastic", "blue_plastic", "yellow_plastic"))
    z = 1.6 * r
    ends = [
        extrude(gear(6, 1.55 * r, depth=0.05 * r), metal, height=1.2 * r)
        .along("y")
        .at(0, s * 2.4 * r, z)
        for s in (-1, 1)
    ]
    pipe = tube((1.3 * r, 0.8 * r, 6 * r), metal).along("y").at(0, 0, z)
    neck = cylinder((0.7 * r, 1.2 * r), metal).on(0, 0, z + 0.9 * r)
    body = assembly.part(
        "body", pipe, *ends, sphere(1.45 * r, metal).at(0, 0, z), neck, label="valve_body"
    )
    top = z + 2.1 * r + 0.0006
    arm = [
        cylinder((0.75 * r, 0.008), "steel").on(0, 0, top),
        box((0.02, long * 0.4, 0.006), "steel").on(0, long * 0.2, top + 0.001),
        capsule((0.009, long * 0.6), color).along("y").at(0, long * 0.65, top + 0.008),
        cylinder((0.3 * r, 0.016), "dark_steel", segments=6).on(0, 0, top + 0.006),
    ]
    lever = assembly.part("lever", *arm)
    assembly.hinge(body, lever, origin=(0, 0, top), axis="-z", lower=0, upper=90)


def build(draw: Draw) -> Assembly:
    """Build one valve in a pipe along y."""
    category = draw.take("category", CATEGORIES)
    metals = {
        "gate_valve": ("cast_iron", "blue_paint", "green_paint"),
        "globe_valve": ("brass", "copper"),
        "ball_valve": ("brass", "chrome", "steel"),
    }
    metal = draw.pick("body_material", metals[category])
    noun = category.replace("_", " ")
    phrase = (
        "whose lever turns by a quarter" if noun == "ball valve" else "whose handwheel screws up"
    )
    assembly = Assembly(f"{word(metal).capitalize()} {noun}", category, f"A {noun} {phrase}.")
    if category == "ball_valve":
        _ball(draw, assembly, metal=metal)
    else:
        _screwed(draw, assembly, metal=metal, gate=category == "gate_valve")
    return assembly
