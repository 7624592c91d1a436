# SPDX-License-Identifier: Apache-2.0
"""Hand tools with a slide: vernier caliper, snap-off knife, adjustable wrench with a worm.

Calipers: 0.2-0.26 m long, 0.1-0.15 m of travel, thumb screw of 0.8 mm per turn. Snap-off knives:
0.14-0.18 m, blade of 18 mm sliding by 60-80 mm. Adjustable wrenches: 0.2-0.3 m long, jaw of
20-32 mm travel, worm that turns without end.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    cylinder,
    extrude,
    plate,
    rectangle,
    torus,
    word,
)

CATEGORIES = {"caliper": "Tools", "utility_knife": "Tools", "adjustable_wrench": "Tools"}


def _add_slider(
    draw: Draw,
    assembly: Assembly,
    *,
    thick: float,
    z: float,
    lower: list[tuple[float, float]],
    upper: list[tuple[float, float]],
    metal: str,
) -> str:
    """Add the slider."""
    frame = (
        extrude(
            rectangle(0.03, 0.0095),
            "dark_steel",
            height=0.05,
            holes=[rectangle(0.0166, thick + 0.0008)],
        )
        .along("y")
        .turned("y", 90)
        .at(0, 0.0435, z)
    )
    moving = [
        extrude([(x, -y) for x, y in p], metal, height=thick).at(0, 0.0185, z)
        for p in (
            [(0.0145, 0), *lower[1:4], (0.0145, -0.02)],
            [(-0.0145, 0), *upper[1:3], (-0.0145, -0.008)],
        )
    ]
    dial = box((0.022, 0.032, 0.001), "screen" if draw.chance("digital", 0.5) else "paper").on(
        0, 0.045, z + 0.0047
    )
    return assembly.part("slider", frame, *moving, dial, label="sliding_jaw")


def _caliper(draw: Draw, assembly: Assembly) -> None:
    """Add a beam along y with a fixed jaw, a sliding jaw and its lock screw."""
    long = draw.number("length", 0.2, 0.26)
    travel = draw.number("travel", 0.1, round(long - 0.09, 3))
    metal = draw.pick("material", ("steel", "chrome", "aluminum"))
    thick, z = 0.0035, 0.004
    beam = box((0.016, long, thick), metal).at(0, long / 2, z)
    marks = [
        box((0.004 if k % 5 else 0.007, 0.0004, 0.0002), "black_paint").at(
            -0.003, 0.03 + 0.004 * k, z + thick / 2 + 0.0001
        )
        for k in range(int((long - 0.06) / 0.004))
    ]
    lower = [(0.006, 0.0), (0.05, -0.0), (0.05, -0.003), (0.03, -0.014), (0.006, -0.02)]
    upper = [(-0.006, 0.0), (-0.026, 0.0), (-0.026, -0.002), (-0.006, -0.012)]
    jaws = [extrude(p, metal, height=thick).at(0, 0.018, z) for p in (lower, upper)]
    body = assembly.part("beam", beam, *marks, *jaws)
    slider = _add_slider(draw, assembly, thick=thick, z=z, lower=lower, upper=upper, metal=metal)
    assembly.slide(body, slider, axis="y", lower=0, upper=travel)
    at = (-0.0153, 0.045, z)
    knob = assembly.part(
        "lock_screw",
        cylinder((0.004, 0.007), metal, segments=14).along("-x").at(at[0] - 0.0036, *at[1:]),
    )
    assembly.screw(slider, knob, origin=at, axis="-x", turns=(0, 3), travel_per_turn=0.0008)


def _knife(draw: Draw, assembly: Assembly) -> None:
    """Add a handle with a channel, a blade with score lines and a thumb slider."""
    long = draw.number("length", 0.14, 0.18)
    travel = draw.number("travel", 0.06, 0.08)
    color = draw.pick(
        "material", ("yellow_plastic", "red_plastic", "blue_plastic", "black_plastic")
    )
    z = 0.0075
    ring = (
        extrude(rectangle(0.026, 0.015), color, height=long, holes=[rectangle(0.0192, 0.006)])
        .along("x")
        .at(0, 0, z)
    )
    cap = box((0.012, 0.026, 0.015), "black_plastic").at(-long / 2 - 0.006, 0, z)
    body = assembly.part("handle", ring, cap)
    outline = [(-travel - 0.01, -0.009), (0.03, -0.009), (0.018, 0.009), (-travel - 0.01, 0.009)]
    steel = extrude(outline, "steel", height=0.0008).at(long / 2 - 0.02, 0, z)
    score = [
        box((0.0004, 0.016, 0.0001), "dark_steel")
        .turned("z", 20)
        .at(long / 2 - 0.03 - 0.008 * k, 0, z + 0.00045)
        for k in range(6)
    ]
    blade = assembly.part("blade", steel, *score)
    assembly.slide(body, blade, axis="x", lower=0, upper=travel)


def _add_worm(assembly: Assembly, *, z: float, metal: str, body: str) -> None:
    """Add the worm."""
    at = (0.009, -0.0405, z)
    rings = [
        torus((0.0062, 0.0012), "dark_steel", segments=16)
        .along("y")
        .at(at[0], at[1] + 0.0028 * k - 0.0056, z)
        for k in range(5)
    ]
    worm = assembly.part(
        "worm",
        cylinder((0.0062, 0.016), metal, segments=16).along("y").at(*at),
        *rings,
        label="worm_screw",
    )
    assembly.spin(body, worm, origin=at, axis="y")


def _wrench(draw: Draw, assembly: Assembly) -> None:
    """Add a handle with the fixed jaw, a moving jaw and a knurled worm."""
    long = draw.number("length", 0.2, 0.3)
    travel = draw.number("jaw_travel", 0.02, 0.032)
    metal = draw.pick("material", ("chrome", "steel", "dark_steel"))
    grip = draw.pick("grip_material", ("red_plastic", "blue_plastic", "black_plastic", metal))
    z, thick = 0.008, 0.014
    shank = plate((0.7 * long, 0.024, 0.01), metal, radius=0.009).at(-0.55 * long + 0.02, 0, z)
    sleeve = plate((0.42 * long, 0.029, thick), grip, radius=0.01).at(-0.68 * long, 0, z)
    head = [
        (-0.02, -0.02),
        (0.0, -0.032),
        (0.018, -0.032),
        (0.018, -0.008),
        (0.02, 0.012),
        (0.062, 0.014),
        (0.06, 0.034),
        (0.01, 0.036),
        (-0.03, 0.012),
    ]
    body = assembly.part(
        "handle", extrude(head, metal, height=thick).at(0, 0, z), shank, sleeve, label="wrench_body"
    )
    jaw = [
        (0.0195, -0.03),
        (0.0285, -0.03),
        (0.03, -0.014),
        (0.062, -0.012),
        (0.062, 0.0075),
        (0.03, 0.0075),
        (0.0195, 0.0),
    ]
    moving = assembly.part(
        "jaw",
        extrude([(x, y) for x, y in jaw], metal, height=thick - 0.002).at(0.0, 0.0, z),
        label="sliding_jaw",
    )
    assembly.slide(body, moving, axis="-y", lower=0, upper=travel)
    _add_worm(assembly, z=z, metal=metal, body=body)


def build(draw: Draw) -> Assembly:
    """Build one caliper, snap-off knife or adjustable wrench, lying flat."""
    category = draw.take("category", CATEGORIES)
    noun = category.replace("_", " ")
    article = "An" if noun[0] == "a" else "A"
    assembly = Assembly("", category, f"{article} {noun} with a part that slides.")
    {"caliper": _caliper, "utility_knife": _knife, "adjustable_wrench": _wrench}[category](
        draw, assembly
    )
    assembly.name = f"{word(str(draw.parameters['material'])).capitalize()} {noun}"
    return assembly
