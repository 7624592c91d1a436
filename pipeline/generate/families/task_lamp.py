# SPDX-License-Identifier: Apache-2.0
"""A lamp with jointed arms: weighted foot, swivel post, two arms and a tilting shade in a chain.

Sizes after desk lamps: foot 0.16-0.22 m across (floor lamps: 0.26-0.34 m, post 0.85-1.15 m), arms
0.25-0.42 m each, shade 0.12-0.18 m; the post turns by +-170 degrees, shoulder and elbow by 30-60
either way, the shade by 40-45.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    lathe,
    sphere,
    sweep,
    word,
)

CATEGORIES = {"task_lamp": "Lighting", "floor_lamp": "Lighting"}


def _arm(start: tuple[float, float], end: tuple[float, float], y: float, metal: str) -> list[Shape]:
    """Return twin rods between two (x, z) joints with a knuckle plate at both ends."""
    rods = [
        sweep([(start[0], y + d, start[1]), (end[0], y + d, end[1])], metal, radius=0.004)
        for d in (-0.008, 0.008)
    ]
    ends = [cylinder((0.013, 0.022), metal).along("y").at(x, y, z) for x, z in (start, end)]
    return [*rods, *ends]


def _add_shade(
    assembly: Assembly,
    *,
    head: tuple[float, float],
    shade: float,
    color: str,
    metal: str,
    second: str,
) -> None:
    """Add the shade."""
    x, top = head
    bell = [(shade, 0), (shade * 0.95, 0.03), (shade * 0.45, 0.1), (0.022, 0.115), (0.02, 0.155)]
    inside = [
        (0.004, 0.15),
        (0.02, 0.11),
        (shade * 0.45 - 0.003, 0.097),
        (shade * 0.95 - 0.002, 0.028),
    ]
    cup = lathe([*bell, *inside, (shade - 0.002, 0)], color, ring=True)
    stem = cylinder((0.006, 0.03), metal).along("x").at(0.02)
    lug = cylinder((0.012, 0.015), metal).along("y")
    drop = -0.11
    parts = [
        cup.at(0.05, 0, drop),
        sphere(0.022, "lamp_glow").scaled(1, 1, 1.3).at(0.05, 0, drop + 0.06),
        stem,
        lug,
    ]
    screen = assembly.part(
        "shade", *(s.turned("y", -15).at(x, 0.0115, top) for s in parts), label="lamp_head"
    )
    assembly.hinge(second, screen, origin=(x, 0.0115, top), axis="y", lower=-40, upper=45)


def build(draw: Draw) -> Assembly:
    """Build one task lamp in its working pose."""
    category = draw.take("category", CATEGORIES)
    floor = category == "floor_lamp"
    foot = draw.number("foot_radius", *((0.13, 0.17) if floor else (0.08, 0.11)))
    rise = draw.number("post_height", 0.85, 1.15) if floor else 0.05
    lower = draw.number("lower_arm", 0.25, 0.42)
    upper = draw.number("upper_arm", 0.25, 0.42)
    shade = draw.number("shade_radius", 0.06, 0.09)
    color = draw.pick(
        "shade_material", ("red_paint", "black_paint", "white_paint", "green_paint", "brass")
    )
    metal = draw.pick("arm_material", ("chrome", "dark_steel", "brass", "black_paint"))
    assembly = Assembly(
        f"{word(color).capitalize()} {category.replace('_', ' ')}",
        category,
        f"A {'floor' if floor else 'desk'} lamp with two jointed arms and a tilting shade.",
    )
    base = assembly.part(
        "base",
        lathe([(foot, 0), (foot, 0.012), (0.9 * foot, 0.02), (0.02, 0.024), (0.02, 0.03)], color),
        cylinder((0.009, 0.006), "black_plastic", segments=16).on(0.6 * foot, 0, 0.02),
    )
    z = 0.03
    post = assembly.part(
        "post",
        cylinder((0.012, rise), metal).on(0, 0, z),
        box((0.022, 0.006, 0.035), metal).on(0, 0, z + rise),
    )
    assembly.hinge(base, post, origin=(0, 0, z), axis="z", lower=-170, upper=170)
    shoulder = (0.0, z + rise + 0.025)
    elbow = (-0.5 * lower, shoulder[1] + 0.866 * lower)
    head = (elbow[0] + 0.9 * upper, elbow[1] + 0.436 * upper)
    first = assembly.part("lower_arm", *_arm(shoulder, elbow, 0.0145, metal))
    assembly.hinge(post, first, origin=(shoulder[0], 0, shoulder[1]), axis="y", lower=-30, upper=60)
    second = assembly.part("upper_arm", *_arm(elbow, head, -0.008, metal))
    assembly.hinge(first, second, origin=(elbow[0], 0, elbow[1]), axis="y", lower=-50, upper=60)
    _add_shade(assembly, head=head, shade=shade, color=color, metal=metal, second=second)
    return assembly
