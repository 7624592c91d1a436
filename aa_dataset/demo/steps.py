# SPDX-License-Identifier: Apache-2.0
"""The five steps of ``aa demo``: load, pose, predict, score, and a page that explains the scores.

Every step returns the call that it made, as a user would write it, and what came out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aa_dataset.dataset import Dataset
from aa_dataset.files import write_document
from aa_dataset.format.layout import DEMO_NAME
from aa_dataset.load import describe, load_dataset
from aa_dataset.objects import ArticulatedObject
from aa_dataset.score.baselines import Options, write_baseline
from aa_dataset.score.baselines.folder import require_free
from aa_dataset.score.evaluate import Plan, evaluate_into
from aa_dataset.score.explain.run import result_page
from aa_dataset.score.method import find_method
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.result.record import Result
from aa_dataset.score.result.scores import ALL_JOINTS
from aa_dataset.score.result.statistics import HEADLINE, OF_OBJECTS, RATE

SPLIT, BASELINE, SIGMA = "eval200", "noise", 0.1
# A category of which the demo has one object to train on and one of the evaluation split.
SHOWN = "safe"
SHARE = 0.5  # of the range to which joints are moved
TURN = math.pi  # instead of a range without end [rad]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its name, the call of Python, what came out, the files that it wrote."""

    name: str
    call: str
    lines: tuple[str, ...]
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Desk:
    """The folder of a demo: every path that it writes."""

    root: Path

    @property
    def predictions(self) -> Path:
        """What the baseline predicts."""
        return self.root / "predictions"

    @property
    def result(self) -> Path:
        """Tables and summary of the scores."""
        return self.root / "result"

    @property
    def page(self) -> Path:
        """The page that explains every object."""
        return self.root / "scores.html"


def walk(folder: Path) -> Iterator[Step]:
    """Yield the five steps as they are done; `folder` must be absent or empty."""
    require_free(folder)
    dataset = load_dataset(DEMO_NAME, verbose=False)
    yield _load_step(dataset)
    evaluation = dataset.split(SPLIT)
    yield _pose_step(evaluation.filter(category=SHOWN)[0])
    folder.mkdir(exist_ok=True)
    desk = Desk(folder)
    yield _predict_step(evaluation, desk)
    result = _score(evaluation, desk)
    yield _score_step(result, desk)
    yield _page_step(result, evaluation, desk)


def _load_step(dataset: Dataset) -> Step:
    counts = {kind: number for kind, number in dataset.joint_counts().items() if number}
    return Step(
        "load",
        f'dataset = load_dataset("{DEMO_NAME}")',
        (
            *describe(dataset),
            f"categories: {_listed(dataset.categories)}",
            f"joints: {_listed(counts)}",
            f"splits: {_listed(dataset.splits)}",
        ),
    )


def _pose_step(item: ArticulatedObject) -> Step:
    """Move every joint to the middle of its range and tell how far its link went."""
    state = {}
    for joint in item.joints:
        lower, upper = (end if math.isfinite(end) else TURN for end in joint.limits)
        state[joint.name] = round(lower + SHARE * (upper - lower), 3)
    placements = item.pose(state)
    lines = [f"{item.object_id}: {item.name}, {len(state)} joints at half of their range"]
    for joint in item.joints:
        angle, way = _moved(placements[joint.child], item, joint.child)
        unit = "m" if joint.type.value == "prismatic" else "rad"
        lines.append(
            f"{joint.name} ({joint.type.value}) = {state[joint.name]} {unit}: {joint.child} turns "
            f"by {math.degrees(angle):.1f} degrees, its center moves by {way:.3f} m"
        )
    call = f'item = dataset["{item.object_id}"]; placements = item.pose({state})'
    return Step("pose", call, tuple(lines))


def _moved(
    placement: NDArray[np.float64], item: ArticulatedObject, link: str
) -> tuple[float, float]:
    """Return angle [rad] and way of the center [m] of a link, from its displacement (4, 4)."""
    turn = placement[:3, :3]
    angle = math.acos(min(1.0, max(-1.0, (float(turn.trace()) - 1) / 2)))
    lower, upper = item.link_boxes[link]
    center = (lower + upper) / 2
    way = turn @ center + placement[:3, 3] - center
    return angle, float(np.linalg.norm(way))


def _predict_step(dataset: Dataset, desk: Desk) -> Step:
    options = Options(sigma=SIGMA)
    count = write_baseline(BASELINE, dataset, desk.predictions, options=options)
    lines = (
        f"{count} predictions: the truth with noise of {SIGMA:g} on axes, origins and ranges. A "
        "method writes one joints.json or URDF per object in its place.",
    )
    call = (
        f'write_baseline("{BASELINE}", dataset.split("{SPLIT}"), Path("{desk.predictions}"), '
        f"options=Options(sigma={SIGMA:g}))"
    )
    return Step("predict", call, lines, (desk.predictions,))


def _score(dataset: Dataset, desk: Desk) -> Result:
    """Score in this process; a dozen joints need no other."""
    predictions = open_predictions(desk.predictions)
    method = find_method(desk.predictions, None)
    plan = Plan(dataset, predictions, Parameters(), method)
    return evaluate_into(desk.result, plan)[0]


def _score_step(result: Result, desk: Desk) -> Step:
    rows = (
        ("E_B, mean over joints", "e_b", HEADLINE, " m"),
        ("E_alpha^phi, mean over joints", "e_alpha_phi", HEADLINE, ""),
        ("E_alpha^phi tree, mean over objects", "e_alpha_phi_tree", OF_OBJECTS, ""),
        ("success, share of joints", "parallel_safe_success", RATE, ""),
    )
    lines = [f"{result.method.name}, {result.per_object.num_rows} objects; the truth scores 0"]
    for name, score, statistic, unit in rows:
        protocol = "" if statistic == OF_OBJECTS else ALL_JOINTS
        found = result.summary.find(score, statistic, protocol=protocol)
        if found is not None:
            text = f"{found.estimate:.3f} [{found.low:.3f}, {found.high:.3f}]{unit}"
            lines.append(f"{name:<36} {text}")
    call = f'evaluate(dataset.split("{SPLIT}"), open_predictions(Path("{desk.predictions}")))'
    return Step("score", call, tuple(lines), (desk.result,))


def _page_step(result: Result, dataset: Dataset, desk: Desk) -> Step:
    page = result_page(result, dataset, open_predictions(desk.predictions))
    size = write_document(desk.page, page)
    lines = (
        f"{desk.page}: {size:,} bytes, every object with its joints, worst first. Open it in a "
        "browser; it loads nothing from elsewhere.",
    )
    call = f"aa score {desk.predictions} --library {DEMO_NAME} --split {SPLIT} --html {desk.page}"
    return Step("page", call, lines, (desk.page,))


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counts.items())
