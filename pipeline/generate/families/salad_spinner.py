# SPDX-License-Identifier: Apache-2.0
"""A salad spinner: clear bowl, slotted basket that spins, lid with a crank and a brake button.

Sizes after kitchenware: 0.24-0.28 m across, 0.15-0.18 m tall; basket and crank turn without end,
the lid lifts off by 0.1-0.14 m.
"""

from pipeline.generate.fittings import add_button, bowl
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    lathe,
    plate,
    sphere,
    torus,
    word,
)

CATEGORIES = {"salad_spinner": "Kitchen & Cooking"}


def _basket(r: float, height: float, color: str) -> list[Shape]:
    """Return a basket of ribs and hoops inside a bowl of radius r, from z = 8 mm up."""
    ribs = [
        box((0.003, 0.008, height - 0.03), color).on(0.9 * r, 0, 0.012).turned("z", 15 * k)
        for k in range(24)
    ]
    hoops = [
        torus((0.9 * r, 0.003), color).at(0, 0, 0.012 + (height - 0.03) * t)
        for t in (0.0, 0.5, 1.0)
    ]
    return [cylinder((0.9 * r, 0.004), color).on(0, 0, 0.009), *ribs, *hoops]


def build(draw: Draw) -> Assembly:
    """Build one salad spinner."""
    r = draw.number("radius", 0.12, 0.14)
    height = draw.number("height", 0.13, 0.16)
    color = draw.pick("color", ("green_plastic", "white_plastic", "red_plastic", "blue_plastic"))
    lift = draw.number("lid_lift", 0.1, 0.14)
    assembly = Assembly(
        f"{word(color).capitalize()} salad spinner",
        "salad_spinner",
        "A salad spinner whose crank whirls a basket in a clear bowl.",
    )
    body = assembly.part(
        "bowl", bowl([(0.7 * r, 0), (0.95 * r, 0.02), (r, height)], "clear_plastic")
    )
    basket = assembly.part(
        "basket", *(s.at(0, 0, 0.012) for s in _basket(0.94 * r, height - 0.014, color))
    )
    assembly.spin(body, basket, origin=(0, 0, 0.009), axis="z")
    z = height + 0.001
    cover = lathe([(r + 0.004, 0), (r + 0.004, 0.008), (0.8 * r, 0.022), (0, 0.026)], color).at(
        0, 0, z
    )
    lid = assembly.part("lid", cover)
    assembly.slide(body, lid, axis="z", lower=0, upper=lift)
    top = z + 0.027
    arm = plate((0.75 * r, 0.028, 0.008), "white_plastic", radius=0.012).on(0.28 * r, 0, top)
    crank = assembly.part("crank", arm)
    assembly.spin(lid, crank, origin=(0, 0, top), axis="z")
    x = 0.55 * r
    grip = assembly.part(
        "grip",
        cylinder((0.007, 0.02), color).on(x, 0, top + 0.0085),
        sphere(0.014, color).at(x, 0, top + 0.038),
        label="crank_grip",
    )
    assembly.spin(crank, grip, origin=(x, 0, top), axis="z")
    cap = cylinder((0.014, 0.012), "gray_plastic").on(-0.8 * r, 0, z + 0.022)
    add_button(assembly, lid, "brake_button", cap, axis="-z", travel=0.004)
    return assembly
