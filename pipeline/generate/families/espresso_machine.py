# SPDX-License-Identifier: Apache-2.0
"""An espresso machine: boiler box over a drip tray, portafilter that locks in, steam wand, dials.

Sizes after home machines: 0.22-0.3 m wide, 0.26-0.32 m deep, 0.3-0.36 m tall; the portafilter
turns by 45-60 degrees, the wand swings by 60, the drip tray and the water tank slide out.
"""

from pipeline.generate.fittings import add_button, add_dial, feet
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    capsule,
    cylinder,
    lathe,
    plate,
    rounded_box,
    sweep,
    tray,
    word,
)

CATEGORIES = {"coffee_machine": "Kitchen & Cooking"}


def _body(assembly: Assembly, size: tuple[float, float, float], skin: str) -> str:
    """Add the C-shaped body: tray base, column and boiler box with the group head."""
    depth, width, height = size
    head = (0.7 * depth, width, 0.36 * height)
    group = lathe([(0.036, 0), (0.036, 0.02), (0.03, 0.03)], "chrome")
    return assembly.part(
        "body",
        box((depth, width, 0.012), skin).on(0, 0, 0.01),
        *(
            box((depth - 0.002, 0.012, 0.05), skin).on(0, s * (width / 2 - 0.006), 0.0219)
            for s in (-1, 1)
        ),
        box((0.4 * depth, width, height - 0.08), skin).on(-0.3 * depth, 0, 0.071),
        rounded_box(head, skin, radius=0.015).on(-0.02, 0, height - head[2]),
        group.on(0.16 * depth, 0, height - head[2] - 0.0295),
        plate((0.004, 0.24 * width, 0.02), "steel", radius=0.0015).at(
            0.33 * depth, 0, height - 0.03
        ),
        *feet((depth - 0.05, width - 0.05)),
    )


def _add_steam_dial_and_buttons(
    assembly: Assembly, *, depth: float, body: str, y: float, height: float, width: float
) -> None:
    """Add the steam dial and buttons."""
    face = 0.35 * depth - 0.02
    add_dial(
        assembly,
        body,
        "steam_dial",
        at=(face, y, height - 0.06),
        axis="x",
        size=(0.018, 0.02),
        material="black_plastic",
    )
    for k in range(3):
        cap = (
            cylinder((0.009, 0.005), "chrome", segments=14)
            .along("x")
            .at(face + 0.0025, 0.15 * width + 0.028 * k - 0.02, height - 0.075)
        )
        add_button(assembly, body, f"button_{k + 1}", cap, axis="-x", travel=0.002)


def build(draw: Draw) -> Assembly:
    """Build one espresso machine."""
    width = draw.number("width", 0.22, 0.3)
    depth = draw.number("depth", 0.26, 0.32)
    height = draw.number("height", 0.3, 0.36)
    skin = draw.pick("skin_material", ("steel", "red_paint", "black_paint", "cream_paint"))
    grip = draw.pick("grip_material", ("black_plastic", "walnut"))
    lock = draw.number("lock_deg", 45, 60, digits=1)
    assembly = Assembly(
        f"{word(skin).capitalize()} espresso machine",
        "coffee_machine",
        "An espresso machine with a portafilter, a steam wand and a drip tray.",
    )
    body = _body(assembly, (depth, width, height), skin)
    x, z = 0.16 * depth, 0.64 * height - 0.03
    cup = lathe([(0.012, -0.04), (0.026, -0.03), (0.032, 0)], "chrome").at(x, 0, z - 0.0005)
    handle = capsule((0.011, 0.1), grip).along("x").at(x + 0.1, 0, z - 0.018)
    filter_ = assembly.part("portafilter", cup, handle)
    assembly.hinge(body, filter_, origin=(x, 0, z), axis="-z", lower=0, upper=lock)
    pan = tray((0.58 * depth, width - 0.026, 0.04), "steel", wall=0.003).on(0.2 * depth, 0, 0.0225)
    slots = [
        box((0.55 * depth, 0.006, 0.003), "dark_steel").on(
            0.2 * depth, (k - 4) * width / 11, 0.0595
        )
        for k in range(9)
    ]
    drip = assembly.part("drip_tray", pan, *slots)
    assembly.slide(body, drip, axis="x", lower=0, upper=round(0.4 * depth, 3))
    y = -0.38 * width
    wand = assembly.part(
        "steam_wand",
        sweep([(x, y, z + 0.029), (x + 0.02, y, z - 0.07)], "chrome", radius=0.005),
        cylinder((0.009, 0.012), "rubber", segments=14).on(x + 0.012, y, z - 0.05),
    )
    assembly.hinge(body, wand, origin=(x, y, z + 0.03), axis="y", lower=-30, upper=30)
    _add_steam_dial_and_buttons(assembly, depth=depth, body=body, y=y, height=height, width=width)
    return assembly
