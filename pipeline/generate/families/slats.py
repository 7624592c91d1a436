# SPDX-License-Identifier: Apache-2.0
"""Rows of slats: venetian blind with over a hundred joints, window shutter, air vent.

Venetian blinds: 0.6-1.2 m wide, 52-60 slats of 25 mm, each of which rises toward the one above and
tilts by +-70 degrees, and a wand. Window shutters: two leaves 0.35-0.5 m wide, 0.9-1.3 m tall,
opening by 170 degrees, 12-18 louvers each tilting by 60. Air vents: 0.2-0.4 m wide, 5-8 louvers
tilting by about 80 degrees.
"""

from pipeline.generate.vocabulary import (
    METALS,
    PAINTS,
    WOODS,
    Assembly,
    Draw,
    box,
    cylinder,
    extrude,
    plate,
    rectangle,
    word,
)

CATEGORIES = {
    "venetian_blind": "Architectural Fixtures",
    "window_shutter": "Architectural Fixtures",
    "air_vent": "Architectural Fixtures",
}


def _blind(draw: Draw, assembly: Assembly) -> str:
    """Add a head rail, slats that rise and tilt, a bottom rail and a wand."""
    width = draw.number("width", 0.6, 1.2)
    slats = draw.count("slats", 52, 60)
    pitch = draw.number("pitch", 0.02, 0.023)
    skin = draw.pick("material", ("white_paint", "aluminum", "oak", "red_paint", "sky_paint"))
    top = pitch * (slats + 1) + 0.03
    rail = assembly.part("head_rail", box((0.045, width + 0.02, 0.045), skin).on(0, 0, top))
    gap = 0.003
    holder, room = rail, round(pitch - gap, 4)
    for k in range(slats):
        z = top - pitch * (k + 1)
        # Each rung hangs from the one above and rises until its slat lies under that one's.
        pegs = [
            cylinder((0.0015, 0.005), "steel", segments=6)
            .along("y")
            .at(0, s * (width / 2 + 0.003), z)
            for s in (-1, 1)
        ]
        rung = assembly.part(f"rung_{k + 1}", *pegs, label="ladder_rung")
        assembly.slide(holder, rung, axis="z", lower=0, upper=room, origin=(0, 0, z))
        slat = assembly.part(f"slat_{k + 1}", box((0.025, width, 0.0008), skin).at(0, 0, z))
        assembly.hinge(rung, slat, origin=(0, 0, z), axis="y", lower=-70, upper=70)
        holder = rung
    below = 0.016  # the last slat needs 12 mm of room to tilt
    bar = box((0.028, width, 0.014), skin).on(0, 0, z - below - 0.014)
    foot = assembly.part("bottom_rail", bar)
    assembly.slide(holder, foot, axis="z", lower=0, upper=round(below - gap, 4))
    wand = assembly.part(
        "wand",
        cylinder((0.004, 0.45), "clear_plastic", segments=10).on(0.03, 0.42 * width, top - 0.44),
    )
    assembly.spin(rail, wand, origin=(0.03, 0.42 * width, top), axis="z")
    return skin


def _louvers(
    assembly: Assembly,
    leaf: str,
    *,
    count: int,
    span: tuple[float, float],
    width: float,
    at: tuple[float, float],
    prefix: str,
    skin: str,
    blade: float,
    tilt: tuple[float, float],
) -> None:
    """Add `count` louvers between two heights, centered at (x, y)."""
    low, high = span
    pitch = (high - low) / count
    for k in range(count):
        z = low + pitch * (k + 0.5)
        vane = plate((blade, width - 0.004, 0.006), skin, radius=0.0025).turned("y", 38).at(*at, z)
        pin = cylinder((0.0025, width - 0.001), "steel", segments=8).along("y").at(*at, z)
        part = assembly.part(f"{prefix}louver_{k + 1}", vane, pin, label="louver")
        assembly.hinge(leaf, part, origin=(*at, z), axis="y", lower=tilt[0], upper=tilt[1])


def _add_leafs(
    assembly: Assembly, *, width: float, height: float, skin: str, z: float, body: str, count: int
) -> None:
    """Add the leafs."""
    for name, s in (("left", 1), ("right", -1)):
        y = s * width / 2
        hole = rectangle(width - 0.1, height - 0.12)
        frame = extrude(
            rectangle(width - 0.004, height - 0.004), skin, height=0.034, holes=[hole]
        ).along("x")
        leaf = assembly.part(f"leaf_{name}", frame.at(0.038, y, z), label="shutter_leaf")
        assembly.hinge(
            body,
            leaf,
            origin=(0.056, s * (width - 0.002), z),
            axis="z" if s > 0 else "-z",
            lower=0,
            upper=170,
        )
        _louvers(
            assembly,
            leaf,
            count=count,
            span=(z - height / 2 + 0.065, z + height / 2 - 0.065),
            width=width - 0.1,
            at=(0.038, y),
            prefix=f"{name}_",
            skin=skin,
            blade=min(0.04, 0.9 * (height - 0.12) / count),
            tilt=(-20, 40),
        )


def _shutter(draw: Draw, assembly: Assembly) -> str:
    """Add a window frame and two louvered leaves on hinges."""
    width = draw.number("leaf_width", 0.35, 0.5)
    height = draw.number("height", 0.9, 1.3)
    count = draw.count("louvers", 12, 18)
    skin = draw.pick("material", (*PAINTS, *WOODS))
    z = height / 2 + 0.06
    ring = extrude(
        rectangle(2 * width + 0.12, height + 0.12),
        "white_paint",
        height=0.06,
        holes=[rectangle(2 * width - 0.02, height - 0.02)],
    )
    pane = box((0.008, 2 * width - 0.02, height - 0.02), "glass").at(-0.01, 0, z)
    bars = [
        box((0.02, 0.03, height - 0.02), "white_paint").at(-0.01, 0, z),
        box((0.018, 2 * width - 0.02, 0.03), "white_paint").at(-0.01, 0, z),
    ]
    body = assembly.part(
        "frame", ring.along("x").at(-0.01, 0, z), pane, *bars, label="window_frame"
    )
    _add_leafs(assembly, width=width, height=height, skin=skin, z=z, body=body, count=count)
    return skin


def _vent(draw: Draw, assembly: Assembly) -> str:
    """Add a wall vent with horizontal louvers and a lever."""
    width = draw.number("width", 0.2, 0.4)
    height = draw.number("height", 0.12, 0.25)
    count = draw.count("louvers", 5, 8)
    skin = draw.pick("material", ("white_paint", *METALS))
    z = height / 2 + 0.025
    ring = extrude(
        rectangle(width + 0.05, height + 0.05), skin, height=0.008, holes=[rectangle(width, height)]
    )
    sleeve = extrude(
        rectangle(width + 0.01, height + 0.01), skin, height=0.06, holes=[rectangle(width, height)]
    )
    screws = [
        cylinder((0.004, 0.003), "dark_steel", segments=10)
        .along("x")
        .at(0.0095, sy * (width / 2 + 0.0125), z + sz * (height / 2 + 0.0125))
        for sy in (-1, 1)
        for sz in (-1, 1)
    ]
    body = assembly.part(
        "frame",
        ring.along("x").at(0.004, 0, z),
        sleeve.along("x").at(-0.03, 0, z),
        *screws,
        label="vent_frame",
    )
    _louvers(
        assembly,
        body,
        count=count,
        span=(z - height / 2, z + height / 2),
        width=width,
        at=(-0.018, 0),
        prefix="",
        skin=skin,
        blade=0.8 * height / count,
        tilt=(-38, 40),
    )
    return skin


def build(draw: Draw) -> Assembly:
    """Build one blind, shutter or vent."""
    category = draw.take("category", CATEGORIES)
    noun = category.replace("_", " ")
    article = "An" if noun[0] == "a" else "A"
    assembly = Assembly("", category, f"{article} {noun} whose slats can be tilted.")
    skin = {"venetian_blind": _blind, "window_shutter": _shutter, "air_vent": _vent}[category](
        draw, assembly
    )
    assembly.name = f"{word(skin).capitalize()} {noun}"
    return assembly
