# SPDX-License-Identifier: Apache-2.0
"""A C-clamp: cast frame, threaded spindle with a sliding tommy bar and a swivel pad.

Sizes after workshop clamps: opening 50-150 mm, throat 40-80 mm, spindle 10-16 mm with a
trapezoidal thread of 2-4 mm per turn.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    cylinder,
    extrude,
    lathe,
    sphere,
    tube,
)

CATEGORIES = {"clamp": "Tools"}


def _add_spindle_and_tommy_bar(
    assembly: Assembly, *, r: float, low: float, length: float, gap: float, lead: float, body: str
) -> None:
    """Add the spindle, tommy bar and pad."""
    threads = [(r * 0.999, low + 0.008)]
    turns = int((length - 0.016) / 0.004)
    for k in range(turns):
        z = low + 0.008 + 0.004 * k
        threads += [(r * 0.86, z + 0.001), (r * 0.86, z + 0.002), (r, z + 0.003), (r, z + 0.004)]
    head = low + length
    spindle = assembly.part(
        "spindle",
        lathe([*threads, (r, head - 0.006), (1.5 * r, head - 0.006)], "steel", segments=20),
        tube((1.5 * r, 0.45 * r, 0.012), "steel")
        .along("x")
        .scaled(0.8, 1, 1)
        .on(0, 0, head - 0.006),
        sphere(0.6 * r, "steel").at(0, 0, low + 0.004 + 0.6 * r),
    )
    down = round(gap / lead, 2)
    assembly.screw(
        body, spindle, origin=(0, 0, low), axis="-z", turns=(0, down), travel_per_turn=lead
    )
    bar_z = head - 0.006 + 1.5 * r
    bar = assembly.part(
        "tommy_bar",
        cylinder((0.42 * r, 9 * r), "dark_steel", segments=16).along("x").at(0, 0, bar_z),
        *(sphere(0.7 * r, "dark_steel").at(s * 4.5 * r, 0, bar_z) for s in (-1, 1)),
    )
    assembly.slide(spindle, bar, axis="x", lower=round(-2.4 * r, 4), upper=round(2.4 * r, 4))
    pad = assembly.part(
        "pad",
        lathe([(1.6 * r, 0), (1.6 * r, 0.003), (r, 0.004)], "steel").at(0, 0, low),
        label="swivel_pad",
    )
    assembly.spin(spindle, pad, origin=(0, 0, low), axis="z")


def build(draw: Draw) -> Assembly:
    """Build one clamp, standing on its frame, spindle upright."""
    opening = draw.number("opening", 0.05, 0.15)
    throat = draw.number("throat", 0.04, 0.08)
    r = draw.number("spindle_radius", 0.005, 0.008)
    lead = draw.number("travel_per_turn", 0.002, 0.004)
    color = draw.pick("frame_material", ("red_paint", "blue_paint", "cast_iron", "green_paint"))
    start = draw.number("pad_lift", 0.3, 0.6, digits=2)
    assembly = Assembly(
        f"{opening * 1000:.0f} mm {color.split('_')[0]} C-clamp",
        "clamp",
        "A C-clamp whose spindle screws down on the anvil, with a tommy bar and a swivel pad.",
    )
    w = 2.2 * r
    x0, top = -throat - w, opening + 2 * w
    outline = [(x0 + w, 0), (w, 0), (w, w), (x0 + 1.6 * w, w), (x0 + w, 1.6 * w)]
    outline += [(x0 + w, top - 1.6 * w), (x0 + 1.6 * w, top - w), (-2 * r, top - w), (-2 * r, top)]
    outline += [(x0 + w, top), (x0, top - w), (x0, w)]
    frame = extrude(outline, color, height=1.6 * w).along("-y")
    nut = tube((2.2 * r, r + 0.0004, w + 0.01), color).on(0, 0, top - w - 0.002)
    anvil = cylinder((1.5 * r, 0.004), color).on(0, 0, w)
    body = assembly.part("frame", frame, nut, anvil)

    gap = opening * start
    low = w + 0.004 + gap
    length = opening - gap + 2 * w + 0.03 + gap
    _add_spindle_and_tommy_bar(assembly, r=r, low=low, length=length, gap=gap, lead=lead, body=body)
    return assembly
