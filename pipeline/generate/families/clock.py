# SPDX-License-Identifier: Apache-2.0
"""A wall clock: case with a dial and hour marks, two or three hands, in some a pendulum.

Sizes after household clocks: dial 0.2-0.4 m across, case 35-60 mm deep, pendulum 0.08-0.25 m long
swinging by +-8 degrees; all hands turn without end about the same axis.
"""

from pipeline.generate.vocabulary import (
    WOODS,
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    extrude,
    rectangle,
    tube,
)

CATEGORIES = {"clock": "Personal & Household Items"}


def _add_case(
    assembly: Assembly, *, shapes: list[Shape], has_second: bool, r: float, z: float
) -> str:
    """Add the case."""
    body = assembly.part("case", *shapes)
    hands = [("hour_hand", 0.5, 0.012, 0.0155), ("minute_hand", 0.78, 0.008, 0.0185)]
    if has_second:
        hands.append(("second_hand", 0.82, 0.003, 0.0215))
    for name, reach, width, x in hands:
        color = "red_paint" if name == "second_hand" else "black_paint"
        blade = [
            (-width / 2, -0.1 * r),
            (width / 2, -0.1 * r),
            (width / 4, reach * r),
            (-width / 4, reach * r),
        ]
        eye = tube((0.011, 0.0065, 0.0018), color, segments=16)
        # The hand is split at the hub, so that the arbor passes through its eye.
        upper = [p if p[1] > 0 else (p[0], 0.0085) for p in blade]
        lower = [
            (-width / 2, -0.1 * r - 0.01),
            (width / 2, -0.1 * r - 0.01),
            (width / 2, -0.0085),
            (-width / 2, -0.0085),
        ]
        flat = [extrude(p, color, height=0.0018).along("x") for p in (upper, lower)]
        hand = assembly.part(name, *(s.at(x, 0, z) for s in (*flat, eye.along("x"))))
        assembly.spin(body, hand, origin=(x, 0, z), axis="-x")
    return body


def _add_pendulum(
    assembly: Assembly,
    *,
    r: float,
    has_pendulum: bool,
    dial: str,
    depth: float,
    case: str,
    has_second: bool,
) -> None:
    """Add the pendulum."""
    swing = 1.8 * r
    z = r + 0.018 + (swing - 0.04 if has_pendulum else 0.0)
    ticks = [
        box((0.002, 0.012 if k % 3 == 0 else 0.005, 0.12 * r), "black_paint")
        .at(0.013, 0, 0.86 * r)
        .turned("x", 30 * k)
        for k in range(12)
    ]
    round_case = [
        cylinder((r, 0.012), dial, segments=40).along("x").at(0.006),
        tube((r + 0.018, r - 0.004, depth), case, segments=40).along("x").at(depth / 2),
        cylinder((0.006, 0.014), "brass", segments=16).along("x").at(0.017),
        *ticks,
    ]
    shapes = [s.at(0, 0, z) for s in round_case]
    if has_pendulum:
        width, tall = 1.1 * r, swing
        window = [rectangle(width - 0.05, tall - 0.03, center=(0, 0))]
        cabinet = extrude(rectangle(width, tall), case, height=depth - 0.004, holes=window)
        low = z - r - 0.018 - tall + 0.04
        shapes.append(cabinet.along("x").on(depth / 2, 0, low))
        shapes.append(box((0.006, width, tall), case).on(0.002, 0, low))
    body = _add_case(assembly, shapes=shapes, has_second=has_second, r=r, z=z)
    if has_pendulum:
        top = z - r - 0.03
        length = swing - 0.08 - 0.16 * r
        bob = cylinder((0.16 * r, 0.006), "brass").along("x").at(depth / 2 + 0.004, 0, top - length)
        stem = box((0.003, 0.005, length), "brass").on(depth / 2 + 0.004, 0, top - length)
        pendulum = assembly.part("pendulum", bob, stem)
        assembly.hinge(body, pendulum, origin=(depth / 2, 0, top), axis="x", lower=-8, upper=8)


def build(draw: Draw) -> Assembly:
    """Build one wall clock; its dial looks to the front, hands at twelve."""
    r = draw.number("radius", 0.1, 0.2)
    depth = draw.number("depth", 0.035, 0.06)
    has_pendulum = draw.chance("pendulum", 0.4)
    has_second = draw.chance("second_hand", 0.6)
    case = draw.pick("case_material", (*WOODS, "black_plastic", "red_paint", "steel"))
    dial = draw.pick("dial_material", ("white_paint", "cream_paint", "sky_paint"))
    assembly = Assembly(
        f"{case.split('_')[0].capitalize()} {'pendulum ' if has_pendulum else ''}wall clock",
        "clock",
        f"A wall clock with {'three' if has_second else 'two'} hands"
        f"{' and a pendulum' if has_pendulum else ''}.",
    )
    _add_pendulum(
        assembly,
        r=r,
        has_pendulum=has_pendulum,
        dial=dial,
        depth=depth,
        case=case,
        has_second=has_second,
    )
    return assembly
