# SPDX-License-Identifier: Apache-2.0
"""A DJ turntable: platter with a record, tone arm that swings and lifts, pitch fader, buttons.

Sizes after direct-drive decks: 0.40-0.46 m wide, 0.32-0.36 m deep, platter 0.30-0.33 m across; the
tone arm swings by 38 degrees and lifts by 15, the fader travels 80-100 mm, buttons press 2 mm.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    cylinder,
    plate,
    rounded_path,
    sweep,
    tube,
)

CATEGORIES = {"dj_equipment": "Recreation"}


def _add_gimbal_and_tone_arm(
    assembly: Assembly, *, arm_at: tuple[float, float], top: float, body: str, depth: float
) -> None:
    """Add the gimbal and tone arm."""
    ax, ay = arm_at
    pivot_z = top + 0.04
    gimbal = assembly.part(
        "gimbal",
        cylinder((0.01, 0.03), "chrome").on(ax, ay, top + 0.0005),
        *(box((0.014, 0.004, 0.022), "chrome").on(ax, ay + s * 0.012, top + 0.03) for s in (-1, 1)),
        box((0.014, 0.028, 0.004), "chrome").on(ax, ay, top + 0.027),
    )
    assembly.hinge(body, gimbal, origin=(ax, ay, top), axis="z", lower=0, upper=38)
    reach = depth * 0.6
    pipe = [(-0.04, 0, 0), (reach * 0.5, 0, 0), (reach * 0.75, 0.012, 0), (reach, 0.03, 0)]
    tone = [
        sweep(rounded_path(pipe, radius=0.04), "chrome", radius=0.004),
        cylinder((0.012, 0.025), "dark_steel").along("x").at(-0.045),
        box((0.03, 0.016, 0.008), "black_plastic").at(reach + 0.01, 0.034, -0.004),
        cylinder((0.003, 0.019), "steel", segments=12).along("y"),
    ]
    arm = assembly.part("tone_arm", *(s.at(ax, ay, pivot_z) for s in tone))
    assembly.hinge(gimbal, arm, origin=(ax, ay, pivot_z), axis="-y", lower=0, upper=15)


def _add_platter(
    assembly: Assembly, *, width: float, r: float, top: float, label: str, body: str
) -> None:
    """Add the platter."""
    y = width / 2 - r - 0.02
    dots = [
        cylinder((0.003, 0.012), "dark_steel", segments=8)
        .on(r - 0.0015, 0, top + 0.005)
        .turned("z", 20 * k)
        for k in range(18)
    ]
    shapes = [
        cylinder((r, 0.018), "aluminum", segments=40).on(0, 0, top + 0.002),
        cylinder((r - 0.003, 0.002), "black_plastic", segments=40).on(0, 0, top + 0.02),
        cylinder((0.05, 0.0005), label).on(0, 0, top + 0.022),
        box((0.03, 0.012, 0.0004), "white_paint").on(0.03, 0, top + 0.0225),
        cylinder((0.0035, 0.012), "chrome", segments=12).on(0, 0, top + 0.022),
        *dots,
    ]
    platter = assembly.part("platter", *(s.at(0, y) for s in shapes))
    assembly.spin(body, platter, origin=(0, y, top), axis="-z")


def _add_body_and_pitch_fader(
    assembly: Assembly,
    *,
    depth: float,
    width: float,
    buttons: int,
    body_color: str,
    top: float,
    travel: float,
    r: float,
    label: str,
) -> tuple[list[tuple[float, float]], str]:
    """Add the body and pitch fader."""
    arm_at = (-depth / 2 + 0.075, -width / 2 + 0.055)
    fader_x, fader_y = depth / 2 - 0.09, -width / 2 + 0.03
    spots = [(depth / 2 - 0.03 - 0.03 * k, fader_y + 0.042) for k in range(buttons)]
    body = assembly.part(
        "body",
        *(tube((0.013, 0.0112, 0.005), body_color).on(*spot, top) for spot in spots),
        plate((depth, width, top - 0.025), body_color, radius=0.015).on(0, 0, 0.025),
        *(
            cylinder((0.025, 0.025), "rubber").on(
                sx * (depth / 2 - 0.05), sy * (width / 2 - 0.05), 0
            )
            for sx in (-1, 1)
            for sy in (-1, 1)
        ),
        tube((0.03, 0.0105, 0.012), "steel").on(*arm_at, top),
        box((travel + 0.03, 0.03, 0.001), "black_paint").on(fader_x, fader_y, top),
        label="deck",
    )
    _add_platter(assembly, width=width, r=r, top=top, label=label, body=body)
    _add_gimbal_and_tone_arm(assembly, arm_at=arm_at, top=top, body=body, depth=depth)
    knob = box((0.012, 0.022, 0.012), "gray_plastic").on(
        fader_x - travel / 2, fader_y, top + 0.0012
    )
    assembly.slide(
        body, assembly.part("pitch_fader", knob, label="fader"), axis="x", lower=0, upper=travel
    )
    return spots, body


def build(draw: Draw) -> Assembly:
    """Build one turntable; the tone arm is on its right side."""
    width = draw.number("width", 0.42, 0.46)
    depth = draw.number("depth", 0.33, 0.36)
    r = draw.number("platter_radius", 0.15, 0.155)
    travel = draw.number("fader_travel", 0.08, 0.1)
    body_color = draw.pick(
        "body_material", ("black_plastic", "gray_paint", "steel", "white_paint", "walnut")
    )
    label = draw.pick("label", ("red_paint", "yellow_paint", "blue_paint", "orange_paint"))
    buttons = draw.count("buttons", 2, 4)
    assembly = Assembly(
        f"{body_color.split('_')[0].capitalize()} DJ turntable",
        "dj_equipment",
        "A DJ turntable with a spinning platter, a tone arm and a pitch fader.",
    )
    top = 0.095
    spots, body = _add_body_and_pitch_fader(
        assembly,
        depth=depth,
        width=width,
        buttons=buttons,
        body_color=body_color,
        top=top,
        travel=travel,
        r=r,
        label=label,
    )
    for k, spot in enumerate(spots):
        cap = cylinder((0.011, 0.006), "red_plastic" if k == 0 else "gray_plastic", segments=20).on(
            *spot, top + 0.0025
        )
        button = assembly.part(f"button_{k + 1}", cap)
        assembly.slide(body, button, axis="-z", lower=0, upper=0.002)
    return assembly
