# SPDX-License-Identifier: Apache-2.0
"""A kettle barbecue: round bowl on three legs, domed lid on a hinge, vent disk, two wheels.

Sizes after garden grills: bowl 0.45-0.57 m across, 0.85-1.0 m tall; the lid opens by 85-100
degrees, the vent turns by 60, the wheels without end.
"""

import math

from pipeline.generate.fittings import bar_pull, bowl, wheel
from pipeline.generate.vocabulary import Assembly, Draw, Shape, box, cylinder, sweep, torus, word

CATEGORIES = {"grill": "Kitchen & Cooking"}


def _half(radius: float, depth: float, skin: str) -> Shape:
    """Return a bowl of radius and depth, rim up at z = depth."""
    profile = [
        (radius * math.sin(a), depth * (1 - math.cos(a)))
        for a in (0.25, 0.55, 0.85, 1.15, 1.4, math.pi / 2)
    ]
    return bowl(profile, skin, wall=0.006)


def _stand(assembly: Assembly, r: float, rim: float, skin: str) -> str:
    """Add bowl, legs, lower dish and grate."""
    depth = 0.62 * r
    ends = [(0.78 * r * math.cos(a), 0.78 * r * math.sin(a)) for a in (0.0, 2.3, -2.3)]
    legs = [
        sweep(
            [(0.62 * x, 0.62 * y, rim - 0.75 * depth), (x, y, 0.09 if k else 0.01)],
            "aluminum",
            radius=0.011,
        )
        for k, (x, y) in enumerate(ends)
    ]
    axle = cylinder((0.008, 2 * ends[1][1] + 0.05), "dark_steel").along("y").at(ends[1][0], 0, 0.09)
    bars = [
        box((2 * 0.92 * r * math.sqrt(1 - t * t), 0.005, 0.005), "chrome").at(
            0, t * 0.92 * r, rim - 0.035
        )
        for t in (k / 9.5 for k in range(-9, 10))
    ]
    grate = torus((0.93 * r, 0.005), "chrome").at(0, 0, rim - 0.035)
    dish = bowl([(0.2 * r, 0), (0.4 * r, 0.02)], "aluminum").at(0, 0, 0.32)
    spokes = [
        sweep([(0, 0, 0.33), (0.78 * x, 0.78 * y, 0.33)], "aluminum", radius=0.005) for x, y in ends
    ]
    side = [
        bar_pull(0.14, "walnut", reach=0.05, radius=0.009)
        .turned("z", 90 * s)
        .at(0, s * (r - 0.004), rim - 0.03)
        for s in (-1, 1)
    ]
    hinge = box((0.03, 0.08, 0.03), "black_plastic").at(-r - 0.01, 0, rim - 0.02)
    return assembly.part(
        "stand",
        _half(r, depth, skin).at(0, 0, rim - depth),
        *legs,
        axle,
        *bars,
        grate,
        dish,
        *spokes,
        *side,
        hinge,
    )


def build(draw: Draw) -> Assembly:
    """Build one kettle barbecue."""
    r = draw.number("radius", 0.225, 0.285)
    rim = draw.number("rim_height", 0.65, 0.75)
    skin = draw.pick("skin_material", ("black_paint", "red_paint", "green_paint", "blue_paint"))
    opening = draw.number("lid_opening_deg", 85, 100, digits=1)
    assembly = Assembly(
        f"{word(skin).capitalize()} kettle barbecue",
        "grill",
        "A kettle barbecue on three legs and two wheels, with a hinged lid and a vent.",
    )
    stand = _stand(assembly, r, rim, skin)
    tall = 0.55 * r
    dome = _half(r + 0.004, tall, skin).turned("x", 180).at(0, 0, rim + tall + 0.002)
    grip = bar_pull(0.16, "walnut", reach=0.06, radius=0.01).at(0.85 * r, 0, rim + 0.3 * r + 0.01)
    tab = box((0.03, 0.06, 0.02), "black_plastic").on(-r - 0.014, 0, rim + 0.003)
    lid = assembly.part("lid", dome, grip, tab)
    assembly.hinge(
        stand, lid, origin=(-r - 0.026, 0, rim + 0.001), axis="-y", lower=0, upper=opening
    )
    at = (0, 0, rim + tall + 0.003)
    disk = assembly.part(
        "vent",
        cylinder((0.04, 0.004), "aluminum").on(*at),
        box((0.012, 0.004, 0.03), "aluminum").on(0.03, 0, at[2] + 0.004),
    )
    assembly.hinge(lid, disk, origin=at, axis="z", lower=0, upper=60)
    x, y = 0.78 * r * math.cos(2.3), 0.78 * r * math.sin(2.3)
    for name, s in (("left", 1), ("right", -1)):
        shapes = [
            p.at(x, s * (y + 0.05), 0.09) for p in wheel((0.09, 0.03), "rubber", hub="gray_plastic")
        ]
        roll = assembly.part(f"{name}_wheel", *shapes, label="wheel")
        assembly.spin(stand, roll, origin=(x, s * (y + 0.05), 0.09), axis="y")
    return assembly
