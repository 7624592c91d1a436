# SPDX-License-Identifier: Apache-2.0
"""A ceiling fan: canopy, down rod, motor with three to six blades, light bowl and pull chain.

Sizes after living-room fans: 0.9-1.4 m across, rod 0.1-0.4 m, blades 110-150 mm wide pitched by
12 degrees; the rotor spins without end, the chain pulls down by 25 mm.
"""

from pipeline.generate.vocabulary import (
    WOODS,
    Assembly,
    Draw,
    cylinder,
    lathe,
    plate,
    sphere,
)

CATEGORIES = {"ceiling_fan": "Home Appliances"}


def _add_pull_chain(assembly: Assembly, *, has_light: bool, low: float, mount: str) -> None:
    """Add the pull chain."""
    hang = 0.075
    x = 0.118 if has_light else 0.05
    top = low - 0.03
    beads = [
        sphere(0.003, "chrome", segments=8).at(x, 0, top - 0.008 * k - 0.004)
        for k in range(int(hang / 0.008))
    ]
    drop = cylinder((0.006, 0.02), "chrome", segments=12).at(x, 0, top - hang - 0.008)
    chain = assembly.part("pull_chain", *beads, drop)
    assembly.slide(mount, chain, axis="-z", lower=0, upper=0.025)


def _add_rotor(
    assembly: Assembly,
    *,
    metal: str,
    motor: float,
    span: float,
    blades: int,
    chord: float,
    wood: str,
) -> str:
    """Add the rotor."""
    ring = [(0.032, 0), (0.09, 0), (0.115, 0.02), (0.115, 0.05), (0.08, 0.07), (0.032, 0.07)]
    housing = lathe(ring, metal, ring=True).on(0, 0, motor)
    vanes = []
    reach = span / 2 - 0.17
    for k in range(blades):
        blade = (
            plate((reach, chord, 0.007), wood, radius=0.04)
            .turned("x", 12)
            .at(0.17 + reach / 2, 0, motor + 0.03)
        )
        iron = (
            plate((0.12, 0.05, 0.006), metal, radius=0.015)
            .turned("x", 12)
            .at(0.15, 0, motor + 0.022)
        )
        vanes += [s.turned("z", 360 * k / blades) for s in (blade, iron)]
    return assembly.part("rotor", housing, *vanes)


def build(draw: Draw) -> Assembly:
    """Build one ceiling fan; its canopy touches the ceiling."""
    span = draw.number("span", 0.9, 1.4)
    rod = draw.number("rod_length", 0.1, 0.4)
    blades = draw.count("blades", 3, 6)
    chord = draw.number("blade_width", 0.11, 0.15)
    metal = draw.pick("motor_material", ("brass", "white_paint", "dark_steel", "copper"))
    wood = draw.pick("blade_material", (*WOODS, "white_paint", "black_paint"))
    has_light = draw.chance("light", 0.7)
    assembly = Assembly(
        f"{wood.split('_')[0].capitalize()} ceiling fan with {blades} blades",
        "ceiling_fan",
        f"A ceiling fan with {blades} blades{' and a light' if has_light else ''} on a down rod.",
    )
    motor = 0.143
    z = motor + 0.09
    shapes = [
        cylinder((0.011, rod + 0.08), metal).on(0, 0, z),
        lathe([(0.02, 0), (0.07, 0.03), (0.075, 0.05)], metal).on(0, 0, z + rod + 0.03),
        cylinder((0.03, z - motor + 0.02 - 0.002), metal).on(0, 0, motor - 0.02),
    ]
    low = motor - 0.02
    if has_light:
        shapes.append(cylinder((0.085, 0.03), metal).on(0, 0, low - 0.03))
        bowl = [(0, 0), (0.06, 0.012), (0.1, 0.045), (0.11, 0.075)]
        shapes.append(lathe(bowl, "lamp_glow").on(0, 0, low - 0.03 - 0.075))
    else:
        shapes.append(lathe([(0.02, 0), (0.06, 0.02), (0.06, 0.03)], metal).on(0, 0, low - 0.03))
    mount = assembly.part("mount", *shapes, label="ceiling_mount")
    rotor = _add_rotor(
        assembly, metal=metal, motor=motor, span=span, blades=blades, chord=chord, wood=wood
    )
    assembly.spin(mount, rotor, origin=(0, 0, motor), axis="z")
    _add_pull_chain(assembly, has_light=has_light, low=low, mount=mount)
    return assembly
