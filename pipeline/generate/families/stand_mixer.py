# SPDX-License-Identifier: Apache-2.0
"""A stand mixer: foot with a column, tilting head, planetary hub with a whisk, bowl, speed lever.

Sizes after kitchen machines: 0.34-0.4 m long, 0.33-0.38 m tall, bowl 0.2-0.24 m across; the head
tilts up by 45-60 degrees, hub and whisk turn without end about two axes, the lever slides 30 mm.
"""

import math

from pipeline.generate.fittings import bowl, feet
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    capsule,
    cylinder,
    plate,
    rounded_box,
    rounded_path,
    sweep,
    word,
)

CATEGORIES = {"stand_mixer": "Kitchen & Cooking"}


def _whisk(z: float, length: float, radius: float) -> list[Shape]:
    """Return a balloon whisk that hangs from height z."""
    wires = []
    for k in range(4):
        loop = [
            (radius * math.sin(a), 0.0, z - 0.02 - length * (1 - math.cos(a)) / 2)
            for a in (math.pi * j / 10 for j in range(11))
        ]
        wires.append(
            sweep(rounded_path([*loop], radius=0.001), "chrome", radius=0.0015).turned(
                "z", 90 * k + 1
            )
        )
    return [cylinder((0.008, 0.03), "chrome", segments=14).on(0, 0, z - 0.03), *wires]


def _stand(assembly: Assembly, length: float, column: float, skin: str) -> str:
    """Add the foot, whose column stands at the rear."""
    foot = plate((length, 0.2, 0.03), skin, radius=0.08).on(0, 0, 0.008)
    post = rounded_box((0.09, 0.11, column), skin, radius=0.03).on(-length / 2 + 0.07, 0, 0.012)
    seat = cylinder((0.07, 0.006), "steel").on(length / 2 - 0.12, 0, 0.038)
    return assembly.part("stand", foot, post, seat, *feet((length - 0.1, 0.12), height=0.008))


def build(draw: Draw) -> Assembly:
    """Build one stand mixer."""
    length = draw.number("length", 0.34, 0.4)
    column = draw.number("column_height", 0.2, 0.23)
    radius = draw.number("bowl_radius", 0.1, 0.115)
    skin = draw.pick(
        "skin_material", ("red_paint", "mint_paint", "cream_paint", "black_paint", "blue_paint")
    )
    assembly = Assembly(
        f"{word(skin).capitalize()} stand mixer",
        "stand_mixer",
        "A stand mixer whose head tilts back and whose whisk turns about two axes.",
    )
    stand = _stand(assembly, length, column, skin)
    x, z = length / 2 - 0.12, column + 0.014
    tall = column - 0.075
    cup = bowl([(0.055, 0), (0.06, 0.01), (0.85 * radius, 0.35 * tall), (radius, tall)], "steel")
    vessel = assembly.part("bowl", cup.at(x, 0, 0.0445))
    assembly.weld(stand, vessel, origin=(x, 0, 0.0445))
    pivot = (-length / 2 + 0.06, 0, z + 0.02)
    head = assembly.part(
        "head",
        capsule((0.058, length - 0.13), skin).along("x").at(-0.005, 0, z + 0.059),
        cylinder((0.045, 0.02), "chrome").at(x, 0, z + 0.009),
        box((0.06, 0.004, 0.01), "chrome").at(-0.02, 0.058, z + 0.05),
        cylinder((0.022, 0.02), "chrome").along("x").at(length / 2 + 0.005, 0, z + 0.059),
    )
    tilt = draw.number("tilt_deg", 45, 60, digits=1)
    assembly.hinge(stand, head, origin=pivot, axis="-y", lower=0, upper=tilt)
    hub = assembly.part("hub", cylinder((0.04, 0.016), "steel").on(x, 0, z - 0.018))
    assembly.spin(head, hub, origin=(x, 0, z), axis="z")
    whip = [s.at(x + 0.018, 0) for s in _whisk(z - 0.0185, tall - 0.075, 0.032)]
    whisk = assembly.part("whisk", *whip)
    assembly.spin(hub, whisk, origin=(x + 0.018, 0, z), axis="z")
    lever = assembly.part(
        "speed_lever",
        cylinder((0.006, 0.02), "black_plastic", segments=12)
        .along("y")
        .at(-0.035, 0.0705, z + 0.05),
    )
    assembly.slide(head, lever, axis="x", lower=0, upper=0.03)
    return assembly
