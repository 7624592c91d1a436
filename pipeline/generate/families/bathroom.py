# SPDX-License-Identifier: Apache-2.0
"""Bathroom fixtures: toilet with seat, lid and lever, shower rail, towel rack with swinging bars.

Toilets: 0.36-0.4 m wide, 0.65-0.72 m deep, seat 0.4 m high; the seat rises by 91 degrees and the
lid by 93, about one axis; the lever turns by 35. Showers: rail 0.6-0.75 m, slider of 0.4-0.55 m,
hand shower of +-40 degrees, mixing lever. Towel racks: 2-4 bars of 0.3-0.45 m, each
swinging by +-80 degrees.
"""

import numpy as np

from pipeline.generate.fittings import add_dial
from pipeline.generate.polygons import Array
from pipeline.generate.vocabulary import (
    FABRICS,
    Assembly,
    Draw,
    Shape,
    box,
    capsule,
    circle,
    cone,
    cylinder,
    extrude,
    loft,
    plate,
    rounded_path,
    sphere,
    sweep,
    word,
)

CATEGORIES = {
    "toilet": "Architectural Fixtures",
    "shower": "Architectural Fixtures",
    "towel_rack": "Architectural Fixtures",
}


def _oval(a: float, b: float) -> Array:
    """Return an egg-shaped outline, longer toward +x."""
    ring = circle(1.0, segments=32)
    return np.column_stack((np.where(ring[:, 0] > 0, a * 1.15, a) * ring[:, 0], b * ring[:, 1]))


def _toilet(draw: Draw, assembly: Assembly) -> None:
    """Add bowl and tank, seat, lid and flush lever."""
    wide = draw.number("width", 0.36, 0.4)
    long = draw.number("bowl_length", 0.42, 0.48)
    skin = draw.pick("material", ("ceramic", "cream_paint", "mint_paint"))
    seat_color = draw.pick("seat_material", ("white_plastic", "oak", "black_plastic"))
    a, b, rim = long / 2.15, wide / 2, 0.39
    levels = [
        (0.62, 0.0),
        (0.55, 0.1),
        (0.8, 0.25),
        (1.0, 0.34),
        (1.0, rim),
        (0.78, rim),
        (0.6, 0.28),
    ]
    bowl = loft([[(x, y, z) for x, y in _oval(a * s, b * s)] for s, z in levels], skin).at(0.08)
    back = 0.08 - a
    tank = plate((0.18, wide, 0.34), skin, radius=0.03).on(back - 0.15, 0, rim - 0.02)
    cover = plate((0.2, wide + 0.02, 0.03), skin, radius=0.03).on(back - 0.15, 0, rim + 0.322)
    neck = box((0.3, 0.22, rim - 0.02), skin).on(back - 0.09, 0, 0)
    body = assembly.part("bowl", bowl, tank, cover, neck, label="toilet_bowl")
    # One axis for both: the seat never reaches the lid behind it, nor the lid the tank's cover.
    axis_at = (back + 0.004, 0, rim + 0.011)
    ring = extrude(
        _oval(a, b + 0.005), seat_color, height=0.018, holes=[_oval(0.68 * a, 0.62 * b)]
    ).on(0.082, 0, rim + 0.002)
    seat = assembly.part("seat", ring)
    assembly.hinge(body, seat, origin=axis_at, axis="-y", lower=0, upper=91)
    lid = assembly.part(
        "lid", extrude(_oval(a, b + 0.005), seat_color, height=0.016).on(0.082, 0, rim + 0.022)
    )
    assembly.hinge(body, lid, origin=axis_at, axis="-y", lower=0, upper=93)
    at = (back - 0.12, wide / 2, rim + 0.26)
    boss = cylinder((0.014, 0.014), "chrome").along("y").at(at[0], at[1] + 0.0075, at[2])
    arm = capsule((0.006, 0.06), "chrome").along("x").at(at[0] + 0.035, at[1] + 0.018, at[2])
    lever = assembly.part("lever", boss, arm, label="flush_lever")
    assembly.hinge(body, lever, origin=at, axis="y", lower=0, upper=35)


def _shower(draw: Draw, assembly: Assembly) -> None:
    """Add a tiled wall piece, rail, slider, hand shower and mixer."""
    rail = draw.number("rail", 0.6, 0.75)
    metal = draw.pick("material", ("chrome", "brass", "black_paint"))
    face = draw.number("head_radius", 0.05, 0.075)
    low = 0.45
    wall = box((0.02, 0.4, rail + 0.6), "tiles").on(-0.06, 0, 0)
    pole = cylinder((0.011, rail), metal).on(0, 0, low)
    stubs = [
        cylinder((0.014, 0.05), metal).along("x").at(-0.025, 0, low + rail * t)
        for t in (0.03, 0.97)
    ]
    mixer = cylinder((0.025, 0.24), metal).along("y").at(-0.02, 0, 0.28)
    body = assembly.part("wall", wall, pole, *stubs, mixer, label="wall_rail")
    z = low + 0.12
    slider = assembly.part(
        "slider",
        extrude(circle(0.022), metal, height=0.05, holes=[circle(0.0115)]).at(0, 0, z),
        cylinder((0.012, 0.03), metal).along("x").at(0.034, 0, z),
    )
    assembly.slide(body, slider, axis="z", lower=0, upper=round(rail - 0.2, 3))
    wand = capsule((0.012, 0.13), metal).at(0, 0, 0.02)
    head = [
        cone((face, 0.4 * face, 0.035), metal).turned("y", -90).at(0.03, 0, 0.11),
        cylinder((0.95 * face, 0.004), "gray_plastic").along("x").at(0.049, 0, 0.11),
    ]
    hand = assembly.part("hand_shower", *(s.at(0.063, 0, z) for s in (wand, *head)))
    assembly.hinge(slider, hand, origin=(0.05, 0, z), axis="x", lower=-40, upper=40)
    for name, s in (("flow_knob", 1), ("heat_knob", -1)):
        add_dial(
            assembly,
            body,
            name,
            at=(-0.02, s * 0.12, 0.28),
            axis="y" if s > 0 else "-y",
            size=(0.026, 0.03),
            material=metal,
            turn=180,
        )


def _rack(draw: Draw, assembly: Assembly) -> None:
    """Add a wall rod with several bars on eyes, one above the other."""
    bars = draw.count("bars", 2, 4)
    reach = draw.number("reach", 0.3, 0.45)
    metal = draw.pick("material", ("chrome", "brass", "black_paint", "oak"))
    cloth = draw.pick("towel_material", FABRICS)
    tall = 0.045 * bars + 0.06
    plates = [box((0.012, 0.05, 0.035), metal).at(-0.034, 0, z) for z in (0.02, tall - 0.02)]
    ears = [box((0.04, 0.02, 0.008), metal).at(-0.01, 0, z) for z in (0.02, tall - 0.02)]
    body = assembly.part(
        "mount",
        cylinder((0.006, tall - 0.02), metal, segments=16).on(0, 0, 0.01),
        *plates,
        *ears,
        label="wall_mount",
    )
    for k in range(bars):
        z = 0.05 + 0.045 * k
        eye = extrude(
            circle(0.012, segments=20), metal, height=0.03, holes=[circle(0.0066, segments=16)]
        ).at(0, 0, z)
        path = rounded_path([(0.009, 0, z), (reach, 0, z)], radius=0.01)
        bar: list[Shape] = [
            eye,
            sweep(path, metal, radius=0.007),
            sphere(0.011, metal).at(reach, 0, z),
        ]
        if k == 0:
            bar.append(box((0.7 * reach, 0.018, 0.32), cloth).on(0.55 * reach, 0, z - 0.31))
        part = assembly.part(
            f"bar_{k + 1}",
            *(s.turned("z", 60 * (k / (bars - 1) - 0.5)) for s in bar),
            label="towel_bar",
        )
        assembly.hinge(body, part, origin=(0, 0, z), axis="z", lower=-45, upper=45)


def build(draw: Draw) -> Assembly:
    """Build one toilet, shower or towel rack."""
    category = draw.take("category", CATEGORIES)
    noun = category.replace("_", " ")
    phrase = {
        "toilet": "a hinged seat and lid",
        "shower": "a hand shower on a rail",
        "towel_rack": "bars that swing",
    }
    assembly = Assembly("", category, f"A {noun} with {phrase[category]}.")
    {"toilet": _toilet, "shower": _shower, "towel_rack": _rack}[category](draw, assembly)
    assembly.name = f"{word(str(draw.parameters['material'])).capitalize()} {noun}"
    return assembly
