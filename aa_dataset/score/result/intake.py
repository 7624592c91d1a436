# SPDX-License-Identifier: Apache-2.0
"""How predictions were read and brought into the object frame: rows, and counts of a run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from aa_dataset.portable import dot
from aa_dataset.score.readers import Reading
from aa_dataset.score.registration.record import Registration
from aa_dataset.score.result.arrays import Array, Arrays
from aa_dataset.score.result.scores import ALL_JOINTS
from aa_dataset.score.rows import Row

# Columns of `per_object` that need a readable prediction.
READ = ("reader", "reader_reason", "notes")
PLACED = (
    "registration", "registration_scale", "registration_angle", "registration_shift",
    "registration_rest", "registration_residual", "registration_runner_up",
    "registration_ambiguous", "uses_truth",
)  # fmt: skip
STATED = ("stated", "stated_e_alpha_phi", "stated_e_alpha_phi_tree")
COLUMNS = (*READ, *PLACED, *STATED)
HEADLINE, TREE = "e_alpha_phi", "e_alpha_phi_tree"


def intake_row(reading: Reading | None) -> Row:
    """Return how one prediction was read and placed; null without a readable one."""
    if reading is None:
        return dict.fromkeys(COLUMNS)
    placed, notes = reading.registration, list(reading.prediction.notes)
    row: Row = {"reader": reading.reader, "reader_reason": reading.reason, "notes": notes}
    return row | _placed_row(placed) | dict.fromkeys(STATED)


def stated_row(reading: Reading, summary: Row, joints: Sequence[Row]) -> Row:
    """Return what the rows of one object would have cost where it is stated to be."""
    costs = [
        float(row[name])  # type: ignore[arg-type]
        for row in joints
        if row["protocol"] == ALL_JOINTS
        for name in (f"{HEADLINE}_cost", f"{HEADLINE}_extra")
        if row[name] is not None
    ]
    return {
        "stated": reading.stated.source.value,
        f"stated_{HEADLINE}": math.fsum(costs),
        f"stated_{TREE}": summary[f"{TREE}_cost"],
    }


def _placed_row(placed: Registration) -> Row:
    similarity = placed.similarity
    return {
        "registration": placed.source.value,
        "registration_scale": similarity.scale,
        "registration_angle": turn_angle(similarity.rotation),
        "registration_shift": float(np.sqrt(dot(similarity.translation, similarity.translation))),
        "registration_rest": sum(1 for value in placed.rest.values() if value),
        "registration_residual": placed.residual,
        "registration_runner_up": placed.runner_up,
        "registration_ambiguous": placed.is_ambiguous,
        "uses_truth": placed.uses_truth,
    }


def turn_angle(rotation: Array) -> float:
    """Return the angle of a rotation [rad], in [0, pi]."""
    r = rotation
    twice = (r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1])
    sine = math.sqrt(math.fsum(float(x) ** 2 for x in twice))
    return math.atan2(sine, float(r[0, 0] + r[1, 1] + r[2, 2]) - 1.0)


@dataclass(frozen=True, slots=True)
class StatedMeans:
    """Means as scored, and where every prediction is stated to be; nan if undefined.

    Attributes
    ----------
    scale : str
        ``metric`` or ``other``.
    objects : int
        Objects for which something was stated that was not applied.
    joints, joints_stated : float
        E_alpha^phi over all truth joints, both ways.
    trees, trees_stated : float
        The mean of the E_alpha^phi tree over objects, both ways.
    """

    scale: str
    objects: int
    joints: float
    joints_stated: float
    trees: float
    trees_stated: float


@dataclass(frozen=True, slots=True)
class Intake:
    """Counts of objects with a readable prediction.

    Attributes
    ----------
    readers : list of dict
        Name of a reader, its most frequent reason, and the number of predictions.
    registrations : dict of str to int
        By source.
    reanchored, ambiguous, uses_truth : int
        Brought from another state; with a runner-up that is as good; with the truth's help.
    notes : list of dict
        What readers had to say, and of how many predictions.
    stated : list of StatedMeans
        What the stated registration would cost or gain; empty if none was left out.
    """

    readers: list[dict[str, Any]]
    registrations: dict[str, int]
    reanchored: int
    ambiguous: int
    uses_truth: int
    notes: list[dict[str, Any]]
    stated: list[StatedMeans]

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as JSON types; an undefined number is None."""
        means = [
            {name: None if value != value else value for name, value in asdict(one).items()}
            for one in self.stated
        ]
        return asdict(self) | {"stated": means}


def intake_of(arrays: Arrays) -> Intake:
    """Return the counts of a run."""
    words = arrays.per_object.select(["reader", "reader_reason", "registration", "notes"])
    rows = [row for row in words.to_pylist() if row["reader"] is not None]
    notes = Counter(note for row in rows for note in dict.fromkeys(row["notes"] or ()))
    return Intake(
        _readers(rows),
        dict(sorted(Counter(row["registration"] for row in rows).items())),
        _positive(arrays, "registration_rest"),
        _positive(arrays, "registration_ambiguous"),
        _positive(arrays, "uses_truth"),
        [{"note": note, "objects": count} for note, count in _most_first(notes)],
        _stated(arrays),
    )


def _readers(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    counts = Counter(row["reader"] for row in rows)
    found = []
    for name, count in _most_first(counts):
        reasons = Counter(row["reader_reason"] for row in rows if row["reader"] == name)
        found.append({"reader": name, "objects": count, "reason": _most_first(reasons)[0][0]})
    return found


def _most_first(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _positive(arrays: Arrays, column: str) -> int:
    return int((arrays.object_numbers(column) > 0).sum())


def _stated(arrays: Arrays) -> list[StatedMeans]:
    """Return the means of both ways per scale; empty if nothing stated was left out."""
    left_out = arrays.per_object["stated"].is_valid().to_numpy()
    if not left_out.any():
        return []
    rows = arrays.joints_with("protocol", ALL_JOINTS)
    truth = arrays.sums(rows & arrays.is_truth)
    own = _own_costs(arrays)
    trees = arrays.object_numbers(f"{TREE}_cost")
    both = [
        (values, np.where(left_out, arrays.object_numbers(f"stated_{name}"), values))
        for name, values in ((HEADLINE, own), (TREE, trees))
    ]
    metric = arrays.object_numbers("is_metric") > 0
    return [
        StatedMeans(
            scale,
            int((left_out & chosen).sum()),
            *(_quotient(values[chosen], float(truth[chosen].sum())) for values in both[0]),
            *(_quotient(values[chosen], float(chosen.sum())) for values in both[1]),
        )
        for scale, chosen in (("metric", metric), ("other", ~metric))
        if chosen.any()
    ]


def _own_costs(arrays: Arrays) -> Array:
    """Return the costs of every object in E_alpha^phi, summed over `all-joints`."""
    rows = arrays.joints_with("protocol", ALL_JOINTS)
    cost, extra = (
        arrays.joint_numbers(f"{HEADLINE}_cost"),
        arrays.joint_numbers(f"{HEADLINE}_extra"),
    )
    return arrays.sums(rows, np.nan_to_num(cost) + np.nan_to_num(extra))


def _quotient(values: Array, count: float) -> float:
    return math.fsum(values.tolist()) / count if count else math.nan
