# SPDX-License-Identifier: Apache-2.0
"""Which component of the older protocol fails a joint, and by how much over its tolerance.

The gates of the variants are those of `metric.components`: `strict` and `parallel-safe` gate type,
axis and origin, and an undefined value fails; `released` gates everything but origin, direction and
range of a slide, and an undefined value passes, as in the public code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from aa_dataset.kinematics.joints import JointType
from aa_dataset.metric.components import (
    AXIS_TOLERANCE,
    ORIGIN_TOLERANCE,
    RELEASED_DIRECTION_TOLERANCE,
    RELEASED_RANGE_TOLERANCE,
)
from aa_dataset.score.explain.rows import Errors, JointRow
from aa_dataset.score.result.scores import COMPONENTS, VARIANTS

RELEASED = "released"


class Verdict(StrEnum):
    """What a gate says."""

    PASSED = "passed"
    FAILED = "failed"
    UNGATED = "not gated"


@dataclass(frozen=True, slots=True)
class Gate:
    """One component in one variant.

    Attributes
    ----------
    component : str
        ``type``, ``axis``, ``origin``, ``range`` or ``direction``.
    error, tolerance : float [rad, m or 1]
        nan where undefined, or without a tolerance.
    verdict : Verdict
        Whether the component alone would have failed the joint.
    """

    component: str
    error: float
    tolerance: float
    verdict: Verdict

    @property
    def excess(self) -> float:
        """How much the error exceeds its tolerance; nan unless it does."""
        failed = self.verdict is Verdict.FAILED and self.component != "type"
        return self.error - self.tolerance if failed else math.nan


def joint_gates(row: JointRow) -> dict[str, tuple[Gate, ...]]:
    """Return the gates of every variant, by its name in columns; empty without a pair."""
    is_slide = row.type == JointType.PRISMATIC
    return {name: _variant_gates(row.errors[name], name, is_slide) for name in row.errors}


def failures(gates: tuple[Gate, ...]) -> tuple[Gate, ...]:
    """Return the gates that failed."""
    return tuple(gate for gate in gates if gate.verdict is Verdict.FAILED)


def variant_title(name: str) -> str:
    """Return the name of a variant for people."""
    return VARIANTS[name]


def _variant_gates(errors: Errors, variant: str, is_slide: bool) -> tuple[Gate, ...]:
    tolerances = _tolerances(variant, is_slide)
    return tuple(
        _gate(
            component.key.removesuffix("_error"),
            errors.values[component.key],
            tolerances.get(component.key, math.nan),
            released=variant == RELEASED,
        )
        for component in COMPONENTS
    )


def _tolerances(variant: str, is_slide: bool) -> dict[str, float]:
    """Return the tolerance of every gated component."""
    gated = {"type_error": 0.0, "axis_error": AXIS_TOLERANCE}
    if variant != RELEASED:
        return gated | {"origin_error": ORIGIN_TOLERANCE}
    if is_slide:
        return gated
    # That code gates the mean of the origin's error and of the frame's rotation, which is 0 here.
    return gated | {
        "origin_error": 2 * ORIGIN_TOLERANCE,
        "range_error": RELEASED_RANGE_TOLERANCE,
        "direction_error": RELEASED_DIRECTION_TOLERANCE,
    }


def _gate(component: str, error: float, tolerance: float, *, released: bool) -> Gate:
    if math.isnan(tolerance):
        verdict = Verdict.UNGATED
    elif component == "type":
        verdict = Verdict.PASSED if error == 0 else Verdict.FAILED
    elif released:  # "not >", because that code accepts nan
        verdict = Verdict.FAILED if error > tolerance else Verdict.PASSED
    else:
        verdict = Verdict.PASSED if error < tolerance else Verdict.FAILED
    return Gate(component, error, tolerance, verdict)
