# SPDX-License-Identifier: Apache-2.0
"""Bins of the street: two-wheeled bin and dumpster on four casters.

Wheelie bins: 0.48-0.58 m wide, 0.55-0.7 m deep, 0.9-1.05 m tall, lid of 200-240 degrees, wheels of
0.2 m. Dumpsters: 1.2-1.8 m wide, 1.0-1.2 m deep, 1.1-1.3 m tall, two lids of 110 degrees, casters.
"""

from pipeline.generate.fittings import wheel
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    cylinder,
    loft,
    rectangle,
    word,
)

CATEGORIES = {"wheelie_bin": "Containers", "dumpster": "Containers"}


def _add_wheels(assembly: Assembly, *, deep: float, wide: float, body: str) -> None:
    """Add the wheels."""
    for name, s in (("left", 1), ("right", -1)):
        at = (-0.42 * deep, s * wide / 2, 0.1)
        roll = assembly.part(
            f"{name}_wheel",
            *(p.at(*at) for p in wheel((0.1, 0.05), "rubber", hub="gray_plastic")),
            label="wheel",
        )
        assembly.spin(body, roll, origin=at, axis="y")


def _wheelie(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a tapering bin, lid at the rear, axle and wheels."""
    wide, deep = draw.number("width", 0.48, 0.58), draw.number("depth", 0.52, 0.62)
    tall = draw.number("height", 0.9, 1.02)
    lid_color = draw.pick("lid_material", ("yellow_plastic", "blue_plastic", "red_plastic", skin))
    levels = ((0.72, 0.82, 0.05), (1.0, 1.0, tall), (0.965, 0.965, tall), (0.685, 0.785, 0.065))
    shell = loft(
        [[(x, y, z) for x, y in rectangle(a * deep, b * wide)] for a, b, z in levels], skin
    )
    rim = [box((0.04, wide + 0.03, 0.03), skin).on(deep / 2 + 0.012, 0, tall - 0.05)]
    grip = cylinder((0.014, wide * 0.8), skin).along("y").at(-deep / 2 - 0.06, 0, tall - 0.02)
    arms = [
        box((0.08, 0.03, 0.03), skin).at(-deep / 2 - 0.03, s * 0.38 * wide, tall - 0.02)
        for s in (-1, 1)
    ]
    axle = [
        cylinder((0.011, wide - 0.054), "steel").along("y").at(-0.42 * deep, 0, 0.1),
        box((0.1, wide * 0.7, 0.1), skin).on(-0.4 * deep, 0, 0.05),
    ]
    body = assembly.part(
        "body",
        shell,
        *rim,
        grip,
        *arms,
        *axle,
        box((0.1, wide * 0.7, 0.05), skin).on(0.28 * deep, 0, 0),
        label="bin_body",
    )
    cover = [
        box((deep + 0.05, wide + 0.02, 0.022), lid_color).on(0.02, 0, tall + 0.001),
        box((0.03, 0.2, 0.02), lid_color).on(deep / 2 + 0.05, 0, tall + 0.001),
        box((0.06, wide * 0.5, 0.014), lid_color).on(-deep / 2 - 0.02, 0, tall + 0.006),
    ]
    lid = assembly.part("lid", *cover)
    assembly.hinge(
        body,
        lid,
        origin=(-deep / 2 - 0.06, 0, tall + 0.012),
        axis="-y",
        lower=0,
        upper=draw.number("lid_deg", 200, 230, digits=1),
    )
    _add_wheels(assembly, deep=deep, wide=wide, body=body)


def _add_lids_and_forks(
    draw: Draw, assembly: Assembly, *, deep: float, wide: float, tall: float, body: str, low: float
) -> None:
    """Add the lids, forks and wheels."""
    opening = draw.number("lid_deg", 100, 115, digits=1)
    for name, s in (("left", 1), ("right", -1)):
        cover = box((deep + 0.03, wide / 2 - 0.01, 0.03), "black_plastic").on(
            0.01, s * wide / 4, tall + 0.002
        )
        part = assembly.part(f"lid_{name}", cover, label="lid")
        assembly.hinge(
            body,
            part,
            origin=(-deep / 2, s * wide / 4, tall + 0.002),
            axis="-y",
            lower=0,
            upper=opening,
        )
    for k, (sx, sy) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1)), start=1):
        x, y = -0.06 + sx * 0.3 * deep, sy * 0.36 * wide
        fork = assembly.part(
            f"fork_{k}",
            cylinder((0.05, 0.02), "dark_steel").on(x, y, low - 0.021),
            *(
                box((0.05, 0.008, 0.1), "dark_steel").on(x - 0.03, y + d * 0.034, 0.08)
                for d in (-1, 1)
            ),
            label="caster_fork",
        )
        assembly.spin(body, fork, origin=(x, y, low), axis="z")
        roll = assembly.part(
            f"wheel_{k}",
            *(p.at(x - 0.03, y, 0.075) for p in wheel((0.075, 0.045), "rubber", hub="steel")),
            label="wheel",
        )
        assembly.spin(fork, roll, origin=(x - 0.03, y, 0.075), axis="y")


def _dumpster(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a steel bin with a slanted front, two lids and four casters."""
    wide, deep = draw.number("width", 1.2, 1.8), draw.number("depth", 1.0, 1.2)
    tall = draw.number("height", 1.05, 1.25)
    low = 0.2
    levels = (
        (0.8, 0.9, low, -0.06),
        (1.0, 1.0, tall, 0),
        (0.94, 0.95, tall, 0),
        (0.74, 0.86, low + 0.03, -0.06),
    )
    shell = loft(
        [
            [(x, y, z) for x, y in rectangle(a * deep, b * wide, center=(c, 0))]
            for a, b, z, c in levels
        ],
        skin,
    )
    ribs = [
        box((0.03, wide * 0.96, 0.08), skin).on(
            deep / 2 - 0.055 + 0.02 * k, 0, low + 0.32 + 0.3 * k
        )
        for k in range(2)
    ]
    pockets = [
        box((deep * 0.5, 0.12, 0.16), "dark_steel").on(0, s * (wide / 2 + 0.03), 0.65)
        for s in (-1, 1)
    ]
    body = assembly.part("body", shell, *ribs, *pockets, label="bin_body")
    _add_lids_and_forks(draw, assembly, deep=deep, wide=wide, tall=tall, body=body, low=low)


def build(draw: Draw) -> Assembly:
    """Build one wheelie bin or dumpster."""
    category = draw.take("category", CATEGORIES)
    skin = draw.pick(
        "material",
        ("green_plastic", "gray_plastic", "black_plastic", "blue_plastic")
        if category == "wheelie_bin"
        else ("green_paint", "blue_paint", "gray_paint"),
    )
    noun = category.replace("_", " ")
    assembly = Assembly(
        f"{word(skin).capitalize()} {noun}", category, f"A {noun} with lids and wheels."
    )
    (_wheelie if category == "wheelie_bin" else _dumpster)(draw, assembly, skin)
    return assembly
