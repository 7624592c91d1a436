# SPDX-License-Identifier: Apache-2.0
"""A fidget spinner: finger caps on an axle, a spinning lobed body with spinning bearings.

Sizes after the toy: 60-80 mm across, 2-5 lobes, bearings 22 mm across, 7 mm thick.
"""

import math

import numpy as np

from aa_dataset.portable import cos, power, sin
from pipeline.generate.vocabulary import Assembly, Draw, circle, cylinder, extrude, lathe, tube

CATEGORIES = {"fidget_toy": "Recreation"}


def _add_caps(assembly: Assembly, *, color: str, z: float, metal: str) -> str:
    """Add the caps."""
    cap = lathe([(0.0095, 0), (0.0105, 0.001), (0.0105, 0.0022), (0.006, 0.0024)], color)
    return assembly.part(
        "caps",
        cap.on(0, 0, 0),
        cap.turned("x", 180).on(0, 0, 2 * z - 0.0024),
        cylinder((0.004, 2 * z - 0.004), metal, segments=16).on(0, 0, 0.002),
        label="finger_cap",
    )


def build(draw: Draw) -> Assembly:
    """Build one fidget spinner lying on its finger cap."""
    lobes = draw.count("lobes", 2, 5)
    reach = draw.number("reach", 0.024, 0.03) + 0.003 * max(lobes - 3, 0)
    thick = draw.number("thickness", 0.006, 0.008)
    color = draw.pick(
        "body_material",
        ("red_plastic", "blue_plastic", "yellow_plastic", "black_plastic", "green_plastic"),
    )
    metal = draw.pick("bearing_material", ("steel", "brass", "chrome"))
    assembly = Assembly(
        f"{lobes}-lobed {color.split('_')[0]} fidget spinner",
        "fidget_toy",
        f"A fidget spinner with {lobes} weighted lobes around a finger bearing.",
    )
    z = 0.0025 + 0.0035
    caps = _add_caps(assembly, color=color, z=z, metal=metal)
    bore, lobe = 0.0112, 0.0165
    angles = np.linspace(0, 2 * math.pi, 24 * lobes, endpoint=False)
    # The outline is the union of the hub and lobe disks, joined by a soft waist.
    waist = 0.015
    wave = (1 + cos(lobes * angles)) / 2
    radii = waist + (reach + lobe - waist) * power(wave, 0.75 if lobes > 3 else 1.1)
    outline = np.column_stack((cos(angles), sin(angles))) * radii[:, None]
    small = 0.0075 if lobes < 5 else 0.006
    centers = [
        (reach * math.cos(a), reach * math.sin(a))
        for a in (2 * math.pi * k / lobes for k in range(lobes))
    ]
    holes = [circle(bore), *(circle(small + 0.0002, center=c) for c in centers)]
    frame = extrude(outline, color, height=thick, holes=holes).at(0, 0, z)
    race = tube((bore - 0.0001, 0.0042, thick * 0.9), metal).at(0, 0, z)
    body = assembly.part("body", frame, race, label="spinner_body")
    assembly.spin(caps, body, origin=(0, 0, z), axis="z")
    for k, (x, y) in enumerate(centers):
        ring = tube((small, 0.5 * small, thick * 0.9), metal, segments=20).at(x, y, z)
        dot = cylinder((0.4 * small, thick), "black_plastic", segments=12).at(x, y, z)
        spoke = tube(
            (0.5 * small + 0.0002, 0.4 * small - 0.0002, thick * 0.5), metal, segments=20
        ).at(x, y, z)
        bearing = assembly.part(f"bearing_{k + 1}", ring, dot, spoke)
        assembly.spin(body, bearing, origin=(x, y, z), axis="z")
    return assembly
