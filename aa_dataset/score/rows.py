# SPDX-License-Identifier: Apache-2.0
"""The rows of a result: one per truth joint, per spurious joint and per object."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

STATUSES = ("scored", "motionless", "missing", "unreadable")
WHYS = ("matched", "nonfinite", "unmatched", "absent", "unreadable")


@dataclass(frozen=True, slots=True)
class Score:
    """One of the distances: its key in files, its name in tables, its unit.

    `by_scale` marks distances that depend on true scale. They are never averaged over metric and
    other objects together.
    """

    key: str
    symbol: str
    unit: str
    by_scale: bool


SCORES = (
    Score("e_alpha", "E_alpha", "", False),
    Score("e_alpha_phi", "E_alpha^phi", "", False),
    Score("e_b", "E_B", "m", True),
    Score("e_b_phi", "E_B^phi", "", True),
)


@dataclass(frozen=True, slots=True)
class JointScore:
    """One truth joint of the split: its partner if any, their distances, and its cost as a weld.

    Attributes
    ----------
    predicted, predicted_type : str or None
        The partner, None if the joint has none.
    why : str
        ``matched``; ``nonfinite``: a distance to the partner is not finite although the joint's own
        motion is; ``unmatched``: no partner; ``absent`` and ``unreadable``: no usable prediction.
    values : dict of str to float
        Distances by `Score.key`; nan if undefined or without a partner.
    welded : dict of str to float
        ``E(J, J0)``, the cost of the joint where `values` is nan. It is nan if the ground truth
        leaves a score undefined; that score then excludes the joint.
    undefined : dict of str to str
        Why a value is nan: by the ground truth ``unbounded``, ``no_body`` or ``singular_body``, by
        the prediction ``unbounded_guess`` or ``overflow``.
    charged : dict of str to float
        The cost of a bounded partner as a separate joint, ``E(J0, J')``, in the scores that exclude
        this joint as unbounded. If it were free, an unbounded joint could hide a second guess for
        another joint.
    """

    object_id: str
    joint: str
    type: str
    predicted: str | None
    predicted_type: str | None
    is_metric: bool
    is_mimic: bool
    why: str
    values: dict[str, float]
    welded: dict[str, float]
    undefined: dict[str, str] = field(default_factory=dict)
    charged: dict[str, float] = field(default_factory=dict)

    def cost(self, key: str) -> float:
        """Return the cost of the joint in a score: its distance, else its cost as a weld."""
        return value if math.isfinite(value := self.values[key]) else self.welded[key]


@dataclass(frozen=True, slots=True)
class SpuriousScore:
    """One predicted joint without a partner.

    Attributes
    ----------
    is_unbounded : bool
        Whether an infinite end was counted as half a turn or half the diagonal in raw scores.
    costs : dict of str to float
        ``E(J0, J)`` by `Score.key`; nan if no body of the ground truth defines a norm.
    undefined : dict of str to str
        Why it is nan: ``no_body`` or ``singular_body``.
    """

    object_id: str
    predicted: str
    predicted_type: str
    is_metric: bool
    is_unbounded: bool
    costs: dict[str, float]
    undefined: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ObjectScore:
    """One object of the split.

    Attributes
    ----------
    status : str
        ``scored``; ``motionless``: a readable prediction without a moving joint, of an object that
        has one; ``missing`` (no prediction); ``unreadable`` (see `detail`).
    joints, predicted, matched : int
        Moving joints of the ground truth and of the prediction, and the number of pairs.
    missing, spurious : tuple of str
        Names of the joints without a partner on either side of a readable prediction.
    costs : dict of str to float
        Costs of all its joints and spurious joints per truth joint; nan if a score is undefined
        for all of its joints.
    tree_welded : float
        Tree distance to a prediction that never moves, under E_alpha^phi.
    tree : float
        Tree distance under E_alpha^phi, including unmatched joints; nan without tree pairing or
        without a readable prediction, which costs `tree_welded`.
    tree_exact : bool or None
        Whether that distance, and so the pairing, is proven optimal; None without one.
    tree_work : int or None
        Steps that the search took, of `Parameters.budget`; None without one.
    tree_timed_out : bool or None
        Whether a time limit ended the search; None without one.
    """

    object_id: str
    category: str
    is_metric: bool
    status: str
    detail: str
    joints: int
    predicted: int
    matched: int
    missing: tuple[str, ...]
    spurious: tuple[str, ...]
    costs: dict[str, float]
    tree_welded: float
    tree: float = math.nan
    tree_exact: bool | None = None
    tree_work: int | None = None
    tree_timed_out: bool | None = None
