# SPDX-License-Identifier: Apache-2.0
"""Registration of a predicted shape to the true one: rotation, scale and translation.

Both surfaces are brought to their center and size. Rotations of the axes onto the axes, of the
principal axes onto each other, and a grid of all rotations are compared roughly. The best that
differ clearly are refined: distances between samples of either surface and the other one are made
small, by Gauss-Newton steps over the seven numbers of a similarity, without the worst tenth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.portable import applied, dot, length, product, quaternion_rotation
from aa_dataset.score.registration.solve import solve_damped
from aa_dataset.score.registration.surface import Nearest, TriangleSurface
from aa_dataset.score.registration.turns import axis_turns, composed, cosines, turn_grid

Array = NDArray[np.float64]

CLEARLY = math.cos(math.pi / 12)  # cosine of the angle between clearly different rotations
CLOSE = 1.05  # a runner-up with at most so many times the residual is as good
ALIKE = 1e-3  # of the diagonal: shapes that differ by less are alike
KEPT = 0.9  # share of the pairs that decide a step
_SEEDS = 1, 2  # of the samples of the truth and of the prediction


@dataclass(frozen=True, slots=True)
class Stage:
    """How finely candidates are refined: points per surface, triangles per point, steps."""

    candidates: int
    points: int
    among: int
    steps: int


ROUGH = 80  # points per surface in the comparison of all starts
FIRST, SECOND, LAST = Stage(14, 120, 4, 5), Stage(5, 500, 8, 14), Stage(1, 1500, 16, 5)


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """The best similarity, its residual [m], and the residual of the best with other axes [m]."""

    similarity: Similarity
    residual: float
    runner_up: float | None
    is_ambiguous: bool


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """A similarity between the normalized surfaces, and the mean square of the pairs it leaves."""

    turn: Array
    scale: float = 1.0
    shift: Array = field(default_factory=lambda: np.zeros(3))
    cost: float = np.inf

    def points(self, points: Array) -> Array:
        """Return points (n, 3) of the prediction on the side of the truth."""
        return np.asarray(self.scale * applied(self.turn, points) + self.shift)

    def back(self, points: Array) -> Array:
        """Return points (n, 3) of the truth on the side of the prediction."""
        return applied(self.turn.T, points - self.shift) / self.scale

    def moved(self, step: Array) -> Pose:
        """Return the pose after a step (7,): turn, growth, shift."""
        small = quaternion_rotation((1.0, *(step[:3] / 2).tolist()))
        growth = float(np.clip(1 + step[3], 0.5, 2.0))
        turned = growth * applied(small, self.shift) + step[4:]
        return Pose(product(small, self.turn), growth * self.scale, turned)


def estimate(prediction: TriangleSurface, truth: TriangleSurface, diagonal: float) -> Estimate:
    """Return the similarity that brings a predicted surface onto the true one.

    Parameters
    ----------
    prediction, truth : TriangleSurface
        The shapes in their frames.
    diagonal : float [m]
        Diagonal of the true object's box.
    """
    pair = _Pair(
        Nearest(prediction.normalized(), _SEEDS[1]), Nearest(truth.normalized(), _SEEDS[0])
    )
    poses = [Pose(turn) for turn in _distinct(*_starts(prediction, truth, pair), FIRST.candidates)]
    poses = _best([pair.refined(pose, FIRST) for pose in poses], SECOND.candidates)
    poses = [pair.refined(pose, SECOND) for pose in poses]
    residuals = [truth.radius * pair.residual(pose) for pose in poses]
    best = min(range(len(poses)), key=residuals.__getitem__)
    angles = cosines(np.array([pose.turn for pose in poses]), poses[best].turn)
    others = [one for one, angle in zip(residuals, angles, strict=True) if angle < CLEARLY]
    runner_up = min(others, default=None)
    pose = pair.refined(poses[best], LAST)
    residual = truth.radius * pair.residual(pose)
    # The last steps leave out the worst pairs, so the residual of all can grow by them.
    most = CLOSE * max(residual, residuals[best]) + ALIKE * diagonal
    is_close = runner_up is not None and runner_up <= most
    return Estimate(_similarity(pose, prediction, truth), residual, runner_up, is_close)


def _similarity(pose: Pose, prediction: TriangleSurface, truth: TriangleSurface) -> Similarity:
    """Return a pose between the normalized surfaces as a map between the frames."""
    scale = pose.scale * truth.radius / prediction.radius
    shift = truth.center + truth.radius * pose.shift
    return Similarity(scale, pose.turn, shift - scale * applied(pose.turn, prediction.center))


def _starts(
    prediction: TriangleSurface, truth: TriangleSurface, pair: _Pair
) -> tuple[Array, Array]:
    """Return rotations (n, 3, 3) to start from, and how far each is off, roughly."""
    turns = composed(axis_turns(), prediction.principal_axes.T[None])
    turns = composed(truth.principal_axes[None], turns)
    turns = np.concatenate([axis_turns(), turns, turn_grid()])
    return turns, pair.rough_costs(turns)


def _distinct(turns: Array, costs: Array, count: int) -> Array:
    """Return the best rotations that differ clearly from each other, best first."""
    order = np.argsort(costs, kind="stable")
    chosen: list[Array] = []
    for turn in turns[order]:
        if not chosen or (cosines(np.array(chosen), turn) < CLEARLY).all():
            chosen.append(turn)
        if len(chosen) == count:
            break
    return np.array(chosen)


def _best(poses: list[Pose], count: int) -> list[Pose]:
    """Return the best poses, each with a rotation of its own."""
    poses = sorted(poses, key=lambda pose: pose.cost)
    chosen: list[Pose] = []
    for pose in poses:
        if (
            not chosen
            or (cosines(np.array([one.turn for one in chosen]), pose.turn) < CLEARLY).all()
        ):
            chosen.append(pose)
    return chosen[:count]


class _Pair:
    """Two normalized surfaces, and the distances between them."""

    def __init__(self, prediction: Nearest, truth: Nearest):
        self._prediction, self._truth = prediction, truth

    def rough_costs(self, turns: Array) -> Array:
        """Return mean squared distances (n,) of few points after rotations (n, 3, 3)."""
        ours, theirs = _some(self._truth.points, ROUGH), _some(self._prediction.points, ROUGH)
        forth = applied(turns[:, None].repeat(ROUGH, 1), np.tile(theirs, (len(turns), 1, 1)))
        back = applied(
            turns.transpose(0, 2, 1)[:, None].repeat(ROUGH, 1), np.tile(ours, (len(turns), 1, 1))
        )
        gaps = np.concatenate(
            [self._truth.rough_distances(forth), self._prediction.rough_distances(back)], axis=1
        )
        return np.asarray((gaps * gaps).sum(axis=1))

    def refined(self, pose: Pose, stage: Stage) -> Pose:
        """Return a pose after at most so many steps; a step that does not help is damped."""
        rows, gaps, cost = self._system(pose, stage)
        pose, damping = replace(pose, cost=cost), 1e-3
        for _ in range(stage.steps):
            step = solve_damped(rows, gaps, damping)
            if float(np.abs(step).max()) < 1e-12:
                break
            moved = pose.moved(step)
            system = self._system(moved, stage)
            if system[2] < pose.cost:
                rows, gaps, cost = system
                pose, damping = replace(moved, cost=cost), damping / 10
            else:
                damping *= 30
        return pose

    def residual(self, pose: Pose) -> float:
        """Return the root mean square distance, both ways alike."""
        gaps, _, _ = self._gaps(pose, LAST.points, LAST.among)
        return float(np.sqrt(dot(gaps, gaps).sum() / len(gaps)))

    def _system(self, pose: Pose, stage: Stage) -> tuple[Array, Array, float]:
        """Return the linear equations (k, 7), (k,) of the kept pairs, and their mean square."""
        gaps, normals, points = self._gaps(pose, stage.points, stage.among)
        squares = dot(gaps, gaps)
        kept = np.argsort(squares, kind="stable")[: int(KEPT * len(squares))]
        gaps, normals, points = gaps[kept], normals[kept], points[kept]
        away = length(gaps)
        far = away > 1e-9
        directions = np.where(far[:, None], gaps / np.where(far, away, 1.0)[:, None], normals)
        rows = np.column_stack([np.cross(points, directions), dot(points, directions), directions])
        return rows, dot(gaps, directions), float(squares[kept].sum() / len(kept))

    def _gaps(self, pose: Pose, count: int, among: int) -> tuple[Array, Array, Array]:
        """Return gaps, normals and moved points of the prediction, (2 n, 3): pairs both ways."""
        theirs, ours = _some(self._prediction.points, count), _some(self._truth.points, count)
        moved = pose.points(theirs)
        on_truth, normals = self._truth.closest(moved, among)
        on_prediction, back = self._prediction.closest(pose.back(ours), among)
        reached = pose.points(on_prediction)
        gaps = np.concatenate([moved - on_truth, reached - ours])
        normals = np.concatenate([normals, applied(pose.turn, back)])
        return gaps, normals, np.concatenate([moved, reached])


def _some(points: Array, count: int) -> Array:
    """Return so many of the points, evenly chosen."""
    return points[(np.arange(count) * len(points)) // count]
