# SPDX-License-Identifier: Apache-2.0
"""Long chains of joints: a snake-like arm on a base, or a robotic hand with jointed fingers.

Snake arms: 8-14 segments of 60-100 mm, each bending by +-45 degrees about y and x in turn, with a
two-jaw tip. Hands: palm 80-95 mm wide, four fingers of three joints of 0-80 degrees, a thumb of
three, wrist of +-60.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    lathe,
    plate,
    sphere,
    tube,
    word,
)

CATEGORIES = {"snake_robot": "Robotics", "robotic_hand": "Robotics"}


def _segment(z: float, long: float, r: float, skin: str, flat: str) -> list[Shape]:
    """Return a segment between two joints, its lower fork and upper lug across the flat axis."""
    body = [
        lathe(
            [(0.5 * r, 0.75 * r), (r, r), (r, long - 1.1 * r), (0.5 * r, long - 0.85 * r)],
            skin,
            segments=20,
        ).at(0, 0, z)
    ]
    lug = cylinder((0.5 * r, 0.5 * r), "dark_steel", segments=16)
    if flat == "y":
        cheeks = [
            box((0.7 * r, 0.16 * r, 1.3 * r), "dark_steel").on(0, s * 0.36 * r, z - 0.4 * r)
            for s in (-1, 1)
        ]
        top = [lug.along("x"), box((0.4 * r, 0.6 * r, 0.8 * r), "dark_steel").at(0, 0, -0.5 * r)]
    else:
        cheeks = [
            box((0.16 * r, 0.7 * r, 1.3 * r), "dark_steel").on(s * 0.36 * r, 0, z - 0.4 * r)
            for s in (-1, 1)
        ]
        top = [lug.along("y"), box((0.6 * r, 0.4 * r, 0.8 * r), "dark_steel").at(0, 0, -0.5 * r)]
    return [*body, *cheeks, *(s.at(0, 0, z + long) for s in top)]


def _snake(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a base and a chain of segments that bend in turn about y and x."""
    count = draw.count("segments", 8, 14)
    long = draw.number("segment", 0.09, 0.12)
    r = draw.number("radius", 0.025, 0.032)
    accent = draw.pick("accent", ("orange_paint", "gray_plastic", "blue_plastic"))
    z = 0.06 + 0.9 * r
    foot = [
        lathe([(3 * r, 0), (3 * r, 0.02), (1.4 * r, 0.05), (1.2 * r, 0.06)], "dark_steel"),
        cylinder((0.5 * r, 0.5 * r), "dark_steel", segments=16).along("y").at(0, 0, z),
        box((0.6 * r, 0.4 * r, 0.9 * r), "dark_steel").at(0, 0, z - 0.5 * r),
    ]
    parent = assembly.part("base", *foot)
    for k in range(count):
        flat = "y" if k % 2 == 0 else "x"
        shapes = _segment(z, long, r, accent if k % 3 == 2 else skin, flat)
        part = assembly.part(f"segment_{k + 1}", *shapes)
        assembly.hinge(parent, part, origin=(0, 0, z), axis=flat, lower=-45, upper=45)
        parent, z = part, z + long
    jaw = box((0.012, 0.4 * r, 0.05), "aluminum")
    for name, s in (("jaw_left", 1), ("jaw_right", -1)):
        part = assembly.part(name, jaw.on(s * 0.45 * r, 0, z + 0.55 * r), label="jaw")
        assembly.slide(parent, part, axis="-x" if s > 0 else "x", lower=0, upper=round(0.2 * r, 4))


def _finger(
    assembly: Assembly,
    palm: str,
    name: str,
    *,
    at: tuple[float, float, float],
    bones: tuple[float, ...],
    skin: str,
    axis: str,
) -> None:
    """Add a chain of three bones along +z that curl about an axis."""
    x, y, z = at
    parent, r = palm, 0.0075
    for k, long in enumerate(bones):
        pin = cylinder((0.006, 0.012), "dark_steel", segments=12)
        knuckle = pin.along("y" if axis == "y" else "x").at(x, y, z)
        bone = plate((0.013, 0.013, long - 2 * r), skin, radius=0.004).on(x, y, z + r - 0.002)
        tip = (
            [sphere(0.0072, "rubber", segments=12).at(x, y, z + long - r)]
            if k == len(bones) - 1
            else []
        )
        part = assembly.part(f"{name}_{k + 1}", knuckle, bone, *tip, label="finger_bone")
        assembly.hinge(parent, part, origin=(x, y, z), axis=axis, lower=0, upper=80)
        parent, z = part, z + long


def _hand(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a wrist, a palm, four fingers and a thumb; the palm looks to the front."""
    wide = draw.number("palm_width", 0.08, 0.095)
    tall = draw.number("palm_height", 0.09, 0.105)
    base = assembly.part(
        "forearm",
        lathe([(0.04, 0), (0.036, 0.06), (0.03, 0.075)], "dark_steel"),
        *(
            tube((0.0405 - 0.002 * k, 0.03, 0.006), skin).on(0, 0, 0.01 + 0.02 * k)
            for k in range(3)
        ),
    )
    z = 0.0765
    palm = assembly.part(
        "palm",
        cylinder((0.026, 0.012), "dark_steel").on(0, 0, z),
        plate((0.028, wide, tall), skin, radius=0.01).on(0, 0, z + 0.011),
        box((0.004, wide * 0.7, tall * 0.6), "rubber").on(0.015, 0, z + 0.03),
    )
    assembly.hinge(base, palm, origin=(0, 0, z), axis="z", lower=-60, upper=60)
    top = z + 0.011 + tall + 0.007
    for k in range(4):
        y = (1.5 - k) * (wide - 0.016) / 3
        scale = (0.92, 1.0, 1.06, 0.8)[k]
        _finger(
            assembly,
            palm,
            f"finger_{k + 1}",
            at=(0, y, top),
            bones=(0.042 * scale, 0.032 * scale, 0.03 * scale),
            skin=skin,
            axis="y",
        )
    side = -wide / 2 - 0.0075
    _finger(
        assembly,
        palm,
        "thumb",
        at=(0.004, side, z + 0.05),
        bones=(0.034, 0.03, 0.03),
        skin=skin,
        axis="y",
    )


def build(draw: Draw) -> Assembly:
    """Build one snake arm or robotic hand."""
    category = draw.take("category", CATEGORIES)
    skin = draw.pick(
        "material",
        ("white_plastic", "green_paint", "yellow_paint")
        if category == "snake_robot"
        else ("white_plastic", "aluminum", "black_plastic"),
    )
    noun = "snake-arm robot" if category == "snake_robot" else "robotic hand"
    phrase = (
        "made of many bending segments"
        if category == "snake_robot"
        else "with four fingers and a thumb"
    )
    assembly = Assembly(f"{word(skin).capitalize()} {noun}", category, f"A {noun} {phrase}.")
    (_snake if category == "snake_robot" else _hand)(draw, assembly, skin)
    return assembly
