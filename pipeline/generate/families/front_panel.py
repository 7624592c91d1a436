# SPDX-License-Identifier: Apache-2.0
"""Boxes operated by knobs and keys on their front: radio, audio amplifier, oscilloscope.

Radios: 0.2-0.32 m wide, 0.12-0.2 m tall, telescoping antenna of four sections on a hinge, two
dials, carrying handle. Amplifiers: 0.36-0.44 m wide, 0.1-0.14 m tall, one large dial and 4-6
small ones. Oscilloscopes: 0.3-0.36 m wide, 0.16-0.2 m tall, screen, 8 dials, 10-16 keys, bail.
"""

import math

from pipeline.generate.fittings import add_button, add_dial, feet
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    circle,
    cylinder,
    extrude,
    rounded_path,
    sweep,
    tube,
    word,
)

CATEGORIES = {"radio": "Electronics", "amplifier": "Electronics", "oscilloscope": "Electronics"}
SIZES = {
    "radio": ((0.07, 0.1), (0.2, 0.32), (0.12, 0.2)),
    "amplifier": ((0.28, 0.36), (0.36, 0.44), (0.1, 0.14)),
    "oscilloscope": ((0.13, 0.18), (0.3, 0.36), (0.16, 0.2)),
}
SKINS = {
    "radio": ("walnut", "red_plastic", "cream_paint", "mint_paint"),
    "amplifier": ("aluminum", "black_paint", "walnut"),
    "oscilloscope": ("gray_plastic", "cream_paint", "sky_paint"),
}
Size = tuple[float, float, float]


def _grille(radius: float, y: float, x: float, z: float) -> list[Shape]:
    """Return a round speaker with holes on the plane at x."""
    spots = [(r * radius / 4, 2 * math.pi * k / (6 * r)) for r in (1, 2, 3) for k in range(6 * r)]
    holes = [
        circle(0.05 * radius, segments=6, center=(d * math.cos(a), d * math.sin(a)))
        for d, a in spots
    ]
    face = extrude(circle(radius, segments=32), "dark_steel", height=0.004, holes=holes)
    return [
        face.along("x").at(x + 0.002, y, z),
        tube((1.08 * radius, radius, 0.008), "chrome").along("x").at(x + 0.004, y, z),
    ]


def _antenna(assembly: Assembly, body: str, size: Size) -> None:
    """Add four tubes, one within the other, on a hinge at the rear left corner."""
    depth, width, height = size
    at = (-depth / 2 + 0.012, width / 2 - 0.02, height + 0.018)
    parent = body
    long = 0.7 * width
    for k in range(4):
        outer = 0.0036 - 0.0008 * k
        rod = (
            tube((outer, outer - 0.0007, long), "chrome", segments=12)
            .along("-y")
            .at(at[0], at[1] - long / 2 - 0.004 - 0.003 * k, at[2])
        )
        shapes = [rod] if k else [rod, cylinder((0.006, 0.008), "chrome").along("y").at(*at)]
        if k == 3:
            shapes.append(
                cylinder((0.004, 0.004), "chrome", segments=12)
                .along("y")
                .at(at[0], at[1] - long - 0.015, at[2])
            )
        part = assembly.part(f"antenna_{k + 1}", *shapes)
        if k == 0:
            assembly.hinge(parent, part, origin=at, axis="-x", lower=0, upper=110)
        else:
            assembly.slide(parent, part, axis="-y", lower=0, upper=round(long * 0.85, 3))
        parent = part


def _radio(draw: Draw, assembly: Assembly, body: str, size: Size) -> None:
    """Add tuning dials, keys and the antenna."""
    depth, width, height = size
    knob = draw.pick("knob_material", ("brass", "black_plastic", "white_plastic"))
    for k, s in enumerate((-1, 1), start=1):
        at = (depth / 2, -0.28 * width + s * 0.09 * width, 0.3 * height)
        add_dial(
            assembly, body, f"dial_{k}", at=at, axis="x", size=(0.07 * width, 0.016), material=knob
        )
    for k in range(4):
        key = box((0.02, 0.018, 0.006), "white_plastic").on(
            depth * 0.2, -0.35 * width + 0.024 * k, height
        )
        add_button(assembly, body, f"key_{k + 1}", key, axis="-z", travel=0.003)
    _antenna(assembly, body, size)


def _amplifier(draw: Draw, assembly: Assembly, body: str, size: Size) -> None:
    """Add one large and several small dials and a power switch."""
    depth, width, height = size
    count = draw.count("dials", 4, 6)
    knob = draw.pick("knob_material", ("aluminum", "black_plastic", "brass"))
    add_dial(
        assembly,
        body,
        "volume",
        at=(depth / 2, -0.36 * width, 0.5 * height),
        axis="x",
        size=(0.3 * height, 0.03),
        material=knob,
    )
    for k in range(count):
        at = (depth / 2, width * (0.16 - 0.4 * k / (count - 1)), 0.28 * height)
        add_dial(
            assembly,
            body,
            f"dial_{k + 1}",
            at=at,
            axis="x",
            size=(0.1 * height, 0.016),
            material=knob,
        )
    key = (
        cylinder((0.12 * height, 0.012), "chrome")
        .along("x")
        .at(depth / 2 + 0.006, 0.42 * width, 0.45 * height)
    )
    add_button(assembly, body, "power_button", key, axis="-x", travel=0.004)


def _oscilloscope(draw: Draw, assembly: Assembly, body: str, size: Size) -> None:
    """Add a field of dials and keys beside the screen, and a bail to carry it."""
    depth, width, height = size
    keys = draw.count("keys", 10, 16)
    for k in range(8):
        at = (depth / 2, -0.08 * width - 0.1 * width * (k % 4), height * (0.72 - 0.26 * (k // 4)))
        add_dial(
            assembly,
            body,
            f"dial_{k + 1}",
            at=at,
            axis="x",
            size=(0.013, 0.016),
            material="gray_plastic" if k < 4 else "black_plastic",
            turn=0 if k < 4 else 270,
        )
    for k in range(keys):
        cap = box((0.006, 0.012, 0.008), "yellow_plastic" if k == 0 else "white_plastic")
        cap = cap.at(
            depth / 2 + 0.003,
            -0.05 * width - 0.4 * width * (k % 8) / 8,
            height * (0.26 - 0.11 * (k // 8)),
        )
        add_button(assembly, body, f"key_{k + 1}", cap, axis="-x", travel=0.002)
    side = width / 2 + 0.008
    bow = [(0, -side, 0), (0.5 * height, -side, 0), (0.5 * height, side, 0), (0, side, 0)]
    bail = (
        sweep(rounded_path(bow, radius=0.02), "dark_steel", radius=0.006)
        .turned("y", -90)
        .at(0, 0, height - 0.03)
    )
    handle = assembly.part("handle", bail, label="bail_handle")
    assembly.hinge(body, handle, origin=(0, 0, height - 0.03), axis="y", lower=-60, upper=60)


def _face(category: str, size: Size) -> list[Shape]:
    """Return what is fixed on the front: speaker and scale, display, or screen."""
    depth, width, height = size
    x = depth / 2
    if category == "radio":
        scale = box((0.004, 0.34 * width, 0.24 * height), "lamp_glow").at(
            x, -0.28 * width, 0.7 * height
        )
        return [
            *_grille(0.36 * min(height, 0.5 * width), 0.22 * width, x - 0.001, 0.5 * height),
            scale,
        ]
    if category == "amplifier":
        meters = [
            box((0.003, 0.2 * width, 0.3 * height), "lamp_glow").at(x, y * width, 0.7 * height)
            for y in (0.13, -0.12)
        ]
        return [
            box((0.004, width, height - 0.012), "aluminum").at(x - 0.0022, 0, height / 2 + 0.004),
            *meters,
        ]
    screen = box((0.004, 0.44 * width, 0.72 * height), "screen").at(x, 0.22 * width, 0.54 * height)
    wave = [
        (x + 0.0022, 0.4 * width - 0.36 * width * t, height * (0.54 + 0.2 * math.sin(14 * t)))
        for t in (k / 40 for k in range(41))
    ]
    return [screen, sweep(wave, "green_plastic", radius=0.0012)]


def build(draw: Draw) -> Assembly:
    """Build one radio, amplifier or oscilloscope."""
    category = draw.take("category", CATEGORIES)
    depth, width, height = (
        draw.number(n, *r)
        for n, r in zip(("depth", "width", "height"), SIZES[category], strict=True)
    )
    size = (depth, width, height)
    skin = draw.pick("body_material", SKINS[category])
    article = "A" if category == "radio" else "An"
    assembly = Assembly(
        f"{word(skin).capitalize()} {category}",
        category,
        f"{article} {category} operated by knobs and keys on its front.",
    )
    shell = box((depth, width, height - 0.008), skin).on(0, 0, 0.008)
    ears = (
        [
            box((0.012, 0.008, 0.012), skin).on(
                -depth / 2 + 0.012, width / 2 - 0.02 + s * 0.008, height
            )
            for s in (1,)
        ]
        if category == "radio"
        else []
    )
    body = assembly.part(
        "body",
        shell,
        *_face(category, size),
        *ears,
        *feet((depth - 0.03, width - 0.04), height=0.008),
    )
    {"radio": _radio, "amplifier": _amplifier, "oscilloscope": _oscilloscope}[category](
        draw, assembly, body, size
    )
    return assembly
