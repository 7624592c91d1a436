# SPDX-License-Identifier: Apache-2.0
"""A pocket clamshell: flip phone with a keypad, or handheld game console with two screens.

Flip phones: 85-100 mm long closed, 45-52 mm wide, lid of 150-165 degrees, 12 number keys. Game
consoles: 0.13-0.155 m wide, 72-82 mm deep, lid of 130-160 degrees, direction pad, four buttons,
volume slider of 15 mm.
"""

from pipeline.generate.fittings import add_button
from pipeline.generate.vocabulary import Assembly, Draw, box, cylinder, extrude, plate, word

CATEGORIES = {"mobile_phone": "Electronics", "handheld_game_console": "Electronics"}


def _halves(
    draw: Draw,
    assembly: Assembly,
    size: tuple[float, float, float],
    *,
    skin: str,
    opening: tuple[float, float],
) -> tuple[str, str, float]:
    """Add base and lid on a rear hinge; return both and the height of the base's face."""
    long, wide, thick = size
    base = assembly.part("base", plate((long, wide, thick), skin, radius=0.008).on(0, 0, 0))
    z = thick + 0.0042
    shell = plate((long, wide, 0.8 * thick), skin, radius=0.008).on(0, 0, z)
    screen = box((0.72 * long, 0.8 * wide, 0.0006), "screen_blue").on(0.02 * long, 0, z - 0.0006)
    barrel = (
        cylinder((0.0035, 0.5 * wide), "gray_plastic", segments=16)
        .along("y")
        .at(-long / 2 - 0.001, 0, z - 0.001)
    )
    lens = cylinder((0.005, 0.001), "smoked_glass").on(-0.3 * long, 0, z + 0.8 * thick)
    lid = assembly.part("lid", shell, screen, barrel, lens, label="screen_lid")
    angle = draw.number("opening_deg", *opening, digits=1)
    assembly.hinge(
        base, lid, origin=(-long / 2 - 0.001, 0, z - 0.001), axis="-y", lower=0, upper=angle
    )
    return base, lid, thick


def _phone(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a flip phone with number keys and a center key."""
    size = (
        draw.number("length", 0.085, 0.1),
        draw.number("width", 0.045, 0.052),
        draw.number("thickness", 0.008, 0.011),
    )
    base, _, top = _halves(draw, assembly, size, skin=skin, opening=(150, 165))
    long, wide, _ = size
    key = draw.pick("key_color", ("white_plastic", "gray_plastic", "sky_paint"))
    for r in range(4):
        for c in range(3):
            cap = box((0.09 * long, 0.22 * wide, 0.0015), key).on(
                (0.4 - 0.13 * r) * long, (c - 1) * 0.28 * wide, top
            )
            add_button(
                assembly, base, f"key_{r + 1}_{c + 1}", cap, axis="-z", travel=0.001, label="key"
            )
    ring = cylinder((0.13 * wide, 0.0015), "chrome").on(-0.22 * long, 0, top)
    add_button(assembly, base, "center_key", ring, axis="-z", travel=0.001, label="key")


def _console(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a game console with a second screen, direction pad, buttons and a slider."""
    size = (
        draw.number("depth", 0.072, 0.082),
        draw.number("width", 0.13, 0.155),
        draw.number("thickness", 0.01, 0.013),
    )
    base, _, top = _halves(draw, assembly, size, skin=skin, opening=(130, 160))
    long, wide, _ = size
    assembly.weld(
        base,
        assembly.part(
            "touch_screen", box((0.7 * long, 0.46 * wide, 0.0006), "screen_blue").on(0, 0, top)
        ),
        origin=(0, 0, top),
    )
    y, arm = 0.36 * wide, 0.011
    cross = [
        (-arm, -0.004),
        (-0.004, -0.004),
        (-0.004, -arm),
        (0.004, -arm),
        (0.004, -0.004),
        (arm, -0.004),
    ]
    outline = [*cross, *((-x, -v) for x, v in cross)]
    pad = extrude(outline, "black_plastic", height=0.002).on(0, -y, top)
    add_button(assembly, base, "direction_pad", pad, axis="-z", travel=0.001)
    for k, (dx, dy) in enumerate(((0.009, 0), (-0.009, 0), (0, 0.009), (0, -0.009)), start=1):
        color = draw.pick(
            f"button_{k}_color", ("red_plastic", "blue_plastic", "yellow_plastic", "green_plastic")
        )
        cap = cylinder((0.0042, 0.002), color, segments=16).on(dx, y + dy, top)
        add_button(assembly, base, f"button_{k}", cap, axis="-z", travel=0.001)
    slider = assembly.part(
        "volume_slider",
        box((0.006, 0.003, 0.004), "black_plastic").at(0.2 * long, wide / 2 + 0.0017, 0.5 * top),
    )
    assembly.slide(base, slider, axis="-x", lower=0, upper=0.015)


def build(draw: Draw) -> Assembly:
    """Build one flip phone or game console, closed at rest."""
    category = draw.take("category", CATEGORIES)
    skin = draw.pick(
        "skin_material", ("red_paint", "black_plastic", "aluminum", "sky_paint", "purple_paint")
    )
    phone = category == "mobile_phone"
    noun = "flip phone" if phone else "handheld game console"
    assembly = Assembly(f"{word(skin).capitalize()} {noun}", category, f"A {noun} that folds shut.")
    (_phone if phone else _console)(draw, assembly, skin)
    return assembly
