# SPDX-License-Identifier: Apache-2.0
"""A yaw axis: mounting plate, motor housing with cooling fins, turntable with a payload bracket.

Sizes after rotary stages: 80-180 mm across, 60-140 mm tall; the table turns without end or by
+-170 degrees; in some the bracket carries a pitch cradle.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    circle,
    cylinder,
    extrude,
    plate,
    rectangle,
    rounded_box,
    torus,
)

CATEGORIES = {"yaw_axis_module": "Mechanisms"}


def _add_base(assembly: Assembly, *, r: float, fins: int, color: str, height: float) -> str:
    """Add the base."""
    side = 2.5 * r
    holes = [circle(0.003, segments=12, center=(a * r, b * r)) for a in (-1, 1) for b in (-1, 1)]
    rings = [
        torus((r * 0.9, 0.0025), color).at(0, 0, 0.01 + height * (k + 0.7) / (fins + 0.4))
        for k in range(fins)
    ]
    return assembly.part(
        "base",
        extrude(rectangle(side, side), color, height=0.01, holes=holes).on(0, 0, 0),
        cylinder((r * 0.9, height), color).on(0, 0, 0.01),
        box((0.02, 0.03, 0.02), "black_plastic").on(-r * 0.9 - 0.008, 0, 0.012),
        *rings,
        label="housing",
    )


def build(draw: Draw) -> Assembly:
    """Build one yaw axis module."""
    r = draw.number("radius", 0.04, 0.09)
    height = draw.number("housing_height", 0.04, 0.09)
    fins = draw.count("fins", 3, 7)
    endless = draw.chance("endless", 0.5)
    cradle = draw.chance("pitch_cradle", 0.5)
    color = draw.pick("housing_material", ("black_paint", "aluminum", "blue_paint", "gray_paint"))
    accent = draw.pick("table_material", ("steel", "orange_paint", "red_paint", "aluminum"))
    assembly = Assembly(
        f"{'Endless' if endless else 'Limited'} yaw axis{' with pitch cradle' if cradle else ''}",
        "yaw_axis_module",
        "A motorized yaw axis with a turntable on a finned housing.",
    )
    base = _add_base(assembly, r=r, fins=fins, color=color, height=height)
    z = 0.01 + height
    arm = 0.8 * r
    posts = [
        plate((0.5 * r, 0.008, arm), accent, radius=0.003).on(0, s * 0.7 * r, z + 0.012)
        for s in (-1, 1)
    ]
    marks = [
        box((0.12 * r, 0.002, 0.0008), "white_paint").on(0.88 * r, 0, z + 0.012).turned("z", 30 * k)
        for k in range(12)
    ]
    table = assembly.part("turntable", cylinder((r, 0.012), accent).on(0, 0, z), *marks, *posts)
    if endless:
        assembly.spin(base, table, origin=(0, 0, z), axis="z")
    else:
        assembly.hinge(base, table, origin=(0, 0, z), axis="z", lower=-170, upper=170)
    if cradle:
        pivot = z + 0.012 + 0.75 * arm
        shapes = [
            rounded_box((0.5 * r, 1.1 * r, 0.45 * r), color, radius=0.05 * r).at(0, 0, pivot),
            cylinder((0.1 * r, 1.4 * r - 0.0084), "steel").along("y").at(0, 0, pivot),
            cylinder((0.15 * r, 0.2 * r), "smoked_glass").along("x").at(0.3 * r, 0, pivot),
        ]
        camera = assembly.part("cradle", *shapes, label="pitch_cradle")
        assembly.hinge(table, camera, origin=(0, 0, pivot), axis="y", lower=-45, upper=45)
    return assembly
