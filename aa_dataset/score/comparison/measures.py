# SPDX-License-Identifier: Apache-2.0
"""What is compared: the scores with their symbols, units and better directions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

PROTOCOLS = ("one-joint", "all-joints")
VARIANTS = ("strict", "parallel-safe", "released")


class Basis(StrEnum):
    """Over which objects a mean is taken.

    VALID is conditional, as in the paper: joints with a partner in objects with a valid output.
    ALL is the headline: every object counts, and a failure costs what welding costs.
    """

    VALID = "valid"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Choice:
    """What to compare.

    Attributes
    ----------
    protocol : str
        ``one-joint`` has one joint per object, as in the paper's table; ``all-joints`` has all.
    variant : str
        How the older component scores are computed (`aa_dataset.metric.components`).
    """

    protocol: str = "one-joint"
    variant: str = "strict"

    @property
    def prefix(self) -> str:
        """Return the beginning of the columns of the variant."""
        return self.variant.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Measure:
    """One score.

    Attributes
    ----------
    key : str
        Its name in JSON and CSV.
    plain, latex, html : str
        Its symbol in the formats; `latex` is inside a paragraph, not in math mode.
    unit : str
        Empty without a unit.
    better : {"low", "high"}
        The better direction.
    decimals : int
        Digits after the point in tables for people.
    factor : float
        100 for shares, which tables show in percent.
    """

    key: str
    plain: str
    latex: str
    html: str
    unit: str
    better: Literal["low", "high"] = "low"
    decimals: int = 3
    factor: float = 1.0


COMPONENTS = ("type_error", "origin_error", "axis_error", "range_error", "direction_error")
JOINT_SCORES = ("e_b", "e_b_phi", "e_alpha", "e_alpha_phi")
TREES = ("e_alpha_phi_tree", "e_b_phi_tree")


def _score_measure(
    key: str, norm: str, unit: str = "", *, phi: bool, tree: bool = False
) -> Measure:
    sub = {"alpha": (r"\alpha", "&alpha;"), "B": ("B", "B")}[norm]
    plain = ("^phi" if phi else "") + (" tree" if tree else "")
    up = ", ".join([*([r"\phi"] if phi else []), *([r"\mathrm{tree}"] if tree else [])])
    html = ", ".join([*(["&phi;"] if phi else []), *(["tree"] if tree else [])])
    return Measure(
        key,
        f"E_{norm}{plain}",
        f"$E_{{{sub[0]}}}^{{{up}}}$" if up else f"$E_{{{sub[0]}}}$",
        f"<i>E</i><sub>{sub[1]}</sub>" + (f"<sup>{html}</sup>" if html else ""),
        unit,
    )


MEASURES = {
    measure.key: measure
    for measure in (
        Measure("type_error", "TypeErr", "TypeErr", "TypeErr", "%", decimals=1, factor=100.0),
        Measure("origin_error", "OriginErr", "OriginErr", "OriginErr", "m"),
        Measure("axis_error", "AxisErr", "AxisErr", "AxisErr", "rad"),
        Measure(
            "range_error", "LimitErr range", "LimitErr range", "LimitErr range", "", decimals=2
        ),
        Measure("range_error_turns", "Range of turns", "Range of turns", "Range of turns", "rad"),
        Measure("range_error_slides", "Range of slides", "Range of slides", "Range of slides", "m"),
        Measure("direction_error", "LimitErr dir", "LimitErr dir", "LimitErr dir", "", decimals=2),
        Measure("success", "SuccRate", "SuccRate", "SuccRate", "%", "high", 1, 100.0),
        _score_measure("e_b", "B", "m", phi=False),
        _score_measure("e_b_phi", "B", phi=True),
        _score_measure("e_alpha", "alpha", phi=False),
        _score_measure("e_alpha_phi", "alpha", phi=True),
        _score_measure("e_alpha_phi_tree", "alpha", phi=True, tree=True),
        _score_measure("e_b_phi_tree", "B", phi=True, tree=True),
    )
}
