# SPDX-License-Identifier: Apache-2.0
"""Ladders: a stepladder that folds, or an extension ladder whose sections slide.

Stepladders: 3-6 steps 0.22-0.25 m apart, 0.42-0.5 m wide, standing open at rest and folding by
24-30 degrees; a tool tray turns up by 90. Extension ladders: three sections of 7-9 rungs, each
sliding by 1.0-1.6 m on the one before.
"""

import math

from pipeline.generate.vocabulary import Assembly, Draw, Shape, box, cylinder, sweep, tray, word

CATEGORIES = {"stepladder": "Tools", "extension_ladder": "Tools"}


def _add_rear_frame_and_tool_tray(
    draw: Draw, assembly: Assembly, *, width: float, top: float, back: float, front: str
) -> None:
    """Add the rear frame and tool tray."""
    legs = [
        sweep(
            [
                (-0.03, s * (width / 2 - 0.055), top - 0.03),
                (-0.75 * back - 0.03, s * (width / 2 - 0.02), 0.01),
            ],
            "aluminum",
            radius=0.01,
        )
        for s in (-1, 1)
    ]
    bars = [
        box((0.02, width - 0.1, 0.02), "aluminum").at(
            -0.03 - 0.75 * back * t, 0, (top - 0.03) * (1 - t)
        )
        for t in (0.3, 0.75)
    ]
    rear = assembly.part("rear_frame", *legs, *bars)
    fold = draw.number("fold_deg", 14, 18, digits=1)
    assembly.hinge(front, rear, origin=(-0.03, 0, top - 0.02), axis="-y", lower=0, upper=fold)
    shelf = tray((0.22, width - 0.14, 0.03), "red_plastic", wall=0.004).on(-0.14, 0, top + 0.021)
    part = assembly.part("tool_tray", shelf)
    assembly.hinge(front, part, origin=(-0.02, 0, top + 0.0215), axis="y", lower=0, upper=90)


def _step(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a front frame with steps, a rear frame and a tray on top."""
    steps = draw.count("steps", 3, 6)
    pitch = draw.number("pitch", 0.22, 0.25)
    width = draw.number("width", 0.42, 0.5)
    lean = 16.0
    top = pitch * (steps + 0.4)
    back = math.tan(math.radians(lean)) * top

    def x(z: float) -> float:
        """Front rail at a height; the apex is at x = 0."""
        return back * (1 - z / top)

    rails = [
        sweep(
            [(back, s * (width / 2 - 0.012), 0.01), (0.012, s * (width / 2 - 0.03), top)],
            skin,
            radius=0.012,
        )
        for s in (-1, 1)
    ]
    treads = [
        box((0.09, width - 0.05 - 0.03 * k / steps, 0.02), skin).at(
            x(pitch * (k + 1)) - 0.005, 0, pitch * (k + 1)
        )
        for k in range(steps)
    ]
    pads = [
        cylinder((0.016, 0.02), "rubber", segments=12).on(back, s * (width / 2 - 0.012), 0)
        for s in (-1, 1)
    ]
    cap = box((0.1, width - 0.02, 0.02), "red_plastic").on(0.03, 0, top)
    front = assembly.part("front_frame", *rails, *treads, *pads, cap)
    _add_rear_frame_and_tool_tray(draw, assembly, width=width, top=top, back=back, front=front)


def _section(width: float, long: float, rungs: int, x: float, skin: str) -> list[Shape]:
    """Return one ladder section in the plane at x, from z = 0.02 up."""
    rails = [box((0.022, 0.03, long), skin).on(x, s * (width / 2 - 0.015), 0.02) for s in (-1, 1)]
    bars = [
        cylinder((0.01, width - 0.058), skin, segments=12)
        .along("y")
        .at(x, 0, 0.02 + long * (k + 0.6) / rungs)
        for k in range(rungs)
    ]
    return [*rails, *bars]


def _extension(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add three sections, each in front of the one before, standing upright."""
    rungs = draw.count("rungs", 7, 9)
    width = draw.number("width", 0.36, 0.44)
    long = 0.27 * rungs
    travel = draw.number("travel", 1.0, round(long - 0.6, 3))
    parent = assembly.part(
        "section_1",
        *_section(width, long, rungs, 0.0, skin),
        *(box((0.05, 0.036, 0.019), "rubber").on(0, s * (width / 2 - 0.015), 0) for s in (-1, 1)),
        label="section",
    )
    for k in (1, 2):
        shapes = _section(width - 0.02 * k, long, rungs, 0.026 * k, skin)
        part = assembly.part(f"section_{k + 1}", *shapes)
        assembly.slide(parent, part, axis="z", lower=0, upper=travel)
        parent = part
    at = (0.068, 0, 0.02 + 0.6 * long)
    hooks = assembly.part(
        "hook",
        box((0.014, 0.06, 0.03), "red_plastic").at(at[0] + 0.004, 0, at[2] - 0.002),
        label="rung_hook",
    )
    assembly.hinge(parent, hooks, origin=at, axis="y", lower=0, upper=30)


def build(draw: Draw) -> Assembly:
    """Build one stepladder or extension ladder."""
    category = draw.take("category", CATEGORIES)
    fold = category == "stepladder"
    skin = draw.pick(
        "material",
        ("aluminum", "oak", "yellow_paint", "orange_paint")
        if fold
        else ("aluminum", "red_paint", "yellow_paint"),
    )
    noun = category.replace("_", " ")
    article = "A" if fold else "An"
    assembly = Assembly(
        f"{word(skin).capitalize()} {noun}",
        category,
        f"{article} {noun} that {'folds flat' if fold else 'is pushed up section by section'}.",
    )
    (_step if fold else _extension)(draw, assembly, skin)
    return assembly
