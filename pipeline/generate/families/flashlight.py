# SPDX-License-Identifier: Apache-2.0
"""Portable lights: a flashlight with a screwed head, or a camping lantern with a bail.

Flashlights: 0.15-0.24 m long, head 40-60 mm across on a thread of 1.5-2 mm per turn, tail cap on
another, switch sliding by 8-12 mm. Lanterns: 0.1-0.13 m across, 0.22-0.28 m tall, bail of +-95
degrees, dial without end, cap on a thread.
"""

from pipeline.generate.fittings import add_dial
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    cylinder,
    lathe,
    rounded_path,
    sweep,
    torus,
    tube,
    word,
)

CATEGORIES = {"flashlight": "Lighting", "lantern": "Lighting"}


def _add_barrel_and_head(
    assembly: Assembly, *, r: float, long: float, skin: str, z: float, head: float, lead: float
) -> str:
    """Add the barrel and head."""
    barrel = cylinder((r, long), skin).along("x").at(0, 0, z)
    knurl = [
        torus((r, 0.001), skin).along("x").at(-0.3 * long + 0.006 * k, 0, z) for k in range(10)
    ]
    body = assembly.part(
        "barrel",
        barrel,
        *knurl,
        cylinder((r - 0.003, 0.02), "aluminum").along("x").at(long / 2 + 0.008, 0, z),
        cylinder((r - 0.003, 0.012), "aluminum").along("x").at(-long / 2 - 0.005, 0, z),
        box((0.03, 0.01, 0.003), "black_plastic").at(0.2 * long, 0, z + r),
        label="flashlight_barrel",
    )
    shell = [
        (r - 0.0026, 0),
        (r + 0.002, 0),
        (r + 0.002, 0.02),
        (head, 0.045),
        (head, 0.06),
        (head - 0.003, 0.06),
        (head - 0.004, 0.045),
        (r - 0.0026, 0.021),
    ]
    front = long / 2 + 0.0006
    lens = lathe([(head - 0.0045, 0.05), (head - 0.0045, 0.054)], "lamp_glow")
    bezel = assembly.part(
        "head",
        *(s.along("x").at(front, 0, z) for s in (lathe(shell, skin, ring=True), lens)),
        label="lamp_head",
    )
    assembly.screw(body, bezel, origin=(front, 0, z), axis="x", turns=(0, 5), travel_per_turn=lead)
    return body


def _flashlight(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a barrel along x, a lens head in front and a tail cap behind."""
    long = draw.number("length", 0.11, 0.16)
    r = draw.number("radius", 0.013, 0.018)
    head = draw.number("head_radius", 0.02, 0.03)
    lead = draw.number("travel_per_turn", 0.0015, 0.002)
    z = head
    body = _add_barrel_and_head(assembly, r=r, long=long, skin=skin, z=z, head=head, lead=lead)
    cup = [
        (r - 0.0026, 0),
        (r, 0),
        (r, 0.014),
        (0.7 * r, 0.018),
        (0.0, 0.018),
        (0.0, 0.013),
        (r - 0.0026, 0.013),
    ]
    cap = assembly.part(
        "tail_cap", lathe(cup, skin, ring=True).along("-x").at(-long / 2 - 0.0006, 0, z)
    )
    assembly.screw(
        body, cap, origin=(-long / 2, 0, z), axis="-x", turns=(0, 5), travel_per_turn=lead
    )
    knob = box((0.01, 0.008, 0.004), "red_plastic").on(0.2 * long - 0.008, 0, z + r + 0.0017)
    switch = assembly.part("switch", knob, label="slide_switch")
    assembly.slide(
        body, switch, axis="x", lower=0, upper=draw.number("switch_travel", 0.008, 0.012)
    )


def _add_bail_and_dial(assembly: Assembly, *, r: float, top: float, body: str) -> None:
    """Add the bail and dial."""
    side, z = 0.88 * r + 0.013, top + 0.01
    bow = [
        (0, -side, 0),
        (0, -side, 0.07),
        (0, -0.02, 0.1),
        (0, 0.02, 0.1),
        (0, side, 0.07),
        (0, side, 0),
    ]
    bail = assembly.part(
        "bail",
        sweep(rounded_path(bow, radius=0.03), "steel", radius=0.0025).at(0, 0, z),
        label="bail_handle",
    )
    assembly.hinge(body, bail, origin=(0, 0, z), axis="y", lower=-95, upper=95)
    add_dial(
        assembly,
        body,
        "dial",
        at=(r, 0, 0.026),
        axis="x",
        size=(0.014, 0.014),
        material="black_plastic",
        turn=0,
    )


def _lantern(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a base with a dial, a glowing glass, a screwed cap and a bail."""
    r = draw.number("radius", 0.05, 0.065)
    tall = draw.number("glass_height", 0.1, 0.14)
    base = lathe([(r, 0), (r, 0.05), (0.85 * r, 0.06)], skin)
    glass = tube((0.75 * r, 0.75 * r - 0.003, tall), "glass").on(0, 0, 0.0595)
    core = lathe(
        [(0.2 * r, 0.06), (0.2 * r, 0.06 + 0.8 * tall), (0.0, 0.065 + 0.8 * tall)], "lamp_glow"
    )
    cage = [
        cylinder((0.003, tall + 0.002), skin, segments=10)
        .on(0.83 * r, 0, 0.0595)
        .turned("z", 90 * k + 45)
        for k in range(4)
    ]
    top = 0.06 + tall
    lid = lathe([(0.88 * r, 0), (0.88 * r, 0.01), (0.5 * r, 0.022)], skin).at(0, 0, top)
    lugs = [box((0.012, 0.01, 0.02), skin).on(0, s * (0.88 * r + 0.003), top) for s in (-1, 1)]
    body = assembly.part("body", base, glass, core, *cage, lid, *lugs, label="lantern_body")
    cap = lathe([(0.48 * r, 0), (0.42 * r, 0.02), (0.2 * r, 0.028)], skin).at(0, 0, top + 0.0225)
    part = assembly.part("cap", cap, label="screw_cap")
    assembly.screw(
        body, part, origin=(0, 0, top + 0.0225), axis="z", turns=(0, 3), travel_per_turn=0.003
    )
    _add_bail_and_dial(assembly, r=r, top=top, body=body)


def build(draw: Draw) -> Assembly:
    """Build one flashlight or lantern."""
    category = draw.take("category", CATEGORIES)
    skin = draw.pick(
        "material",
        ("black_paint", "aluminum", "red_paint", "blue_paint")
        if category == "flashlight"
        else ("green_paint", "red_paint", "copper", "yellow_paint"),
    )
    assembly = Assembly(
        f"{word(skin).capitalize()} {category}",
        category,
        f"A {category} with parts that screw off.",
    )
    (_flashlight if category == "flashlight" else _lantern)(draw, assembly, skin)
    return assembly
