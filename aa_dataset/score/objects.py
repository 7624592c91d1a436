# SPDX-License-Identifier: Apache-2.0
"""One object: its prediction is read, paired and priced, whatever it holds.

Every truth joint gets a row in both protocols, also without a usable prediction.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.metric import Skeleton, TreeDistance, contract
from aa_dataset.objects import ArticulatedObject
from aa_dataset.score.budgets import require_sane, shortened
from aa_dataset.score.charges import Truth, price_truth
from aa_dataset.score.imputation import with_partners_ranges
from aa_dataset.score.pairing import (
    Pairing,
    closest_joint,
    edit_distance,
    pair_by_assignment,
    pair_by_geometry,
    pair_by_name,
    pair_by_tree,
)
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.readers import PredictionReader, Reading
from aa_dataset.score.registration.record import IDENTITY
from aa_dataset.score.rest import RestCenters
from aa_dataset.score.result.intake import intake_row, stated_row
from aa_dataset.score.result.scores import ALL_JOINTS, ONE_JOINT
from aa_dataset.score.rows import Case, Guess, Row, failed_rows, paired_rows, spurious_rows
from aa_dataset.score.trees import failed_trees, scored_trees


@dataclass(frozen=True, slots=True, eq=False)
class ScoredObject:
    """The rows of one object in both tables, and the seconds that they took."""

    summary: Row
    joints: list[Row]
    seconds: float


def score_object(
    item: ArticulatedObject, predictions: PredictionReader, parameters: Parameters
) -> ScoredObject:
    """Score one object; an absent or broken prediction costs as much as a welded one."""
    start = time.perf_counter()
    case = Case.of(item, price_truth(contract(in_name_order(item.tree)), parameters))
    summary, joints = _scored_rows(case, item, predictions, parameters)
    return ScoredObject(summary, joints, time.perf_counter() - start)


def in_name_order(tree: KinematicTree) -> KinematicTree:
    """Return the tree with its joints in the order of their names, parents first.

    The order of joints in a file must not decide between equal ones.
    """
    joints = sorted(tree.joints, key=lambda joint: joint.name)
    return KinematicTree(tree.name, tree.links, tuple(joints))


def _scored_rows(
    case: Case, item: ArticulatedObject, predictions: PredictionReader, parameters: Parameters
) -> tuple[Row, list[Row]]:
    if not predictions.has(item.object_id):
        return _failed(case, status="missing")
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # reported as errors of the prediction
            reading = predictions.read(item.object_id)
            summary, joints = _read_rows(case, item, reading, parameters)
    except (ArenaError, ArithmeticError) as error:  # untrusted numbers must not end the run
        return _failed(case, status="unreadable", detail=shortened(error))
    if reading.registration is IDENTITY and not reading.stated.is_identity:
        summary |= _stated_elsewhere(case, item, reading, parameters)
    return summary, joints


def _read_rows(
    case: Case, item: ArticulatedObject, reading: Reading, parameters: Parameters
) -> tuple[Row, list[Row]]:
    """Return the rows of a prediction where its registration puts it."""
    tree = reading.tree
    require_sane(tree)
    tree = in_name_order(tree)
    centers = RestCenters.of(item, tree, reading)
    summary, joints = _Scoring(case, contract(tree), centers, parameters).rows()
    return summary | intake_row(reading), joints


def _stated_elsewhere(
    case: Case, item: ArticulatedObject, reading: Reading, parameters: Parameters
) -> Row:
    """Return what a prediction would cost where it is stated to be, which is not applied."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            rows = _read_rows(case, item, reading.as_stated(), parameters)
    except (ArenaError, ArithmeticError):  # `--registration stated` says why
        rows = _failed(case, status="unreadable")
    return stated_row(reading, *rows)


def _failed(case: Case, *, status: str, detail: str = "") -> tuple[Row, list[Row]]:
    """Return the rows of an object without a usable prediction: every joint is welded."""
    why = "absent" if status == "missing" else status
    everything = range(len(case.truth))
    joints = failed_rows(case, everything, protocol=ALL_JOINTS, why=why)
    joints += failed_rows(case, _main_rows(case), protocol=ONE_JOINT, why=why)
    counts = {"predicted": 0, "matched": 0, "spurious": 0, "main_partner": None}
    rows = counts | failed_trees(case.truth) | intake_row(None)
    return _object_row(case, status, detail) | rows, joints


def _main_rows(case: Case) -> Sequence[int]:
    return [] if case.main is None else [case.main]


def _object_row(case: Case, status: str, detail: str = "") -> Row:
    joints = case.truth.skeleton.joints
    main = None if case.main is None else joints[case.main].name
    facts: Row = {"status": status, "detail": detail, "joints": len(joints), "main_joint": main}
    return case.facts | facts


@dataclass(frozen=True, slots=True, eq=False)
class _Scoring:
    """One readable prediction on its way to rows."""

    case: Case
    read: Skeleton
    centers: RestCenters
    parameters: Parameters

    @property
    def truth(self) -> Truth:
        return self.case.truth

    def rows(self) -> tuple[Row, list[Row]]:
        """Return the rows of both tables."""
        distance = edit_distance(self.truth.skeleton, self.read, self.parameters)
        guess, pairing = self.read, self._paired(self.read, distance)
        if self.parameters.impute_limits == "truth":
            guess = with_partners_ranges(
                self.truth.skeleton, self.read, pairing.partner, self.parameters
            )
        if guess is not self.read:
            distance = edit_distance(self.truth.skeleton, guess, self.parameters)
            pairing = self._paired(guess, distance)
        joints = self._all_joints(guess, pairing)
        mains, partner = self._one_joint(guess, distance, joints)
        still = len(guess) == 0 and len(self.truth) > 0
        summary = _object_row(self.case, "motionless" if still else "scored") | {
            "predicted": len(guess),
            "matched": len(pairing.partner),
            "spurious": len(pairing.spurious),
            "main_partner": partner,
        }
        trees = scored_trees(self.truth, guess, distance, self.parameters)
        return summary | trees, joints + mains

    def _paired(self, guess: Skeleton, distance: TreeDistance) -> Pairing:
        """Pair the joints by the method of the parameters."""
        truth = self.truth.skeleton
        if self.parameters.pairing == "assignment":
            return pair_by_assignment(truth.joints, guess.joints, self.parameters)
        if self.parameters.pairing == "name":
            return pair_by_name(truth.joints, guess.joints)
        if self.parameters.pairing == "geometry":
            centers = self.centers.truth, self.centers.predicted
            return pair_by_geometry(truth.joints, guess.joints, centers)
        return pair_by_tree(truth, guess, distance)

    def _all_joints(self, skeleton: Skeleton, pairing: Pairing) -> list[Row]:
        guess, everything = Guess(skeleton, self.centers.offset), range(len(self.truth))
        how = {"protocol": ALL_JOINTS, "parameters": self.parameters}
        return [
            *paired_rows(self.case, guess, everything, partner=pairing.partner, **how),  # type: ignore[arg-type]
            *spurious_rows(self.case, guess, pairing.spurious, **how),  # type: ignore[arg-type]
        ]

    def _one_joint(
        self, guess: Skeleton, distance: TreeDistance, joints: Sequence[Row]
    ) -> tuple[list[Row], str | None]:
        """Return the row of `one-joint` and the partner's name."""
        main, truth = self.case.main, self.truth.skeleton
        if main is None:
            return [], None
        partner = pair_by_tree(truth, guess, distance).partner.get(main)
        if partner is None:
            partner = closest_joint(truth.joints[main], guess.joints, self.parameters)
        pairs = {} if partner is None else {main: partner}
        if self.parameters.impute_limits == "truth":
            guess = with_partners_ranges(truth, guess, pairs, self.parameters)
        rows = paired_rows(
            self.case,
            Guess(guess, self.centers.offset),
            [main],
            partner=pairs,
            protocol=ONE_JOINT,
            parameters=self.parameters,
        )
        return rows, None if partner is None else guess.joints[partner].name
