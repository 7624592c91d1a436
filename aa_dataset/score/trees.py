# SPDX-License-Identifier: Apache-2.0
"""The tree distances of one object: the columns of `per_object` that hold them."""

from __future__ import annotations

import math

from aa_dataset.metric import (
    BodyNorms,
    Skeleton,
    SplitNorm,
    TreeDistance,
    constant_penalty_distance,
    tree_distance,
)
from aa_dataset.score.charges import Truth, whole_factor
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.rows import Row

ALPHA, BODIES = "e_alpha_phi", "e_b_phi"


def failed_trees(truth: Truth) -> Row:
    """Return the columns of an object without a usable prediction, which costs its weld."""
    split = _tree_columns("e_alpha_phi_tree", None, weld=_welded(truth, ALPHA), count=len(truth))
    kinetic = _bodies_columns(truth, None)
    rest = ("constant_penalty", "tree_work", "tree_timed_out", "edits")
    return split | kinetic | dict.fromkeys(rest)


def scored_trees(
    truth: Truth, guess: Skeleton, distance: TreeDistance, parameters: Parameters
) -> Row:
    """Return the columns of a readable prediction; `distance` is that under E_alpha^phi."""
    how = {
        "compactify": parameters.kappa,
        "budget": parameters.budget,
        "time_limit": parameters.time_limit_s,
    }
    split = _tree_columns(
        "e_alpha_phi_tree", distance, weld=_welded(truth, ALPHA), count=len(truth)
    )
    bodies = None
    if not _why_bodiless(truth):
        bodies = tree_distance(guess, truth.skeleton, norm=BodyNorms(), **how)  # type: ignore[arg-type]
    flat = constant_penalty_distance(
        guess,
        truth.skeleton,
        penalty=parameters.penalty,
        norm=SplitNorm(parameters.alpha),
        **how,  # type: ignore[arg-type]
    )
    searches = [one for one in (distance, bodies, flat) if one is not None]
    return {
        **split,
        **_bodies_columns(truth, bodies),
        "constant_penalty": flat.value,
        "tree_work": distance.work,
        "tree_timed_out": any(one.timed_out for one in searches),
        "edits": _edits(distance),
    }


def _bodies_columns(truth: Truth, distance: TreeDistance | None) -> Row:
    reason = _why_bodiless(truth)
    weld = math.nan if reason else _welded(truth, BODIES)
    return _tree_columns("e_b_phi_tree", distance, weld=weld, count=len(truth), reason=reason)


def _why_bodiless(truth: Truth) -> str:
    """Return why the bodies of the truth measure no tree, empty if they do; no guess changes it."""
    if reasons := sorted(filter(None, truth.bodiless)):
        return reasons[0]
    return whole_factor(truth)[1]


def _welded(truth: Truth, key: str) -> float:
    """Return the tree distance to a prediction that never moves."""
    return math.fsum(prices[key] for prices in truth.welded)


def _tree_columns(
    key: str, distance: TreeDistance | None, *, weld: float, count: int, reason: str = ""
) -> Row:
    """Return the columns of one tree distance over `count` truth joints."""
    predicted = 0 if distance is None else distance.counts[0]
    cost = weld if distance is None else distance.value
    return {
        key: None if distance is None else distance.value,
        f"{key}_lower": None if distance is None else distance.lower,
        f"{key}_upper": None if distance is None else distance.upper,
        f"{key}_exact": None if distance is None else distance.exact,
        f"{key}_weld": None if reason else weld,
        f"{key}_cost": None if reason else cost,
        f"{key}_per_truth_joint": _quotient(cost, count, reason),
        f"{key}_per_max_joints": _quotient(cost, max(count, predicted), reason),
        f"{key}_undefined": reason or None,
    }


def _quotient(cost: float, count: int, reason: str) -> float | None:
    return None if reason or not count else cost / count


def _edits(distance: TreeDistance) -> list[Row]:
    return [
        {
            "operation": edit.operation,
            "truth": edit.second,
            "predicted": edit.first,
            "cost": edit.cost,
        }
        for edit in distance.script
    ]
