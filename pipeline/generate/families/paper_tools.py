# SPDX-License-Identifier: Apache-2.0
"""Office tools: guillotine paper cutter with a long arm, hole punch with a lever and a chip tray.

Paper cutters: board 0.35-0.48 m long, 0.26-0.34 m wide, arm of 60-75 degrees, sliding stop of
0.2-0.28 m. Hole punches: 0.1-0.13 m wide, lever of 5-7 degrees, chip tray that slides, paper
guide of 40-60 mm.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    capsule,
    cylinder,
    extrude,
    plate,
    tray,
    word,
)

CATEGORIES = {"paper_cutter": "Tools", "hole_punch": "Tools"}


def _add_arm(assembly: Assembly, *, long: float, wide: float, body: str, opening: float) -> None:
    """Add the arm."""
    at = (-long / 2 + 0.015, wide / 2 + 0.0105, 0.042)
    blade = (
        extrude(
            [(-0.01, -0.008), (long - 0.02, -0.02), (long, 0.008), (-0.01, 0.012)],
            "steel",
            height=0.003,
        )
        .along("-y")
        .at(at[0], at[1], at[2] + 0.012)
    )
    grip = (
        capsule((0.014, 0.08), "black_plastic")
        .along("x")
        .at(at[0] + long + 0.03, at[1] + 0.006, at[2] + 0.012)
    )
    arm = assembly.part(
        "arm", *(s.turned("y", -4, about=at) for s in (blade, grip)), label="blade_arm"
    )
    assembly.hinge(body, arm, origin=at, axis="-y", lower=0, upper=opening)


def _cutter(draw: Draw, assembly: Assembly, color: str) -> None:
    """Add a board with a rule, an arm on its left edge and a stop."""
    long = draw.number("length", 0.35, 0.48)
    wide = draw.number("width", 0.26, 0.34)
    opening = draw.number("arm_deg", 60, 75, digits=1)
    top = 0.024
    board = box((long, wide, 0.016), color).on(0, 0, 0.008)
    lines = [
        box((long - 0.02, 0.0008, 0.0003), "white_paint").on(0, wide * (k / 8 - 0.5) * 0.9, top)
        for k in range(9)
    ]
    fence = box((0.02, wide, 0.008), "steel").on(long / 2 - 0.012, 0, top)
    edge = box((long, 0.004, 0.014), "steel").on(0, wide / 2 + 0.002, 0.01)
    ear = box((0.03, 0.004, 0.05), "dark_steel").on(-long / 2 + 0.015, wide / 2 + 0.006, 0.008)
    feet = [
        cylinder((0.01, 0.008), "rubber", segments=12).on(sx * 0.45 * long, sy * 0.42 * wide, 0)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
    body = assembly.part("board", board, *lines, fence, edge, ear, *feet)
    _add_arm(assembly, long=long, wide=wide, body=body, opening=opening)
    stop = assembly.part(
        "stop",
        box((0.02, 0.02, 0.016), "yellow_plastic").on(0.2 * long, -wide / 2 + 0.03, top + 0.0005),
    )
    assembly.slide(
        body, stop, axis="y", lower=0, upper=draw.number("stop_travel", 0.18, round(wide - 0.06, 3))
    )


def _punch(draw: Draw, assembly: Assembly, color: str) -> None:
    """Add a base with two pins, a lever, a chip tray and a paper guide."""
    wide = draw.number("width", 0.1, 0.13)
    long = draw.number("length", 0.09, 0.11)
    press = draw.number("press_deg", 5, 7, digits=1)
    base = plate((long, wide, 0.008), "dark_steel", radius=0.006).on(0, 0, 0.0105)
    cheeks = [
        extrude(
            [(-0.04, 0.018), (0.012, 0.018), (0.012, 0.034), (-0.02, 0.05), (-0.04, 0.05)],
            "steel",
            height=0.003,
        )
        .along("-y")
        .at(0, s * (wide / 2 - 0.012))
        for s in (-1, 1)
    ]
    towers = [cylinder((0.009, 0.014), "steel").on(0, s * 0.03, 0.018) for s in (-1, 1)]
    body = assembly.part("base", base, *cheeks, *towers)
    pivot = (-0.03, 0, 0.044)
    top = [(-0.036, 0.0), (0.06, 0.026), (0.066, 0.036), (0.03, 0.036), (-0.036, 0.012)]
    hood = extrude(top, color, height=wide - 0.032).along("-y").at(0, 0, 0.042)
    pin = cylinder((0.003, wide - 0.018), "steel", segments=12).along("y").at(*pivot)
    lever = assembly.part("lever", hood, pin)
    assembly.hinge(body, lever, origin=pivot, axis="y", lower=0, upper=press)
    for k, s in enumerate((-1, 1), start=1):
        rod = cylinder((0.004, 0.008), "chrome", segments=14).on(0, s * 0.03, 0.0325)
        part = assembly.part(f"pin_{k}", rod, label="punch_pin")
        assembly.weld(body, part, origin=(0, s * 0.03, 0.0325))
    chips = tray((long + 0.004, wide + 0.004, 0.01), "black_plastic", wall=0.002, floor=0.0015).on(
        0, 0, 0
    )
    pan = assembly.part("chip_tray", chips)
    assembly.slide(body, pan, axis="-x", lower=0, upper=0.05)
    guide = assembly.part(
        "paper_guide",
        box((0.012, 0.06, 0.0012), "chrome").on(0.03, wide / 2, 0.0187),
        box((0.012, 0.002, 0.008), "chrome").on(0.03, wide / 2 + 0.03, 0.0187),
    )
    assembly.slide(body, guide, axis="y", lower=0, upper=draw.number("guide_travel", 0.02, 0.03))


def build(draw: Draw) -> Assembly:
    """Build one paper cutter or hole punch."""
    category = draw.take("category", CATEGORIES)
    color = draw.pick(
        "material",
        ("gray_paint", "green_paint", "black_paint", "oak")
        if category == "paper_cutter"
        else ("red_paint", "blue_plastic", "black_plastic", "gray_plastic"),
    )
    noun = category.replace("_", " ")
    assembly = Assembly(
        f"{word(color).capitalize()} {noun}", category, f"A {noun} worked by a lever."
    )
    (_cutter if category == "paper_cutter" else _punch)(draw, assembly, color)
    return assembly
