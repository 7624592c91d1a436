# SPDX-License-Identifier: Apache-2.0
"""Devices moved by hand: computer mouse, joystick, game controller.

Mice: 0.1-0.125 m long, two buttons of 1.5 degrees and a wheel. Joysticks: base 0.16-0.2 m across,
stick of 0.14-0.18 m tilting by +-20 degrees about two axes, trigger, throttle. Game controllers:
0.15-0.165 m wide, two thumb sticks of +-20 degrees about two axes, direction pad, four buttons, two
triggers of 15 degrees.
"""

import math

from pipeline.generate.fittings import add_button, feet
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    capsule,
    cone,
    cylinder,
    extrude,
    lathe,
    plate,
    rounded_box,
    rounded_path,
    sphere,
    sweep,
    tube,
    word,
)

CATEGORIES = {
    "computer_mouse": "Electronics",
    "joystick": "Electronics",
    "game_controller": "Electronics",
}
CAPS = ("green_plastic", "red_plastic", "blue_plastic", "yellow_plastic")


def _add_wheel(assembly: Assembly, *, long: float, tall: float, body: str) -> None:
    """Add the wheel."""
    at = (0.3 * long, 0, 0.72 * tall)
    wheel = assembly.part(
        "wheel",
        tube((0.011, 0.004, 0.007), "rubber").along("y").at(*at),
        cylinder((0.004, 0.0075), "gray_plastic").along("y").at(*at),
        label="scroll_wheel",
    )
    assembly.spin(body, wheel, origin=at, axis="y")


def _mouse(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a palm rest, two buttons in front of it and a wheel between them."""
    long = draw.number("length", 0.1, 0.125)
    wide = draw.number("width", 0.058, 0.068)
    tall = draw.number("height", 0.032, 0.04)

    palm = [
        (-0.5, 0.05),
        (-0.5, 0.4),
        (-0.4, 0.8),
        (-0.2, 1.0),
        (0.0, 0.98),
        (0.08, 0.93),
        (0.08, 0.05),
    ]
    nose = [(0.09, 0.36), (0.49, 0.36), (0.49, 0.42), (0.42, 0.62), (0.3, 0.78), (0.09, 0.92)]

    def slab(profile: list[tuple[float, float]], width: float) -> Shape:
        return extrude([(x * long, z * tall) for x, z in profile], skin, height=width).along("-y")

    sides = [
        plate((0.5 * long, 0.01, 0.5 * tall), skin, radius=0.004).on(
            -0.2 * long, s * wide * 0.46, 0.002
        )
        for s in (-1, 1)
    ]
    sole = plate((long, wide * 0.94, 0.3 * tall), skin, radius=0.02).on(0, 0, 0.001)
    cable = [(0.49, 0.0), (0.75, 0.0), (0.95, 0.15), (1.2, -0.1), (1.5, 0.0)]
    path = rounded_path([(a * long, b * long, 0.006) for a, b in cable], radius=0.2 * long)
    wire = sweep(path, "black_plastic", radius=0.002)
    body = assembly.part("body", slab(palm, wide * 0.9), *sides, sole, wire)
    for name, s in (("left_button", 1), ("right_button", -1)):
        key = assembly.part(
            name, slab(nose, wide * 0.4).at(0, s * (wide * 0.2 + 0.0055), 0), label="button"
        )
        assembly.hinge(
            body, key, origin=(0.09 * long, 0, 0.36 * tall), axis="y", lower=0, upper=1.5
        )
    _add_wheel(assembly, long=long, tall=tall, body=body)


def _two_axes(
    assembly: Assembly,
    parent: str,
    prefix: str,
    *,
    at: tuple[float, float, float],
    shapes: list[Shape],
    tilt: float,
) -> str:
    """Add a ball that rolls about y and on it a stick that tilts about x."""
    x, y, z = at
    gimbal = assembly.part(f"{prefix}_gimbal", shapes[0].at(x, y, z), label="gimbal")
    assembly.hinge(parent, gimbal, origin=at, axis="y", lower=-tilt, upper=tilt)
    stick = assembly.part(prefix, *(s.at(x, y, z) for s in shapes[1:]), label="stick")
    assembly.hinge(gimbal, stick, origin=at, axis="x", lower=-tilt, upper=tilt)
    return stick


def _joystick(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a base with a throttle and a stick with a trigger and a thumb button."""
    r = draw.number("base_radius", 0.08, 0.1)
    tall = draw.number("stick_length", 0.14, 0.18)
    foot = lathe([(r, 0.006), (r, 0.02), (0.6 * r, 0.045), (0.03, 0.05)], skin)
    mount = box((0.07, 0.024, 0.03), skin).on(0, 0.6 * r, 0.0185)
    body = assembly.part("base", foot, mount, *feet((1.2 * r, 1.2 * r), height=0.006))
    lean, middle = 8, 0.72 * tall
    grip = capsule((0.017, 0.5 * tall), "black_plastic").turned("y", lean).at(0, 0, middle)
    # The grip's highest point, where a collar leads the thumb button.
    x = 0.25 * tall * math.sin(math.radians(lean))
    crest = middle + 0.25 * tall * math.cos(math.radians(lean)) + 0.017
    shapes = [
        sphere(0.018, "rubber").at(0, 0, 0.002),
        cylinder((0.007, 0.5 * tall), "dark_steel").on(0, 0, 0.019),
        grip,
        cylinder((0.02, 0.012), skin).on(0.005, 0, 0.42 * tall),
        tube((0.009, 0.0065, 0.008), skin).on(x, 0, crest - 0.0035),
    ]
    stick = _two_axes(assembly, body, "stick", at=(0, 0, 0.069), shapes=shapes, tilt=18)
    top = 0.069 + tall
    thumb = cylinder((0.006, 0.008), "red_plastic", segments=14).on(x, 0, 0.069 + crest)
    add_button(assembly, stick, "thumb_button", thumb, axis="-z", travel=0.003)
    trigger = assembly.part(
        "trigger", box((0.008, 0.012, 0.026), "red_plastic").at(0.033, 0, top - 0.05)
    )
    assembly.slide(stick, trigger, axis="-x", lower=0, upper=0.003)
    lever = assembly.part(
        "throttle", box((0.014, 0.03, 0.016), "gray_plastic").at(-0.015, 0.6 * r, 0.057)
    )
    assembly.slide(body, lever, axis="x", lower=0, upper=0.03)


def _controller(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a pad with two grips, sticks, buttons and triggers, lying face up."""
    wide = draw.number("width", 0.15, 0.165)
    z, top = 0.022, 0.037
    slab = rounded_box((0.075, wide * 0.8, 0.03), skin, radius=0.012).at(0, 0, z)
    grips = [
        capsule((0.0155, 0.05), skin)
        .turned("y", 65)
        .turned("z", s * 18)
        .at(0.035, s * wide * 0.4, z - 0.002)
        for s in (-1, 1)
    ]
    wells = [
        tube((0.014, 0.0115, 0.004), "black_plastic").on(0.02, s * 0.026, top - 0.0005)
        for s in (-1, 1)
    ]
    body = assembly.part("body", slab, *grips, *wells)
    for name, s in (("left_stick", 1), ("right_stick", -1)):
        post = [
            sphere(0.006, "rubber", segments=12),
            cylinder((0.0035, 0.008), "rubber", segments=12).on(0, 0, 0.0063),
            cone((0.008, 0.0095, 0.004), "rubber", segments=20).on(0, 0, 0.0142),
        ]
        _two_axes(assembly, body, name, at=(0.02, s * 0.026, top + 0.0063), shapes=post, tilt=16)
    for k, (dx, dy) in enumerate(((0.011, 0), (-0.011, 0), (0, 0.011), (0, -0.011))):
        cap = cylinder((0.0048, 0.003), CAPS[k], segments=16).on(-0.012 + dx, 0.048 + dy, top)
        add_button(assembly, body, f"button_{k + 1}", cap, axis="-z", travel=0.0015)
    for k in range(2):
        bar = box((0.024, 0.008, 0.003) if k else (0.008, 0.024, 0.0028), "black_plastic").on(
            -0.012, -0.048, top
        )
        if k == 0:
            pad = [bar, box((0.024, 0.008, 0.003), "black_plastic").on(-0.012, -0.048, top)]
            part = assembly.part(
                "direction_pad", *(s.at(0, 0, 0.0017) for s in pad), label="button"
            )
            assembly.slide(body, part, axis="-z", lower=0, upper=0.0015)
    for name, s in (("left_trigger", 1), ("right_trigger", -1)):
        lip = box((0.014, 0.026, 0.012), "gray_plastic").at(-0.046, s * 0.042, z)
        part = assembly.part(name, lip, label="trigger")
        assembly.slide(body, part, axis="x", lower=0, upper=0.001)


def build(draw: Draw) -> Assembly:
    """Build one mouse, joystick or game controller."""
    category = draw.take("category", CATEGORIES)
    skins = {
        "computer_mouse": ("white_plastic", "sky_paint", "gray_plastic", "red_plastic"),
        "joystick": ("black_plastic", "gray_plastic", "dark_steel"),
        "game_controller": ("white_plastic", "gray_plastic", "blue_plastic", "red_plastic"),
    }
    skin = draw.pick("body_material", skins[category])
    noun = category.replace("_", " ")
    assembly = Assembly(
        f"{word(skin).capitalize()} {noun}",
        category,
        f"A {noun} with buttons and parts that follow the hand.",
    )
    {"computer_mouse": _mouse, "joystick": _joystick, "game_controller": _controller}[category](
        draw, assembly, skin
    )
    return assembly
