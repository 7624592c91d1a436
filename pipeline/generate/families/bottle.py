# SPDX-License-Identifier: Apache-2.0
"""A bottle or a jar with a screw cap: a turned hollow vessel and a cap on a coarse thread.

Bottles after beverage glass: 60-90 mm across, 0.18-0.32 m tall, neck 26-38 mm, thread 3.2-4.5 mm
per turn. Jars after preserving jars: 70-110 mm across, 0.09-0.16 m tall, wide mouth, thread
4-6 mm per turn.
"""

import math

from pipeline.generate.vocabulary import LABELS, Assembly, Draw, Shape, box, lathe, tube

CATEGORIES = {"bottle": "Containers", "jar": "Containers"}

VESSELS = ("glass", "green_glass", "amber_glass", "clear_plastic", "ceramic")
CAPS = ("red_plastic", "black_plastic", "white_plastic", "blue_plastic", "brass", "aluminum")
WALL = 0.003


def _vessel(radius: float, neck: float, body: float, height: float) -> list[tuple[float, float]]:
    """Return the profile of a hollow vessel, up outside and down inside."""
    shoulder = body + 0.75 * (radius - neck)
    rise = [
        (neck + (radius - neck) * (1 + math.cos(math.pi * t)) / 2, body + (shoulder - body) * t)
        for t in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    outside = [(radius * 0.9, 0.0), (radius, 0.006), *rise, (neck, height)]
    inside = [(r - WALL, z) for r, z in [(neck, height), *rise[::-1]]]
    return [*outside, *inside, (radius - WALL, 0.010), (0.0, 0.006)]


def _cap(neck: float, top: float, height: float, material: str) -> list[Shape]:
    """Return a cap with ribs over a neck that ends at height `top`."""
    outer = neck + 0.005
    profile = [(neck + 0.0012, top - height), (outer, top - height), (outer, top + 0.002)]
    profile += [(outer - 0.0015, top + 0.0035), (0.0, top + 0.0035), (0.0, top + 0.0005)]
    shell = lathe(
        [*profile[:-1], (0.0, top + 0.0005), (neck + 0.0012, top + 0.0005)], material, ring=True
    )
    ribs = [
        box((0.002, 0.0015, height * 0.8), material)
        .at(outer, 0, top - height * 0.5)
        .turned("z", 360 * k / 24)
        for k in range(24)
    ]
    return [shell, *ribs]


def build(draw: Draw) -> Assembly:
    """Build one bottle or jar."""
    kind = draw.take("category", CATEGORIES)
    if kind == "bottle":
        radius = draw.number("radius", 0.030, 0.045)
        height = draw.number("height", 0.18, 0.32)
        neck = draw.number("neck_radius", 0.013, 0.019)
        body = height - draw.number("neck_height", 0.05, 0.09)
        lead = draw.number("travel_per_turn", 0.0032, 0.0045)
        cap_height = 0.018
    else:
        radius = draw.number("radius", 0.035, 0.055)
        height = draw.number("height", 0.09, 0.16)
        neck = radius - draw.number("neck_inset", 0.004, 0.008)
        body = height - 0.026
        lead = draw.number("travel_per_turn", 0.004, 0.006)
        cap_height = 0.016
    vessel = draw.pick("body_material", VESSELS)
    cap = draw.pick("cap_material", CAPS)
    assembly = Assembly(
        f"{vessel.replace('_', ' ').capitalize()} {kind} with {cap.replace('_', ' ')} screw cap",
        kind,
        f"A {kind} whose cap unscrews along the axis of the neck.",
    )
    shapes = [lathe(_vessel(radius, neck, body, height), vessel)]
    if draw.chance("label", 0.7):
        size = (radius + 0.0006, radius + 0.0001, (body - 0.01) * 0.5)
        shapes.append(tube(size, draw.pick("print", LABELS)).at(0, 0, body * 0.48))
    shapes.append(
        tube((neck + 0.003, neck - 0.0005, 0.003), vessel).at(0, 0, height - cap_height - 0.004)
    )
    base = assembly.part("body", *shapes, label=f"{kind}_body")
    lid = assembly.part("cap", *_cap(neck, height, cap_height, cap), label="screw_cap")
    turns = round(cap_height * 1.4 / lead, 1)
    assembly.screw(
        base, lid, origin=(0, 0, height), axis="z", turns=(0, turns), travel_per_turn=lead
    )
    return assembly
