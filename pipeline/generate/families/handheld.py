# SPDX-License-Identifier: Apache-2.0
"""A slab with keys: remote control, calculator, walkie-talkie.

Remote controls: 0.14-0.21 m long, 42-52 mm wide, 18-40 buttons, battery door sliding by 25 mm.
Calculators: 0.12-0.16 m long, 70-85 mm wide, 20-25 keys below a display. Walkie-talkies: 0.1-0.13 m
tall, standing, antenna on a hinge of 90 degrees, volume knob, talk key.
"""

from pipeline.generate.fittings import add_button, add_dial
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    capsule,
    cylinder,
    plate,
    rounded_box,
    word,
)

CATEGORIES = {
    "remote_control": "Electronics",
    "calculator": "Electronics",
    "walkie_talkie": "Electronics",
}


def _grid(
    assembly: Assembly,
    body: str,
    *,
    rows: int,
    columns: int,
    area: tuple[float, float, float],
    top: float,
    colors: tuple[str, str],
    round_keys: bool,
) -> None:
    """Add a grid of keys on an area (front x, depth, width) of the face at height `top`."""
    front, depth, width = area
    px, py = depth / rows, width / columns
    for r in range(rows):
        for c in range(columns):
            x, y = front - (r + 0.5) * px, (c - (columns - 1) / 2) * py
            color = colors[int(c == 0 and r < 3) if columns > 2 else 0]
            if round_keys:
                cap = cylinder((0.36 * min(px, py), 0.002), color, segments=14)
            else:
                cap = box((0.72 * px, 0.76 * py, 0.0025), color)
            add_button(
                assembly,
                body,
                f"button_{r + 1}_{c + 1}",
                cap.on(x, y, top),
                axis="-z",
                travel=0.0012,
            )


def _remote(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a long slab with round keys, a power key and a sliding battery door."""
    long = draw.number("length", 0.14, 0.21)
    wide = draw.number("width", 0.042, 0.052)
    rows = draw.count("rows", 5, 9)
    lower = plate((long, wide, 0.012), skin, radius=0.012).on(0, 0, 0.0032)
    eye = box((0.004, 0.3 * wide, 0.006), "smoked_glass").at(-long / 2, 0, 0.009)
    body = assembly.part("body", lower, eye)
    colors = (
        draw.pick("key_color", ("gray_plastic", "white_plastic", "blue_plastic")),
        "yellow_plastic",
    )
    top = 0.0152
    _grid(
        assembly,
        body,
        rows=rows,
        columns=4 if wide > 0.047 else 3,
        area=(long / 2 - 0.012, long * 0.72, wide - 0.008),
        top=top,
        colors=colors,
        round_keys=True,
    )
    power = cylinder((0.006, 0.002), "red_plastic", segments=16).on(
        -long / 2 + 0.018, wide * 0.25, top
    )
    add_button(assembly, body, "power_button", power, axis="-z", travel=0.0012)
    door = plate((0.4 * long, wide - 0.012, 0.0028), skin, radius=0.006).on(0.2 * long, 0, 0.0001)
    lid = assembly.part("battery_door", door)
    assembly.slide(body, lid, axis="x", lower=0, upper=0.025)


def _calculator(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a wide slab with a display and square keys."""
    long = draw.number("length", 0.12, 0.16)
    wide = draw.number("width", 0.07, 0.085)
    rows, columns = draw.count("rows", 4, 5), draw.count("columns", 4, 5)
    screen = box((0.2 * long, wide - 0.016, 0.003), "mint_paint").on(-0.31 * long, 0, 0.0118)
    solar = box((0.06 * long, 0.4 * wide, 0.001), "screen").on(-0.46 * long, 0.2 * wide, 0.012)
    body = assembly.part(
        "body", plate((long, wide, 0.012), skin, radius=0.006).on(0, 0, 0), screen, solar
    )
    colors = (
        draw.pick("key_color", ("white_plastic", "gray_plastic", "cream_paint")),
        "red_plastic",
    )
    _grid(
        assembly,
        body,
        rows=rows,
        columns=columns,
        area=(long / 2 - 0.006, long * 0.62, wide - 0.01),
        top=0.012,
        colors=colors,
        round_keys=False,
    )


def _walkie_talkie(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a standing radio, face to the front, with antenna, knob and keys."""
    tall = draw.number("height", 0.1, 0.13)
    wide = draw.number("width", 0.052, 0.062)
    thick = draw.number("depth", 0.03, 0.036)
    slots = [
        box((0.002, 0.6 * wide, 0.002), "gray_plastic").at(
            thick / 2 + 0.001, 0, (0.16 + 0.045 * k) * tall
        )
        for k in range(6)
    ]
    screen = box((0.002, 0.6 * wide, 0.16 * tall), "mint_paint").at(
        thick / 2 + 0.001, 0, 0.8 * tall
    )
    body = assembly.part(
        "body", rounded_box((thick, wide, tall), skin, radius=0.007).on(0, 0, 0), *slots, screen
    )
    at = (0, 0.32 * wide, tall + 0.006)
    whip = capsule((0.0055, draw.number("antenna", 0.08, 0.13)), "rubber").on(
        at[0], at[1], tall + 0.0005
    )
    antenna = assembly.part("antenna", whip)
    assembly.hinge(body, antenna, origin=at, axis="-x", lower=0, upper=80)
    add_dial(
        assembly,
        body,
        "volume_knob",
        at=(0, -0.28 * wide, tall),
        axis="z",
        size=(0.009, 0.012),
        material="gray_plastic",
    )
    for k in range(3):
        cap = (
            cylinder((0.005, 0.003), "gray_plastic", segments=14)
            .along("x")
            .at(thick / 2 + 0.0015, (k - 1) * 0.016, 0.55 * tall)
        )
        add_button(assembly, body, f"button_{k + 1}", cap, axis="-x", travel=0.0012)
    talk = box((0.014, 0.004, 0.026), "red_plastic").at(0, wide / 2 + 0.002, 0.65 * tall)
    add_button(assembly, body, "talk_button", talk, axis="-y", travel=0.002)


def build(draw: Draw) -> Assembly:
    """Build one remote control, calculator or walkie-talkie."""
    category = draw.take("category", CATEGORIES)
    skins = (
        ("yellow_plastic", "black_plastic", "blue_plastic")
        if category == "walkie_talkie"
        else ("black_plastic", "gray_plastic", "white_plastic", "aluminum")
    )
    skin = draw.pick("body_material", skins)
    noun = "walkie-talkie" if category == "walkie_talkie" else category.replace("_", " ")
    assembly = Assembly(
        f"{word(skin).capitalize()} {noun}", category, f"A {noun} with buttons that can be pressed."
    )
    {"remote_control": _remote, "calculator": _calculator, "walkie_talkie": _walkie_talkie}[
        category
    ](draw, assembly, skin)
    return assembly
