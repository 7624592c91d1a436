# SPDX-License-Identifier: Apache-2.0
"""A countertop oven: a microwave with a side-hinged door, or a toaster oven with a drop-down one.

Microwaves: 0.44-0.54 m wide, 0.33-0.42 m deep, 0.26-0.31 m tall, turntable 0.24-0.28 m across,
door opening by 95-115 degrees, buttons of 1.5 mm travel. Toaster ovens: 0.38-0.48 m wide,
0.28-0.34 m deep, 0.22-0.26 m tall, door opening by 85-90 degrees, three dials.
"""

from pipeline.generate.fittings import add_button, add_dial, bar_pull, carcass, feet
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    extrude,
    rectangle,
    tray,
    word,
)

CATEGORIES = {"microwave": "Kitchen & Cooking", "toaster_oven": "Kitchen & Cooking"}

FOOT = 0.012
SKINS = ("white_paint", "steel", "black_paint", "red_paint", "cream_paint")


def _glazed(width: float, height: float, skin: str, border: float) -> list[Shape]:
    """Return a door with a dark pane in the plane x = 0, centered on the origin."""
    pane = (width - 2 * border, height - 2 * border)
    frame = extrude(rectangle(width, height), skin, height=0.02, holes=[rectangle(*pane)])
    return [frame.along("x"), box((0.01, *pane), "smoked_glass")]


def _body(assembly: Assembly, size: tuple[float, float, float], skin: str, panel: float) -> str:
    """Add the shell on feet; its cavity leaves a control panel on the right (-y)."""
    depth, width, height = size
    opening = (panel / 2, height / 2, width - panel - 0.04, height - 0.04)
    shell = [s.at(0, 0, FOOT) for s in carcass(size, skin, openings=[opening], back=0.02)]
    cover = box((0.004, panel - 0.004, height - 0.012), "black_plastic")
    cover = cover.at(depth / 2 + 0.002, -(width - panel) / 2, FOOT + height / 2)
    return assembly.part("body", *shell, cover, *feet((depth - 0.06, width - 0.06), height=FOOT))


def _microwave(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a microwave: door on the left, turntable, keypad and dial."""
    size = (
        draw.number("depth", 0.33, 0.42),
        draw.number("width", 0.44, 0.54),
        draw.number("height", 0.26, 0.31),
    )
    depth, width, height = size
    panel = 0.1
    body = _body(assembly, size, skin, panel)
    y, z, x = panel / 2, FOOT + height / 2, depth / 2 + 0.012
    shapes = [s.at(x, y, z) for s in _glazed(width - panel - 0.002, height - 0.004, skin, 0.035)]
    grip = bar_pull(0.6 * height, "chrome", reach=0.03).turned("x", 90)
    side = y - (width - panel) / 2 + 0.016
    door = assembly.part("door", *shapes, grip.at(x + 0.01, side, z))
    hinge_at = (depth / 2 + 0.001, width / 2 - 0.001, z)
    swing = draw.number("door_opening_deg", 95, 115, digits=1)
    assembly.hinge(body, door, origin=hinge_at, axis="z", lower=0, upper=swing)
    radius = min(draw.number("turntable_radius", 0.12, 0.14), depth / 2 - 0.03)
    plate = [cylinder((radius, 0.006), "glass"), cylinder((0.02, 0.012), "white_plastic")]
    center = (0.01, y, FOOT + 0.021)
    disk = assembly.part("turntable", *(s.on(*center) for s in plate))
    assembly.spin(body, disk, origin=center, axis="z")
    face = (depth / 2 + 0.004, -(width - panel) / 2)
    for k in range(12):
        key = box((0.004, 0.02, 0.012), "gray_plastic")
        key = key.at(face[0] + 0.002, face[1] + 0.026 * (k % 3 - 1), z - 0.01 - 0.02 * (k // 3))
        add_button(assembly, body, f"button_{k + 1}", key, axis="-x", travel=0.0015)
    at = (*face, z + 0.05)
    add_dial(
        assembly, body, "dial", at=at, axis="x", size=(0.022, 0.014), material="chrome", turn=0
    )


def _toaster_oven(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a toaster oven: door on the lower edge, rack, crumb tray, a column of dials."""
    size = (
        draw.number("depth", 0.28, 0.34),
        draw.number("width", 0.38, 0.48),
        draw.number("height", 0.22, 0.26),
    )
    depth, width, height = size
    panel = 0.09
    body = _body(assembly, size, skin, panel)
    y, z, x = panel / 2, FOOT + height / 2, depth / 2 + 0.012
    inner = width - panel - 0.04
    shapes = [s.at(x, y, z) for s in _glazed(width - panel - 0.002, height - 0.004, skin, 0.025)]
    grip = bar_pull(0.7 * inner, "chrome", reach=0.03).at(x + 0.01, y, z + height / 2 - 0.016)
    door = assembly.part("door", *shapes, grip)
    opening = draw.number("door_opening_deg", 85, 90, digits=1)
    hinge_at = (depth / 2 + 0.001, y, FOOT + 0.003)
    assembly.hinge(body, door, origin=hinge_at, axis="y", lower=0, upper=opening)
    bars = [
        box((depth - 0.08, 0.004, 0.004), "chrome").at(0, y + inner * (k / 12 - 0.5) * 0.9, z)
        for k in range(13)
    ]
    ends = [
        box((0.006, inner - 0.004, 0.006), "chrome").at(s * (depth / 2 - 0.05), y, z)
        for s in (-1, 1)
    ]
    rack = assembly.part("rack", *bars, *ends)
    assembly.weld(body, rack, origin=(0, y, z))
    crumbs = tray((depth - 0.05, inner - 0.01, 0.008), "steel", wall=0.002)
    pan = assembly.part("crumb_tray", crumbs.on(0, y, FOOT + 0.0205))
    assembly.weld(body, pan, origin=(0, y, FOOT))
    for k in range(3):
        at = (depth / 2 + 0.004, -(width - panel) / 2, z + 0.06 * (1 - k))
        add_dial(
            assembly, body, f"dial_{k + 1}", at=at, axis="x", size=(0.018, 0.018), material="chrome"
        )


def build(draw: Draw) -> Assembly:
    """Build one microwave or toaster oven."""
    category = draw.take("category", CATEGORIES)
    skin = draw.pick("skin_material", SKINS)
    noun = category.replace("_", " ")
    drawn = "a turntable and a keypad" if noun == "microwave" else "a drop-down door and dials"
    assembly = Assembly(f"{word(skin).capitalize()} {noun}", category, f"A {noun} with {drawn}.")
    (_microwave if category == "microwave" else _toaster_oven)(draw, assembly, skin)
    return assembly
