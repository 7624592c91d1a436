# SPDX-License-Identifier: Apache-2.0
"""Cameras: a photo camera with a zoom lens, or a security camera on a wall bracket.

Photo cameras: 0.12-0.15 m wide, 85-100 mm tall, lens 60-75 mm across whose rings turn by 90
degrees and whose barrel slides out by 15-30 mm, screen on a hinge of 170 degrees, two dials.
Security cameras: 0.12-0.2 m long, pan of +-150 degrees, tilt of 60.
"""

from pipeline.generate.fittings import add_button, add_dial
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    cylinder,
    extrude,
    rounded_box,
    sphere,
    tube,
    word,
)

CATEGORIES = {"camera": "Electronics", "security_camera": "Electronics"}


def _add_zoom_ring_and_barrel(
    assembly: Assembly, *, r: float, z: float, body: str, skin: str, zoom: float
) -> None:
    """Add the zoom ring, barrel and screen."""
    x = 0.0345
    ring = assembly.part(
        "zoom_ring",
        tube((r, r - 0.006, 0.03), "black_plastic").along("x").at(x + 0.015, 0.008, z),
        *(
            box((0.026, 0.003, 0.002), "rubber")
            .at(x + 0.015, 0.008, z + r)
            .turned("x", 20 * k, about=(0, 0.008, z))
            for k in range(18)
        ),
    )
    assembly.hinge(body, ring, origin=(x, 0.008, z), axis="x", lower=0, upper=90)
    glass = cylinder((r - 0.011, 0.004), "smoked_glass").along("x").at(x + 0.044, 0.008, z)
    barrel = assembly.part(
        "barrel",
        tube((r - 0.0065, r - 0.012, 0.046), skin).along("x").at(x + 0.024, 0.008, z),
        glass,
        label="lens_barrel",
    )
    assembly.slide(body, barrel, axis="x", lower=0, upper=zoom)
    screen = [
        box((0.005, 0.07, 0.05), skin).at(-0.0255, 0.0, z),
        box((0.001, 0.062, 0.042), "screen").at(-0.0285, 0, z),
    ]
    panel = assembly.part("screen", *screen, label="flip_screen")
    assembly.hinge(body, panel, origin=(-0.0285, 0.035, z), axis="-z", lower=0, upper=170)


def _photo(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a photo camera looking to the front."""
    wide = draw.number("width", 0.12, 0.15)
    tall = draw.number("height", 0.07, 0.082)
    r = draw.number("lens_radius", 0.028, 0.036)
    zoom = draw.number("zoom", 0.015, 0.03)
    z = tall / 2
    prism = extrude(
        [(-0.026, 0), (0.026, 0), (0.014, 0.022), (-0.014, 0.022)], skin, height=0.045
    ).along("x")
    grip = rounded_box((0.03, 0.028, tall - 0.008), "rubber", radius=0.01).at(
        0.03, -wide / 2 + 0.016, z
    )
    flash = box((0.004, 0.022, 0.01), "lamp_glow").at(0.024, 0, tall + 0.009)
    mount = tube((r + 0.004, r - 0.002, 0.012), "dark_steel").along("x").at(0.028, 0.008, z)
    body = assembly.part(
        "body",
        rounded_box((0.044, wide, tall), skin, radius=0.006).on(0, 0, 0),
        prism.at(0, 0, tall - 0.001),
        grip,
        flash,
        mount,
    )
    _add_zoom_ring_and_barrel(assembly, r=r, z=z, body=body, skin=skin, zoom=zoom)
    add_button(
        assembly,
        body,
        "shutter_button",
        cylinder((0.007, 0.005), "chrome", segments=16).on(0.016, -wide / 2 + 0.016, tall),
        axis="-z",
        travel=0.002,
    )
    for k, y in enumerate((-0.036, 0.044), start=1):
        add_dial(
            assembly,
            body,
            f"mode_dial_{k}",
            at=(-0.004, y, tall),
            axis="z",
            size=(0.011, 0.009),
            material="dark_steel",
            turn=0,
        )


def _security(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a wall bracket, an arm that pans and a camera that tilts."""
    long = draw.number("length", 0.12, 0.2)
    side = draw.number("housing", 0.055, 0.075)
    z = 0.11
    plate = [
        cylinder((0.045, 0.014), skin).along("x").at(-0.1, 0, z),
        box((0.07, 0.026, 0.026), skin).at(-0.06, 0, z),
        cylinder((0.02, 0.03), skin).on(-0.03, 0, z - 0.015),
    ]
    wall = assembly.part("bracket", *plate, label="wall_bracket")
    neck = [
        cylinder((0.014, 0.022), skin).on(-0.03, 0, z + 0.0155),
        *(box((0.026, 0.004, 0.03), skin).on(-0.03, s * 0.014, z + 0.036) for s in (-1, 1)),
        box((0.026, 0.032, 0.004), skin).on(-0.03, 0, z + 0.0345),
    ]
    yoke = assembly.part("yoke", *neck, label="pan_yoke")
    assembly.hinge(wall, yoke, origin=(-0.03, 0, z + 0.015), axis="z", lower=-150, upper=150)
    pivot = (-0.03, 0, z + 0.056)
    up = z + 0.071 + side / 2
    parts = [
        box((0.018, 0.022, 0.02), skin).at(*pivot),
        rounded_box((long, side, side), skin, radius=0.012).at(0.02, 0, up),
        cylinder((0.36 * side, 0.012), "black_plastic").along("x").at(0.02 + long / 2, 0, up),
        sphere(0.24 * side, "smoked_glass").at(0.025 + long / 2, 0, up),
        box((0.8 * long + 0.04, side + 0.012, 0.004), skin).on(0.045, 0, up + side / 2),
    ]
    head = assembly.part("camera", *parts, label="camera_head")
    assembly.hinge(yoke, head, origin=pivot, axis="y", lower=-10, upper=14)


def build(draw: Draw) -> Assembly:
    """Build one photo camera or security camera."""
    category = draw.take("category", CATEGORIES)
    photo = category == "camera"
    skin = draw.pick(
        "body_material",
        ("black_plastic", "aluminum", "red_paint", "leather")
        if photo
        else ("white_plastic", "gray_plastic", "dark_steel"),
    )
    noun = "photo camera" if photo else "security camera"
    phrase = (
        "with a zoom lens and a hinged screen" if photo else "that pans and tilts on its bracket"
    )
    assembly = Assembly(f"{word(skin).capitalize()} {noun}", category, f"A {noun} {phrase}.")
    (_photo if photo else _security)(draw, assembly, skin)
    return assembly
