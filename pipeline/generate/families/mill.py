# SPDX-License-Identifier: Apache-2.0
"""A hand mill: turned pepper mill whose head spins, or box coffee grinder with crank and drawer.

Pepper mills: 50-65 mm across, 0.15-0.3 m tall, nut on a thread of 0.7-1 mm per turn. Coffee
grinders: box 0.11-0.14 m wide, 0.18-0.24 m tall with dome and crank of 0.1-0.13 m; drawer slides
by 60-80 mm. Head and crank turn without end.
"""

import math

from pipeline.generate.fittings import carcass, drawer_box, knob
from pipeline.generate.vocabulary import (
    WOODS,
    Assembly,
    Draw,
    box,
    cylinder,
    lathe,
    rounded_path,
    sphere,
    sweep,
    tube,
    word,
)

CATEGORIES = {"pepper_mill": "Kitchen & Cooking", "coffee_grinder": "Kitchen & Cooking"}


def _pepper_mill(draw: Draw, assembly: Assembly, wood: str) -> None:
    """Add a turned body, a head that turns on it and a nut on top."""
    r = draw.number("radius", 0.025, 0.033)
    height = draw.number("height", 0.14, 0.28)
    waist = draw.number("waist", 0.55, 0.75)
    body_tall = 0.72 * height
    steps = [k / 8 for k in range(9)]
    side = [
        (r * (1 - (1 - waist) * math.sin(math.pi * t) ** 2), 0.02 + (body_tall - 0.03) * t)
        for t in steps
    ]
    shell = lathe([(r, 0), *side, (0.8 * r, body_tall)], wood)
    body = assembly.part(
        "body", shell, tube((r + 0.001, r - 0.001, 0.006), "steel").on(0, 0, 0.008)
    )
    z = body_tall + 0.0006
    tall = height - body_tall
    cap = [(0.8 * r, 0), (0.95 * r, 0.15 * tall), (0.9 * r, 0.3 * tall), (0.6 * r, 0.42 * tall)]
    crown = [(0.85 * r, 0.6 * tall), (0.8 * r, 0.8 * tall), (0.4 * r, tall)]
    head = assembly.part(
        "head",
        lathe([*cap, *crown], wood).at(0, 0, z),
        cylinder((0.003, 0.012), "steel", segments=10).on(0, 0, z + tall),
        label="mill_head",
    )
    assembly.spin(body, head, origin=(0, 0, z), axis="z")
    top = z + tall + 0.001
    nut = assembly.part("nut", tube((0.007, 0.0033, 0.01), "chrome", segments=8).on(0, 0, top))
    lead = draw.number("travel_per_turn", 0.0007, 0.001)
    assembly.screw(head, nut, origin=(0, 0, top), axis="z", turns=(0, 12), travel_per_turn=lead)


def _coffee_grinder(draw: Draw, assembly: Assembly, wood: str) -> None:
    """Add a box with a drawer, a dome and a crank."""
    side = draw.number("width", 0.11, 0.14)
    height = draw.number("box_height", 0.11, 0.14)
    reach = draw.number("crank", 0.1, 0.13)
    metal = draw.pick("metal", ("brass", "cast_iron", "copper"))
    cell = (0.0, 0.035, side - 0.03, 0.044)
    dome = lathe(
        [(0.42 * side, 0), (0.38 * side, 0.025), (0.2 * side, 0.05), (0.012, 0.056)], metal
    )
    plinth = box((side + 0.02, side + 0.02, 0.01), wood)
    body = assembly.part(
        "body",
        *(s.at(0, 0, 0.01) for s in carcass((side, side, height), wood, openings=[cell])),
        plinth.on(0, 0, 0),
        plinth.on(0, 0, height + 0.01),
        dome.at(0, 0, height + 0.02),
    )
    front = side / 2 + 0.001
    drawer = assembly.part(
        "drawer",
        drawer_box((side - 0.02, side - 0.034, 0.036), "pine", wall=0.005).on(front, 0, 0.025),
        box((0.008, side - 0.024, 0.05), wood).at(front + 0.004, 0, 0.045),
        knob(0.008, metal).at(front + 0.008, 0, 0.045),
    )
    assembly.slide(body, drawer, axis="x", lower=0, upper=draw.number("drawer_travel", 0.06, 0.08))
    z = height + 0.077
    arm = [(0, 0, 0), (0, 0, 0.03), (reach, 0, 0.045)]
    crank = assembly.part(
        "crank", sweep(rounded_path(arm, radius=0.02), "dark_steel", radius=0.005).at(0, 0, z)
    )
    assembly.spin(body, crank, origin=(0, 0, z), axis="z")
    grip = assembly.part(
        "grip",
        tube((0.006, 0.0032, 0.006), wood).on(reach, 0, z + 0.052),
        sphere(0.016, wood).at(reach, 0, z + 0.073),
        label="crank_grip",
    )
    assembly.spin(crank, grip, origin=(reach, 0, z + 0.052), axis="z")


def build(draw: Draw) -> Assembly:
    """Build one pepper mill or coffee grinder."""
    category = draw.take("category", CATEGORIES)
    wood = draw.pick("wood", WOODS)
    noun = category.replace("_", " ")
    phrase = "head turns on its body" if noun == "pepper mill" else "crank grinds into a drawer"
    assembly = Assembly(f"{word(wood).capitalize()} {noun}", category, f"A {noun} whose {phrase}.")
    (_pepper_mill if noun == "pepper mill" else _coffee_grinder)(draw, assembly, wood)
    return assembly
