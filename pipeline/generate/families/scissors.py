# SPDX-License-Identifier: Apache-2.0
"""A pair of scissors lying flat: two crossing halves on a rivet, closed at rest.

Sizes after household and office scissors: 0.13-0.26 m long, blades half of that, steel 1.5-2.5 mm
thick, finger loops 40-60 mm; they open by 40-70 degrees.
"""

import numpy as np

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    circle,
    cylinder,
    extrude,
    rounded_path,
    sweep,
)

CATEGORIES = {"scissors": "Tools"}


def _half(length: float, thick: float, loop: tuple[float, float], color: str) -> list[Shape]:
    """Return the half whose blade cuts on its lower (-y) edge and whose loop is at -y."""
    blade = length * 0.52
    wide = length * 0.055
    outline = [(-wide, -wide * 0.6), (blade, -wide * 0.1), (blade * 0.96, wide * 0.25)]
    outline += [(blade * 0.5, wide * 0.7), (0, wide * 0.9), (-wide, wide * 0.6)]
    steel = extrude(outline, "steel", height=thick)
    rx, ry = loop
    center = (-length * 0.48 + rx, -ry - 0.004)
    ring = np.column_stack((circle(1.0, segments=28) * loop + center, np.zeros(28)))
    bow = sweep(ring, color, section=circle(0.0042, segments=8), closed=True)
    shank = [(-wide * 0.7, -wide * 0.2, 0), (-length * 0.16, -wide * 0.5, 0)]
    shank.append((center[0] + rx * 0.8, center[1] + ry * 0.45, 0))
    flat = circle(0.0035, segments=8) * (1.3, min(1.0, thick / 0.0036))
    neck = sweep(rounded_path(shank, radius=0.02), color, section=flat)
    return [steel, bow.scaled(1, 1, 0.9), neck]


def build(draw: Draw) -> Assembly:
    """Build one pair of scissors."""
    length = draw.number("length", 0.13, 0.26)
    thick = draw.number("blade_thickness", 0.0015, 0.0025)
    loop = (draw.number("loop_length", 0.020, 0.030), draw.number("loop_width", 0.013, 0.017))
    wider = draw.number("second_loop_scale", 1.0, 1.3)
    color = draw.pick(
        "handle_material", ("red_plastic", "black_plastic", "blue_plastic", "orange_paint", "steel")
    )
    opening = draw.number("opening_deg", 40, 70, digits=1)
    assembly = Assembly(
        f"{length * 100:.0f} cm scissors with {color.replace('_', ' ')} handles",
        "scissors",
        "A pair of scissors whose two halves turn about a rivet.",
    )
    z = max(thick / 2 + 0.0038, thick + 0.0006)
    lower = [s.mirrored("y").at(0, 0, z - thick / 2) for s in _half(length, thick, loop, color)]
    rivet = cylinder((0.004, 0.0006), "dark_steel", segments=16)
    first = assembly.part(
        "half_1", *lower, rivet.on(0, 0, z - thick - 0.0006), label="scissor_half"
    )
    second_loop = (loop[0] * wider, loop[1])
    upper = [s.at(0, 0, z + thick / 2) for s in _half(length, thick, second_loop, color)]
    second = assembly.part("half_2", *upper, rivet.on(0, 0, z + thick), label="scissor_half")
    assembly.hinge(first, second, origin=(0, 0, z), axis="z", lower=0, upper=opening)
    return assembly
