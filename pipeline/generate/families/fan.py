# SPDX-License-Identifier: Apache-2.0
"""A desk or pedestal fan: oscillating head that tilts, spinning rotor in a wire cage.

Sizes after household fans: rotor 0.22-0.42 m across, desk fans 0.35-0.55 m tall, pedestal fans
1.0-1.3 m; the head swings by +-40 degrees and tilts by -10 to 25 degrees.
"""

import numpy as np

from aa_dataset.portable import cos, sin
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    lathe,
    loft,
    rounded_path,
    sphere,
    sweep,
    torus,
)

CATEGORIES = {"fan": "Home Appliances"}


def _blade(radius: float, material: str) -> Shape:
    """Return one twisted blade from the hub outward along y, in the plane x = 0."""
    rings = []
    for t in np.linspace(0, 1, 7):
        y = 0.03 + (radius - 0.03) * t
        half = radius * (0.16 + 0.22 * sin(np.pi * (0.15 + 0.7 * t)))
        angle = np.radians(38 - 16 * t)
        along = np.array((sin(angle), 0.0, cos(angle)))
        across = np.array((cos(angle), 0.0, -sin(angle)))
        corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        rings.append([(0, y, 0) + a * half * along + b * 0.0012 * across for a, b in corners])
    return loft(rings, material)


def _cage(radius: float, depth: float, material: str) -> list[Shape]:
    """Return rings and bowed wires in front and behind, axis x, centered on the origin."""
    rings = [torus((radius, 0.004), material).along("x")]
    rings += [torus((0.3 * radius, 0.002), material).along("x").at(s * depth) for s in (-1, 1)]
    wires = []
    for k in range(20):
        for s in (-1, 1):
            bow = [(s * depth, 0.12 * radius, 0), (s * depth, 0.8 * radius, 0), (0, radius, 0)]
            path = rounded_path(bow, radius=0.4 * radius, steps=3)
            wire = sweep(path, material, section=0.0012 * np.array([(-1, -1), (1, -1), (0, 1)]))
            wires.append(wire.turned("x", 360 * k / 20))
    badge = cylinder((0.16 * radius, 0.004), material).along("x").at(depth)
    return [*rings, *wires, badge]


def _add_collar_and_head(
    assembly: Assembly, *, skin: str, neck: float, base: str, radius: float, blades: int, color: str
) -> None:
    """Add the collar, head and rotor."""
    collar = assembly.part(
        "collar",
        cylinder((0.024, 0.04), skin).on(0, 0, neck),
        *(box((0.03, 0.008, 0.05), skin).on(0, s * 0.03, neck + 0.03) for s in (-1, 1)),
        box((0.03, 0.068, 0.01), skin).on(0, 0, neck + 0.03),
    )
    assembly.hinge(base, collar, origin=(0, 0, neck), axis="z", lower=-40, upper=40)
    pivot = neck + 0.068
    hub = 0.115
    head = assembly.part(
        "head",
        sphere(0.025, skin).at(0, 0, pivot),
        cylinder((0.022, 0.03), skin).at(0, 0, pivot + 0.03),
        lathe([(0.03, -0.06), (0.045, -0.045), (0.045, 0.03), (0.03, 0.05)], skin)
        .along("x")
        .at(0, 0, pivot + 0.075),
        *(s.at(hub, 0, pivot + 0.075) for s in _cage(radius + 0.015, 0.055, "chrome")),
        label="motor_head",
    )
    assembly.hinge(collar, head, origin=(0, 0, pivot), axis="y", lower=-10, upper=25)
    rotor = assembly.part(
        "rotor",
        *(
            _blade(radius, color).turned("x", 360 * k / blades).at(hub, 0, pivot + 0.075)
            for k in range(blades)
        ),
        lathe([(0.035, -0.03), (0.035, 0.01), (0.02, 0.028), (0, 0.032)], color)
        .along("x")
        .at(hub, 0, pivot + 0.075),
    )
    assembly.spin(head, rotor, origin=(hub, 0, pivot + 0.075), axis="x")


def build(draw: Draw) -> Assembly:
    """Build one fan."""
    kind = draw.pick("kind", ("desk", "pedestal"))
    radius = draw.number("rotor_radius", 0.11, 0.16 if kind == "desk" else 0.21)
    height = draw.number("height", 0.35, 0.5) if kind == "desk" else draw.number("height", 1.0, 1.3)
    blades = draw.count("blades", 3, 5)
    skin = draw.pick("body_material", ("white_plastic", "black_plastic", "mint_paint", "steel"))
    color = draw.pick("blade_material", ("blue_plastic", "clear_plastic", "gray_plastic", "steel"))
    assembly = Assembly(
        f"{kind.capitalize()} fan with {blades} blades",
        "fan",
        f"A {kind} fan whose {blades}-bladed rotor spins in a cage on a swinging, tilting head.",
    )
    foot = radius * (0.95 if kind == "desk" else 1.0)
    neck = height - radius - 0.05
    # The post stands behind the cage, so that the head may tilt and swing freely.
    stand = [
        lathe([(foot, 0), (foot, 0.015), (0.5 * foot, 0.035), (0.03, 0.045)], skin),
        cylinder((0.016, neck - 0.04), skin).on(0, 0, 0.03),
    ]
    base = assembly.part("stand", *stand)
    _add_collar_and_head(
        assembly, skin=skin, neck=neck, base=base, radius=radius, blades=blades, color=color
    )
    return assembly
