# SPDX-License-Identifier: Apache-2.0
"""Small appliances for the home: split air conditioner, sewing machine.

Air conditioners: 0.75-0.9 m wide, 0.27-0.3 m tall, front panel of 50-60 degrees, two louvers, eight
vanes. Sewing machines: 0.36-0.42 m long, handwheel without end, needle bar of 30 mm, presser foot,
three dials, face plate of 90 degrees.
"""

from pipeline.generate.fittings import add_button, add_dial
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    cylinder,
    extrude,
    lathe,
    plate,
    rounded_box,
    torus,
    word,
)

CATEGORIES = {"air_conditioner": "Home Appliances", "sewing_machine": "Home Appliances"}


def _add_front_panel_and_louvers(
    draw: Draw, assembly: Assembly, *, wide: float, tall: float, skin: str, deep: float, body: str
) -> None:
    """Add the front panel, louvers and vanes."""
    panel = assembly.part(
        "front_panel",
        plate((0.012, wide - 0.004, tall - 0.08), skin, radius=0.004).on(
            deep / 2 + 0.0085, 0, 0.08
        ),
    )
    assembly.hinge(
        body,
        panel,
        origin=(deep / 2 + 0.0085, 0, tall),
        axis="-y",
        lower=0,
        upper=draw.number("panel_deg", 50, 60, digits=1),
    )
    for k in range(2):
        at = (deep / 2 - 0.05 + 0.026 * k, 0.0, 0.016 + 0.026 * k)
        vane = assembly.part(
            f"louver_{k + 1}",
            plate((0.034, wide - 0.03, 0.004), skin, radius=0.0015).turned("y", -40).at(*at),
        )
        assembly.hinge(body, vane, origin=at, axis="-y", lower=-15, upper=40)
    for k in range(8):
        at = (deep / 2 - 0.085, wide * (k - 3.5) / 9, 0.03)
        fin = assembly.part(
            f"vane_{k + 1}", box((0.03, 0.002, 0.03), "gray_plastic").at(*at), label="vane"
        )
        assembly.hinge(body, fin, origin=at, axis="z", lower=-40, upper=40)


def _conditioner(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a wall unit with a hinged front, louvers and vanes behind them."""
    wide, tall = draw.number("width", 0.75, 0.9), draw.number("height", 0.27, 0.3)
    deep = draw.number("depth", 0.19, 0.23)
    ring = extrude(
        [
            (-deep / 2, -tall / 2),
            (deep / 2 - 0.06, -tall / 2),
            (deep / 2, -tall / 2 + 0.06),
            (deep / 2, tall / 2),
            (-deep / 2, tall / 2),
        ],
        skin,
        height=0.012,
    ).along("-y")
    ends = [ring.at(0, s * (wide / 2 - 0.006), tall / 2) for s in (-1, 1)]
    shell = [
        box((deep, wide - 0.024, 0.012), skin).on(0, 0, tall - 0.012),
        box((0.012, wide - 0.024, tall - 0.012), skin).on(-deep / 2 + 0.006, 0, 0),
        box((deep * 0.45, wide - 0.024, 0.012), skin).on(-deep * 0.25, 0, 0),
        box((0.02, wide - 0.024, tall - 0.1), "gray_plastic").on(deep / 2 - 0.035, 0, 0.075),
    ]
    body = assembly.part(
        "body",
        *ends,
        *shell,
        box((0.002, 0.06, 0.014), "screen_blue").at(deep / 2 + 0.001, 0.4 * wide, 0.068),
    )
    _add_front_panel_and_louvers(
        draw, assembly, wide=wide, tall=tall, skin=skin, deep=deep, body=body
    )


def _add_needle_bar_and_presser_foot(
    assembly: Assembly, *, tall: float, half: float, body: str
) -> None:
    """Add the needle bar, presser foot and dials."""
    top = tall - 0.1405
    needle = assembly.part(
        "needle_bar",
        cylinder((0.004, 0.035), "chrome", segments=12).on(0, half - 0.055, top - 0.035),
        cylinder((0.0012, 0.03), "chrome", segments=8).on(0, half - 0.055, top - 0.064),
    )
    assembly.slide(
        body, needle, axis="-z", lower=0, upper=min(0.012, round(top - 0.064 - 0.062, 3))
    )
    shoe = assembly.part(
        "presser_foot",
        cylinder((0.003, 0.06), "steel", segments=10).on(-0.016, half - 0.055, top - 0.06),
        box((0.02, 0.02, 0.004), "steel").on(-0.016, half - 0.055, top - 0.064),
    )
    assembly.slide(body, shoe, axis="-z", lower=0, upper=min(0.01, round(top - 0.064 - 0.0625, 3)))
    for k in range(3):
        add_dial(
            assembly,
            body,
            f"dial_{k + 1}",
            at=(0.05, 0.06 - 0.055 * k, tall - 0.045),
            axis="x",
            size=(0.016, 0.014),
            material="black_plastic",
        )


def _sewing(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a bed, a pillar with a handwheel, an arm with needle bar and dials."""
    long, tall = draw.number("length", 0.36, 0.42), draw.number("height", 0.28, 0.31)
    half = long / 2
    bed = rounded_box((0.16, long, 0.06), skin, radius=0.012).on(0, 0, 0)
    pillar = rounded_box((0.12, 0.1, tall - 0.04), skin, radius=0.02).on(0, -half + 0.055, 0.03)
    arm = rounded_box((0.1, long - 0.02, 0.09), skin, radius=0.025).on(0, 0, tall - 0.09)
    head = rounded_box((0.1, 0.08, 0.13), skin, radius=0.02).on(0, half - 0.05, tall - 0.14)
    stitch = plate((0.08, 0.05, 0.003), "chrome", radius=0.006).on(0, half - 0.055, 0.0585)
    spool = [
        cylinder((0.003, 0.06), "steel", segments=10).on(-0.02, -0.05, tall - 0.002),
        cylinder(
            (0.014, 0.04), draw.pick("thread", ("red_fabric", "blue_fabric", "gray_fabric"))
        ).on(-0.02, -0.05, tall + 0.004),
    ]
    body = assembly.part("body", bed, pillar, arm, head, stitch, *spool)
    wheel = [
        lathe([(0.045, 0), (0.045, 0.02), (0.03, 0.026)], "black_plastic").along("-y"),
        torus((0.044, 0.004), "chrome").along("y").at(0, -0.01, 0),
    ]
    y = -half + 0.004
    hand = assembly.part("handwheel", *(s.at(0, y - 0.0005, tall - 0.06) for s in wheel))
    assembly.spin(body, hand, origin=(0, y, tall - 0.06), axis="-y")
    _add_needle_bar_and_presser_foot(assembly, tall=tall, half=half, body=body)
    key = box((0.006, 0.02, 0.03), "gray_plastic").at(0.063, -half + 0.055, 0.11)
    add_button(assembly, body, "reverse_button", key, axis="-x", travel=0.004)


def build(draw: Draw) -> Assembly:
    """Build one air conditioner or sewing machine."""
    category = draw.take("category", CATEGORIES)
    skin = draw.pick(
        "material",
        ("white_plastic", "cream_paint")
        if category == "air_conditioner"
        else ("white_plastic", "mint_paint", "black_paint", "red_paint"),
    )
    noun = category.replace("_", " ")
    article = "An" if category == "air_conditioner" else "A"
    phrase = (
        "with louvers and vanes"
        if category == "air_conditioner"
        else "with a handwheel and a needle"
    )
    assembly = Assembly(
        f"{word(skin).capitalize()} {noun}", category, f"{article} {noun} {phrase}."
    )
    (_conditioner if category == "air_conditioner" else _sewing)(draw, assembly, skin)
    return assembly
