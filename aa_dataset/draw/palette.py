# SPDX-License-Identifier: Apache-2.0
"""Colors that color-blind readers tell apart, in light and in dark: Okabe and Ito (2008), and four.

No meaning hangs on a color alone: what a color says stands also in a label, a glyph or a line.
"""

from __future__ import annotations

from enum import StrEnum

from aa_dataset.kinematics.joints import JointType


class Color(StrEnum):
    """The color of a joint in a drawing."""

    BLUE = "blue"
    ORANGE = "orange"
    VERMILION = "vermilion"
    GREEN = "green"
    PURPLE = "purple"
    VIOLET = "violet"
    MINT = "mint"
    BROWN = "brown"
    SKY = "sky"
    GRAY = "gray"


BY_TYPE = {
    JointType.REVOLUTE: Color.BLUE,
    JointType.CONTINUOUS: Color.ORANGE,
    JointType.PRISMATIC: Color.GREEN,
    JointType.HELICAL: Color.PURPLE,
    JointType.FIXED: Color.GRAY,
}

# Colors that joints take in turn, also as areas, where no label helps: people who see no red or no
# green tell all of them and gray apart. Vermilion, green and purple are too near to others.
IN_TURN = (Color.BLUE, Color.ORANGE, Color.VIOLET, Color.MINT, Color.BROWN, Color.SKY)

# For a light and for a dark ground. Okabe and Ito's yellow is left out, because it vanishes on
# white, and sky blue stands for blue on black; orange is darkened for text on white.
_SHADES = {
    Color.BLUE: ("#0072b2", "#56b4e9"),
    Color.ORANGE: ("#b87500", "#e69f00"),
    Color.VERMILION: ("#d55e00", "#ff7f2a"),
    Color.GREEN: ("#00795a", "#009e73"),
    Color.PURPLE: ("#b0568a", "#cc79a7"),
    Color.VIOLET: ("#7d1fe6", "#9a4dff"),
    Color.MINT: ("#45a25c", "#8fdc8c"),
    Color.BROWN: ("#5c4000", "#a05a1c"),
    Color.SKY: ("#1f9fc6", "#bfe3f5"),
    Color.GRAY: ("#6b7280", "#9aa4b2"),
}
_INK = {
    "paper": ("#ffffff", "#14181d"),
    "ink": ("#1b2027", "#e8ebef"),
    "dim": ("#59636e", "#a5afba"),
}
_FONT = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
_FIXED_RULES = (
    f".aa-tree{{font:12px {_FONT}}}"
    ".aa-tree .small{font-size:10px}.aa-tree .badge{font-size:11px;font-weight:bold}"
    ".aa-tree .joint{font-size:10px;font-weight:bold}"
    ".aa-tree .edge,.aa-tree .glyph,.aa-tree .mimic{fill:none;stroke-width:1.5}"
    ".aa-tree .mimic{stroke-dasharray:4 4}"
    ".aa-tree .glyph{stroke-width:2;stroke-linecap:round;stroke-linejoin:round}"
    ".aa-tree .card{stroke-width:1.5}.aa-tree .dashed{stroke-dasharray:5 3}"
)


def tree_style(*, dark: bool = True) -> str:
    """Return the style sheet of drawings, for a page that holds many of them.

    Without `dark`, drawings keep the colors of a light ground, which pictures of parts have.
    """
    light = f"{_FIXED_RULES}{_rules(0)}"
    return light if not dark else f"{light}@media(prefers-color-scheme:dark){{{_rules(1)}}}"


def light_rgb(color: Color) -> tuple[float, float, float]:
    """Return red, green and blue of a color on a light ground, display values in [0, 1]."""
    code = light_shade(color)
    red, green, blue = (int(code[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def light_shade(color: str) -> str:
    """Return a color by its name on a light ground, as ``#rrggbb``."""
    return _SHADES[Color(color)][0]


def ink(kind: str) -> str:
    """Return the color of ``paper``, ``ink`` or ``dim`` on a light ground, as ``#rrggbb``."""
    return _INK[kind][0]


def _rules(shade: int) -> str:
    paper, ink, dim = (_INK[key][shade] for key in ("paper", "ink", "dim"))
    plain = (
        f".aa-tree .paper,.aa-tree .card{{fill:{paper}}}.aa-tree text{{fill:{ink}}}"
        f".aa-tree .small{{fill:{dim}}}.aa-tree .edge,.aa-tree .root{{stroke:{dim}}}"
        f".aa-tree .badge{{fill:{paper}}}"
    )
    return plain + "".join(
        f".aa-tree .{color}{{stroke:{shades[shade]}}}.aa-tree .fill-{color}{{fill:{shades[shade]}}}"
        for color, shades in _SHADES.items()
    )
