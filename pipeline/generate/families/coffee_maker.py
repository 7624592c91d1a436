# SPDX-License-Identifier: Apache-2.0
"""A hand coffee maker: moka pot that screws together, or French press with a plunger.

Moka pots: 0.08-0.11 m across, 0.16-0.24 m tall, eight-sided; the upper pot screws off by 4-5 turns
of 3 mm, its lid opens by 90-110 degrees. French presses: 0.08-0.11 m across, 0.17-0.23 m tall; the
plunger slides down by two thirds.
"""

from pipeline.generate.fittings import bowl
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    lathe,
    rounded_path,
    sphere,
    sweep,
    torus,
    word,
)

CATEGORIES = {"moka_pot": "Kitchen & Cooking", "french_press": "Kitchen & Cooking"}


def _handle(radius: float, low: float, high: float, color: str) -> Shape:
    """Return a loop behind (-x) a body of given radius between two heights."""
    path = [
        (-radius + 0.003, 0, high),
        (-radius - 0.045, 0, high),
        (-radius - 0.045, 0, low),
        (-radius + 0.003, 0, low),
    ]
    return sweep(rounded_path(path, radius=0.02), color, radius=0.007)


def _moka_pot(draw: Draw, assembly: Assembly) -> None:
    """Add a boiler, an upper pot on a thread and its lid."""
    r = draw.number("radius", 0.04, 0.055)
    low = draw.number("boiler_height", 0.06, 0.09)
    high = draw.number("pot_height", 0.08, 0.12)
    metal = draw.pick("material", ("aluminum", "steel", "red_paint", "copper"))
    grip = draw.pick("grip_material", ("black_plastic", "walnut"))
    lead = draw.number("travel_per_turn", 0.0025, 0.0035)
    boiler = lathe(
        [(r, 0), (0.72 * r, low), (0.68 * r, low + 0.001), (0.68 * r, low + 0.012)],
        metal,
        segments=8,
    )
    valve = cylinder((0.006, 0.012), "brass", segments=12).along("y").at(0, 0.84 * r, 0.5 * low)
    base = assembly.part("boiler", boiler, valve)
    z = low + 0.013
    pot = bowl([(0.7 * r, 0), (0.75 * r, 0.015), (1.05 * r, high)], metal)
    beak = box((0.03, 0.02, 0.025), metal).turned("y", -30).at(0.98 * r + 0.004, 0, high - 0.016)
    ring = torus((0.71 * r, 0.004), metal).at(0, 0, 0.008)
    shapes = [
        s.at(0, 0, z) for s in (pot, beak, ring, _handle(0.9 * r, 0.2 * high, 0.75 * high, grip))
    ]
    upper = assembly.part("pot", *shapes, label="upper_pot")
    turns = (0, draw.number("turns", 4, 5, digits=1))
    assembly.screw(base, upper, origin=(0, 0, z), axis="z", turns=turns, travel_per_turn=lead)
    top = z + high
    dome = lathe([(1.06 * r, 0), (0.9 * r, 0.012), (0.2 * r, 0.022)], metal, segments=8).at(
        0, 0, top + 0.0006
    )
    lid = assembly.part("lid", dome, sphere(0.009, grip).at(0, 0, top + 0.029))
    opening = draw.number("lid_opening_deg", 90, 110, digits=1)
    assembly.hinge(
        upper, lid, origin=(-1.06 * r, 0, top + 0.0006), axis="-y", lower=0, upper=opening
    )


def _french_press(draw: Draw, assembly: Assembly) -> None:
    """Add a glass beaker in a frame, a lid and a plunger."""
    r = draw.number("radius", 0.04, 0.055)
    height = draw.number("height", 0.14, 0.19)
    metal = draw.pick("frame_material", ("chrome", "brass", "black_paint"))
    grip = draw.pick("grip_material", ("black_plastic", "oak", "walnut"))
    glass = bowl([(r, 0), (r, height)], "glass").at(0, 0, 0.012)
    rings = [torus((r + 0.003, 0.0025), metal).at(0, 0, z) for z in (0.03, 0.012 + 0.8 * height)]
    ribs = [
        box((0.003, 0.008, 0.8 * height), metal).on(r + 0.004, 0, 0.012).turned("z", 90 * k + 45)
        for k in range(4)
    ]
    foot = cylinder((r + 0.004, 0.011), metal).on(0, 0, 0)
    bail = _handle(r + 0.005, 0.04, 0.012 + 0.78 * height, grip)
    body = assembly.part("beaker", glass, *rings, *ribs, foot, bail)
    top = 0.012 + height
    ring = [(0.004, 0), (r + 0.004, 0), (r + 0.004, 0.004), (0.5 * r, 0.014), (0.004, 0.014)]
    lid = assembly.part("lid", lathe(ring, metal, ring=True).at(0, 0, top + 0.0006))
    assembly.weld(body, lid, origin=(0, 0, top))
    travel = round(0.68 * height, 3)
    stem = cylinder((0.003, 0.9 * height), "chrome", segments=12).on(0, 0, top - 0.012)
    knob = sphere(0.013, grip).at(0, 0, top - 0.004 + 0.9 * height)
    sieve = cylinder((r - 0.0045, 0.008), "steel").on(0, 0, top - 0.012)
    plunger = assembly.part("plunger", stem, knob, sieve)
    assembly.slide(lid, plunger, axis="-z", lower=0, upper=travel)


def build(draw: Draw) -> Assembly:
    """Build one moka pot or French press."""
    category = draw.take("category", CATEGORIES)
    moka = category == "moka_pot"
    phrase = (
        "whose upper pot screws off its boiler" if moka else "whose plunger pushes a sieve down"
    )
    noun = "moka pot" if moka else "French press"
    assembly = Assembly("", category, f"A {noun} {phrase}.")
    (_moka_pot if moka else _french_press)(draw, assembly)
    metal = draw.parameters["material" if moka else "frame_material"]
    assembly.name = f"{word(str(metal)).capitalize()} {noun}"
    return assembly
