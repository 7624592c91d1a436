# SPDX-License-Identifier: Apache-2.0
"""Lamps with a bulb in a screw socket: table lamp with a shade, pendant lamp, bare bulb socket.

Bulbs: 55-65 mm across, base of 26 mm with 3.6 mm per turn over 3-4 turns. Table lamps: 0.4-0.55 m
tall, shade 0.28-0.36 m across that lifts off a harp, switch that turns. Pendants: cord 0.4-0.7 m,
shade swinging by +-25 degrees. Bulb sockets: bulb in a wall holder with a pull chain of 30 mm.
"""

from pipeline.generate.vocabulary import (
    FABRICS,
    Assembly,
    Draw,
    Shape,
    box,
    capsule,
    cylinder,
    lathe,
    rounded_path,
    sphere,
    sweep,
    torus,
    tube,
    word,
)

CATEGORIES = {"table_lamp": "Lighting", "pendant_light": "Lighting", "light_bulb": "Lighting"}
LEAD = 0.0036
HARP = 0.14  # from a bulb's foot to the top of the harp, above a bulb that is screwed out


def _bulb(radius: float) -> list[Shape]:
    """Return a bulb standing on z = 0, glass up."""
    glass = [(0.013, 0.024), (0.016, 0.034), (0.8 * radius, 0.05), (radius, 0.05 + 0.6 * radius)]
    glass += [
        (0.9 * radius, 0.05 + 1.1 * radius),
        (0.5 * radius, 0.05 + 1.5 * radius),
        (0.0, 0.05 + 1.62 * radius),
    ]
    rings = [
        torus((0.0118, 0.0014), "aluminum", segments=18).at(0, 0, 0.006 + LEAD * k)
        for k in range(5)
    ]
    tip = lathe(
        [(0.003, 0.0), (0.006, 0.003), (0.0118, 0.004), (0.0118, 0.026)], "aluminum", segments=18
    )
    return [lathe(glass, "lamp_glow"), tip, *rings]


def _socket(skin: str) -> Shape:
    """Return a holder from z = -40 mm to 24 mm, in which a bulb stands on z = 0."""
    return lathe(
        [
            (0.02, -0.04),
            (0.02, 0.02),
            (0.0185, 0.022),
            (0.0138, 0.022),
            (0.0138, -0.004),
            (0.0, -0.004),
        ],
        skin,
    )


def _add_bulb(
    draw: Draw, assembly: Assembly, parent: str, *, at: float, down: bool = False
) -> None:
    """Add a bulb that screws out of the socket at height `at`."""
    radius = draw.number("bulb_radius", 0.0275, 0.0325)
    turns = draw.number("turns", 3, 4, digits=1)
    shapes = [s.turned("x", 180) if down else s for s in _bulb(radius)]
    bulb = assembly.part("bulb", *(s.at(0, 0, at) for s in shapes), label="light_bulb")
    assembly.screw(
        parent,
        bulb,
        origin=(0, 0, at),
        axis="-z" if down else "z",
        turns=(0, turns),
        travel_per_turn=LEAD,
    )


def _harp(high: float) -> list[Shape]:
    """Return the wire bow round a bulb that stands at a height, with the stud for the shade."""
    y, foot, top = 0.045, high - 0.03, high + HARP
    half = [(0, y, top), (0, y, foot), (0, 0.018, foot)]
    path = [*((a, -b, c) for a, b, c in half[::-1]), *half]
    wire = sweep(rounded_path(path, radius=0.025), "brass", radius=0.002)
    return [wire, cylinder((0.003, 0.008), "brass", segments=12).on(0, 0, top)]


def _add_shade_and_switch(
    draw: Draw, assembly: Assembly, *, base: str, high: float, r: float, cloth: str
) -> None:
    """Add the shade and switch."""
    _add_bulb(draw, assembly, base, at=high)
    low = high - 0.03
    shell = lathe(
        [(r, low), (0.72 * r, low + 0.2), (0.72 * r - 0.003, low + 0.2), (r - 0.003, low)],
        cloth,
        segments=36,
        ring=True,
    )
    hub = high + HARP + 0.0055
    reach = r * (1 - 0.28 * (hub - low) / 0.2) - 0.0015  # into the shell
    spokes = [
        box((reach - 0.005, 0.003, 0.003), "brass")
        .at((reach + 0.005) / 2, 0, hub)
        .turned("z", 120 * k)
        for k in range(3)
    ]
    shade = assembly.part(
        "shade",
        shell,
        *spokes,
        tube((0.008, 0.004, 0.006), "brass").at(0, 0, hub),
        sphere(0.008, "brass").at(0, 0, hub + 0.011),
        label="lamp_shade",
    )
    assembly.slide(base, shade, axis="z", lower=0, upper=draw.number("shade_lift", 0.15, 0.2))
    turn = assembly.part(
        "switch",
        cylinder((0.004, 0.016), "brass", segments=10).along("x").at(0.0335, 0, high - 0.02),
        box((0.004, 0.004, 0.014), "brass").at(0.0435, 0, high - 0.02),
    )
    assembly.hinge(base, turn, origin=(0.0255, 0, high - 0.02), axis="x", lower=0, upper=90)


def _table_lamp(draw: Draw, assembly: Assembly) -> str:
    """Add a turned foot, a bulb and a drum shade that lifts off."""
    high = draw.number("height", 0.24, 0.34)
    r = draw.number("shade_radius", 0.14, 0.18)
    skin = draw.pick("material", ("ceramic", "brass", "blue_paint", "oak", "copper"))
    cloth = draw.pick("shade_material", (*FABRICS, "cream_paint"))
    foot = lathe(
        [
            (0.08, 0),
            (0.08, 0.012),
            (0.03, 0.03),
            (0.06, 0.35 * high),
            (0.07, 0.55 * high),
            (0.02, 0.9 * high),
            (0.016, high - 0.039),
        ],
        skin,
    )
    switch = cylinder((0.006, 0.006), "brass", segments=12).along("x").at(0.022, 0, high - 0.02)
    socket = _socket("brass").at(0, 0, high)
    base = assembly.part("base", foot, socket, *_harp(high), switch, label="lamp_base")
    _add_shade_and_switch(draw, assembly, base=base, high=high, r=r, cloth=cloth)
    return skin


def _pendant(draw: Draw, assembly: Assembly) -> str:
    """Add a ceiling rose, a cord that swings, a bell shade and a bulb."""
    cord = draw.number("cord", 0.4, 0.7)
    r = draw.number("shade_radius", 0.13, 0.22)
    skin = draw.pick(
        "material", ("black_paint", "copper", "green_paint", "white_paint", "yellow_paint")
    )
    low = 0.16
    top = low + 0.11 + cord
    rose = lathe([(0.02, 0), (0.055, 0.012), (0.055, 0.03)], skin).at(0, 0, top)
    mount = assembly.part("ceiling_rose", rose)
    bell = [
        (r, 0.0),
        (0.9 * r, 0.04),
        (0.45 * r, 0.1),
        (0.028, 0.125),
        (0.024, 0.16),
        (0.021, 0.16),
    ]
    inside = [(0.021, 0.12), (0.45 * r - 0.004, 0.095), (0.9 * r - 0.004, 0.036), (r - 0.003, 0.0)]
    shell = lathe([*bell, *inside], skin, segments=36, ring=True).at(0, 0, low - 0.075)
    holder = _socket("black_plastic").turned("x", 180).at(0, 0, low + 0.04)
    wire = cylinder((0.003, top - low - 0.078), "black_plastic", segments=10).on(0, 0, low + 0.078)
    shade = assembly.part("shade", shell, holder, wire, label="lamp_shade")
    assembly.hinge(mount, shade, origin=(0, 0, top), axis="x", lower=-25, upper=25)
    _add_bulb(draw, assembly, shade, at=low + 0.04, down=True)
    return skin


def _bare_bulb(draw: Draw, assembly: Assembly) -> str:
    """Add a bulb in a porcelain holder with a pull chain."""
    skin = draw.pick("material", ("ceramic", "black_plastic", "brass"))
    radius = draw.number("rose_radius", 0.045, 0.06)
    foot = lathe([(radius, 0), (radius, 0.012), (0.026, 0.03), (0.02, 0.042)], skin)
    x = radius + 0.012
    arm = box((x - 0.008, 0.012, 0.008), skin).at((x + 0.02) / 2, 0, 0.034)
    base = assembly.part("holder", foot, _socket(skin).at(0, 0, 0.08), arm, label="bulb_holder")
    _add_bulb(draw, assembly, base, at=0.08)
    beads = [
        sphere(0.0022, "brass", segments=8).at(x, 0, 0.026 - 0.0055 * k)
        for k in range(int(draw.number("chain", 0.05, 0.09) / 0.0055))
    ]
    end = capsule((0.004, 0.008), "brass", segments=10).at(x, 0, 0.018 - 0.0055 * len(beads))
    chain = assembly.part("pull_chain", *(b for b in beads), end)
    assembly.slide(base, chain, axis="-z", lower=0, upper=0.03)
    return skin


def build(draw: Draw) -> Assembly:
    """Build one table lamp, pendant or bulb in its holder."""
    category = draw.take("category", CATEGORIES)
    noun = category.replace("_", " ")
    assembly = Assembly("", category, f"A {noun} whose bulb screws out of its socket.")
    skin = {"table_lamp": _table_lamp, "pendant_light": _pendant, "light_bulb": _bare_bulb}[
        category
    ](draw, assembly)
    assembly.name = f"{word(skin).capitalize()} {noun}"
    return assembly
