# SPDX-License-Identifier: Apache-2.0
"""A desk globe: turned foot, half meridian, ball that spins about an axis tilted by 23.4.

Sizes after school globes: ball 0.2-0.35 m across, foot 0.14-0.2 m; in some the meridian swivels
on its foot by +-90 degrees, in others it is fixed.
"""

import math

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    cylinder,
    lathe,
    sphere,
    sweep,
)

CATEGORIES = {"globe": "Personal & Household Items"}

TILT = 23.4


def _land(radius: float, size: float, color: str) -> Shape:
    """Return a thin round patch of a sphere around the pole, `size` in degrees."""
    high, low = radius + 0.0006, radius - 0.003
    angles = [math.radians(size * k / 4) for k in range(4, -1, -1)]
    outer = [(high * math.sin(a), high * math.cos(a)) for a in angles]
    rim = (low * math.sin(angles[0]), low * math.cos(angles[0]))
    return lathe([rim, *outer[:-1], (0.0, high)], color, segments=14)


def _add_foot(assembly: Assembly, *, foot: float, wood: str) -> str:
    """Add the foot."""
    profile = [
        (foot, 0),
        (foot, 0.012),
        (0.6 * foot, 0.022),
        (0.018, 0.03),
        (0.014, 0.05),
        (0.02, 0.068),
    ]
    return assembly.part("foot", lathe(profile, wood))


def _add_meridian(
    assembly: Assembly, *, ring: float, center: float, metal: str, r: float
) -> tuple[tuple[float, float, float], str]:
    """Add the meridian."""
    arc = [
        (0.0, -ring * math.sin(a), center + ring * math.cos(a))
        for a in (math.radians(TILT + 180 * k / 28) for k in range(29))
    ]
    axis = (0.0, -math.sin(math.radians(TILT)), math.cos(math.radians(TILT)))
    pins = [
        cylinder((0.003, 0.012), metal, segments=12)
        .turned("x", TILT)
        .at(0, s * axis[1] * (r + 0.0075), center + s * axis[2] * (r + 0.0075))
        for s in (-1, 1)
    ]
    clip = cylinder((0.012, 0.0085), metal).at(0, 0, center - ring - 0.0033 + 0.001)
    bow = assembly.part("meridian", sweep(arc, metal, radius=0.0035), *pins, clip)
    return axis, bow


def build(draw: Draw) -> Assembly:
    """Build one globe."""
    r = draw.number("radius", 0.1, 0.175)
    foot = draw.number("foot_radius", 0.07, 0.1)
    wood = draw.pick("foot_material", ("walnut", "oak", "cherry", "black_paint"))
    metal = draw.pick("meridian_material", ("brass", "steel", "copper"))
    sea = draw.pick("sea", ("blue_paint", "sky_paint", "cream_paint"))
    land = draw.pick("land", ("green_paint", "pine", "mint_paint"))
    swivels = draw.chance("swivel_foot", 0.5)
    patches = draw.count("patches", 14, 22)
    assembly = Assembly(
        f"{wood.split('_')[0].capitalize()} desk globe",
        "globe",
        "A desk globe that spins about its tilted axis in a half meridian.",
    )
    ring = r + 0.014
    center = 0.075 + ring
    base = _add_foot(assembly, foot=foot, wood=wood)
    axis, bow = _add_meridian(assembly, ring=ring, center=center, metal=metal, r=r)
    if swivels:
        assembly.hinge(base, bow, origin=(0, 0, 0.068), axis="z", lower=-90, upper=90)
    else:
        assembly.weld(base, bow, origin=(0, 0, 0.068))
    shapes = [sphere(r, sea, segments=32)]
    # A golden-angle walk spreads the patches; clusters of them read as continents.
    for k in range(patches):
        lon = 137.5 * (k // 3) + 24 * (k % 3)
        lat = 62 - 118 * (k // 3) / max(patches // 3, 1) + 13 * (k % 3)
        size = 10 + 5 * ((k * 7) % 4)
        shapes.append(_land(r, size, land).turned("y", 90 - lat).turned("z", lon))
    ball = assembly.part("ball", *(s.turned("x", TILT).at(0, 0, center) for s in shapes))
    assembly.spin(bow, ball, origin=(0, 0, center), axis=axis)
    return assembly
