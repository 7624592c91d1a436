# SPDX-License-Identifier: Apache-2.0
"""A freestanding kitchen range: cavity with a rack, drop-down glass door, knobs, hob on top.

Sizes after EN 1116 kitchen units: 0.50-0.76 m wide, 0.58-0.65 m deep, 0.85-0.92 m tall; the door
opens by 85-90 degrees, control knobs turn by 270 degrees, the storage drawer slides 0.35 m.
"""

from pipeline.generate.fittings import bar_pull, carcass, drawer_box
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    cylinder,
    extrude,
    rectangle,
    rounded_box,
    sweep,
    torus,
)

CATEGORIES = {"oven": "Kitchen & Cooking"}

PANEL = 0.12


Size = tuple[float, float, float]
Span = tuple[float, float]


def _add_body(assembly: Assembly, size: Size, *, skin: str, span: Span, has_drawer: bool) -> str:
    """Add the shell with its hob and, in the cavity between two heights, the rack."""
    depth, width, height = size
    inner = width - 0.12
    cavity = (0.0, sum(span) / 2, inner, span[1] - span[0] - 0.06)
    openings = [cavity, (0.0, 0.145, width - 0.06, 0.13)] if has_drawer else [cavity]
    corners = ((-1, -1), (-1, 1), (1, 1), (1, -1))
    hob = [
        torus((0.07 + 0.02 * (k % 2), 0.008), "cast_iron").on(x * depth / 4, y * width / 4, height)
        for k, (x, y) in enumerate(corners)
    ]
    body = assembly.part(
        "body",
        *carcass((depth, width, height - 0.02), skin, openings=openings, back=0.04),
        box((depth, width, 0.02), "smoked_glass").on(0, 0, height - 0.02),
        *hob,
    )
    z = cavity[1]
    bars = [
        box((depth - 0.1, 0.006, 0.006), "chrome").at(0.02, y * (inner - 0.02) / 10, z)
        for y in range(-5, 6)
    ]
    rails = [box((0.008, inner - 0.004, 0.008), "chrome").at(x, 0, z) for x in (-0.2, 0.25)]
    assembly.weld(body, assembly.part("rack", *bars, *rails), origin=(0, 0, z))
    return body


def _add_door(
    draw: Draw, assembly: Assembly, size: Size, *, skin: str, metal: str, span: Span
) -> None:
    """Add the drop-down door with its pane and handle."""
    depth, width, _ = size
    low, high = span
    face, middle = depth / 2 + 0.002, sum(span) / 2
    pane = (width * 0.62, (high - low) * 0.5)
    outline = rectangle(width - 0.004, high - low)
    frame = extrude(outline, skin, height=0.035, holes=[rectangle(*pane)])
    door = assembly.part(
        "door",
        frame.along("x").at(face + 0.0175, 0, middle),
        box((0.02, *pane), "smoked_glass").at(face + 0.0175, 0, middle),
        bar_pull(width * 0.75, metal, reach=0.045, radius=0.009).at(face + 0.035, 0, high - 0.05),
    )
    opening = draw.number("door_opening_deg", 85, 90, digits=1)
    assembly.hinge("body", door, origin=(face, 0, low), axis="y", lower=0, upper=opening)


def _add_knobs(assembly: Assembly, size: Size, *, count: int, metal: str) -> None:
    """Add a row of control knobs above the door."""
    depth, width, height = size
    for k in range(count):
        at = (
            depth / 2,
            (k - (count - 1) / 2) * (width - 0.14) / (count - 1),
            height - 0.02 - PANEL / 2,
        )
        grip = rounded_box((0.02, 0.012, 0.036), "black_plastic", radius=0.004, steps=2)
        dial = assembly.part(
            f"knob_{k + 1}",
            cylinder((0.021, 0.012), metal, segments=20).along("x").at(0.006).at(*at),
            grip.at(0.02).at(*at),
        )
        assembly.hinge("body", dial, origin=at, axis="-x", lower=0, upper=270)


def _add_drawer(assembly: Assembly, size: Size, *, skin: str, metal: str) -> None:
    """Add the storage drawer below the door."""
    depth, width, _ = size
    face = depth / 2 + 0.002
    drawer = assembly.part(
        "drawer",
        drawer_box((depth - 0.1, width - 0.066, 0.11), "gray_paint").on(face, 0, 0.083),
        box((0.02, width - 0.004, 0.115), skin).at(face + 0.01, 0, 0.142),
        sweep([(0, -0.1, 0), (0, 0.1, 0)], metal, radius=0.008).at(face + 0.02, 0, 0.18),
    )
    assembly.slide("body", drawer, axis="x", lower=0, upper=0.35)


def build(draw: Draw) -> Assembly:
    """Build one oven."""
    width = draw.number("width", 0.50, 0.76)
    depth = draw.number("depth", 0.58, 0.65)
    height = draw.number("height", 0.85, 0.92)
    knobs = draw.count("knobs", 4, 6)
    skin = draw.pick("body_material", ("white_paint", "steel", "black_paint", "cream_paint"))
    metal = draw.pick("trim_material", ("chrome", "steel", "brass"))
    has_drawer = draw.chance("storage_drawer", 0.5)
    assembly = Assembly(
        f"{width * 100:.0f} cm {skin.split('_')[0]} kitchen oven",
        "oven",
        f"A freestanding oven with a drop-down glass door, {knobs} control knobs and a hob.",
    )
    size = (depth, width, height)
    span = (0.24 if has_drawer else 0.10, height - PANEL - 0.03)
    _add_body(assembly, size, skin=skin, span=span, has_drawer=has_drawer)
    _add_door(draw, assembly, size, skin=skin, metal=metal, span=span)
    _add_knobs(assembly, size, count=knobs, metal=metal)
    if has_drawer:
        _add_drawer(assembly, size, skin=skin, metal=metal)
    return assembly
