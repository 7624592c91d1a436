# SPDX-License-Identifier: Apache-2.0
"""A ceiling track with spotlights: each lamp slides in the track, turns about z and tilts.

Sizes after track lights: rail 0.6-1.5 m long, spots 70-100 mm across and 0.1-0.16 m long; each
turns without end and tilts by up to 80 degrees. The ceiling is the top of the object.
"""

from pipeline.generate.vocabulary import Assembly, Draw, box, cylinder, lathe

CATEGORIES = {"ceiling_light_fixture": "Lighting"}


def _add_spots(
    assembly: Assembly, *, pivot: float, long: float, k: float, r: float, color: str, y: float
) -> str:
    """Add the spots."""
    low = pivot - 0.75 * long
    return assembly.part(
        f"spot_{k + 1}",
        lathe(
            [
                (r, 0),
                (r, 0.85 * long),
                (0.6 * r, 0.75 * long + 0.024),
                (0, 0.75 * long + 0.024),
                (0, 0.6 * long),
                (r - 0.003, 0.6 * long),
                (r - 0.003, 0),
            ],
            color,
            ring=True,
        ).at(0, y, low),
        cylinder((r - 0.004, 0.004), "lamp_glow").on(0, y, low + 0.5 * long),
        cylinder((0.006, 2 * r + 0.005), "dark_steel", segments=12).along("y").at(0, y, pivot),
        label="spotlight",
    )


def build(draw: Draw) -> Assembly:
    """Build one track of spotlights, shades straight down at rest."""
    length = draw.number("rail_length", 0.6, 1.5)
    spots = draw.count("spots", 2, 5)
    r = draw.number("spot_radius", 0.035, 0.05)
    long = draw.number("spot_length", 0.1, 0.16)
    color = draw.pick("material", ("white_paint", "black_paint", "brass", "steel"))
    assembly = Assembly(
        f"Ceiling track with {spots} spotlights",
        "ceiling_light_fixture",
        f"A ceiling rail with {spots} spotlights that slide, turn and tilt.",
    )
    top = 0.75 * long + 0.1
    rail = assembly.part(
        "rail",
        box((0.035, length, 0.02), color).on(0, 0, top),
        box((0.06, 0.16, 0.012), color).on(0, 0, top + 0.02),
        label="track",
    )
    space = length / spots
    travel = round(0.5 * (space - 0.05) - r * 0.6, 3)
    for k in range(spots):
        y = (k - (spots - 1) / 2) * space
        runner = assembly.part(
            f"runner_{k + 1}", box((0.03, 0.05, 0.016), color).on(0, y, top - 0.016)
        )
        assembly.slide(rail, runner, axis="y", lower=-max(travel, 0.01), upper=max(travel, 0.01))
        pivot = top - 0.1
        fork = assembly.part(
            f"yoke_{k + 1}",
            cylinder((0.007, 0.022), color, segments=16).on(0, y, top - 0.038),
            box((0.02, 2 * r + 0.016, 0.005), color).on(0, y, top - 0.043),
            *(
                box((0.018, 0.005, 0.07), color).on(0, y + s * (r + 0.0055), pivot - 0.012)
                for s in (-1, 1)
            ),
        )
        assembly.spin(runner, fork, origin=(0, y, top - 0.016), axis="z")
        head = _add_spots(assembly, pivot=pivot, long=long, k=k, r=r, color=color, y=y)
        assembly.hinge(fork, head, origin=(0, y, pivot), axis="-y", lower=0, upper=80)
    return assembly
