# SPDX-License-Identifier: Apache-2.0
"""A toaster: rounded shell with two or four slots, a lever per pair, dials and a crumb tray.

Sizes after pop-up toasters: 0.27-0.32 m long and 0.16-0.18 m wide (0.28-0.31 m for four slots),
0.17-0.2 m tall; levers slide down by 80-95 mm, dials turn by 270 degrees.
"""

from pipeline.generate.fittings import add_button, add_dial, feet
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    extrude,
    rectangle,
    rounded_rectangle,
    tray,
    word,
)

CATEGORIES = {"toaster": "Kitchen & Cooking"}


def _shell(assembly: Assembly, size: tuple[float, float, float], slots: int, skin: str) -> str:
    """Add the body: a sleeve around the slots, a base and a lever guide on the front."""
    depth, width, height = size
    pitch = width / slots
    holes = [
        rectangle(depth - 0.06, 0.034, center=(0, (k - (slots - 1) / 2) * pitch))
        for k in range(slots)
    ]
    outline = rounded_rectangle(depth, width, radius=0.03, steps=5)
    sleeve = extrude(outline, skin, height=height - 0.036, holes=holes).on(0, 0, 0.036)
    base = extrude(
        rounded_rectangle(depth - 0.012, width - 0.012, radius=0.026), "black_plastic", height=0.01
    )
    walls = [
        box((depth - 0.08, 0.012, 0.016), "black_plastic").on(0, s * (width / 2 - 0.012), 0.0201)
        for s in (-1, 1)
    ]
    back = box((0.012, width - 0.05, 0.016), "black_plastic").on(0.02 - depth / 2, 0, 0.0201)
    return assembly.part(
        "body", sleeve, base.on(0, 0, 0.0101), *walls, back, *feet((depth - 0.08, width - 0.05))
    )


def build(draw: Draw) -> Assembly:
    """Build one toaster; its levers are on the front end."""
    pairs = draw.count("slot_pairs", 1, 2)
    depth = draw.number("length", 0.27, 0.32)
    width = draw.number("width", 0.16, 0.18) * (1.7 if pairs == 2 else 1)
    height = draw.number("height", 0.17, 0.2)
    skin = draw.pick(
        "skin_material",
        ("chrome", "red_paint", "cream_paint", "mint_paint", "steel", "black_paint"),
    )
    knob = draw.pick("knob_material", ("black_plastic", "chrome"))
    travel = draw.number("lever_travel", 0.08, 0.095)
    assembly = Assembly(
        f"{word(skin).capitalize()} {2 * pairs}-slot toaster",
        "toaster",
        f"A toaster with {2 * pairs} slots, sliding levers and a crumb tray.",
    )
    body = _shell(assembly, (depth, width, height), 2 * pairs, skin)
    for k in range(pairs):
        y = (k - (pairs - 1) / 2) * width / 2
        lever = assembly.part(
            f"lever_{k + 1}",
            box((0.014, 0.012, 0.01), "dark_steel").at(
                depth / 2 + 0.0075, y + 0.025, height - 0.04
            ),
            box((0.012, 0.04, 0.018), knob).at(depth / 2 + 0.02, y + 0.025, height - 0.04),
        )
        assembly.slide(body, lever, axis="-z", lower=0, upper=travel)
        at = (depth / 2, y - 0.03, 0.09)
        add_dial(
            assembly, body, f"dial_{k + 1}", at=at, axis="x", size=(0.016, 0.016), material=knob
        )
        cap = box((0.005, 0.018, 0.009), knob).at(depth / 2 + 0.0026, y - 0.03, 0.13)
        add_button(assembly, body, f"cancel_button_{k + 1}", cap, axis="-x", travel=0.002)
    crumbs = tray((depth - 0.06, width - 0.06, 0.01), "steel", wall=0.002).on(0.02, 0, 0.0215)
    pan = assembly.part("crumb_tray", crumbs)
    assembly.slide(body, pan, axis="x", lower=0, upper=round(0.7 * depth, 3))
    return assembly
