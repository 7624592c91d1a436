# SPDX-License-Identifier: Apache-2.0
"""A folding ruler: wooden links joined end to end, each turning on the one before.

Sizes after carpenter's rules: 8-12 links of 0.15-0.22 m, 14-16 mm wide, 2.6-3.2 mm thick; folded
into a stack at rest, each joint opens by up to 180 degrees.
"""

from pipeline.generate.vocabulary import Assembly, Draw, Shape, box, cylinder, plate, word

CATEGORIES = {"folding_ruler": "Tools"}


def _link(length: float, wide: float, thick: float, color: str) -> list[Shape]:
    """Return a link from x = 0 to x = length on z = 0, with scale marks and end plates."""
    body = plate((length + 0.8 * wide, wide, thick), color, radius=0.4 * wide).on(length / 2, 0, 0)
    marks = [
        box((0.0006, 0.3 * wide if k % 5 else 0.6 * wide, 0.0001), "black_paint").on(
            0.02 + 0.01 * k, -0.15 * wide, thick
        )
        for k in range(int((length - 0.04) / 0.01) + 1)
    ]
    return [body, *marks]


def build(draw: Draw) -> Assembly:
    """Build one folding ruler, folded at rest; the lowest link lies on the table."""
    links = draw.count("links", 8, 12)
    length = draw.number("link_length", 0.15, 0.22)
    wide = draw.number("width", 0.014, 0.016)
    thick = draw.number("thickness", 0.0026, 0.0032)
    color = draw.pick("material", ("yellow_paint", "white_paint", "pine", "oak"))
    assembly = Assembly(
        f"{word(color).capitalize()} folding ruler with {links} links",
        "folding_ruler",
        f"A folding ruler made of {links} links that turn on one another.",
    )
    step = thick + 0.0004
    parent = assembly.part("link_1", *_link(length, wide, thick, color))
    for k in range(1, links):
        x = length if k % 2 else 0.0
        shapes = [s.at(0, 0, k * step) for s in _link(length, wide, thick, color)]
        rivet = cylinder((0.0025, 0.00025), "brass", segments=14).on(x, 0, k * step + thick)
        link = assembly.part(f"link_{k + 1}", *shapes, rivet)
        axis = "z" if k % 2 else "-z"
        assembly.hinge(parent, link, origin=(x, 0, k * step), axis=axis, lower=0, upper=180)
        parent = link
    return assembly
