# SPDX-License-Identifier: Apache-2.0
"""A playground swing set: A-frames, a top bar, one to three swings with flat or tire seats.

Sizes after EN 1176: bar 2.0-2.5 m high, seats 0.40-0.45 m above ground and 0.44 m wide, bays of
0.75 m per seat; each swing swings by +-60 degrees and its seat rocks by +-15.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    cylinder,
    plate,
    rounded_path,
    sweep,
    torus,
)

CATEGORIES = {"playground_swing": "Recreation"}


def _add_chains(assembly: Assembly, *, y: float, top: float, hang: float, k: float) -> str:
    """Add the chains."""
    rods = [
        sweep([(0, y + s * 0.22, top), (0, y + s * 0.22, hang)], "chrome", radius=0.006)
        for s in (-1, 1)
    ]
    links = [
        torus((0.016, 0.005), "chrome", segments=12)
        .along("x" if j % 2 else "y")
        .at(0, y + s * 0.22, top - 0.12 - 0.3 * j)
        for s in (-1, 1)
        for j in range(5)
        if top - 0.12 - 0.3 * j > hang
    ]
    return assembly.part(f"chains_{k + 1}", *rods, *links, label="chains")


def _add_frame_and_seats(
    assembly: Assembly,
    *,
    seats: int,
    bay: float,
    height: float,
    shapes: list[Shape],
    tire: bool,
    seat_z: float,
    rubber: str,
) -> None:
    """Add the frame and seats."""
    for k in range(seats):
        y = (k - (seats - 1) / 2) * bay
        for s in (-1, 1):
            bolt = [(0, y + s * 0.22, height - 0.03), (0, y + s * 0.22, height - 0.06)]
            shapes.append(sweep(bolt, "steel", radius=0.014))
    frame = assembly.part("frame", *shapes, label="swing_frame")
    low = 0.03 if not tire else 0.1
    for k in range(seats):
        y = (k - (seats - 1) / 2) * bay
        top = height - 0.066
        hang = seat_z + 0.14 + low
        chain = _add_chains(assembly, y=y, top=top, hang=hang, k=k)
        assembly.hinge(frame, chain, origin=(0, y, top), axis="y", lower=-60, upper=60)
        ring = hang - 0.006
        wire = [
            (0, -0.22, ring),
            (0, -0.19, seat_z + 0.01),
            (0, 0.19, seat_z + 0.01),
            (0, 0.22, ring),
        ]
        hanger = sweep(rounded_path(wire, radius=0.04), "chrome", radius=0.006)
        board = (
            torus((0.2, 0.075), rubber) if tire else plate((0.18, 0.44, 0.03), rubber, radius=0.05)
        )
        seat = assembly.part(f"seat_{k + 1}", hanger.at(0, y), board.at(0, y, seat_z))
        assembly.hinge(chain, seat, origin=(0, y, ring), axis="y", lower=-15, upper=15)


def _extend_frame(
    spread: float, half: float, *, height: float, shapes: list[Shape], paint: str
) -> None:
    """Append both A-frames with their feet and cross bars."""
    for s in (-1, 1):
        legs = [
            (-spread, s * (half + 0.25), 0.03),
            (0, s * half, height),
            (spread, s * (half + 0.25), 0.03),
        ]
        for end in (legs[0], legs[2]):
            shapes.append(sweep([legs[1], end], paint, radius=0.04))
            shapes.append(cylinder((0.08, 0.03), "concrete").on(end[0], end[1], 0))
        shapes.append(
            sweep(
                [
                    (-spread * 0.5, s * (half + 0.125), height * 0.5),
                    (spread * 0.5, s * (half + 0.125), height * 0.5),
                ],
                paint,
                radius=0.025,
            )
        )


def build(draw: Draw) -> Assembly:
    """Build one swing set; the swings move along x."""
    height = draw.number("height", 2.0, 2.5)
    seats = draw.count("seats", 1, 3)
    spread = draw.number("leg_spread", 0.55, 0.75)
    seat_z = draw.number("seat_height", 0.40, 0.45)
    paint = draw.pick(
        "frame_material", ("blue_paint", "red_paint", "yellow_paint", "green_paint", "oak")
    )
    rubber = draw.pick("seat_material", ("rubber", "yellow_plastic", "red_plastic", "pine"))
    tire = draw.chance("tire_seat", 0.3)
    assembly = Assembly(
        f"Playground swing set with {seats} seat{'s'[: seats > 1]}",
        "playground_swing",
        f"A swing set whose {seats} seat{'s'[: seats > 1]} hang on chains from a top bar.",
    )
    bay = 0.8
    half = bay * seats / 2 + 0.2
    shapes = [sweep([(0, -half - 0.05, height), (0, half + 0.05, height)], paint, radius=0.045)]
    _extend_frame(spread, half, height=height, shapes=shapes, paint=paint)
    _add_frame_and_seats(
        assembly,
        seats=seats,
        bay=bay,
        height=height,
        shapes=shapes,
        tire=tire,
        seat_z=seat_z,
        rubber=rubber,
    )
    return assembly
