# SPDX-License-Identifier: Apache-2.0
"""A clamshell griddle: round waffle iron with a grid, or ribbed contact grill with a bow handle.

Waffle irons: 0.19-0.23 m across, halves 40-50 mm thick, opening by 95-110 degrees. Contact grills:
0.26-0.34 m wide, 0.22-0.28 m deep, opening by 90-100 degrees, dial of 270 and drip drawer.
"""

import math

from pipeline.generate.fittings import add_button, add_dial, bar_pull, feet
from pipeline.generate.vocabulary import Assembly, Draw, Shape, box, cylinder, lathe, plate, word

CATEGORIES = {"waffle_iron": "Kitchen & Cooking", "contact_grill": "Kitchen & Cooking"}


def _grid(radius: float, z: float) -> list[Shape]:
    """Return crossing bars within a disk, whose lower face is at height z."""
    bars = []
    for k in range(-3, 4):
        t = k / 3.6
        long = 2 * radius * math.sqrt(1 - t * t) - 0.01
        bars.append(box((long, 0.006, 0.006), "cast_iron").on(0, t * radius, z))
        bars.append(box((0.006, long, 0.0055), "cast_iron").on(t * radius, 0, z))
    return bars


def _waffle_iron(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add two round halves with a grid inside."""
    r = draw.number("radius", 0.095, 0.115)
    thick = draw.number("half_height", 0.04, 0.05)
    shell = lathe(
        [(0.8 * r, 0), (r, 0.35 * thick), (r, thick - 0.007), (0.93 * r, thick - 0.007)], skin
    )
    handle = plate((0.06, 0.05, 0.014), "black_plastic", radius=0.012)
    knuckle = box((0.03, 0.07, 0.02), "black_plastic")
    z = 0.01 + thick
    lower = assembly.part(
        "base",
        shell.at(0, 0, 0.01),
        *_grid(0.93 * r, z - 0.0075),
        handle.on(r + 0.02, 0, z - 0.024),
        knuckle.on(-r - 0.008, 0, z - 0.022),
        *feet((r, r)),
    )
    upper = [
        shell.turned("x", 180).at(0, 0, z + thick + 0.0012),
        *(s.at(0, 0, 0.008) for s in _grid(0.93 * r, z - 0.0055)),
    ]
    top = assembly.part(
        "lid", *upper, handle.on(r + 0.02, 0, z + 0.011), knuckle.on(-r - 0.008, 0, z + 0.003)
    )
    opening = draw.number("opening_deg", 95, 110, digits=1)
    assembly.hinge(lower, top, origin=(-r - 0.02, 0, z), axis="-y", lower=0, upper=opening)
    lamp = cylinder((0.012, 0.006), "red_plastic", segments=16).on(0.4 * r, 0, z + thick + 0.001)
    add_button(assembly, top, "timer_button", lamp, axis="-z", travel=0.003)


def _add_drip_drawer_and_dial(assembly: Assembly, *, depth: float, width: float, base: str) -> None:
    """Add the drip drawer and dial."""
    drawer = assembly.part(
        "drip_drawer",
        box((depth - 0.04, width - 0.044, 0.026), "dark_steel").on(0, 0, 0.018),
        box((0.012, 0.1, 0.014), "chrome").on(depth / 2 - 0.014, 0, 0.022),
    )
    assembly.slide(base, drawer, axis="x", lower=0, upper=round(0.5 * depth, 3))
    add_dial(
        assembly,
        base,
        "dial",
        at=(depth / 2, width / 2 - 0.03, 0.063),
        axis="x",
        size=(0.011, 0.014),
        material="chrome",
    )


def _contact_grill(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add two ribbed rectangular halves, a bow handle, a dial and a drip drawer."""
    width = draw.number("width", 0.26, 0.34)
    depth = draw.number("depth", 0.22, 0.28)
    low = 0.075
    ribs = [
        box((depth - 0.05, 0.006, 0.004), "cast_iron").on(0, width * (k / 12 - 0.5) * 0.85, low)
        for k in range(13)
    ]
    sides = [box((depth, 0.02, 0.04), skin).on(0, s * (width / 2 - 0.01), 0.01) for s in (-1, 1)]
    knuckle = box((0.02, width * 0.6, 0.03), skin).on(-depth / 2 - 0.009, 0, low - 0.02)
    base = assembly.part(
        "base",
        box((depth, width, 0.025), skin).on(0, 0, 0.05),
        *sides,
        *ribs,
        knuckle,
        *feet((depth - 0.05, width - 0.03)),
    )
    top_z = low + 0.0052
    bow = bar_pull(width * 0.7, "chrome", reach=0.06, radius=0.008).turned("y", -25)
    lid = assembly.part(
        "lid",
        plate((depth, width, 0.03), skin, radius=0.03).on(0, 0, top_z),
        bow.at(depth / 2 - 0.006, 0, top_z + 0.02),
        box((0.018, width * 0.5, 0.02), skin).on(-depth / 2 - 0.008, 0, top_z + 0.008),
    )
    opening = draw.number("opening_deg", 90, 100, digits=1)
    assembly.hinge(
        base, lid, origin=(-depth / 2 - 0.019, 0, low + 0.012), axis="-y", lower=0, upper=opening
    )
    _add_drip_drawer_and_dial(assembly, depth=depth, width=width, base=base)


def build(draw: Draw) -> Assembly:
    """Build one waffle iron or contact grill, hinge at the rear."""
    category = draw.take("category", CATEGORIES)
    skin = draw.pick("skin_material", ("black_paint", "steel", "red_paint", "white_plastic"))
    noun = category.replace("_", " ")
    assembly = Assembly(
        f"{word(skin).capitalize()} {noun}", category, f"A {noun} that opens like a shell."
    )
    (_waffle_iron if category == "waffle_iron" else _contact_grill)(draw, assembly, skin)
    return assembly
