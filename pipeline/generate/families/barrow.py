# SPDX-License-Identifier: Apache-2.0
"""Things pushed on one axle: garden wheelbarrow, hand truck with a folding toe plate.

Wheelbarrows: 1.3-1.5 m long, tray 0.6-0.7 m wide, one wheel of 0.36-0.4 m. Hand trucks: 1.1-1.3 m
tall, 0.45-0.52 m wide, wheels of 0.2-0.26 m, toe plate folding by 85 degrees, handle rising by
0.15-0.25 m.
"""

from pipeline.generate.fittings import wheel
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    loft,
    rectangle,
    rounded_path,
    sweep,
    tube,
    word,
)

CATEGORIES = {"wheelbarrow": "Mobility", "hand_truck": "Mobility"}


def _add_tray_and_wheel(assembly: Assembly, *, r: float, wood: str, pan: Shape, color: str) -> None:
    """Add the tray and wheel."""
    rails = [
        sweep(
            rounded_path(
                [(0.62, s * 0.07, r), (0.3, s * 0.16, 0.34), (-0.85, s * 0.29, 0.6)], radius=0.1
            ),
            wood,
            radius=0.019,
        )
        for s in (-1, 1)
    ]
    legs = [
        sweep(
            rounded_path(
                [(-0.2, s * 0.21, 0.44), (-0.35, s * 0.25, 0.015), (-0.5, s * 0.25, 0.52)],
                radius=0.05,
            ),
            "dark_steel",
            radius=0.013,
        )
        for s in (-1, 1)
    ]
    grips = [
        cylinder((0.024, 0.13), "rubber").turned("y", -77).at(-0.8, s * 0.283, 0.589)
        for s in (-1, 1)
    ]
    axle = cylinder((0.009, 0.15), "steel", segments=12).along("y").at(0.62, 0, r)
    body = assembly.part("tray", pan, *rails, *legs, *grips, axle, label="barrow_body")
    shapes = [
        tube((r, r - 0.06, 0.07), "rubber", segments=32),
        tube((r - 0.058, 0.03, 0.03), color),
        tube((0.032, 0.0096, 0.08), "steel"),
    ]
    roll = assembly.part("wheel", *(s.along("y").at(0.62, 0, r) for s in shapes))
    assembly.spin(body, roll, origin=(0.62, 0, r), axis="y")


def _wheelbarrow(draw: Draw, assembly: Assembly, color: str) -> None:
    """Add a tray on two rails with legs, and one wheel in front."""
    wide = draw.number("tray_width", 0.6, 0.7)
    r = draw.number("wheel_radius", 0.18, 0.2)
    wood = draw.pick("handle_material", ("oak", "pine", "black_paint"))
    levels = ((0.62, 0.5, 0.36), (0.95, 1.0, 0.62), (0.93, 0.97, 0.62), (0.6, 0.47, 0.375))
    pan = loft(
        [
            [(x, y, z) for x, y in rectangle(a * 0.9, b * wide, center=(-0.05, 0))]
            for a, b, z in levels
        ],
        color,
    )
    _add_tray_and_wheel(assembly, r=r, wood=wood, pan=pan, color=color)


def _hand_truck(draw: Draw, assembly: Assembly, color: str) -> None:
    """Add an upright frame with two wheels, a toe plate and a telescoping handle."""
    tall = draw.number("height", 0.95, 1.1)
    wide = draw.number("width", 0.45, 0.52)
    r = draw.number("wheel_radius", 0.1, 0.13)
    half = wide / 2 - 0.05
    posts = [tube((0.016, 0.0125, tall - 0.08), color).on(0, s * half, 0.08) for s in (-1, 1)]
    bars = [
        box((0.012, 2 * half - 0.031, 0.04), color).at(0.0, 0, z)
        for z in (0.12, 0.4 * tall, 0.7 * tall)
    ]
    struts = [
        sweep([(0, s * half, 0.4 * tall), (-0.13, s * half, r)], color, radius=0.01)
        for s in (-1, 1)
    ]
    plate = [sweep([(0, s * half, 0.1), (-0.13, s * half, r)], color, radius=0.01) for s in (-1, 1)]
    axle = cylinder((0.009, wide), "steel", segments=12).along("y").at(-0.13, 0, r)
    body = assembly.part("frame", *posts, *bars, *struts, *plate, axle)
    toe = assembly.part(
        "toe_plate",
        box((0.26, wide - 0.06, 0.008), "steel").on(0.147, 0, 0.012),
        cylinder((0.008, wide - 0.06), "steel", segments=12).along("y").at(0.016, 0, 0.02),
    )
    assembly.hinge(body, toe, origin=(0.016, 0, 0.02), axis="-y", lower=0, upper=85)
    bow = [
        (0, -half, 0.5 * tall),
        (0, -half, tall + 0.12),
        (0, half, tall + 0.12),
        (0, half, 0.5 * tall),
    ]
    grip = sweep(rounded_path(bow, radius=0.08), "aluminum", radius=0.0115)
    handle = assembly.part(
        "handle", grip, cylinder((0.017, 0.2), "rubber").along("y").at(0, 0, tall + 0.12)
    )
    assembly.slide(body, handle, axis="z", lower=0, upper=draw.number("handle_rise", 0.15, 0.25))
    for name, s in (("left", 1), ("right", -1)):
        at = (-0.13, s * (wide / 2 - 0.0), r)
        shapes = [p.at(*at) for p in wheel((r, 0.05), "rubber", hub="gray_plastic")]
        roll = assembly.part(f"{name}_wheel", *shapes, label="wheel")
        assembly.spin(body, roll, origin=at, axis="y")


def build(draw: Draw) -> Assembly:
    """Build one wheelbarrow or hand truck."""
    category = draw.take("category", CATEGORIES)
    color = draw.pick(
        "material",
        ("green_paint", "red_paint", "steel", "blue_paint")
        if category == "wheelbarrow"
        else ("red_paint", "blue_paint", "black_paint", "orange_paint"),
    )
    noun = category.replace("_", " ")
    assembly = Assembly(
        f"{word(color).capitalize()} {noun}", category, f"A {noun} that is tilted and pushed."
    )
    (_wheelbarrow if category == "wheelbarrow" else _hand_truck)(draw, assembly, color)
    return assembly
