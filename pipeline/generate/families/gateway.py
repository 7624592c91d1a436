# SPDX-License-Identifier: Apache-2.0
"""Things that let traffic pass: barrier gate, turnstile, tower crane on the building site.

Barrier gates: boom 3-5 m, rising by 80-88 degrees, cabinet door of 100. Turnstiles: waist high,
three arms turning without end. Tower cranes: mast 18-30 m, jib 16-26 m slewing without end,
trolley of 8-16 m, hook of 6-12 m.
"""

import math

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    capsule,
    cylinder,
    extrude,
    plate,
    rectangle,
    sweep,
    torus,
    word,
)

CATEGORIES = {
    "barrier_gate": "Architectural Fixtures",
    "turnstile": "Infrastructure",
    "tower_crane": "Infrastructure",
}


def _barrier(draw: Draw, assembly: Assembly, color: str) -> None:
    """Add a cabinet, a striped boom along y and a support at its end."""
    boom = draw.number("boom", 3, 5, digits=2)
    y0 = boom / 2
    ring = extrude(rectangle(0.34, 0.3), color, height=1.0, holes=[rectangle(0.3, 0.26)]).on(
        0, y0 + 0.1, 0.05
    )
    rest = [
        box((0.12, 0.08, 0.8), "dark_steel").on(0.24, -y0 + 0.15, 0),
        *(
            box((0.03, 0.08, 0.16), "dark_steel").on(0.24 + s * 0.075, -y0 + 0.15, 0.74)
            for s in (-1, 1)
        ),
    ]
    body = assembly.part(
        "cabinet",
        ring,
        box((0.4, 0.36, 0.05), "concrete").on(0, y0 + 0.1, 0),
        box((0.36, 0.32, 0.04), color).on(0, y0 + 0.1, 1.05),
        cylinder((0.05, 0.06), "orange_paint").on(0, y0 + 0.1, 1.09),
        *rest,
    )
    z = 0.87
    bar = box((0.06, boom, 0.09), "hazard_stripes").at(0.24, -0.05, z + 0.0)
    hub = [
        cylinder((0.1, 0.05), "dark_steel").along("x").at(0.2, y0 + 0.1, z),
        box((0.08, 0.5, 0.14), "dark_steel").at(0.24, y0 + 0.25, z),
    ]
    arm = assembly.part("boom", bar, *hub)
    assembly.hinge(
        body,
        arm,
        origin=(0.2, y0 + 0.1, z),
        axis="-x",
        lower=0,
        upper=draw.number("rise_deg", 80, 88, digits=1),
    )
    door = assembly.part(
        "door",
        box((0.012, 0.26, 0.7), color).at(-0.177, y0 + 0.1, 0.55),
        cylinder((0.015, 0.01), "black_plastic").along("-x").at(-0.187, y0, 0.55),
    )
    assembly.hinge(body, door, origin=(-0.183, y0 + 0.23, 0.55), axis="-z", lower=0, upper=100)


def _turnstile(draw: Draw, assembly: Assembly, color: str) -> None:
    """Add a housing with a tripod of arms on a slanted hub, and a rail opposite."""
    high = draw.number("height", 0.95, 1.05)
    reach = draw.number("arm", 0.45, 0.55)
    body_shapes = [
        plate((0.6, 0.25, high), color, radius=0.04).on(0, 0.3, 0),
        box((0.64, 0.29, 0.03), "dark_steel").on(0, 0.3, high),
        box((0.12, 0.15, 0.01), "screen_blue").on(0.2, 0.3, high + 0.03),
    ]
    rail = sweep(
        [
            (-0.3, -0.62, 0.01),
            (-0.3, -0.62, high - 0.1),
            (0.3, -0.62, high - 0.1),
            (0.3, -0.62, 0.01),
        ],
        "chrome",
        radius=0.02,
    )
    floor = box((0.7, 1.2, 0.02), "tiles").on(0, -0.1, -0.02)
    mount = cylinder((0.06, 0.16), "dark_steel").turned("x", 135).at(0, 0.176, high - 0.144)
    body = assembly.part("housing", *body_shapes, rail, floor, mount)
    at = (0.0, 0.1, high - 0.22)
    tilt = math.radians(45)
    axis = (0.0, -math.cos(tilt), -math.sin(tilt))
    hub = cylinder((0.07, 0.04), "dark_steel")
    # Arms lie on a cone of 45 degrees about the slanted axis, so that one of them is level.
    arms = [
        capsule((0.016, reach), "chrome")
        .at(0, 0, reach / 2 + 0.04)
        .turned("x", 45)
        .turned("z", 120 * k + 180)
        for k in range(3)
    ]
    shapes = [s.turned("x", 135).at(*at) for s in (hub, *arms)]
    tripod = assembly.part("tripod", *shapes, label="tripod_arms")
    assembly.spin(body, tripod, origin=at, axis=axis)


def _lattice(length: float, side: float, color: str) -> list[Shape]:
    """Return a square lattice mast along +z, centered in x and y."""
    posts = [
        box((0.16, 0.16, length), color).on(sx * side / 2, sy * side / 2, 0)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
    count = max(2, round(length / (1.6 * side)))
    step = length / count
    braces = []
    for k in range(count):
        low, high, s = step * k, step * (k + 1), 1 if k % 2 else -1
        for t in (-1, 1):
            ends = [
                (t * side / 2, -s * side / 2, low + 0.05),
                (t * side / 2, s * side / 2, high - 0.05),
            ]
            braces.append(sweep(ends, color, section=rectangle(0.09, 0.09)))
            braces.append(
                sweep([(b, a, c) for a, b, c in ends], color, section=rectangle(0.085, 0.085))
            )
    return [*posts, *braces]


def _crane(draw: Draw, assembly: Assembly, color: str) -> None:
    """Add mast, slewing jib with cab and counterweight, trolley and hook."""
    mast, jib = draw.number("mast", 18, 30, digits=1), draw.number("jib", 16, 26, digits=1)
    base = assembly.part(
        "mast",
        *_lattice(mast, 1.4, color),
        box((4, 4, 0.6), "concrete").on(0, 0, -0.6),
        cylinder((0.9, 0.3), "dark_steel").on(0, 0, mast),
        label="crane_mast",
    )
    z = mast + 0.31
    boom = [s.along("x").at(1.0, 0, z + 1.1) for s in _lattice(jib, 1.0, color)]
    tail = [
        box((7, 1.0, 0.3), color).on(-3.5, 0, z + 0.5),
        box((1.6, 1.4, 1.6), "concrete").on(-6, 0, z + 0.8),
    ]
    apex = [
        box((0.4, 0.4, 4.5), color).on(0, 0, z + 0.4),
        box((2, 1.2, 0.2), "dark_steel").on(0, 0, z),
    ]
    ties = [
        sweep([(0, 0, z + 4.8), (x, 0, z + h)], "dark_steel", radius=0.05)
        for x, h in ((0.7 * jib, 1.55), (-6, 1.6))
    ]
    cab = [
        box((1.2, 1.1, 1.5), "sky_paint").on(1.4, -1.2, z - 0.6),
        box((0.1, 0.9, 0.8), "smoked_glass").on(2.02, -1.2, z - 0.1),
    ]
    top = assembly.part("jib", *boom, *tail, *apex, *ties, *cab, label="slewing_jib")
    assembly.spin(base, top, origin=(0, 0, z), axis="z")
    x, low = 4.0, z + 0.5
    trolley = assembly.part("trolley", box((1.2, 1.3, 0.2), "dark_steel").on(x, 0, low - 0.22))
    assembly.slide(top, trolley, axis="x", lower=0, upper=round(jib - 5, 2))
    drop = draw.number("rope", 3, 6, digits=2)
    hook = [
        *(
            cylinder((0.03, drop), "black_paint", segments=6).on(x, s * 0.2, low - 0.225 - drop)
            for s in (-1, 1)
        ),
        box((0.4, 0.7, 0.5), color).on(x, 0, low - 0.7 - drop),
        torus((0.22, 0.06), "dark_steel").along("y").at(x, 0, low - 0.95 - drop),
    ]
    block = assembly.part("hook", *hook, label="hook_block")
    assembly.slide(trolley, block, axis="-z", lower=0, upper=round(mast - drop - 3, 2))


def build(draw: Draw) -> Assembly:
    """Build one barrier gate, turnstile or tower crane."""
    category = draw.take("category", CATEGORIES)
    colors = {
        "barrier_gate": ("yellow_paint", "gray_paint", "red_paint"),
        "turnstile": ("steel", "gray_paint"),
        "tower_crane": ("yellow_paint", "red_paint", "blue_paint"),
    }
    color = draw.pick("material", colors[category])
    noun = category.replace("_", " ")
    phrase = {
        "barrier_gate": "whose boom rises",
        "turnstile": "with three turning arms",
        "tower_crane": "with a slewing jib, a trolley and a hook",
    }
    assembly = Assembly(
        f"{word(color).capitalize()} {noun}", category, f"A {noun} {phrase[category]}."
    )
    {"barrier_gate": _barrier, "turnstile": _turnstile, "tower_crane": _crane}[category](
        draw, assembly, color
    )
    return assembly
