# SPDX-License-Identifier: Apache-2.0
"""Wind machines: a three-bladed turbine, or an old windmill with four lattice sails.

Turbines: hub 20-40 m high, rotor 16-30 m across, nacelle turning without end, blades pitching by
90 degrees. Windmills: 8-12 m tall, sails 8-12 m across, cap turning by +-180, door of 100.
"""

import numpy as np

from aa_dataset.portable import cos, sin
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cone,
    cylinder,
    lathe,
    loft,
    rounded_box,
    sphere,
    word,
)

CATEGORIES = {"wind_turbine": "Infrastructure", "windmill": "Infrastructure"}


def _blade(length: float, skin: str) -> Shape:
    """Return a blade along +z from the origin, flat in the plane x = 0."""
    rings = []
    for t in np.linspace(0, 1, 8):
        chord = length * (0.05 + 0.07 * sin(np.pi * min(1.0, 0.2 + t * 1.1)) * (1 - 0.75 * t))
        thick = 0.35 * chord * (1 - 0.6 * t)
        a = 2 * np.pi * np.arange(12) / 12
        rings.append([(thick / 2 * cos(x), chord / 2 * sin(x), length * t) for x in a])
    return loft(rings, skin)


def _turbine(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add tower, nacelle, rotor and three blades that pitch."""
    hub = draw.number("hub_height", 20, 40, digits=1)
    reach = draw.number("blade", 8, 15, digits=1)
    size = 0.09 * reach
    tower = assembly.part(
        "tower",
        cone((0.9 * size, 0.5 * size, hub - 0.55 * size), skin).on(0, 0, 0),
        cylinder((1.6 * size, 0.3), "concrete").on(0, 0, 0),
    )
    shell = rounded_box((3.2 * size, size, size), skin, radius=0.3 * size).at(-0.3 * size, 0, hub)
    nacelle = assembly.part(
        "nacelle", shell, cylinder((0.48 * size, 0.12 * size), skin).on(0, 0, hub - 0.54 * size)
    )
    assembly.spin(tower, nacelle, origin=(0, 0, hub - 0.54 * size), axis="z")
    x = 1.35 * size
    nose = lathe(
        [(0.45 * size, 0), (0.45 * size, 0.5 * size), (0.2 * size, 0.9 * size), (0, size)], skin
    ).along("x")
    rotor = assembly.part("hub", nose.at(x, 0, hub), label="rotor_hub")
    assembly.spin(nacelle, rotor, origin=(x, 0, hub), axis="x")
    for k in range(3):
        angle = np.radians(120 * k)
        axis = (0.0, -float(sin(angle)), float(cos(angle)))
        shape = (
            _blade(reach, skin)
            .at(0, 0, 0.44 * size)
            .turned("x", 120 * k)
            .at(x + 0.26 * size, 0, hub)
        )
        blade = assembly.part(f"blade_{k + 1}", shape)
        assembly.hinge(rotor, blade, origin=(x + 0.26 * size, 0, hub), axis=axis, lower=0, upper=90)


def _sail(reach: float) -> list[Shape]:
    """Return a lattice sail along +z in the plane x = 0."""
    spar = box((0.16, 0.16, reach), "oak").on(0, 0, 0.1)
    rungs = [
        box((0.06, 0.9, 0.06), "pine").at(0.05, 0.45, 1.2 + k * (reach - 1.5) / 9)
        for k in range(10)
    ]
    edge = box((0.06, 0.06, reach - 1.4), "pine").on(0.05, 0.9, 1.1)
    cloth = box((0.02, 0.8, reach - 1.6), "canvas").on(0.0, 0.5, 1.2)
    return [spar, *rungs, edge, cloth]


def _windmill(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a round tower, a cap that turns and four sails."""
    tall = draw.number("height", 6, 9, digits=2)
    reach = draw.number("sail", 3.5, 5.5, digits=2)
    r = 0.3 * tall
    body = [
        cone((r, 0.62 * r, tall), skin, segments=16).on(0, 0, 0),
        cylinder((0.75 * r, 0.15), "oak").on(0, 0, tall - 0.15),
    ]
    windows = [box((0.3, 0.5, 0.7), "smoked_glass").on(0.9 * r - 0.2, 0, 0.45 * tall)]
    tower = assembly.part("tower", *body, *windows)
    dome = lathe(
        [(0.68 * r, 0), (0.66 * r, 0.4 * r), (0.35 * r, 0.85 * r), (0.0, r)], "dark_steel"
    ).at(0, 0, tall + 0.01)
    cap = assembly.part("cap", dome)
    assembly.hinge(tower, cap, origin=(0, 0, tall), axis="z", lower=-180, upper=180)
    z, x = tall + 0.35 * r, r + 0.35
    shaft = (
        cylinder((0.12, x - 0.66 * r + 0.1), "oak").along("x").at((x + 0.68 * r) / 2 + 0.05, 0, z)
    )
    sails = [s.turned("x", 90 * k).at(x, 0, z) for k in range(4) for s in _sail(reach)]
    rotor = assembly.part(
        "sails", shaft, *sails, sphere(0.25, "cast_iron").at(x, 0, z), label="rotor"
    )
    assembly.spin(cap, rotor, origin=(x, 0, z), axis="x")
    door = assembly.part("door", box((0.06, 0.8, 1.6), "red_paint").on(r + 0.04, 0, 0.01))
    assembly.hinge(tower, door, origin=(r + 0.04, 0.4, 0.8), axis="z", lower=0, upper=100)


def build(draw: Draw) -> Assembly:
    """Build one wind turbine or windmill, facing the front."""
    category = draw.take("category", CATEGORIES)
    skin = draw.pick(
        "material",
        ("white_paint", "gray_paint")
        if category == "wind_turbine"
        else ("brick", "white_paint", "stone"),
    )
    noun = category.replace("_", " ")
    assembly = Assembly(
        f"{word(skin).capitalize()} {noun}", category, f"A {noun} that turns into the wind."
    )
    (_turbine if category == "wind_turbine" else _windmill)(draw, assembly, skin)
    return assembly
