# SPDX-License-Identifier: Apache-2.0
"""A pocket knife: scales on both sides, blades that fold out of the handle at both ends.

Sizes after pocket tools: 84-110 mm long, 24-28 mm wide; 2-6 blades of 2 mm, each opening by up to
175 degrees about a pin at its end.
"""

from pipeline.generate.vocabulary import Assembly, Draw, Shape, cylinder, extrude, plate, word

CATEGORIES = {"pocket_knife": "Tools"}

# Outlines in shares of the blade's length (x) and of the handle's width (y); pin at the origin.
TOOLS = {
    "knife": [(-0.05, -0.2), (0.1, -0.2), (0.95, -0.22), (0.8, 0.02), (0.5, 0.14), (-0.05, 0.14)],
    "opener": [
        (-0.05, -0.18),
        (0.35, -0.18),
        (0.4, -0.02),
        (0.5, -0.2),
        (0.6, -0.02),
        (0.6, 0.1),
        (-0.05, 0.12),
    ],
    "saw": [(-0.05, -0.2)]
    + [(0.1 + 0.05 * k, -0.2 + 0.07 * (k % 2)) for k in range(16)]
    + [(0.9, 0.1), (-0.05, 0.13)],
    "screwdriver": [
        (-0.05, -0.15),
        (0.5, -0.15),
        (0.55, -0.08),
        (0.7, -0.08),
        (0.7, 0.04),
        (0.55, 0.06),
        (-0.05, 0.12),
    ],
}


def _blade(kind: str, length: float, wide: float) -> Shape:
    """Return one tool of the list as a flat plate, its pin at the origin."""
    return extrude([(x * length, y * wide) for x, y in TOOLS[kind]], "steel", height=0.0018)


def build(draw: Draw) -> Assembly:
    """Build one pocket knife lying on its side, blades folded at rest."""
    long = draw.number("length", 0.084, 0.11)
    wide = draw.number("width", 0.024, 0.028)
    count = draw.count("blades", 2, 6)
    color = draw.pick(
        "scale_material",
        ("red_plastic", "walnut", "black_plastic", "blue_plastic", "green_plastic"),
    )
    assembly = Assembly(
        f"{word(color).capitalize()} pocket knife with {count} blades",
        "pocket_knife",
        f"A pocket knife with {count} blades that fold into its handle.",
    )
    step = 0.0022
    inner = count * step + 0.0004
    scale = plate((long, wide, 0.004), color, radius=0.45 * wide, steps=6)
    pins = [
        cylinder((0.002, 0.0042), "brass", segments=12).on(
            s * (long / 2 - 0.35 * wide), 0.1 * wide, z
        )
        for s in (-1, 1)
        for z in (0.0, inner + 0.004)
    ]
    bar = plate((long * 0.8, 0.003, inner), "steel", radius=0.001).on(0, wide * 0.4, 0.004)
    cross = plate((0.008, 0.008, 0.0004), "white_plastic", radius=0.001).on(
        0.2 * long, 0, inner + 0.008
    )
    body = assembly.part(
        "handle", scale.on(0, 0, 0), scale.on(0, 0, inner + 0.004), *pins, bar, cross
    )
    kinds = list(TOOLS)
    for k in range(count):
        s = 1 if k % 2 == 0 else -1
        pin = (s * (long / 2 - 0.35 * wide), 0.1 * wide, 0.004 + 0.0003 + step * (k + 0.5))
        reach = (0.8 if k < 2 else 0.6) * (long - 0.7 * wide)
        shape = _blade(kinds[k % len(kinds)], reach, wide)
        ring = shape.mirrored("x") if s > 0 else shape
        blade = assembly.part(f"blade_{k + 1}", ring.at(*pin))
        opening = draw.number(f"blade_{k + 1}_deg", 150, 175, digits=1)
        assembly.hinge(body, blade, origin=pin, axis="z" if s > 0 else "-z", lower=0, upper=opening)
    return assembly
