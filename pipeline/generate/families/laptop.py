# SPDX-License-Identifier: Apache-2.0
"""A laptop: base with keyboard (in some, keys that move) and trackpad, hinged lid with a screen.

Sizes after 11-17 inch machines: 0.27-0.39 m wide, 62-70 % of that deep, base 12-20 mm, lid 6-8 mm;
the lid is closed at rest and opens by 120-170 degrees; keys travel 1.5 mm.
"""

from pipeline.generate.polygons import Outline
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    extrude,
    plate,
    rectangle,
)

CATEGORIES = {"laptop": "Electronics"}


def _add_base(
    assembly: Assembly, *, depth: float, width: float, skin: str, well: Outline, thick: float
) -> str:
    """Add the base."""
    deck = extrude(rectangle(depth, width), skin, height=0.004, holes=[well])
    pad = (width * 0.32, depth * 0.26)
    return assembly.part(
        "base",
        plate((depth, width, thick - 0.004), skin, radius=0.008).on(0, 0, 0.002),
        deck.on(0, 0, thick - 0.002),
        box((pad[1], pad[0], 0.0004), "gray_paint").on(depth * 0.32, 0, thick + 0.002),
        *(
            cylinder((0.007, 0.002), "rubber", segments=12).on(
                sx * depth * 0.4, sy * width * 0.42, 0
            )
            for sx in (-1, 1)
            for sy in (-1, 1)
        ),
    )


def _key_caps(
    pitch: float, board_x: float, *, columns: int, keys: str, top: float
) -> dict[str, Shape]:
    """Return the key caps by name."""
    cap = pitch * 0.86
    caps = {}
    for row in range(5):
        x = board_x + (row - 2) * pitch
        wide = row == 4
        for column in range(1 if wide else columns):
            y = 0.0 if wide else (column - (columns - 1) / 2) * pitch
            size = (cap, pitch * 5.5 if wide else cap, 0.0025)
            name = "space_bar" if wide else f"key_{row + 1}_{column + 1}"
            caps[name] = box(size, keys).on(x, y, top - 0.0021)
    return caps


def build(draw: Draw) -> Assembly:
    """Build one laptop, closed at rest, its opening edge to the front."""
    width = draw.number("width", 0.27, 0.39)
    depth = round(width * draw.number("depth_ratio", 0.62, 0.70), 4)
    thick = draw.number("base_thickness", 0.012, 0.02)
    lid_thick = draw.number("lid_thickness", 0.006, 0.008)
    skin = draw.pick("skin_material", ("aluminum", "gray_plastic", "black_plastic", "red_paint"))
    keys = draw.pick("key_material", ("black_plastic", "white_plastic"))
    opening = draw.number("lid_opening_deg", 120, 170, digits=1)
    columns = draw.count("key_columns", 11, 14)
    pressable = draw.chance("pressable_keys", 0.3)

    assembly = Assembly(
        f"{skin.split('_')[0].capitalize()} laptop",
        "laptop",
        f"A laptop computer with a hinged screen and {4 * columns + 1} keys.",
    )
    pitch = round((width - 0.04) / columns, 4)
    board_x = -depth * 0.14
    well = rectangle(5 * pitch + 0.002, columns * pitch + 0.002, center=(board_x, 0))
    base = _add_base(assembly, depth=depth, width=width, skin=skin, well=well, thick=thick)
    top = thick + 0.002
    gap = 0.0008
    axle = (-depth / 2 + 0.004, 0, top + 0.0012)
    lid_low = top + gap
    screen = (depth * 0.84, width * 0.93)
    lid = assembly.part(
        "lid",
        plate((depth - 0.008, width, lid_thick), skin, radius=0.008).on(0.004, 0, lid_low),
        box((screen[0], screen[1], 0.0003), "screen").on(0.01, 0, lid_low - 0.0003),
        label="screen_lid",
    )
    assembly.hinge(base, lid, origin=axle, axis="-y", lower=0, upper=opening)
    caps = _key_caps(pitch, board_x, columns=columns, keys=keys, top=top)
    if not pressable:
        keyboard = assembly.part("keyboard", *caps.values())
        assembly.weld(base, keyboard, origin=(board_x, 0, top))
        return assembly
    for name, shape in caps.items():
        assembly.slide(base, assembly.part(name, shape), axis="-z", lower=0, upper=0.0015)
    return assembly
