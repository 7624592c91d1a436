# SPDX-License-Identifier: Apache-2.0
"""Keyboard instruments with every key movable: upright piano and digital piano.

Pianos: 88 keys of 23.5 mm pitch, each dipping by 2.5-3 degrees; 1.48-1.54 m wide, 1.1-1.25 m tall;
fall board of 90-100 degrees, top lid of 80, three pedals of 6. Digital pianos: 61 or 76 keys, body
0.12-0.16 m tall, 6-10 buttons, two sliders, music rest of 60-75 degrees.
"""

from pipeline.generate.fittings import add_button, add_dial
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    extrude,
    word,
)

CATEGORIES = {"piano": "Recreation", "digital_piano": "Recreation"}
PITCH = 0.0235
_BLACK = (1, 3, 6, 8, 10)
_WHITE = (0, 2, 4, 5, 7, 9, 11)


def _octave(number: int, first: int) -> tuple[bool, int, int]:
    """Return whether key `number` is black, its octave and its place; `first` is the low note."""
    note = first + number
    return note % 12 in _BLACK, note // 12, note % 12


def _white(place: int, y: float, length: float, z: float) -> Shape:
    """Return a white key, notched where black keys lie; the player is at +x."""
    left = 0.0 if place in (0, 5) else 0.0058
    right = 0.0 if place in (4, 11) else 0.0058
    half = PITCH / 2 - 0.0005
    outline = [
        (-length, half - left),
        (-0.05, half - left),
        (-0.05, half),
        (0, half),
        (0, -half),
        (-0.05, -half),
        (-0.05, right - half),
        (-length, right - half),
    ]
    corners = list(dict.fromkeys(outline))  # a side without a notch repeats its corner
    return extrude(corners, "white_plastic", height=0.016).at(0, y, z)


def _keys(
    draw: Draw,
    assembly: Assembly,
    body: str,
    *,
    count: int,
    first: int,
    front: float,
    z: float,
    length: float,
) -> None:
    """Add the keys from the left, all on one axis behind them."""
    dip = draw.number("dip_deg", 2.5, 3.0, digits=2)
    whites = sum(not _octave(k, first)[0] for k in range(count))
    start = _whites_below(first)
    for k in range(count):
        black, octave, place = _octave(k, first)
        index = octave * 7 + sum(w < place for w in _WHITE) - start
        y = ((whites - 1) / 2 - index) * PITCH
        if black:
            y += PITCH / 2
            shape = box((length - 0.055, 0.0105, 0.022), "black_plastic").at(
                front - 0.055 - (length - 0.055) / 2, y, z + 0.0045
            )
        else:
            shape = _white(place, y, length, z).at(front)
        key = assembly.part(f"key_{k + 1:02d}", shape, label="black_key" if black else "white_key")
        assembly.hinge(body, key, origin=(front - length, y, z), axis="y", lower=0, upper=dip)


def _whites_below(first: int) -> int:
    """Return the number of white keys below a note."""
    return (first // 12) * 7 + sum(w < first % 12 for w in _WHITE)


def _add_case_and_top_lid(draw: Draw, assembly: Assembly, *, skin: str) -> str:
    """Add the case, top lid and fall board."""
    wide, tall = draw.number("width", 1.48, 1.54), draw.number("height", 1.1, 1.25)
    bed, front = 0.62, 0.28
    case = [
        box((0.32, wide, 0.04), skin).on(-0.14, 0, 0.08),
        box((0.03, wide, tall - 0.08), skin).on(-0.285, 0, 0.08),
    ]
    case += [
        box((0.32, 0.04, tall - 0.08), skin).on(-0.14, s * (wide / 2 - 0.02), 0.08) for s in (-1, 1)
    ]
    case += [
        box((0.29, 0.06, 0.2), skin).on(0.165, s * (wide / 2 - 0.03), bed - 0.06) for s in (-1, 1)
    ]
    case += [
        box((0.06, 0.06, bed - 0.06), skin).on(0.26, s * (wide / 2 - 0.03), 0) for s in (-1, 1)
    ]
    case += [
        box((0.34, wide - 0.08, 0.03), skin).on(0.13, 0, bed - 0.045),
        box((0.03, wide - 0.08, bed - 0.2), skin).on(0.0, 0, 0.12),
        box((0.03, wide - 0.08, tall - bed - 0.18), skin).on(0.0, 0, bed + 0.17),
        box((0.02, wide - 0.12, 0.05), skin).on(0.295, 0, bed - 0.04),
    ]
    shelf = [
        box((0.1, 0.6, 0.012), skin).on(0.06, 0, bed + 0.28),
        box((0.008, 0.5, 0.3), "paper").on(0.03, 0, bed + 0.292),
    ]
    casters = [
        cylinder((0.03, 0.08), "brass", segments=14).on(-0.22, s * (wide / 2 - 0.08), 0)
        for s in (-1, 1)
    ]
    body = assembly.part("case", *case, *shelf, *casters, label="piano_case")
    _keys(draw, assembly, body, count=88, first=9, front=front, z=bed + 0.012, length=0.15)
    lid = assembly.part(
        "top_lid", box((0.36, wide + 0.03, 0.025), skin).on(-0.125, 0, tall + 0.001)
    )
    assembly.hinge(body, lid, origin=(-0.305, 0, tall + 0.001), axis="-y", lower=0, upper=80)
    fall = assembly.part(
        "fall_board", box((0.012, wide - 0.14, 0.13), skin).on(0.03, 0, bed + 0.035)
    )
    assembly.hinge(body, fall, origin=(0.036, 0, bed + 0.035), axis="y", lower=0, upper=60)
    return body


def _upright(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add an upright piano."""
    body = _add_case_and_top_lid(draw, assembly, skin=skin)
    for k in range(3):
        pedal = assembly.part(
            f"pedal_{k + 1}", box((0.12, 0.035, 0.012), "brass").at(0.076, (1 - k) * 0.08, 0.06)
        )
        assembly.hinge(
            body, pedal, origin=(0.016, (1 - k) * 0.08, 0.06), axis="y", lower=0, upper=6
        )


def _add_buttons_and_volume_dial(draw: Draw, assembly: Assembly, *, tall: float, body: str) -> None:
    """Add the buttons, volume dial and music rest."""
    for k in range(draw.count("buttons", 6, 10)):
        cap = box((0.012, 0.02, 0.005), "red_plastic" if k == 0 else "gray_plastic").on(
            -0.06, 0.14 + 0.028 * k, tall + 0.08
        )
        add_button(assembly, body, f"button_{k + 1}", cap, axis="-z", travel=0.002)
    add_dial(
        assembly,
        body,
        "volume_dial",
        at=(-0.09, -0.2, tall + 0.08),
        axis="z",
        size=(0.016, 0.014),
        material="gray_plastic",
    )
    rest = assembly.part(
        "music_rest", box((0.006, 0.5, 0.2), "clear_plastic").on(-0.14, 0, tall + 0.081)
    )
    assembly.hinge(body, rest, origin=(-0.143, 0, tall + 0.081), axis="-y", lower=0, upper=20)


def _digital(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a digital piano on an X stand."""
    count = int(draw.pick("keys", ("61", "76")))
    tall = draw.number("stand_height", 0.6, 0.72)
    whites = sum(not _octave(k, 0)[0] for k in range(count))
    wide = whites * PITCH + 0.106
    shell = [
        box((0.3, wide, 0.02), skin).on(0, 0, tall),
        box((0.13, wide, 0.06), skin).on(-0.085, 0, tall + 0.02),
    ]
    shell += [
        box((0.17, 0.045, 0.05), skin).on(0.065, s * (wide / 2 - 0.0225), tall + 0.02)
        for s in (-1, 1)
    ]
    screen = box((0.05, 0.16, 0.002), "screen_blue").on(-0.09, 0, tall + 0.08)
    legs = []
    for x in (-0.1, 0.1):
        for s in (-1, 1):
            leg = (
                box((0.02, 0.03, 1.28 * tall), "dark_steel")
                .turned("x", s * 39)
                .at(x + s * 0.011, 0, tall / 2)
            )
            legs.append(leg)
    bars = [box((0.34, 0.03, 0.02), "rubber").at(0, s * 0.4 * tall, 0.01) for s in (-1, 1)]
    body = assembly.part("body", *shell, screen, *legs, *bars, label="piano_body")
    _keys(draw, assembly, body, count=count, first=0, front=0.14, z=tall + 0.036, length=0.15)
    _add_buttons_and_volume_dial(draw, assembly, tall=tall, body=body)


def build(draw: Draw) -> Assembly:
    """Build one piano, its keys to the front."""
    category = draw.take("category", CATEGORIES)
    skin = draw.pick(
        "material",
        ("black_paint", "walnut", "cherry", "white_paint")
        if category == "piano"
        else ("black_plastic", "gray_plastic", "red_paint"),
    )
    noun = "upright piano" if category == "piano" else "digital piano"
    article = "An" if category == "piano" else "A"
    assembly = Assembly(
        f"{word(skin).capitalize()} {noun}",
        category,
        f"{article} {noun} on which every key can be played.",
    )
    (_upright if category == "piano" else _digital)(draw, assembly, skin)
    return assembly
