# SPDX-License-Identifier: Apache-2.0
"""Eyeglasses: two rims with lenses, bridge and nose pads, temples that fold behind the front.

Sizes after spectacle frames: front 0.125-0.145 m wide, lenses 46-56 mm, temples 0.135-0.15 m
long; they fold inward by 88 and 90 degrees, the second one behind the first.
"""

import numpy as np

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    circle,
    extrude,
    rounded_path,
    rounded_rectangle,
    sphere,
    sweep,
)

CATEGORIES = {"eyeglasses": "Personal & Household Items"}


def _add_front_and_temples(
    assembly: Assembly, *, shapes: list[Shape], color: str, edge: float, level: float, temple: float
) -> None:
    """Add the front and temples."""
    hinges = {1: -0.006, -1: -0.0125}
    for s in (-1, 1):
        shapes.append(
            box((-hinges[s] - 0.0015, 0.0035, 0.005), color).at(
                (hinges[s] - 0.0015) / 2 + 0.0015, s * edge, level
            )
        )
        shapes.append(box((0.003, 0.009, 0.005), color).at(0.0005, s * (edge - 0.0028), level))
    front = assembly.part("front", *shapes, label="frame_front")
    for name, s in (("temple_left", 1), ("temple_right", -1)):
        x = hinges[s] - 0.0008
        bar = [
            (x, s * edge, level),
            (x - temple * 0.7, s * edge, level),
            (x - temple, s * (edge - 0.006), level - 0.035),
        ]
        section = circle(1.0, segments=8) * (0.0014, 0.0024)
        arm = assembly.part(
            name, sweep(rounded_path(bar, radius=0.03), color, section=section), label="temple"
        )
        # Turning about the inner edge of the hinge lays the temple flat behind the lenses.
        origin = (x, s * (edge - 0.0014), level)
        fold = 88.0 if s > 0 else 90.0
        assembly.hinge(front, arm, origin=origin, axis="z" if s > 0 else "-z", lower=0, upper=fold)


def _add_nose_pad(shapes: list[Shape], s: float, *, bridge: float, z: float, high: float) -> None:
    """Append the nose pad of one side and the stalk that holds it."""
    shapes.append(
        sphere(0.003, "clear_plastic", segments=10)
        .scaled(0.7, 0.5, 1.3)
        .at(-0.006, s * bridge * 0.38, z - 0.1 * high)
    )
    stalk = [
        (0, s * bridge * 0.5, z - 0.05 * high),
        (-0.005, s * bridge * 0.4, z - 0.08 * high),
    ]
    shapes.append(sweep(stalk, "steel", radius=0.0006))


def build(draw: Draw) -> Assembly:
    """Build one pair of eyeglasses, unfolded, looking to the front."""
    shape = draw.pick("lens_shape", ("round", "rectangular", "oval"))
    lens = draw.number("lens_width", 0.046, 0.056)
    ratio = 1.0 if shape == "round" else draw.number("lens_ratio", 0.62, 0.85)
    bridge = draw.number("bridge", 0.016, 0.022)
    temple = draw.number("temple", 0.135, 0.15)
    rim = draw.number("rim_radius", 0.0012, 0.0026)
    color = draw.pick(
        "frame_material", ("black_plastic", "brass", "steel", "red_plastic", "amber_glass")
    )
    glass = draw.pick("lens_material", ("glass", "smoked_glass"))
    assembly = Assembly(
        f"{shape.capitalize()} {'sunglasses' if glass == 'smoked_glass' else 'eyeglasses'}",
        "eyeglasses",
        "A pair of eyeglasses with folding temples.",
    )
    high = lens * ratio
    z = max(high / 2 + rim, 0.0369 - 0.2 * high)
    outline = circle(0.5, segments=32) * (lens, high)
    if shape == "rectangular":
        outline = rounded_rectangle(lens, high, radius=0.3 * high, steps=6)
    shapes = []
    for s in (-1, 1):
        y = s * (bridge + lens) / 2
        loop = np.column_stack((np.zeros(len(outline)), outline))
        shapes.append(sweep(loop, color, section=circle(rim, segments=8), closed=True).at(0, y, z))
        shapes.append(extrude(outline, glass, height=0.0018).along("x").at(0, y, z))
        _add_nose_pad(shapes, s, bridge=bridge, z=z, high=high)
    arch = [
        (0, -bridge / 2, z + 0.12 * high),
        (0, -bridge / 4, z + 0.2 * high),
        (0, bridge / 4, z + 0.2 * high),
        (0, bridge / 2, z + 0.12 * high),
    ]
    shapes.append(sweep(rounded_path(arch, radius=0.004), color, radius=rim))
    edge = bridge / 2 + lens + 0.004
    level = z + 0.2 * high
    _add_front_and_temples(
        assembly, shapes=shapes, color=color, edge=edge, level=level, temple=temple
    )
    return assembly
