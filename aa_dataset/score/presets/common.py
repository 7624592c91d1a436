# SPDX-License-Identifier: Apache-2.0
"""What all presets share: pairs of joints, columns with units, averages, small formulas.

A preset computes what the evaluation code of one project reports, mistakes included. The formulas
are facts about that code; nothing of it is copied. Numbers are IEEE doubles, while several projects
use single precision, so the last digits differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from aa_dataset.kinematics.joints import Joint, JointType

Vector = tuple[float, float, float]
# Values of one pair by name. None: the project reports nothing. An absent name does not apply.
Values = dict[str, float | None]

ROTATIONS = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.HELICAL)


@dataclass(frozen=True, slots=True, eq=False)
class JointPair:
    """A truth joint and its partner, both in the object frame.

    Attributes
    ----------
    object_id : str
        The object.
    truth : Joint
        Never fixed.
    predicted : Joint or None
        None if the prediction has no partner.
    part_diagonal : float [m]
        Diagonal of the box around the part that the truth joint moves, nan if unknown.
    frame_rotation : float [rad]
        Angle between the two joint frames. Kinematic trees have no joint frames, so scoring
        leaves it 0.
    """

    object_id: str
    truth: Joint
    predicted: Joint | None
    part_diagonal: float = math.nan
    frame_rotation: float = 0.0


class Average(StrEnum):
    """How a project turns the values of many pairs into one number."""

    MEAN = "mean over pairs"
    MEDIAN = "median over pairs"
    DEVIATION = "standard deviation over pairs, divisor n"
    OBJECTS = "mean over objects of the mean over their pairs"
    PREDICTIONS = "sum over pairs, divided by the number of predicted joints"


@dataclass(frozen=True, slots=True)
class Column:
    """One number that a project reports.

    Attributes
    ----------
    key : str
        Its name in reports.
    unit : str
        ``deg``, ``rad``, ``m``, ``1`` or a combination.
    meaning : str
        One phrase.
    value : str
        Name of the value per pair; `key` if empty.
    average : Average
        How values become one number.
    digits : int or None
        Decimals to which the project rounds, None if it does not.
    """

    key: str
    unit: str
    meaning: str
    value: str = ""
    average: Average = Average.MEAN
    digits: int | None = None


@dataclass(frozen=True, slots=True)
class PresetRow:
    """One number of a report.

    Attributes
    ----------
    column : Column
        What it is.
    number : float
        nan if there is no value, or if an undefined value spoils the mean as in the project.
    count : int
        Values that it is the average of.
    undefined : int
        Values that are nan by the project's formula.
    silent : int
        Pairs of this kind for which the project reports nothing.
    """

    column: Column
    number: float
    count: int
    undefined: int
    silent: int


@dataclass(frozen=True, slots=True)
class Preset:
    """The evaluation of one project.

    Attributes
    ----------
    name : str
        As in ``aa score --preset NAME``.
    project, reference : str
        The project, and the file of its repository or the page that has the formulas.
    protocol : str
        ``one-joint`` if the project scores one joint per object, else ``all-joints``.
    columns : tuple of Column
        What it reports.
    quirks : tuple of str
        Sentences on where its numbers mislead.
    measure : callable
        Returns the values of every pair, in order.
    drops_undefined : bool
        Whether nan is left out of averages. Otherwise one nan makes an average nan.
    """

    name: str
    project: str
    reference: str
    protocol: str
    columns: tuple[Column, ...]
    quirks: tuple[str, ...]
    measure: Callable[[Sequence[JointPair]], list[Values]]
    drops_undefined: bool = False

    def compute(self, pairs: Sequence[JointPair], *, spurious: int = 0) -> tuple[PresetRow, ...]:
        """Return every number of the project's report.

        Parameters
        ----------
        pairs : sequence of JointPair
            One per truth joint of the protocol.
        spurious : int
            Predicted joints without a partner, over all objects.
        """
        values = self.measure(pairs)
        found = sum(pair.predicted is not None for pair in pairs)
        return tuple(self._row(column, pairs, values, found + spurious) for column in self.columns)

    def _row(
        self, column: Column, pairs: Sequence[JointPair], values: list[Values], predictions: int
    ) -> PresetRow:
        name = column.value or column.key
        kept: list[tuple[str, float]] = []
        silent = 0
        for pair, value in zip(pairs, values, strict=True):
            if name not in value:
                continue
            number = value[name]
            if number is None:
                silent += 1
            else:
                kept.append((pair.object_id, number))
        undefined = sum(math.isnan(number) for _, number in kept)
        if self.drops_undefined:
            kept = [item for item in kept if not math.isnan(item[1])]
        number = _averaged(kept, column.average, predictions)
        if column.digits is not None:
            number = round(number, column.digits)
        return PresetRow(column, number, len(kept), undefined, silent)


def _averaged(items: list[tuple[str, float]], average: Average, predictions: int) -> float:
    numbers = [number for _, number in items]
    if not numbers or any(map(math.isnan, numbers)):
        return math.nan
    if average is Average.PREDICTIONS:
        return math.fsum(numbers) / predictions
    if average is Average.OBJECTS:
        groups: dict[str, list[float]] = {}
        for object_id, number in items:
            groups.setdefault(object_id, []).append(number)
        return mean([mean(group) for group in groups.values()])
    if average is Average.MEDIAN:
        return _median(numbers)
    center = mean(numbers)
    if average is Average.DEVIATION:
        return math.sqrt(mean([(number - center) * (number - center) for number in numbers]))
    return center


def mean(numbers: list[float]) -> float:
    """Return the mean of at least one number; infinite if one of them is."""
    if any(map(math.isinf, numbers)):
        return math.inf
    return math.fsum(numbers) / len(numbers)


def _median(numbers: list[float]) -> float:
    ordered, half = sorted(numbers), len(numbers) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


# --- formulas -------------------------------------------------------------------------------------


def is_rotation(joint: Joint) -> bool:
    """Return whether a joint turns; projects know hinges and slides only."""
    return joint.type in ROTATIONS


def state_change(joint: Joint) -> float | None:
    """Return the joint coordinate of the end of the range that is farther from rest [rad or m].

    Projects that observe two states start at rest; their predictions have one limit 0. Of two ends
    equally far away it is the upper one. None for an unbounded joint, which has no such end.
    """
    if not (math.isfinite(joint.lower) and math.isfinite(joint.upper)):
        return None
    return joint.upper if abs(joint.upper) >= abs(joint.lower) else joint.lower


def vector(values: Iterable[float]) -> Vector:
    """Return three numbers as a tuple, for example an axis."""
    x, y, z = (float(value) for value in values)
    return x, y, z


def minus(a: Vector, b: Vector) -> Vector:
    """Return ``a - b``."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def plus(a: Vector, b: Vector) -> Vector:
    """Return ``a + b``."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def times(a: Vector, factor: float) -> Vector:
    """Return ``factor * a``."""
    return a[0] * factor, a[1] * factor, a[2] * factor


def dot(a: Vector, b: Vector) -> float:
    """Return the inner product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Return the cross product."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def norm(a: Vector) -> float:
    """Return the Euclidean length as the root of the sum of squares."""
    return math.sqrt(dot(a, a))


def arccos(cosine: float) -> float:
    """Return the angle [rad] of a cosine, nan outside [-1, 1] as numpy and PyTorch do."""
    return math.acos(cosine) if -1.0 <= cosine <= 1.0 else math.nan


def axis_angle(a: Vector, b: Vector) -> float:
    """Return the angle between two lines [rad], pi/2 if one direction is zero."""
    sizes = norm(a) * norm(b)
    return math.acos(min(1.0, abs(dot(a, b)) / sizes)) if sizes > 0 else math.pi / 2


def line_distance(
    points: tuple[Vector, Vector], axes: tuple[Vector, Vector], *, parallel: float
) -> float:
    """Return the distance of two lines [m] by the formula of several projects.

    For axes whose cross product has no entry above `parallel`, the common normal is replaced by one
    arbitrary perpendicular, ``axis x (1, 0, 0)``. The result is then one component of the distance.
    It is nan for the axis ``(-1, 0, 0)``, because that code compares with ``(1, 0, 0)`` only.

    Parameters
    ----------
    points : pair of Vector [m]
        A point of the predicted and of the true axis.
    axes : pair of Vector
        Predicted and true direction.
    parallel : float
        Tolerance of every entry.
    """
    predicted, truth = axes
    normal = cross(predicted, truth)
    if max(map(abs, normal)) <= parallel:
        x, y, z = predicted
        along_x = abs(x - 1.0) <= parallel + 1e-5 and max(abs(y), abs(z)) <= parallel
        normal = cross(truth, (0.0, 1.0, 0.0)) if along_x else cross(predicted, (1.0, 0.0, 0.0))
    size = norm(normal)
    return abs(dot(minus(*points), normal)) / size if size > 0 else math.nan
