# SPDX-License-Identifier: Apache-2.0
"""A bench vise: fixed jaw on a swivel base, sliding jaw, spindle with a tommy bar.

Sizes after workshop vises: jaws 0.1-0.15 m wide, opening 0.08-0.13 m, spindle of 5-6 mm per turn,
swivel base of +-60 degrees; the bar slides through the spindle's head.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    circle,
    cylinder,
    extrude,
    lathe,
    rectangle,
    sphere,
    tube,
    word,
)

CATEGORIES = {"bench_vise": "Tools"}


def _fixed_jaw(assembly: Assembly, wide: float, long: float, color: str) -> str:
    """Add the swivel base and the body with its square guide, along x."""
    holes = [
        circle(0.007, segments=12, center=(0.8 * wide / 2, 0)),
        circle(0.007, segments=12, center=(-0.8 * wide / 2, 0)),
    ]
    foot = extrude(circle(0.62 * wide, segments=32), color, height=0.018, holes=holes).on(0, 0, 0)
    base = assembly.part("base", foot, cylinder((0.4 * wide, 0.012), color).on(0, 0, 0.018))
    guide = (
        extrude(rectangle(0.056, 0.056), color, height=long, holes=[rectangle(0.0415, 0.0415)])
        .along("x")
        .at(-0.3 * long, 0, 0.085)
    )
    pedestal = lathe([(0.42 * wide, 0), (0.3 * wide, 0.03)], color).at(0, 0, 0.0305)
    jaw = box((0.05, wide, 0.075), color).on(0.016, 0, 0.11)
    anvil = box((0.07, 0.07, 0.03), color).on(-0.04, 0, 0.112)
    plate = box((0.008, wide, 0.03), "steel").on(0.0445, 0, 0.15)
    body = assembly.part("body", guide, pedestal, jaw, anvil, plate, label="fixed_jaw")
    assembly.hinge(base, body, origin=(0, 0, 0.03), axis="z", lower=-60, upper=60)
    return body


def _add_spindle_and_tommy_bar(
    assembly: Assembly, *, x: float, long: float, z: float, travel: float, lead: float, body: str
) -> None:
    """Add the spindle and tommy bar."""
    front = x + 0.0605
    shaft = (
        cylinder((0.0115, long), "steel", segments=18).along("x").at(front + 0.01 - long / 2, 0, z)
    )
    head = tube((0.019, 0.0075, 0.026), "steel").along("z").at(front + 0.02, 0, z)
    spindle = assembly.part("spindle", shaft, head)
    turns = round(travel / lead, 1)
    assembly.screw(
        body, spindle, origin=(front, 0, z), axis="x", turns=(0, turns), travel_per_turn=lead
    )
    rod = cylinder((0.007, 0.18), "dark_steel", segments=14).at(front + 0.02, 0, z)
    ends = [
        sphere(0.011, "dark_steel", segments=14).at(front + 0.02, 0, z + s * 0.09) for s in (-1, 1)
    ]
    tommy = assembly.part("tommy_bar", rod, *ends)
    assembly.slide(spindle, tommy, axis="z", lower=-0.06, upper=0.06)


def build(draw: Draw) -> Assembly:
    """Build one bench vise, closed at rest, its spindle to the front."""
    wide = draw.number("jaw_width", 0.1, 0.15)
    travel = draw.number("opening", 0.08, 0.13)
    lead = draw.number("travel_per_turn", 0.005, 0.006)
    color = draw.pick("material", ("blue_paint", "red_paint", "green_paint", "gray_paint"))
    assembly = Assembly(
        f"{word(color).capitalize()} bench vise",
        "bench_vise",
        "A bench vise whose spindle draws the sliding jaw, on a swivel base.",
    )
    long = travel + 0.09
    body = _fixed_jaw(assembly, wide, long, color)
    x, z = 0.0495, 0.085
    bar = (
        extrude(rectangle(0.04, 0.04), "steel", height=long, holes=[circle(0.0125)])
        .along("x")
        .at(x + 0.02 - long / 2, 0, z)
    )
    jaw = box((0.05, wide, 0.03), color).on(x + 0.034, 0, 0.155)
    neck = (
        extrude(
            rectangle(0.07, 0.11), color, height=0.05, holes=[circle(0.0125, center=(0, -0.02))]
        )
        .along("x")
        .at(x + 0.034, 0, z + 0.02)
    )
    plate = box((0.008, wide, 0.03), "steel").on(x + 0.0045, 0, 0.15)
    slider = assembly.part("sliding_jaw", bar, jaw, neck, plate)
    assembly.slide(body, slider, axis="x", lower=0, upper=travel)
    _add_spindle_and_tommy_bar(assembly, x=x, long=long, z=z, travel=travel, lead=lead, body=body)
    return assembly
