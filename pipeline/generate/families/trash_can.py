# SPDX-License-Identifier: Apache-2.0
"""A waste bin: round pedal bin with lifting lid, or tall bin with a swinging flap.

Sizes after household bins: pedal bins 0.2-0.3 m across and 0.28-0.65 m tall, lid opens by 75-90
degrees, pedal goes down by 8-12; swing bins 0.3-0.42 m wide, the flap swings up by 70 degrees.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    cylinder,
    extrude,
    lathe,
    loft,
    plate,
    rectangle,
    rounded_rectangle,
    torus,
    word,
)

CATEGORIES = {"trash_can": "Containers", "pedal_bin": "Containers"}


def _pedal_bin(draw: Draw, assembly: Assembly) -> None:
    """Add a round bin with a lid on a rear hinge and a pedal in front."""
    r = draw.number("radius", 0.1, 0.15)
    height = draw.number("height", 0.28, 0.6)
    skin = draw.pick("material", ("steel", "white_paint", "red_paint", "black_paint", "mint_paint"))
    trim = "black_plastic"
    wall = 0.004
    shell = [(r, 0.03), (r, height), (r - wall, height), (r - wall, 0.034)]
    foot = lathe(
        [(r + 0.004, 0), (r + 0.004, 0.03), (r - 0.01, 0.03), (r - 0.01, 0.026), (0, 0.026)], trim
    )
    hinge_at = (-r - 0.012, 0, height + 0.002)
    knuckle = box((0.014, 0.06, 0.03), trim).on(-r - 0.006, 0, height - 0.034)
    body = assembly.part("body", lathe(shell, skin), foot, knuckle, label="bin_body")
    dome = [(r + 0.003, 0), (r + 0.003, 0.012), (0.85 * r, 0.03), (0.5 * r, 0.042), (0, 0.046)]
    tab = box((0.03, 0.05, 0.01), trim).on(-r - 0.006, 0, height + 0.002)
    lid = assembly.part("lid", lathe(dome, skin).at(0, 0, height + 0.001), tab)
    opening = draw.number("lid_opening_deg", 75, 90, digits=1)
    assembly.hinge(body, lid, origin=hinge_at, axis="-y", lower=0, upper=opening)
    pedal = assembly.part(
        "pedal",
        plate((0.05, 0.07, 0.006), trim, radius=0.012).on(r + 0.035, 0, 0.016),
        box((0.02, 0.03, 0.006), "steel").on(r + 0.0145, 0, 0.016),
    )
    press = draw.number("pedal_press_deg", 8, 12, digits=1)
    assembly.hinge(body, pedal, origin=(r + 0.006, 0, 0.019), axis="y", lower=0, upper=press)
    inner = [
        (r - 0.016, 0.04),
        (r - 0.01, height - 0.02),
        (r - 0.013, height - 0.02),
        (r - 0.019, 0.043),
    ]
    bucket = assembly.part(
        "inner_bucket",
        lathe(inner, "gray_plastic"),
        torus((r - 0.0115, 0.003), "gray_plastic").at(0, 0, height - 0.018),
    )
    assembly.weld(body, bucket, origin=(0, 0, 0.04))


def _add_hood(assembly: Assembly, *, depth: float, accent: str, width: float, height: float) -> str:
    """Add the hood."""
    arch = [
        (-depth / 2, 0),
        (depth / 2, 0),
        (depth / 2, 0.03),
        (0.02, 0.17),
        (-0.02, 0.17),
        (-depth / 2, 0.03),
    ]
    cheek = extrude(arch, accent, height=0.012).along("-y")
    collar = extrude(
        rectangle(depth + 0.01, width + 0.01),
        accent,
        height=0.025,
        holes=[rectangle(depth - 0.04, width - 0.04)],
    )
    bridge = extrude(
        [*arch[2:4], (0.02, 0.162), (depth / 2 - 0.008, 0.03)], accent, height=width - 0.02
    )
    rear = bridge.along("-y").mirrored("x")
    return assembly.part(
        "hood",
        collar.on(0, 0, height + 0.0005),
        *(cheek.at(0, s * (width / 2 - 0.006), height + 0.02) for s in (-1, 1)),
        rear.at(0, 0, height + 0.02),
        box((0.006, width - 0.02, 0.028), accent).on(depth / 2 - 0.003, 0, height + 0.021),
    )


def _swing_bin(draw: Draw, assembly: Assembly) -> None:
    """Add a tapered rectangular bin with a hood and a swinging flap."""
    width = draw.number("width", 0.3, 0.42)
    depth = draw.number("depth", 0.22, 0.3)
    height = draw.number("height", 0.45, 0.7)
    skin = draw.pick("material", ("gray_plastic", "green_plastic", "blue_plastic", "black_plastic"))
    accent = draw.pick("lid_material", ("gray_plastic", "white_plastic", "yellow_plastic"))

    def ring(inset: float, z: float) -> list[tuple[float, float, float]]:
        """Return the rounded outline at a height, smaller toward the floor."""
        taper = 1 - 0.18 * (1 - z / height)
        outline = rounded_rectangle(depth * taper - inset, width * taper - inset, radius=0.03)
        return [(x, y, z) for x, y in outline]

    vessel = loft([ring(0, 0), ring(0, height), ring(0.008, height), ring(0.008, 0.004)], skin)
    body = assembly.part("body", vessel, label="bin_body")
    hood = _add_hood(assembly, depth=depth, accent=accent, width=width, height=height)
    assembly.weld(body, hood, origin=(0, 0, height))
    slope = extrude(
        [(depth / 2 - 0.004, 0.034), (0.026, 0.164), (0.02, 0.16), (depth / 2 - 0.01, 0.03)],
        accent,
        height=width - 0.03,
    )
    pivot = (0.026, 0, height + 0.02 + 0.158)
    flap = assembly.part(
        "flap",
        slope.along("-y").at(0, 0, height + 0.021),
        cylinder((0.003, width - 0.026), "steel", segments=12).along("y").at(*pivot),
    )
    assembly.hinge(hood, flap, origin=pivot, axis="-y", lower=0, upper=70)


def build(draw: Draw) -> Assembly:
    """Build one trash can."""
    category = draw.take("category", CATEGORIES)
    pedal = category == "pedal_bin"
    phrase = "whose pedal lifts the lid" if pedal else "with a swinging flap in its hood"
    noun = category.replace("_", " ")
    assembly = Assembly("", category, f"A {noun} {phrase}.")
    (_pedal_bin if pedal else _swing_bin)(draw, assembly)
    assembly.name = f"{word(str(draw.parameters['material'])).capitalize()} {noun}"
    return assembly
