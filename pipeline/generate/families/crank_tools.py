# SPDX-License-Identifier: Apache-2.0
"""Hand tools with a spinning part: hand drill with a crank, paint roller on a wire frame.

Hand drills: 0.28-0.34 m long, crank of 60-80 mm, chuck and pinion turn without end. Paint rollers:
sleeve 0.18-0.26 m long, 45-60 mm across, spins on a bent wire frame.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    capsule,
    circle,
    cone,
    cylinder,
    extrude,
    gear,
    lathe,
    rounded_path,
    sweep,
    tube,
    word,
)

CATEGORIES = {"hand_drill": "Tools", "paint_roller": "Tools"}


def _drill(draw: Draw, assembly: Assembly) -> str:
    """Add a standing drill: handle on top, crank gear at the side, chuck below."""
    long = draw.number("length", 0.28, 0.34)
    reach = draw.number("crank", 0.06, 0.08)
    wood = draw.pick("material", ("oak", "walnut", "red_paint", "black_plastic"))
    color = draw.pick("gear_material", ("red_paint", "cast_iron", "green_paint"))
    grip = lathe(
        [(0.012, 0), (0.018, 0.02), (0.02, 0.06), (0.015, 0.1), (0.019, 0.12), (0.01, 0.13)], wood
    ).at(0, 0, long - 0.13)
    spine = box((0.016, 0.012, long - 0.24), "dark_steel").on(0, 0, 0.112)
    axle = cylinder((0.006, 0.03), "steel", segments=14).along("y").at(0, 0.02, 0.2)
    body = assembly.part(
        "frame", grip, spine, axle, cylinder((0.012, 0.012), "dark_steel").on(0, 0, 0.1)
    )
    wheel = (
        extrude(
            gear(40, 0.045, depth=0.004), color, height=0.008, holes=[circle(0.0065, segments=14)]
        )
        .along("y")
        .at(0, 0.022, 0.2)
    )
    arm = box((0.012, 0.005, reach), "steel").on(0, 0.0285, 0.208)
    crank = assembly.part(
        "crank",
        wheel,
        arm,
        cylinder((0.004, 0.05), "steel", segments=12).along("y").at(0, 0.055, 0.2 + reach),
    )
    assembly.spin(body, crank, origin=(0, 0.022, 0.2), axis="y")
    knob = assembly.part(
        "grip",
        tube((0.011, 0.0044, 0.036), wood).along("y").at(0, 0.056, 0.2 + reach),
        label="crank_grip",
    )
    assembly.spin(crank, knob, origin=(0, 0.056, 0.2 + reach), axis="y")
    chuck = [
        lathe([(0.006, 0.03), (0.013, 0.045), (0.014, 0.09), (0.009, 0.0995)], "chrome"),
        cone((0.001, 0.003, 0.04), "steel", segments=10).on(0, 0, 0),
        cylinder((0.003, 0.01), "steel", segments=10).on(0, 0, 0.035),
    ]
    bit = assembly.part("chuck", *chuck)
    assembly.spin(body, bit, origin=(0, 0, 0.1), axis="z")
    return wood


def _roller(draw: Draw, assembly: Assembly) -> str:
    """Add a lying paint roller: bent frame with a handle and a fluffy sleeve."""
    wide = draw.number("sleeve", 0.18, 0.26)
    r = draw.number("radius", 0.022, 0.03)
    color = draw.pick("material", ("red_plastic", "blue_plastic", "green_plastic", "oak"))
    wool = draw.pick("sleeve_material", ("canvas", "white_plastic", "yellow_paint", "sky_paint"))
    half = wide / 2
    path = [
        (0, -half - 0.01, r),
        (0, half + 0.03, r),
        (0.1, half + 0.03, r),
        (0.13, 0, r),
        (0.2, 0, r),
    ]
    wire = sweep(rounded_path(path, radius=0.02), "steel", radius=0.004)
    grip = capsule((0.014, 0.1), color).along("x").at(0.26, 0, r)
    stop = cylinder((0.009, 0.006), "steel", segments=12).along("y").at(0, -half - 0.012, r)
    body = assembly.part("frame", wire, grip, stop)
    shapes = [
        tube((r, r - 0.006, wide), wool, segments=32).along("y").at(0, 0, r),
        *(
            tube((r - 0.0058, 0.0046, 0.008), "gray_plastic")
            .along("y")
            .at(0, s * (half - 0.004), r)
            for s in (-1, 1)
        ),
    ]
    sleeve = assembly.part("sleeve", *shapes, label="roller_sleeve")
    assembly.spin(body, sleeve, origin=(0, 0, r), axis="y")
    return color


def build(draw: Draw) -> Assembly:
    """Build one hand drill or paint roller."""
    category = draw.take("category", CATEGORIES)
    noun = category.replace("_", " ")
    phrase = (
        "whose crank drives a chuck"
        if noun == "hand drill"
        else "whose sleeve spins on a wire frame"
    )
    assembly = Assembly("", category, f"A {noun} {phrase}.")
    skin = (_drill if noun == "hand drill" else _roller)(draw, assembly)
    assembly.name = f"{word(skin).capitalize()} {noun}"
    return assembly
