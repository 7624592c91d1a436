# SPDX-License-Identifier: Apache-2.0
"""A kick scooter: deck, steered front fork on a raked head tube, telescoping bar, two wheels.

Sizes after children's and city scooters: wheelbase 0.6-0.85 m, wheels 100-200 mm across, bar
0.7-1.0 m high and adjustable by 0.1-0.2 m, steering +-50 degrees about an axis raked by 10-16.
"""

import math

from pipeline.generate.fittings import wheel
from pipeline.generate.polygons import Outline
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    extrude,
    plate,
    rounded_path,
    sector,
    sweep,
    tube,
)

CATEGORIES = {"kick_scooter": "Mobility"}


def _blades(crown: tuple[float, float, float], fork_low: tuple[float, float, float]) -> list[Shape]:
    """Return the solids of the blades."""
    return [
        sweep(
            [(crown[0], s * 0.028, crown[2]), (fork_low[0], s * 0.028, fork_low[2])],
            "aluminum",
            radius=0.008,
        )
        for s in (-1, 1)
    ]


def _add_fork_and_handlebar(
    assembly: Assembly,
    *,
    rake: float,
    front: float,
    r: float,
    head: tuple[float, float, float],
    bar: float,
    deck: str,
    extra: float,
) -> str:
    """Add the fork and handlebar."""
    tilt = math.radians(rake)
    up = (-math.sin(tilt), 0.0, math.cos(tilt))
    fork_low = (front, 0, r)

    def point(along: float) -> tuple[float, float, float]:
        """Return a point of the steering axis, measured from the head tube."""
        return head[0] + up[0] * along, 0.0, head[2] + up[2] * along

    column = (bar - head[2]) * 0.55
    crown = point(-0.075)
    steerer = sweep([crown, point(0.05)], "aluminum", radius=0.0155)
    sleeve = tube((0.0155, 0.0122, column - 0.05), "aluminum").turned("y", -rake)
    blades = _blades(crown, fork_low)
    bridge = box((0.03, 0.07, 0.02), "aluminum").turned("y", -rake).at(*crown)
    fork = assembly.part("fork", steerer, sleeve.at(*point((column + 0.05) / 2)), *blades, bridge)
    assembly.hinge(deck, fork, origin=head, axis=up, lower=-50, upper=50)
    top = point(bar - head[2])
    stem = sweep([point(max(column - extra - 0.03, 0.055)), top], "chrome", radius=0.012)
    cross = sweep([(top[0], -0.2, top[2]), (top[0], 0.2, top[2])], "chrome", radius=0.011)
    grips = [
        cylinder((0.016, 0.1), "rubber").along("y").at(top[0], s * 0.17, top[2]) for s in (-1, 1)
    ]
    handle = assembly.part("handlebar", stem, cross, *grips)
    assembly.slide(fork, handle, origin=point(column), axis=up, lower=0, upper=extra)
    return fork


def _neck(front: float, r: float, *, deck_z: float, head: tuple[float, float, float]) -> Outline:
    """Return the path of the tube from the deck to the head."""
    return rounded_path(
        [
            (front - r - 0.14, 0, deck_z + 0.01),
            (head[0] - 0.06, 0, deck_z + 0.03),
            (head[0] - 0.034, 0, head[2]),
        ],
        radius=0.08,
    )


def build(draw: Draw) -> Assembly:
    """Build one kick scooter."""
    base = draw.number("wheelbase", 0.6, 0.85)
    r = draw.number("wheel_radius", 0.05, 0.1)
    bar = draw.number("bar_height", 0.7, 0.9)
    rake = draw.number("rake_deg", 10, 16, digits=1)
    extra = draw.number("bar_travel", 0.1, 0.2)
    color = draw.pick("deck_material", ("red_paint", "blue_paint", "mint_paint", "black_paint"))
    assembly = Assembly(
        f"{color.split('_')[0].capitalize()} kick scooter",
        "kick_scooter",
        "A two-wheeled kick scooter with a steered fork and a height-adjustable bar.",
    )
    front, rear = base / 2, -base / 2
    deck_z = 0.06
    head = (front - 0.02 - math.tan(math.radians(rake)) * (2 * r + 0.08), 0, 2 * r + 0.1)
    neck = _neck(front, r, deck_z=deck_z, head=head)
    guard = extrude(sector(r + 0.02, r + 0.014, degrees=(40, 160)), "dark_steel", height=0.05)
    deck = assembly.part(
        "deck",
        plate((base - 2 * r - 0.12, 0.11, 0.02), color, radius=0.03).on(-0.04, 0, deck_z),
        box((base - 2 * r - 0.2, 0.09, 0.002), "rubber").on(-0.04, 0, deck_z + 0.02),
        sweep(neck, color, radius=0.016),
        tube((0.024, 0.0165, 0.09), color).turned("y", -rake).at(*head),
        *(
            box((r + 0.09, 0.008, 0.018), color).on(
                rear + (r + 0.09) / 2 - 0.012, s * 0.028, max(r - 0.009, 0.045)
            )
            for s in (-1, 1)
        ),
        guard.along("-y").at(rear, 0, r),
    )
    fork = _add_fork_and_handlebar(
        assembly, rake=rake, front=front, r=r, head=head, bar=bar, deck=deck, extra=extra
    )
    for name, parent, x in (("front", fork, front), ("rear", deck, rear)):
        shapes = wheel((r, 0.032), "rubber", hub=color)
        rolling = assembly.part(f"{name}_wheel", *(s.at(x, 0, r) for s in shapes), label="wheel")
        assembly.spin(parent, rolling, origin=(x, 0, r), axis="y")
    return assembly
