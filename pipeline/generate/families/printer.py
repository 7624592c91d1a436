# SPDX-License-Identifier: Apache-2.0
"""A desktop printer with scanner: lid, paper drawer, output flap, display panel, keys.

Sizes after office printers: 0.4-0.48 m wide, 0.34-0.42 m deep, 0.18-0.26 m tall; the scanner lid
opens by 60-80 degrees, the drawer slides by 0.2-0.26 m, the flap opens by 70-85 degrees.
"""

from pipeline.generate.fittings import add_button, carcass, drawer_box, feet
from pipeline.generate.vocabulary import Assembly, Draw, box, plate, word

CATEGORIES = {"printer": "Electronics"}


def _add_panel_and_buttons(
    assembly: Assembly, *, face: float, width: float, foot: float, height: float, body: str
) -> None:
    """Add the panel and buttons."""
    panel = assembly.part(
        "panel",
        box((0.014, 0.14, 0.045), "black_plastic").at(
            face + 0.007, -width * 0.3, foot + height - 0.024
        ),
        box((0.001, 0.07, 0.03), "screen_blue").at(
            face + 0.0145, -width * 0.3 + 0.025, foot + height - 0.024
        ),
        label="control_panel",
    )
    assembly.hinge(
        body,
        panel,
        origin=(face + 0.002, -width * 0.3, foot + height - 0.003),
        axis="-y",
        lower=0,
        upper=40,
    )
    for k in range(4):
        key = box((0.003, 0.012, 0.009), "white_plastic" if k else "green_plastic").at(
            face + 0.0155,
            -width * 0.3 - 0.03 - 0.016 * (k % 2),
            foot + height - 0.016 - 0.014 * (k // 2),
        )
        add_button(assembly, panel, f"button_{k + 1}", key, axis="-x", travel=0.0015)


def _add_drawer_and_flap(
    draw: Draw,
    assembly: Assembly,
    *,
    depth: float,
    width: float,
    trim: str,
    foot: float,
    body: str,
    height: float,
) -> None:
    """Add the drawer and flap."""
    face = depth / 2 + 0.001
    drawer = assembly.part(
        "drawer",
        drawer_box((depth - 0.04, width - 0.066, 0.036), trim, wall=0.003).on(
            face, 0, foot + 0.018
        ),
        box((0.012, width - 0.03, 0.052), trim).at(face + 0.006, 0, foot + 0.04),
        box((0.24, 0.21, 0.012), "paper").on(-0.03, 0, foot + 0.022),
        label="paper_drawer",
    )
    assembly.slide(body, drawer, axis="x", lower=0, upper=draw.number("drawer_travel", 0.2, 0.26))
    low = foot + 0.4 * height + 0.002
    flap = assembly.part(
        "flap",
        box((0.006, width - 0.104, 0.3 * height - 0.004), trim).on(depth / 2 - 0.004, 0, low),
        label="output_flap",
    )
    assembly.hinge(
        body,
        flap,
        origin=(depth / 2 - 0.004, 0, low),
        axis="y",
        lower=0,
        upper=draw.number("flap_opening_deg", 70, 85, digits=1),
    )
    _add_panel_and_buttons(assembly, face=face, width=width, foot=foot, height=height, body=body)


def build(draw: Draw) -> Assembly:
    """Build one printer."""
    width = draw.number("width", 0.4, 0.48)
    depth = draw.number("depth", 0.34, 0.42)
    height = draw.number("height", 0.18, 0.26)
    skin = draw.pick("skin_material", ("white_plastic", "gray_plastic", "black_plastic"))
    trim = draw.pick("trim_material", ("black_plastic", "blue_plastic", "gray_paint"))
    opening = draw.number("lid_opening_deg", 60, 80, digits=1)
    assembly = Assembly(
        f"{word(skin).capitalize()} printer",
        "printer",
        "A printer with a scanner lid, a paper drawer and an output flap.",
    )
    foot = 0.01
    cells = [(0.0, 0.04, width - 0.06, 0.05), (0.0, 0.55 * height, width - 0.1, 0.3 * height)]
    shell = [s.at(0, 0, foot) for s in carcass((depth, width, height), skin, openings=cells)]
    glass = box((depth - 0.08, width - 0.08, 0.001), "screen").on(-0.01, 0, foot + height)
    body = assembly.part("body", *shell, glass, *feet((depth - 0.06, width - 0.06), height=foot))
    top = foot + height + 0.002
    cover = plate((depth - 0.004, width, 0.028), trim, radius=0.015).on(-0.002, 0, top)
    lid = assembly.part("lid", cover, label="scanner_lid")
    assembly.hinge(
        body, lid, origin=(-depth / 2 + 0.002, 0, top), axis="-y", lower=0, upper=opening
    )
    _add_drawer_and_flap(
        draw, assembly, depth=depth, width=width, trim=trim, foot=foot, body=body, height=height
    )
    return assembly
