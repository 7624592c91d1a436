# SPDX-License-Identifier: Apache-2.0
"""A bucket: tapered round pail with a rolled rim, ears, and a bail with a grip that rolls on it.

Sizes after 5-15 liter pails: 0.2-0.32 m across, 0.2-0.34 m tall; the bail stands up at rest and
swings by +-100 degrees.
"""

import math

from pipeline.generate.vocabulary import Assembly, Draw, box, lathe, sweep, torus, tube

CATEGORIES = {"bucket": "Containers"}


def build(draw: Draw) -> Assembly:
    """Build one bucket."""
    r = draw.number("rim_radius", 0.1, 0.16)
    height = draw.number("height", 0.2, 0.34)
    taper = draw.number("bottom_ratio", 0.7, 0.88)
    skin = draw.pick(
        "material", ("steel", "blue_plastic", "red_plastic", "yellow_plastic", "gray_plastic")
    )
    grip = draw.pick("grip_material", ("oak", "white_plastic", "black_plastic"))
    ridge = draw.count("ridges", 0, 2)
    assembly = Assembly(
        f"{skin.split('_')[0].capitalize()} bucket",
        "bucket",
        "A bucket with a swinging bail and a grip that rolls on it.",
    )
    low = r * taper
    wall = 0.0025
    profile = [(low, 0), (r, height), (r - wall, height), (low - wall, 0.004)]
    ridges = [
        torus((low + (r - low) * t, 0.003), skin).at(0, 0, height * t) for t in (0.35, 0.8)[:ridge]
    ]
    ears = [box((0.03, 0.008, 0.035), skin).at(0, s * (r + 0.004), height - 0.025) for s in (-1, 1)]
    body = assembly.part(
        "body",
        lathe(profile, skin, segments=36),
        torus((r, 0.004), skin, segments=36).at(0, 0, height),
        *ridges,
        *ears,
        label="pail",
    )
    pivot = height - 0.025
    span = r + 0.013
    arc = [
        (0.0, span * math.cos(a), pivot + 1.05 * span * math.sin(a))
        for a in (math.pi * k / 24 for k in range(25))
    ]
    bail = assembly.part("bail", sweep(arc, "steel", radius=0.003), label="bail_handle")
    assembly.hinge(body, bail, origin=(0, 0, pivot), axis="y", lower=-100, upper=100)
    top = (0, 0, pivot + 1.05 * span)
    roll = assembly.part("grip", tube((0.012, 0.0075, 0.05), grip).along("y").at(*top))
    assembly.spin(bail, roll, origin=top, axis="y")
    return assembly
