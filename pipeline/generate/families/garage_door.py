# SPDX-License-Identifier: Apache-2.0
"""Large leaves: a tilting garage door, a garden gate of two wings, an iron gate with a bolt.

Garage doors: 2.3-2.6 m wide, 2.0-2.2 m tall; the leaf swings up by 80-88 degrees, its handle turns
by 90. Garden gates: two wings of 0.6-1.0 m, 0.9-1.3 m tall, pickets or bars, opening by 90-110
degrees, latch that slides by 60-80 mm.
"""

from pipeline.generate.vocabulary import (
    PAINTS,
    WOODS,
    Assembly,
    Draw,
    Shape,
    box,
    cone,
    cylinder,
    extrude,
    sphere,
    word,
)

CATEGORIES = {"garage_door": "Architectural Fixtures", "garden_gate": "Architectural Fixtures"}


def _add_front(assembly: Assembly, *, width: float, height: float) -> str:
    """Add the front."""
    half = width / 2
    wall = [
        (-half - 0.35, 0),
        (-half, 0),
        (-half, height),
        (half, height),
        (half, 0),
        (half + 0.35, 0),
        (half + 0.35, height + 0.4),
        (-half - 0.35, height + 0.4),
    ]
    return assembly.part(
        "front", extrude(wall, "brick", height=0.25).along("x").at(-0.125), label="garage_front"
    )


def _garage(draw: Draw, assembly: Assembly) -> str:
    """Add a brick front with a leaf that swings out and up, and a handle."""
    width = draw.number("width", 2.3, 2.6)
    height = draw.number("height", 2.0, 2.2)
    skin = draw.pick("material", (*PAINTS, "oak"))
    rows = draw.count("rows", 3, 5)
    body = _add_front(assembly, width=width, height=height)
    x, gap = -0.06, 0.01
    slab = box((0.04, width - 2 * gap, height - 2 * gap), skin).on(x, 0, gap)
    pitch = (height - 0.1) / rows
    panels = [
        box((0.02, width / 4 - 0.08, pitch - 0.1), skin).at(
            x + 0.025, width * (k - 1.5) / 4, 0.05 + pitch * (r + 0.5)
        )
        for r in range(rows)
        for k in range(4)
    ]
    panes = [p for i, p in enumerate(panels) if i < 4 * (rows - 1)]
    lights = [
        box((0.02, width / 4 - 0.08, pitch - 0.1), "smoked_glass").at(
            x + 0.025, width * (k - 1.5) / 4, 0.05 + pitch * (rows - 0.5)
        )
        for k in range(4)
    ]
    door = assembly.part("leaf", slab, *panes, *lights, label="garage_leaf")
    assembly.hinge(
        body,
        door,
        origin=(x + 0.02, 0, height - gap),
        axis="-y",
        lower=0,
        upper=draw.number("opening_deg", 80, 88, digits=1),
    )
    at = (x + 0.02, 0, 0.05 + pitch)
    handle = assembly.part(
        "handle",
        cylinder((0.02, 0.04), "chrome").along("x").at(at[0] + 0.02, 0, at[2]),
        box((0.014, 0.02, 0.16), "chrome").at(at[0] + 0.047, 0, at[2]),
    )
    assembly.hinge(door, handle, origin=at, axis="x", lower=0, upper=90)
    return skin


def _wing(width: float, height: float, style: str, skin: str) -> list[Shape]:
    """Return a gate wing in the plane x = 0 from y = 0 to -width, standing 60 mm up."""
    count = max(4, round(width / 0.11))
    shapes: list[Shape] = []
    for k in range(count):
        y = -width * (k + 0.5) / count
        if style == "pickets":
            stake = [
                (-0.035, 0),
                (0.035, 0),
                (0.035, height - 0.05),
                (0, height),
                (-0.035, height - 0.05),
            ]
            shapes.append(extrude(stake, skin, height=0.018).along("x").at(0.022, y, 0.06))
        else:
            shapes.append(cylinder((0.009, height - 0.08), skin, segments=10).on(0, y, 0.06))
            shapes.append(cone((0.018, 0.001, 0.07), skin, segments=10).on(0, y, height - 0.021))
    rails = [box((0.025, width, 0.05), skin).on(0, -width / 2, z) for z in (0.16, height - 0.18)]
    ends = [box((0.025, 0.03, height - 0.2), skin).on(0, y, 0.1) for y in (-0.016, 0.016 - width)]
    return [*shapes, *rails, *ends]


def _add_bolt(draw: Draw, assembly: Assembly, *, height: float) -> None:
    """Add the bolt."""
    at = (-0.0215, 0.06, height * 0.6)
    bolt = assembly.part(
        "bolt",
        cylinder((0.008, 0.2), "dark_steel", segments=12).along("y").at(*at),
        box((0.03, 0.012, 0.012), "dark_steel").at(at[0] - 0.02, 0.06, at[2]),
    )
    assembly.slide(
        "wing_left", bolt, axis="y", lower=0, upper=draw.number("bolt_travel", 0.06, 0.08)
    )


def _gate(draw: Draw, assembly: Assembly) -> str:
    """Add two posts, two wings and a sliding bolt."""
    width = draw.number("wing_width", 0.6, 1.0)
    height = draw.number("height", 0.9, 1.3)
    style = draw.pick("style", ("pickets", "bars"))
    skin = draw.pick(
        "material",
        (*WOODS, "white_paint", "green_paint")
        if style == "pickets"
        else ("cast_iron", "black_paint", "green_paint"),
    )
    stone = "stone" if style == "bars" else skin
    side = 0.2 if style == "bars" else 0.1
    posts = []
    for s in (-1, 1):
        y = s * (width + 0.02 + side / 2)
        posts += [
            box((side, side, height + 0.1), stone).on(0, y, 0),
            sphere(0.45 * side, stone).at(0, y, height + 0.1 + 0.4 * side),
        ]
    sill = box((side, 2 * width + 0.04 + 2 * side, 0.03), "concrete").on(0, 0, 0)
    body = assembly.part("posts", *posts, sill, label="gate_posts")
    opening = draw.number("opening_deg", 90, 98, digits=1)
    for name, s in (("left", 1), ("right", -1)):
        wing = [p.at(0, width + 0.004) for p in _wing(width, height, style, skin)]
        part = assembly.part(
            f"wing_{name}", *(p if s > 0 else p.mirrored("y") for p in wing), label="gate_wing"
        )
        assembly.hinge(
            body,
            part,
            origin=(0.012, s * (width + 0.012), height / 2),
            axis="z" if s > 0 else "-z",
            lower=0,
            upper=opening,
        )
    _add_bolt(draw, assembly, height=height)
    return skin


def build(draw: Draw) -> Assembly:
    """Build one garage door or garden gate; it opens to the front."""
    category = draw.take("category", CATEGORIES)
    noun = category.replace("_", " ")
    phrase = "that swings up" if noun == "garage door" else "with two wings and a bolt"
    assembly = Assembly("", category, f"A {noun} {phrase}.")
    skin = (_garage if noun == "garage door" else _gate)(draw, assembly)
    assembly.name = f"{word(skin).capitalize()} {noun}"
    return assembly
