# SPDX-License-Identifier: Apache-2.0
"""A linear stage: two guide rods between end blocks, a carriage, and in some a second cross stage.

Sizes after small positioning stages: travel 0.1-0.4 m, rods 6-12 mm, blocks 60-110 mm wide.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    circle,
    cylinder,
    extrude,
    rectangle,
)

CATEGORIES = {"prismatic_slider": "Mechanisms"}


def _stage(length: float, width: float, rod: float, color: str) -> list[Shape]:
    """Return two end blocks on a floor plate and two rods along x, standing on z = 0."""
    block = 0.02
    height = 4 * rod + 0.012
    ends = [
        box((block, width, height), color).on(s * (length - block) / 2, 0, 0.008) for s in (-1, 1)
    ]
    rods = [
        cylinder((rod, length - 2 * block), "chrome")
        .along("x")
        .at(0, s * width * 0.3, 0.014 + 2 * rod)
        for s in (-1, 1)
    ]
    return [box((length, width, 0.008), color).on(0, 0, 0), *ends, *rods]


def _carriage(size: float, width: float, rod: float, color: str) -> Shape:
    """Return a block with two bores that rides on the rods of `_stage`."""
    bores = [circle(rod + 0.0004, center=(s * width * 0.3, 0)) for s in (-1, 1)]
    block = extrude(rectangle(width, 4 * rod), color, height=size, holes=bores)
    return block.along("x").at(0, 0, 0.014 + 2 * rod)


def build(draw: Draw) -> Assembly:
    """Build one linear stage with one or two axes."""
    travel = draw.number("travel", 0.1, 0.4)
    width = draw.number("width", 0.06, 0.11)
    rod = draw.number("rod_radius", 0.003, 0.006)
    size = draw.number("carriage_length", 0.05, 0.09)
    axes = draw.count("axes", 1, 2)
    color = draw.pick("block_material", ("aluminum", "dark_steel", "blue_paint", "black_paint"))
    accent = draw.pick("carriage_material", ("orange_paint", "steel", "red_paint", "yellow_paint"))
    assembly = Assembly(
        f"{'Two' if axes == 2 else 'One'}-axis linear slider",
        "prismatic_slider",
        f"A linear stage whose carriage {'with a cross slide ' * (axes - 1)}slides on two rods.",
    )
    length = travel + size + 0.044
    base = assembly.part("base", *_stage(length, width, rod, color))
    x = -travel / 2
    top = 0.014 + 4 * rod
    shapes = [_carriage(size, width, rod, accent).at(x)]
    shapes.append(box((size, width, 0.006), accent).on(x, 0, top + 0.009))
    shapes.append(box((size * 0.6, width * 0.3, 0.012), accent).on(x, 0, top - 0.001))
    if axes == 2:
        cross = draw.number("cross_travel", 0.05, 0.15)
        span = cross + size + 0.044
        upper = [s.turned("z", 90).at(x, 0, top + 0.015) for s in _stage(span, size, rod, color)]
        shapes += upper
    carriage = assembly.part("carriage", *shapes)
    assembly.slide(base, carriage, axis="x", lower=0, upper=travel)
    if axes == 2:
        y = -cross / 2
        z = top + 0.015
        rider = _carriage(size, size, rod, accent).turned("z", 90).at(x, y, z)
        table = box((size, size, 0.006), "steel").on(x, y, z + 0.014 + 4 * rod)
        second = assembly.part("cross_carriage", rider, table, label="carriage")
        assembly.slide(carriage, second, axis="y", lower=0, upper=cross)
    return assembly
