# SPDX-License-Identifier: Apache-2.0
"""A blender or a food processor: motor base with a dial, bowl with a handle, spinning blades, lid.

Blenders: base 0.15-0.19 m across, 0.36-0.44 m tall with a slender jar. Food processors: base
0.18-0.22 m, 0.28-0.34 m tall, wide bowl, chute with a pusher that slides down by 60 mm. The blades
turn without end, the lid lifts off by 0.08-0.12 m, the dial turns by 270 degrees.
"""

from pipeline.generate.fittings import add_button, add_dial, bowl, feet
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    cylinder,
    lathe,
    plate,
    rounded_path,
    sweep,
    tube,
    word,
)

CATEGORIES = {"blender": "Kitchen & Cooking", "food_processor": "Kitchen & Cooking"}


def _base(assembly: Assembly, radius: float, height: float, skin: str) -> str:
    """Add the motor base with its dial and two buttons."""
    profile = [
        (radius, 0.008),
        (radius, 0.02),
        (0.8 * radius, height - 0.01),
        (0.74 * radius, height),
    ]
    body = assembly.part(
        "base",
        lathe(profile, skin),
        *feet((radius, radius)),
        box((0.012, 0.9 * radius, 0.05), skin).at(0.94 * radius, 0, 0.05),
        label="motor_base",
    )
    front = 0.94 * radius + 0.006
    add_dial(
        assembly,
        body,
        "dial",
        at=(front, 0, 0.05),
        axis="x",
        size=(0.018, 0.014),
        material="black_plastic",
    )
    for k, s in enumerate((-1, 1), start=1):
        cap = box((0.005, 0.014, 0.014), "black_plastic").at(front + 0.0026, s * 0.033, 0.05)
        add_button(assembly, body, f"button_{k}", cap, axis="-x", travel=0.002)
    return body


def _blades(assembly: Assembly, parent: str, z: float, reach: float, count: int) -> None:
    """Add a hub with tilted blades."""
    hub = cylinder((0.012, 0.03), "dark_steel", segments=16).on(0, 0, z)
    vanes = [
        plate((reach, 0.014, 0.002), "steel", radius=0.005)
        .at(reach / 2 + 0.008)
        .turned("y", -18 * (-1) ** k)
        .turned("z", 360 * k / count)
        .at(0, 0, z + 0.016)
        for k in range(count)
    ]
    part = assembly.part("blades", hub, *vanes)
    assembly.spin(parent, part, origin=(0, 0, z), axis="z")


def _jar(assembly: Assembly, z: float, radii: tuple[float, float], tall: float, glass: str) -> str:
    """Add the jar or bowl with its handle on the left."""
    low, high = radii
    cup = bowl([(low, 0), (low, 0.02), (high, tall)], glass, wall=0.004).at(0, 0, z)
    collar = tube((low + 0.006, low + 0.0001, 0.018), "black_plastic").on(0, 0, z)
    path = [
        (0, low + 0.004, 0.2 * tall),
        (0, high + 0.05, 0.25 * tall),
        (0, high + 0.05, 0.85 * tall),
        (0, high - 0.004, 0.9 * tall),
    ]
    grip = sweep(rounded_path(path, radius=0.03), "black_plastic", radius=0.009).at(0, 0, z)
    return assembly.part("jar", cup, collar, grip, label="bowl")


def _lid(
    assembly: Assembly, jar: str, z: float, radius: float, *, lift: float, chute: bool
) -> None:
    """Add a lid that lifts off; a chute holds a pusher."""
    if not chute:
        cap = cylinder((radius + 0.004, 0.014), "black_plastic").on(0, 0, z)
        top = cylinder((0.6 * radius, 0.016), "clear_plastic").on(0, 0, z + 0.014)
        assembly.slide(jar, assembly.part("lid", cap, top), axis="z", lower=0, upper=lift)
        return
    disk = lathe(
        [(0.031, 0), (radius + 0.004, 0), (radius + 0.004, 0.012), (0.031, 0.012)],
        "clear_plastic",
        ring=True,
    ).at(0, 0, z)
    pipe = tube((0.034, 0.03, 0.09), "clear_plastic").on(0, 0, z + 0.004)
    lid = assembly.part("lid", disk, pipe)
    assembly.slide(jar, lid, axis="z", lower=0, upper=lift)
    rod = cylinder((0.029, 0.085), "white_plastic").on(0, 0, z + 0.075)
    rim = cylinder((0.036, 0.008), "white_plastic").on(0, 0, z + 0.16)
    assembly.slide(lid, assembly.part("pusher", rod, rim), axis="-z", lower=0, upper=0.06)


def build(draw: Draw) -> Assembly:
    """Build one blender or food processor."""
    category = draw.take("category", CATEGORIES)
    slim = category == "blender"
    radius = draw.number("base_radius", *((0.075, 0.095) if slim else (0.09, 0.11)))
    height = draw.number("base_height", *((0.12, 0.15) if slim else (0.1, 0.13)))
    tall = draw.number("bowl_height", *((0.2, 0.26) if slim else (0.12, 0.15)))
    skin = draw.pick(
        "skin_material", ("red_paint", "black_plastic", "white_plastic", "steel", "mint_paint")
    )
    glass = draw.pick("bowl_material", ("glass", "clear_plastic"))
    blades = draw.count("blades", *((4, 4) if slim else (2, 3)))
    noun = category.replace("_", " ")
    assembly = Assembly(
        f"{word(skin).capitalize()} {noun}",
        category,
        f"A {noun} whose {blades} blades spin in a see-through {'jar' if slim else 'bowl'}.",
    )
    body = _base(assembly, radius, height, skin)
    radii = (0.6 * radius, 0.85 * radius) if slim else (0.98 * radius, 1.05 * radius)
    jar = _jar(assembly, height + 0.0005, radii, tall, glass)
    assembly.slide(body, jar, axis="z", lower=0, upper=draw.number("jar_lift", 0.05, 0.08))
    _blades(assembly, jar, height + 0.007, 0.55 * radii[0], blades)
    lift = draw.number("lid_lift", 0.08, 0.12)
    _lid(assembly, jar, height + tall + 0.001, radii[1], lift=lift, chute=not slim)
    return assembly
