# SPDX-License-Identifier: Apache-2.0
"""A kettle on a power base or a teapot: turned body, spout, handle, lid.

Electric kettles: 0.14-0.17 m across, 0.2-0.24 m tall, hinged lid opening by 70-85 degrees, switch
of 12 degrees, body that swivels without end on its base. Teapots: 0.13-0.18 m across, 0.1-0.14 m
tall, lid that lifts off by 60-90 mm and turns.
"""

import math

from pipeline.generate.fittings import bowl
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
    tube,
    word,
)

CATEGORIES = {"electric_kettle": "Kitchen & Cooking", "teapot": "Kitchen & Cooking"}


def _spout(
    start: tuple[float, float], end: tuple[float, float], radii: tuple[float, float], skin: str
) -> Shape:
    """Return a tapering spout between two (x, z) points."""
    slope = math.atan2(end[1] - start[1], end[0] - start[0])
    rings = []
    for (x, z), r in zip((start, end), radii, strict=True):
        around = [2 * math.pi * k / 16 for k in range(16)]
        rings.append(
            [
                (
                    x - r * math.cos(a) * math.sin(slope),
                    r * math.sin(a),
                    z + r * math.cos(a) * math.cos(slope),
                )
                for a in around
            ]
        )
    return loft(rings, skin)


def _electric(draw: Draw, assembly: Assembly, skin: str, trim: str) -> None:
    """Add a kettle that swivels on its base, with a hinged lid and a switch."""
    r = draw.number("radius", 0.07, 0.085)
    height = draw.number("height", 0.19, 0.23)
    base = assembly.part(
        "power_base",
        lathe([(r + 0.008, 0), (r + 0.008, 0.012), (r, 0.02)], trim),
        box((0.03, 0.02, 0.012), trim).on(-r - 0.012, 0, 0),
    )
    low = 0.021
    shell = bowl([(r, 0), (r, 0.03), (0.72 * r, height)], skin).at(0, 0, low)
    band = tube((r + 0.002, r - 0.001, 0.02), trim).on(0, 0, low)
    top = low + height
    path = [
        (-0.74 * r, 0, height - 0.012),
        (-r - 0.055, 0, height - 0.012),
        (-r - 0.055, 0, 0.05),
        (-r + 0.004, 0, 0.03),
    ]
    grip = sweep(rounded_path(path, radius=0.03), trim, radius=0.011).at(0, 0, low)
    nose = _spout((0.7 * r, top - 0.05), (0.72 * r + 0.035, top - 0.012), (0.02, 0.012), skin)
    body = assembly.part("body", shell, band, grip, nose, label="kettle_body")
    assembly.spin(base, body, origin=(0, 0, low), axis="z")
    disk = cylinder((0.72 * r, 0.008), trim).on(0, 0, top + 0.0006)
    knob = sphere(0.011, trim).at(0.5 * r, 0, top + 0.015)
    lid = assembly.part("lid", disk, knob)
    opening = draw.number("lid_opening_deg", 70, 85, digits=1)
    assembly.hinge(body, lid, origin=(-0.72 * r, 0, top + 0.001), axis="-y", lower=0, upper=opening)
    at = (-r - 0.062, 0, low + 0.042)
    switch = assembly.part(
        "switch", box((0.03, 0.016, 0.008), "red_plastic").at(at[0] - 0.014, 0, at[2])
    )
    assembly.hinge(body, switch, origin=at, axis="-y", lower=0, upper=12)


def _teapot(draw: Draw, assembly: Assembly, skin: str, trim: str) -> None:
    """Add a pot-bellied teapot with a loose lid."""
    r = draw.number("radius", 0.065, 0.09)
    height = draw.number("height", 0.09, 0.13)
    belly = [
        (0.55 * r, 0),
        (0.8 * r, 0.06 * height),
        (r, 0.4 * height),
        (0.93 * r, 0.65 * height),
        (0.5 * r, 0.97 * height),
        (0.45 * r, height),
    ]
    nose = _spout((0.85 * r, 0.35 * height), (1.75 * r, 0.95 * height), (0.24 * r, 0.1 * r), skin)
    path = [
        (-0.8 * r, 0, 0.8 * height),
        (-1.7 * r, 0, 0.85 * height),
        (-1.6 * r, 0, 0.2 * height),
        (-0.9 * r, 0, 0.25 * height),
    ]
    grip = sweep(rounded_path(path, radius=0.4 * r), skin, radius=0.08 * r)
    body = assembly.part("body", bowl(belly, skin, wall=0.004), nose, grip, label="teapot_body")
    dome = lathe(
        [(0.5 * r, 0), (0.5 * r, 0.003), (0.3 * r, 0.1 * height), (0.1 * r, 0.14 * height)], skin
    )
    knob = sphere(0.12 * r, trim).at(0, 0, 0.14 * height + 0.09 * r)
    lid = assembly.part("lid", *(s.at(0, 0, height + 0.0006) for s in (dome, knob)))
    assembly.slide(body, lid, axis="z", lower=0, upper=draw.number("lid_lift", 0.06, 0.09))


def build(draw: Draw) -> Assembly:
    """Build one kettle or teapot, spout to the front."""
    category = draw.take("category", CATEGORIES)
    hot = category == "electric_kettle"
    skins = (
        ("steel", "white_plastic", "black_plastic", "red_paint")
        if hot
        else ("ceramic", "copper", "sky_paint", "cast_iron", "cream_paint")
    )
    skin = draw.pick("skin_material", skins)
    trim = draw.pick(
        "trim_material", ("black_plastic", "gray_plastic") if hot else ("brass", "oak")
    )
    noun = category.replace("_", " ")
    drawn = "swivels on its power base and has a hinged lid" if hot else "has a lid that lifts off"
    assembly = Assembly(f"{word(skin).capitalize()} {noun}", category, f"A {noun} that {drawn}.")
    (_electric if hot else _teapot)(draw, assembly, skin, trim)
    return assembly
