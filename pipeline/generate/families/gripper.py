# SPDX-License-Identifier: Apache-2.0
"""A parallel gripper: palm with a dovetail guide, two fingers that slide against each other.

Sizes after robot end effectors: palm 80-150 mm wide, 60-100 mm tall, fingers 50-110 mm long with a
stroke of 15-40 mm each; in some the palm turns on a wrist flange by +-175 degrees.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    extrude,
    plate,
    rounded_box,
)

CATEGORIES = {"opposed_twinslide_gripper": "Robotics"}


def _add_flange(assembly: Assembly, *, depth: float) -> str:
    """Add the flange."""
    return assembly.part(
        "flange",
        cylinder((0.5 * depth, 0.012), "steel").on(0, 0, 0),
        *(
            cylinder((0.003, 0.003), "black_plastic", segments=8)
            .on(0.38 * depth, 0, 0.012)
            .turned("z", 60 * k)
            for k in range(6)
        ),
        label="wrist_flange",
    )


def _block(depth: float) -> Shape:
    """Return the solids of the block."""
    half = 0.15 * depth + 0.0005
    rail = [
        (-0.45 * depth, 0.001),
        (-half, 0.001),
        (-half, 0.0085),
        (half, 0.0085),
        (half, 0.001),
        (0.45 * depth, 0.001),
        (0.45 * depth, 0.022),
        (-0.45 * depth, 0.022),
    ]
    return extrude(rail, "aluminum", height=0.024).along("-y")


def build(draw: Draw) -> Assembly:
    """Build one gripper pointing up, open at rest."""
    width = draw.number("palm_width", 0.08, 0.15)
    height = draw.number("palm_height", 0.06, 0.1)
    depth = draw.number("palm_depth", 0.04, 0.07)
    long = draw.number("finger_length", 0.05, 0.11)
    stroke = draw.number("stroke", 0.015, round(0.3 * width, 4))
    turning = draw.chance("wrist_turn", 0.5)
    shell = draw.pick("palm_material", ("dark_steel", "aluminum", "blue_paint", "black_plastic"))
    tip = draw.pick("pad_material", ("rubber", "orange_paint", "red_plastic"))
    assembly = Assembly(
        f"{stroke * 2000:.0f} mm twin-slide gripper",
        "opposed_twinslide_gripper",
        "A parallel gripper whose two fingers slide toward each other.",
    )
    flange = _add_flange(assembly, depth=depth)
    z = 0.0155
    palm = assembly.part(
        "palm",
        cylinder((0.32 * depth, 0.02), shell).on(0, 0, 0.0125),
        rounded_box((depth, width, height), shell, radius=0.006).on(0, 0, z),
        box((0.3 * depth, width * 0.96, 0.008), "steel").on(0, 0, z + height),
        box((depth + 0.002, 0.3 * width, 0.3 * height), tip).on(0, 0, z + 0.35 * height),
    )
    if turning:
        assembly.hinge(flange, palm, origin=(0, 0, z), axis="z", lower=-175, upper=175)
    else:
        assembly.weld(flange, palm, origin=(0, 0, z))
    top = z + height
    rest = stroke + 0.004
    for name, s in (("finger_left", 1), ("finger_right", -1)):
        block = _block(depth)
        blade = plate((0.5 * depth, 0.012, long), "aluminum", radius=0.004).on(0, 0.0035, 0.02)
        pad = box((0.4 * depth, 0.004, 0.5 * long), tip).on(0, -0.0045, 0.02 + 0.45 * long)
        shapes = [block.at(0, 0.012), blade.at(0, 0.003), pad.at(0, 0.003)]
        shapes = [p.at(0, rest) if s > 0 else p.at(0, rest).mirrored("y") for p in shapes]
        finger = assembly.part(name, *(p.at(0, 0, top) for p in shapes), label="finger")
        assembly.slide(palm, finger, axis="-y" if s > 0 else "y", lower=0, upper=stroke)
    return assembly
