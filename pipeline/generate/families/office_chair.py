# SPDX-License-Identifier: Apache-2.0
"""An office chair: five-star base on casters, gas lift, swivel seat, reclining back, arm pads.

Sizes after EN 1335: seat 0.42-0.54 m high with 0.1 m of lift, 0.44-0.52 m wide, back 0.45-0.65 m
tall reclining by 20-30 degrees, base 0.6-0.68 m across, casters 50-60 mm.
"""

import math

from pipeline.generate.fittings import wheel
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    cylinder,
    rounded_box,
    rounded_path,
    sweep,
    tube,
)

CATEGORIES = {"chair": "Tables & Seating"}


def _add_casters(assembly: Assembly, *, spread: float, hub: float, r: float, base: str) -> None:
    """Add five forks under the star base, each with a pair of wheels."""
    for k in range(5):
        angle = math.radians(72 * k)
        x, y, top = spread * math.cos(angle), spread * math.sin(angle), hub - 0.045
        fork = assembly.part(
            f"caster_{k + 1}",
            cylinder((0.008, top - 2 * r - 0.004), "steel", segments=12).on(x, y, 2 * r + 0.004),
            box((0.03, 0.006, r + 0.012), "black_plastic").on(x - 0.008, y, r - 0.008),
        )
        assembly.spin(base, fork, origin=(x, y, top), axis="z")
        pair = [
            s.at(x - 0.015, y + d, r)
            for d in (-0.0125, 0.0125)
            for s in wheel((r, 0.017), "rubber", hub="gray_plastic")
        ]
        rolling = assembly.part(f"caster_wheel_{k + 1}", *pair, label="wheel")
        assembly.spin(fork, rolling, origin=(x - 0.015, y, r), axis="y")


def _add_backrest(
    draw: Draw,
    assembly: Assembly,
    *,
    width: float,
    under: float,
    back: float,
    cloth: str,
    seat_z: float,
    seat: str,
) -> None:
    """Add the backrest."""
    rear = -width * 0.48 + 0.02
    pivot = (rear - 0.03, 0, under + 0.02)
    bracket = [(-0.108, 0, 0.0), (pivot[0] - 0.04, 0, 0.0), (rear - 0.085, 0, 0.3)]
    rise = 0.1
    panel = rounded_box((0.06, width * 0.92, back), cloth, radius=0.028).on(
        rear - 0.04, 0, seat_z + rise
    )
    spine = sweep(
        rounded_path([(x, y, z + under + 0.012) for x, y, z in bracket], radius=0.06),
        "black_plastic",
        radius=0.016,
    )
    rest = assembly.part("backrest", spine.at(-0.02), panel.turned("y", -6, about=pivot))
    recline = draw.number("recline_deg", 20, 30, digits=1)
    assembly.hinge(seat, rest, origin=pivot, axis="-y", lower=0, upper=recline)


def _add_seat(
    draw: Draw,
    assembly: Assembly,
    *,
    seat_z: float,
    width: float,
    cloth: str,
    has_arms: bool,
    lift: str,
    back: float,
) -> None:
    """Add the seat."""
    under = seat_z - 0.05
    seat_shapes = [
        box((0.22, 0.18, 0.03), "black_plastic").on(0, 0, under),
        rounded_box((width * 0.96, width, 0.07), cloth, radius=0.033).on(0.02, 0, under + 0.03),
    ]
    if has_arms:
        for s in (-1, 1):
            y = s * (width / 2 + 0.035)
            path = [(0, s * 0.08, under + 0.015), (0, y, under + 0.015), (0, y, seat_z + 0.2)]
            seat_shapes += [
                sweep(rounded_path(path, radius=0.04), "black_plastic", radius=0.013),
                rounded_box((0.24, 0.07, 0.03), "black_plastic", radius=0.012).on(
                    0.02, y, seat_z + 0.19
                ),
            ]
    seat = assembly.part("seat", *seat_shapes)
    assembly.spin(lift, seat, origin=(0, 0, under), axis="z")
    _add_backrest(
        draw, assembly, width=width, under=under, back=back, cloth=cloth, seat_z=seat_z, seat=seat
    )


def build(draw: Draw) -> Assembly:
    """Build one office chair, lowered at rest."""
    seat_z = draw.number("seat_height", 0.42, 0.46)
    width = draw.number("seat_width", 0.44, 0.52)
    back = draw.number("back_height", 0.45, 0.65)
    spread = draw.number("base_radius", 0.3, 0.34)
    r = draw.number("caster_radius", 0.025, 0.03)
    cloth = draw.pick(
        "cloth", ("gray_fabric", "blue_fabric", "red_fabric", "leather", "black_plastic")
    )
    metal = draw.pick("base_material", ("chrome", "black_plastic", "aluminum"))
    has_arms = draw.chance("armrests", 0.7)
    assembly = Assembly(
        f"{cloth.split('_')[0].capitalize()} office chair",
        "chair",
        "An office chair that rolls on casters, swivels, rises and reclines.",
    )
    hub = 2 * r + 0.06
    spokes = [
        sweep([(0.029, 0, hub), (spread, 0, hub - 0.025)], metal, radius=0.02).turned("z", 72 * k)
        for k in range(5)
    ]
    base = assembly.part(
        "base", *spokes, tube((0.035, 0.0255, 0.08), metal).on(0, 0, hub - 0.03), label="star_base"
    )
    _add_casters(assembly, spread=spread, hub=hub, r=r, base=base)
    lift = assembly.part(
        "gas_lift", cylinder((0.025, seat_z - 0.05 - hub + 0.02), "dark_steel").on(0, 0, hub - 0.02)
    )
    assembly.slide(base, lift, origin=(0, 0, hub), axis="z", lower=0, upper=0.1)
    _add_seat(
        draw,
        assembly,
        seat_z=seat_z,
        width=width,
        cloth=cloth,
        has_arms=has_arms,
        lift=lift,
        back=back,
    )
    return assembly
