# SPDX-License-Identifier: Apache-2.0
"""A bottle-type screw jack: cast base with a nut, square-thread screw, cup head that turns freely.

Sizes after mechanical jacks: base 0.12-0.2 m across, 0.18-0.35 m tall closed, screw 36-56 mm with
8-12 mm per turn; it rises by 45 % of its height.
"""

from pipeline.generate.vocabulary import Assembly, Draw, cylinder, lathe, tube

CATEGORIES = {"screw_jack": "Mechanisms"}


def _add_screw_and_cup_head(
    assembly: Assembly,
    *,
    threads: list[tuple[float, float]],
    r: float,
    collar: float,
    height: float,
    body: str,
    lead: float,
) -> None:
    """Add the screw and cup head."""
    spindle = lathe(
        [
            *threads,
            (0.84 * r, collar),
            (1.6 * r, collar),
            (1.6 * r, collar + 0.03),
            (0.6 * r, collar + 0.03),
            (0.6 * r, collar + 0.045),
        ],
        "steel",
        segments=24,
    )
    lever = cylinder((0.007, 0.16), "dark_steel", segments=16).along("y")
    screw = assembly.part("screw", spindle, lever.at(0, 0.08 + r, collar + 0.015))
    rise = 0.45 * height
    assembly.screw(
        body,
        screw,
        origin=(0, 0, height),
        axis="z",
        turns=(0, round(rise / lead, 2)),
        travel_per_turn=lead,
    )
    top = collar + 0.031
    head = assembly.part(
        "cup_head",
        tube((1.2 * r, 0.62 * r, 0.015), "cast_iron").on(0, 0, top),
        lathe(
            [(1.2 * r, 0), (1.5 * r, 0.012), (1.25 * r, 0.012), (1.1 * r, 0.006)], "cast_iron"
        ).on(0, 0, top + 0.015),
    )
    assembly.spin(screw, head, origin=(0, 0, top), axis="z")


def build(draw: Draw) -> Assembly:
    """Build one screw jack, lowered at rest."""
    foot = draw.number("base_radius", 0.06, 0.1)
    height = draw.number("body_height", 0.14, 0.27)
    r = draw.number("screw_radius", 0.018, 0.028)
    lead = draw.number("travel_per_turn", 0.008, 0.012)
    color = draw.pick("body_material", ("red_paint", "blue_paint", "cast_iron", "yellow_paint"))
    assembly = Assembly(
        f"{color.split('_')[0].capitalize()} screw jack",
        "screw_jack",
        "A screw jack that lifts its cup head when the capstan is turned.",
    )
    bore = r + 0.0008
    profile = [
        (bore, 0.0),
        (foot, 0.0),
        (foot, 0.012),
        (0.75 * foot, 0.03),
        (1.7 * r, 0.7 * height),
    ]
    profile += [(1.9 * r, 0.72 * height), (1.9 * r, height), (bore, height)]
    body = assembly.part("body", lathe(profile, color, ring=True), label="jack_body")
    z, threads = 0.02, []
    while z < height + 0.004:
        threads += [(r, z), (r, z + lead / 2), (0.84 * r, z + lead / 2), (0.84 * r, z + lead)]
        z += lead
    collar = max(z + 0.002, height + 0.006)
    _add_screw_and_cup_head(
        assembly, threads=threads, r=r, collar=collar, height=height, body=body, lead=lead
    )
    return assembly
