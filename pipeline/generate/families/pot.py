# SPDX-License-Identifier: Apache-2.0
"""A cooking pot with a lid: a plain one that lifts, or a pressure cooker whose lid locks by a turn.

Pots: 0.16-0.28 m across, 0.08-0.2 m tall, two side handles, lid lifting by 0.08-0.15 m. Pressure
cookers: 0.2-0.24 m across, long handles, lid turning by 30-40 degrees, weight that lifts by 12 mm,
pressure knob of 180 degrees. Rice cookers: 0.22-0.28 m across, hinged lid of 80-95 degrees, lever.
"""

import math

from pipeline.generate.fittings import add_button, bar_pull, bowl
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    lathe,
    plate,
    rounded_path,
    sphere,
    sweep,
    torus,
    tube,
    word,
)

CATEGORIES = {
    "kitchen_pot": "Kitchen & Cooking",
    "pressure_cooker": "Kitchen & Cooking",
    "rice_cooker": "Kitchen & Cooking",
}
SKINS = {
    "kitchen_pot": ("steel", "red_paint", "copper", "cast_iron", "blue_paint"),
    "pressure_cooker": ("steel", "aluminum"),
    "rice_cooker": ("white_plastic", "red_plastic", "black_plastic", "steel"),
}


def _dome(radius: float, skin: str, rise: float) -> Shape:
    """Return a shallow lid on z = 0."""
    steps = [(radius * math.cos(a), 0.004 + rise * math.sin(a)) for a in (0.0, 0.4, 0.8, 1.2)]
    return lathe([(radius, 0), *steps, (0.0, 0.004 + rise)], skin)


def _kitchen_pot(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a pot with two ears and a lid that lifts."""
    r = draw.number("radius", 0.08, 0.14)
    height = draw.number("height", 0.08, 0.2)
    loop = bar_pull(0.09, skin, reach=0.035, radius=0.006)
    ears = [loop.at(r - 0.002, 0, 0.75 * height).turned("z", 90 * s) for s in (-1, 1)]
    body = assembly.part(
        "pot",
        bowl([(0.94 * r, 0), (r, 0.01), (r, height)], skin),
        torus((r, 0.004), skin).at(0, 0, height - 0.004),
        *ears,
    )
    knob = draw.pick("knob_material", ("black_plastic", "brass", "oak"))
    top = lathe([(0.008, 0), (0.008, 0.012), (0.022, 0.02), (0.02, 0.03)], knob).at(
        0, 0, 0.3 * r * 0.6
    )
    lid = assembly.part(
        "lid", *(s.at(0, 0, height + 0.001) for s in (_dome(r + 0.004, skin, 0.18 * r), top))
    )
    assembly.slide(body, lid, axis="z", lower=0, upper=draw.number("lid_lift", 0.08, 0.15))


def _pressure_cooker(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a pot and a lid with stacked long handles, a weight and a pressure knob."""
    r = draw.number("radius", 0.1, 0.12)
    height = draw.number("height", 0.12, 0.16)
    grip = box((0.18, 0.03, 0.018), "black_plastic").at(r + 0.095, 0, 0)
    small = (
        bar_pull(0.06, "black_plastic", reach=0.03, radius=0.007)
        .at(r - 0.002, 0, 0)
        .turned("z", 180)
    )
    body = assembly.part(
        "pot",
        bowl([(0.95 * r, 0), (r, 0.012), (r, height)], skin),
        tube((r + 0.006, r - 0.001, 0.008), skin).on(0, 0, height - 0.008),
        grip.at(0, 0, height - 0.018),
        small.at(0, 0, height - 0.03),
    )
    z = height + 0.001
    cap = box((0.18, 0.03, 0.018), "black_plastic").at(r + 0.095, 0, 0.012)
    arm = box((0.05, 0.026, 0.008), skin).at(r - 0.008, 0, 0.009)
    lid = assembly.part(
        "lid", *(s.at(0, 0, z) for s in (_dome(r + 0.006, skin, 0.12 * r), cap, arm))
    )
    turn = draw.number("lock_deg", 30, 40, digits=1)
    assembly.hinge(body, lid, origin=(0, 0, z), axis="z", lower=0, upper=turn)
    top = z + 0.004 + 0.12 * r
    weight = assembly.part(
        "weight", cylinder((0.014, 0.022), "dark_steel").on(0, 0, top), label="pressure_weight"
    )
    assembly.slide(lid, weight, axis="z", lower=0, upper=0.012)
    at = (-0.5 * r, 0, z + 0.0045 + 0.107 * r)
    valve = assembly.part(
        "valve",
        cylinder((0.011, 0.018), "red_plastic", segments=16).on(*at),
        box((0.004, 0.03, 0.006), "red_plastic").on(at[0], 0, at[2] + 0.018),
    )
    assembly.hinge(lid, valve, origin=at, axis="z", lower=0, upper=180)


def _rice_cooker(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a rounded cooker with a hinged lid, a carrying bow and a lever."""
    r = draw.number("radius", 0.11, 0.14)
    height = draw.number("height", 0.15, 0.19)
    shell = bowl(
        [(0.7 * r, 0.008), (0.92 * r, 0.03), (r, 0.5 * height), (0.97 * r, height)],
        skin,
        wall=0.012,
    )
    panel = (
        plate((0.05, 0.07, 0.012), "gray_plastic", radius=0.01).along("x").at(0.97 * r, 0, 0.055)
    )
    body = assembly.part(
        "body",
        shell,
        panel,
        cylinder((0.72 * r, 0.012), "black_plastic").on(0, 0, 0),
        box((0.03, 0.06, 0.03), skin).at(-r - 0.004, 0, height - 0.016),
    )
    z = height + 0.001
    lid = assembly.part(
        "lid",
        _dome(0.98 * r, skin, 0.3 * r).at(0, 0, z),
        sphere(0.01, "gray_plastic").at(0.3 * r, 0, z + 0.3 * r),
        box((0.03, 0.05, 0.012), skin).on(-r - 0.004, 0, z),
    )
    opening = draw.number("lid_opening_deg", 80, 95, digits=1)
    assembly.hinge(body, lid, origin=(-r - 0.019, 0, z), axis="-y", lower=0, upper=opening)
    bow = [
        (0, -r - 0.008, 0),
        (r + 0.03, -r - 0.008, 0),
        (r + 0.03, r + 0.008, 0),
        (0, r + 0.008, 0),
    ]
    bail = assembly.part(
        "bail",
        sweep(rounded_path(bow, radius=0.03), "gray_plastic", radius=0.006)
        .turned("y", 15)
        .at(0, 0, height - 0.035),
        label="bail_handle",
    )
    assembly.hinge(body, bail, origin=(0, 0, height - 0.035), axis="-y", lower=0, upper=75)
    key = box((0.016, 0.02, 0.01), "black_plastic").at(0.97 * r + 0.0145, 0, 0.06)
    add_button(assembly, body, "lever", key, axis="-z", travel=0.015, label="cook_lever")


def build(draw: Draw) -> Assembly:
    """Build one pot, pressure cooker or rice cooker."""
    category = draw.take("category", CATEGORIES)
    skin = draw.pick("skin_material", SKINS[category])
    noun = category.replace("_", " ")
    phrase = {
        "kitchen_pot": "lifts off",
        "pressure_cooker": "locks by a turn",
        "rice_cooker": "opens on a hinge",
    }
    assembly = Assembly(
        f"{word(skin).capitalize()} {noun}", category, f"A {noun} whose lid {phrase[category]}."
    )
    add = {
        "kitchen_pot": _kitchen_pot,
        "pressure_cooker": _pressure_cooker,
        "rice_cooker": _rice_cooker,
    }
    add[category](draw, assembly, skin)
    return assembly
