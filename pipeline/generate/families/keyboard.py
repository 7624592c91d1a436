# SPDX-License-Identifier: Apache-2.0
"""A computer keyboard with every key movable, or a numeric keypad.

Keyboards: 101-104 keys on a pitch of 18.5-19.2 mm in six rows, 0.43-0.46 m wide; keys travel
2-4 mm, two feet fold out by 70-90 degrees. Keypads: 18 keys, 0.085-0.1 m wide.
"""

from pipeline.generate.fittings import add_button
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cone,
    loft,
    plate,
    rectangle,
    word,
)

CATEGORIES = {"keyboard": "Electronics", "numeric_keypad": "Electronics"}

Row = list[tuple[float, float]]  # (left edge, width) of keys, in key pitches

_GAP_F = [0, 2, 3, 4, 5, 6.5, 7.5, 8.5, 9.5, 11, 12, 13, 14]
_PAD = [18.5, 19.5, 20.5, 21.5]


def _full_rows(pad: bool) -> list[Row]:
    """Return the six rows of a full keyboard from the rear to the front."""
    navigation = [(15.25 + k, 1.0) for k in range(3)]
    rows: list[Row] = [
        [(x, 1.0) for x in _GAP_F] + navigation,
        [(k, 1.0) for k in range(13)] + [(13, 2.0)] + navigation,
        [(0, 1.5)] + [(1.5 + k, 1.0) for k in range(12)] + [(13.5, 1.5)] + navigation,
        [(0, 1.75)] + [(1.75 + k, 1.0) for k in range(11)] + [(12.75, 2.25)],
        [(0, 2.25)] + [(2.25 + k, 1.0) for k in range(10)] + [(12.25, 2.75), (16.25, 1.0)],
        [(1.25 * k, 1.25) for k in range(3)]
        + [(3.75, 6.25)]
        + [(10 + 1.25 * k, 1.25) for k in range(4)]
        + navigation,
    ]
    if pad:
        for row, keys in zip(rows[1:], _pad_rows(), strict=True):
            row += [(18.5 + x, w) for x, w in keys]
    return rows


def _pad_rows() -> list[Row]:
    """Return the five rows of a numeric pad."""
    full: Row = [(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0)]
    return [full, full, full, full, [(0, 2.0), (2, 1.0)]]


def _cap(size: tuple[float, float, float], color: str) -> Shape:
    """Return a key cap that narrows to its top, standing on z = 0."""
    x, y, z = size
    low, high = rectangle(x, y), rectangle(x - 0.004, y - 0.004)
    return loft([[(u, v, h) for u, v in ring] for ring, h in ((low, 0.0), (high, z))], color)


def _keys(
    assembly: Assembly,
    body: str,
    rows: list[Row],
    *,
    pitch: float,
    wide: float,
    top: float,
    travel: float,
    colors: tuple[str, str],
) -> int:
    """Add all keys and return their number; keys wider than one pitch take the second color."""
    count = 0
    for r, row in enumerate(rows):
        x = ((len(rows) - 1) / 2 - (len(rows) - 1 - r)) * pitch
        for left, width in row:
            count += 1
            y = wide / 2 - (left + width / 2) * pitch
            cap = _cap((pitch - 0.0012, width * pitch - 0.0012, 0.007), colors[width > 1 or r == 0])
            add_button(
                assembly,
                body,
                f"key_{count:03d}",
                cap.at(x, y, top),
                axis="-z",
                travel=travel,
                label="key",
            )
    return count


def _feet(draw: Draw, assembly: Assembly, body: str, size: tuple[float, float]) -> None:
    """Add two feet that fold out under the rear edge."""
    depth, wide = size
    fold = draw.number("foot_fold_deg", 70, 90, digits=1)
    for k, s in enumerate((-1, 1), start=1):
        at = (-depth / 2 + 0.012, s * (wide / 2 - 0.05), 0.0045)
        foot = assembly.part(
            f"foot_{k}", box((0.02, 0.024, 0.003), "rubber").at(at[0] + 0.01, at[1], at[2])
        )
        assembly.hinge(body, foot, origin=at, axis="y", lower=0, upper=fold)


def build(draw: Draw) -> Assembly:
    """Build one keyboard or keypad."""
    category = draw.take("category", CATEGORIES)
    full = category == "keyboard"
    pitch = draw.number("key_pitch", *((0.0185, 0.0192) if full else (0.0190, 0.0205)))
    travel = draw.number("key_travel", *((0.002, 0.004) if full else (0.0025, 0.0035)))
    skin = draw.pick(
        "body_material", ("black_plastic", "white_plastic", "gray_plastic", "aluminum")
    )
    key = draw.pick("key_material", ("white_plastic", "black_plastic", "cream_paint"))
    accent = draw.pick("accent_material", ("gray_plastic", "blue_plastic", "red_plastic"))
    rows = _full_rows(pad=True) if full else _pad_rows()
    wide = (22.5 if full else 4) * pitch
    depth = len(rows) * pitch + 0.02
    noun = category.replace("_", " ")
    assembly = Assembly("", category, "")
    top = 0.018
    base = plate((depth, wide + 0.024, 0.012), skin, radius=0.008).on(0, 0, 0.006)
    pads = [
        cone((0.006, 0.005, 0.006), "rubber", segments=12).on(
            depth / 2 - 0.012, s * (wide / 2 - 0.02), 0
        )
        for s in (-1, 1)
    ]
    body = assembly.part("body", base, *pads, label="keyboard_body")
    count = _keys(
        assembly, body, rows, pitch=pitch, wide=wide, top=top, travel=travel, colors=(key, accent)
    )
    if full:
        _feet(draw, assembly, body, (depth, wide))
    assembly.name = f"{word(skin).capitalize()} {noun} with {count} keys"
    assembly.description = f"A {noun} on which each of {count} keys can be pressed."
    return assembly
