# SPDX-License-Identifier: Apache-2.0
"""Legs of robots: a single leg on a test stand, or a four-legged robot.

Robotic legs: thigh and shank 0.25-0.4 m, hip of +-30 (roll) and +-60 degrees (pitch), knee of
0-110, ankle of +-35. Quadrupeds: body 0.4-0.6 m long, four legs of three joints, head camera that
turns.
"""

import math

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    plate,
    rounded_box,
    sphere,
    word,
)

CATEGORIES = {"robotic_leg": "Robotics", "quadruped_robot": "Robotics"}
At = tuple[float, float, float]


def _bone(at: At, length: float, r: float, skin: str) -> list[Shape]:
    """Return a limb that hangs from a joint housing along y at a point."""
    x, y, z = at
    motor = cylinder((r, 1.2 * r), "dark_steel").along("y").at(x, y, z)
    rod = plate((1.1 * r, 0.7 * r, length), skin, radius=0.3 * r).on(x, y, z - length)
    return [motor, rod]


def _leg(
    assembly: Assembly,
    parent: str,
    prefix: str,
    *,
    hip: At,
    lengths: tuple[float, float],
    r: float,
    skin: str,
    side: int,
    bend: float,
) -> tuple[str, At]:
    """Add hip, thigh and shank; return the shank and the ankle's place."""
    x, y, z = hip
    block = assembly.part(
        f"{prefix}hip",
        cylinder((0.8 * r, 1.6 * r), "dark_steel").along("x").at(x, y, z),
        label="hip",
    )
    assembly.hinge(parent, block, origin=hip, axis="x", lower=-30, upper=30)
    y1 = y + side * 1.45 * r
    thigh_at = (x, y1, z)
    thigh = assembly.part(
        f"{prefix}thigh",
        *(s.turned("y", bend, about=thigh_at) for s in _bone(thigh_at, lengths[0], r, skin)),
        label="thigh",
    )
    assembly.hinge(block, thigh, origin=thigh_at, axis="y", lower=-50, upper=50)
    knee = _turned(thigh_at, lengths[0], bend)
    knee = (knee[0], y1 + side * 1.05 * r, knee[2])
    shank = assembly.part(
        f"{prefix}shank",
        *(s.turned("y", -bend, about=knee) for s in _bone(knee, lengths[1], 0.75 * r, skin)),
        label="shank",
    )
    assembly.hinge(thigh, shank, origin=knee, axis="y", lower=-30, upper=58)
    return shank, _turned(knee, lengths[1], -bend)


def _turned(at: At, length: float, degrees: float) -> At:
    """Return the point below a joint at the end of a limb that is turned about y."""
    angle = math.radians(degrees)
    return at[0] - length * math.sin(angle), at[1], at[2] - length * math.cos(angle)


def _single(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a leg that hangs from a stand, with a foot."""
    lengths = (draw.number("thigh", 0.25, 0.4), draw.number("shank", 0.25, 0.4))
    r = draw.number("radius", 0.035, 0.05)
    bend = draw.number("bend_deg", 10, 20, digits=1)
    high = sum(lengths) + 0.14
    post = [
        box((0.06, 0.06, high + 0.1), "aluminum").on(-0.34, 0, 0),
        box((0.6, 0.3, 0.02), "aluminum").on(-0.12, 0, -0.02),
        box((0.4, 0.06, 0.04), "aluminum").on(-0.17, 0, high + 0.06),
        box((0.05, 0.05, 0.06), "aluminum").on(0, 0, high + 0.85 * r),
    ]
    stand = assembly.part("stand", *post, label="test_stand")
    shank, ankle = _leg(
        assembly, stand, "", hip=(0, 0, high), lengths=lengths, r=r, skin=skin, side=1, bend=bend
    )
    sole = [
        plate((0.2, 0.08, 0.02), "rubber", radius=0.03).on(
            ankle[0] + 0.03, ankle[1] + 0.9 * r, ankle[2] - 0.6 * r - 0.018
        ),
        *(
            box((0.05, 0.012, 0.05), "dark_steel").at(
                ankle[0], ankle[1] + 0.55 * r, ankle[2] - 0.2 * r
            )
            for _ in (0,)
        ),
        box((0.05, 0.8 * r, 0.012), "dark_steel").at(
            ankle[0], ankle[1] + 0.9 * r, ankle[2] - 0.6 * r + 0.006
        ),
    ]
    foot = assembly.part("foot", *sole)
    assembly.hinge(
        shank, foot, origin=(ankle[0], ankle[1] + 0.4 * r, ankle[2]), axis="y", lower=-30, upper=30
    )


def _quadruped(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a body, a head that turns and four legs."""
    long, wide = draw.number("length", 0.4, 0.6), draw.number("width", 0.14, 0.2)
    lengths = (draw.number("thigh", 0.16, 0.22), draw.number("shank", 0.16, 0.22))
    r, bend = 0.032, draw.number("bend_deg", 25, 38, digits=1)
    high = (lengths[0] + lengths[1]) * 0.86
    trunk = [
        rounded_box((long, wide, 0.11), skin, radius=0.03).at(0, 0, high + 0.03),
        box((long * 0.5, wide * 0.6, 0.02), "black_plastic").on(0, 0, high + 0.084),
        cylinder((0.018, 0.05), "dark_steel").along("x").at(long / 2 + 0.02, 0, high + 0.05),
    ]
    body = assembly.part("trunk", *trunk)
    at = (long / 2 + 0.046, 0, high + 0.05)
    eyes = [
        sphere(0.014, "smoked_glass").at(at[0] + 0.075, s * 0.025, at[2] + 0.008) for s in (-1, 1)
    ]
    head = assembly.part(
        "head", rounded_box((0.08, 0.1, 0.07), skin, radius=0.02).at(at[0] + 0.041, 0, at[2]), *eyes
    )
    assembly.hinge(body, head, origin=at, axis="z", lower=-40, upper=40)
    for name, sx, sy in (
        ("front_left", 1, 1),
        ("front_right", 1, -1),
        ("rear_left", -1, 1),
        ("rear_right", -1, -1),
    ):
        hip = (sx * (long / 2 - 0.05), sy * (wide / 2 + 0.85 * r), high)
        shank, ankle = _leg(
            assembly, body, f"{name}_", hip=hip, lengths=lengths, r=r, skin=skin, side=sy, bend=bend
        )
        ball = assembly.part(
            f"{name}_foot",
            sphere(0.022, "rubber").at(ankle[0], ankle[1], ankle[2] - 0.022),
            label="foot",
        )
        assembly.weld(shank, ball, origin=ankle)


def build(draw: Draw) -> Assembly:
    """Build one robotic leg or four-legged robot."""
    category = draw.take("category", CATEGORIES)
    skin = draw.pick(
        "material",
        ("white_plastic", "orange_paint", "aluminum")
        if category == "robotic_leg"
        else ("yellow_paint", "gray_plastic", "blue_paint"),
    )
    noun = category.replace("_", " ")
    phrase = (
        "with hip, knee and ankle" if category == "robotic_leg" else "with three joints per leg"
    )
    assembly = Assembly(f"{word(skin).capitalize()} {noun}", category, f"A {noun} {phrase}.")
    (_single if category == "robotic_leg" else _quadruped)(draw, assembly, skin)
    return assembly
