# SPDX-License-Identifier: Apache-2.0
"""A screen: computer monitor on a stand that lifts, swivels, tilts and turns, or television set.

Monitors: 0.5-0.72 m wide, 16:9, lift of 0.1-0.14 m, swivel +-45, tilt -5 to 20, pivot 90 degrees.
Televisions: tube sets, 0.5-0.7 m wide, 0.34-0.42 m deep, 0.38-0.48 m tall on 0.3 m legs; dials of
330 degrees, antennas of 0.3-0.45 m that swing by 65 degrees.
"""

from pipeline.generate.fittings import add_button, add_dial
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cone,
    cylinder,
    plate,
    rounded_box,
    sphere,
    tray,
    word,
)

CATEGORIES = {"monitor": "Electronics", "television": "Electronics"}


def _panel(wide: float, tall: float, thick: float, skin: str) -> list[Shape]:
    """Return a screen in the plane x = 0, centered, facing +x, with a bulge behind."""
    bezel = box((thick, wide, tall), skin)
    glass = box((0.002, wide - 0.02, tall - 0.024), "screen").at(thick / 2 + 0.001, 0, 0.004)
    lamp = box((0.001, 0.012, 0.003), "screen_blue").at(thick / 2 + 0.0005, 0, 0.005 - tall / 2)
    return [bezel, glass, lamp, box((thick, 0.5 * wide, 0.5 * tall), skin).at(-thick)]


def _monitor(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add foot, swivel column, lift carriage, tilt head and turning panel."""
    wide = draw.number("width", 0.5, 0.72)
    tall = round(0.575 * wide, 4)
    lift = draw.number("lift", 0.1, 0.14)
    column = tall / 2 + 0.1
    base = assembly.part(
        "foot", plate((0.2, 0.26, 0.014), skin, radius=0.03).on(0, 0, 0), label="monitor_foot"
    )
    shaft = tray((0.05, 0.07, column), skin, wall=0.004).on(-0.04, 0, 0.0145)
    post = assembly.part("column", shaft)
    assembly.hinge(base, post, origin=(-0.04, 0, 0.0145), axis="z", lower=-45, upper=45)
    z = 0.0145 + column + 0.03
    inner = box((0.04, 0.06, column - 0.03 + 0.07), "aluminum").on(-0.04, 0, 0.04)
    fork = [box((0.03, 0.008, 0.05), "aluminum").at(-0.016, s * 0.026, z) for s in (-1, 1)]
    slide = assembly.part("carriage", inner, *fork, label="lift_carriage")
    assembly.slide(post, slide, axis="z", lower=0, upper=lift)
    knuckle = [
        box((0.024, 0.042, 0.03), skin).at(0.004, 0, z),
        cylinder((0.03, 0.01), skin).along("x").at(0.02, 0, z),
    ]
    head = assembly.part("tilt_head", *knuckle)
    assembly.hinge(slide, head, origin=(0, 0, z), axis="-y", lower=-5, upper=20)
    shapes = [s.at(0.057, 0, z) for s in _panel(wide, tall, 0.02, skin)]
    screen = assembly.part("screen", *shapes)
    assembly.hinge(
        head, screen, origin=(0.026, 0, z), axis="x", lower=0, upper=4 if z < 0.56 * wide else 90
    )
    for k in range(4):
        key = box((0.008, 0.012, 0.003), "gray_plastic").at(
            0.057, -wide * 0.4 + 0.02 * k, z - tall / 2 - 0.0015
        )
        add_button(assembly, screen, f"button_{k + 1}", key, axis="z", travel=0.001)


def _add_dials_and_buttons(
    draw: Draw,
    assembly: Assembly,
    *,
    x: float,
    wide: float,
    z: float,
    tall: float,
    body: str,
    low: float,
) -> None:
    """Add the dials, buttons and antennas."""
    for k in range(2):
        at = (x, -0.37 * wide, z + 0.3 * tall - 0.22 * tall * k)
        add_dial(
            assembly,
            body,
            f"dial_{k + 1}",
            at=at,
            axis="x",
            size=(0.065 * wide, 0.025),
            material="chrome",
            turn=330,
        )
    for k in range(3):
        key = box((0.008, 0.024, 0.012), "chrome").at(
            x + 0.004, -0.37 * wide, z - 0.09 * tall - 0.022 * k
        )
        add_button(assembly, body, f"button_{k + 1}", key, axis="-x", travel=0.003)
    top = low + tall + 0.022
    for name, s in (("left_antenna", 1), ("right_antenna", -1)):
        rod = cylinder((0.004, draw.number(name, 0.3, 0.45)), "chrome", segments=10).on(0, 0, 0.004)
        shapes = [
            sphere(0.008, "chrome", segments=12),
            rod,
            cylinder((0.002, 0.01), "chrome", segments=8).on(0, 0, -0.01),
        ]
        at = (0, s * 0.025, top + 0.008)
        part = assembly.part(
            name, *(p.turned("x", -s * 35).at(*at) for p in shapes), label="antenna"
        )
        assembly.hinge(body, part, origin=at, axis="x" if s < 0 else "-x", lower=-30, upper=35)


def _television(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a tube set on legs with two dials, keys and a pair of rod antennas."""
    wide = draw.number("width", 0.5, 0.7)
    tall = draw.number("height", 0.38, 0.48)
    depth = draw.number("depth", 0.34, 0.42)
    low, x = 0.3, depth / 2
    z = low + tall / 2
    legs = [
        cone((0.012, 0.02, low), skin, segments=16).on(sx * 0.36 * depth, sy * 0.4 * wide, 0)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
    tube_ = rounded_box((0.06, 0.66 * wide, 0.8 * tall), "smoked_glass", radius=0.028).at(
        x - 0.01, 0.13 * wide, z
    )
    frame = box((0.012, 0.74 * wide, 0.9 * tall), "cream_paint").at(x, 0.13 * wide, z)
    slots = [
        box((0.004, 0.16 * wide, 0.005), "black_plastic").at(
            x + 0.001, -0.37 * wide, low + 0.03 + 0.02 * k
        )
        for k in range(4)
    ]
    bulge = box((0.08, 0.7 * wide, 0.7 * tall), "black_plastic").at(-x - 0.04, 0, z)
    body = assembly.part(
        "cabinet",
        box((depth, wide, tall), skin).on(0, 0, low),
        *legs,
        tube_,
        frame,
        *slots,
        bulge,
        cylinder((0.05, 0.02), "black_plastic").on(0, 0, low + tall),
    )
    _add_dials_and_buttons(draw, assembly, x=x, wide=wide, z=z, tall=tall, body=body, low=low)


def build(draw: Draw) -> Assembly:
    """Build one monitor or tube television."""
    category = draw.take("category", CATEGORIES)
    skin = draw.pick(
        "bezel_material",
        ("black_plastic", "gray_plastic", "white_plastic")
        if category == "monitor"
        else ("oak", "walnut", "red_paint"),
    )
    phrase = (
        "that lifts, swivels, tilts and turns"
        if category == "monitor"
        else "with a picture tube, dials and rod antennas"
    )
    assembly = Assembly(
        f"{word(skin).capitalize()} {category}", category, f"A {category} {phrase}."
    )
    (_monitor if category == "monitor" else _television)(draw, assembly, skin)
    return assembly
