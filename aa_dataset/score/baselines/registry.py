# SPDX-License-Identifier: Apache-2.0
"""All baselines by name, and what each may know."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from aa_dataset.dataset import Dataset
from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.baselines.corrupted import drop, noise, spurious, wrong_type
from aa_dataset.score.baselines.encodings import rewritten
from aa_dataset.score.baselines.folder import write_predictions
from aa_dataset.score.baselines.priors import Examples, mean_joint, nearest
from aa_dataset.score.baselines.shapes import KnownShape, one_part_tree, with_changed_joints
from aa_dataset.score.method import Method

NOTHING = "nothing"
TRUTH = "the ground truth"
PRIOR = "category and bounding box of the object, joints of the split train"
REFERENCE = "docs/baselines.md"
MOST_SIGMA, MOST_COUNT = 1000.0, 500


@dataclass(frozen=True, slots=True)
class Options:
    """Numbers of a baseline.

    Attributes
    ----------
    seed : int
        Chooses random directions, joints and encodings.
    sigma : float
        Size of the noise: rad, shares of the diagonal, shares of the range.
    count : int
        Joints to drop or to add.
    """

    seed: int = 0
    sigma: float = 0.1
    count: int = 1

    def __post_init__(self) -> None:
        if not (math.isfinite(self.sigma) and 0 <= self.sigma <= MOST_SIGMA):
            raise ArenaError(f"sigma is {self.sigma}; choose a number from 0 to {MOST_SIGMA:g}.")
        if not 0 <= self.count <= MOST_COUNT:
            raise ArenaError(f"the count is {self.count}; choose a number from 0 to {MOST_COUNT}.")


Guess = Callable[[KinematicTree, KnownShape, Options], KinematicTree]
Prior = Callable[[KnownShape, Examples], KinematicTree]


@dataclass(frozen=True, slots=True)
class Baseline:
    """One baseline; exactly one of `from_truth` and `from_train` is set.

    Attributes
    ----------
    name, text : str
        As in ``aa baseline NAME``, and one phrase.
    option : str
        Field of `Options` that is part of its label, empty if none.
    from_truth : callable or None
        Predicts from the ground truth.
    from_train : callable or None
        Predicts from the shape and the objects of ``train``; the truth is never read.
    """

    name: str
    text: str
    option: str = ""
    from_truth: Guess | None = None
    from_train: Prior | None = None

    def label(self, options: Options) -> str:
        """Return the name with its option, such as ``noise 0.1``."""
        return f"{self.name} {getattr(options, self.option):g}" if self.option else self.name

    def method(self, options: Options) -> Method:
        """Return what `method.json` says about the predictions."""
        uses_truth = self.from_truth is not None
        inputs = TRUTH if uses_truth else PRIOR if self.name != "null" else NOTHING
        return Method(self.label(options), REFERENCE, inputs, uses_truth=uses_truth)

    def predictions(
        self, dataset: Dataset, options: Options
    ) -> Iterator[tuple[str, KinematicTree]]:
        """Yield id and predicted tree of every object."""
        if self.from_train is not None:
            examples = Examples(dataset)
            for item in dataset:
                yield item.object_id, self.from_train(KnownShape.of(item), examples)
        elif self.from_truth is not None:
            for item in dataset:
                yield item.object_id, self.from_truth(item.tree, KnownShape.of(item), options)
        else:
            for item in dataset:
                yield item.object_id, one_part_tree(KnownShape.of(item), None)


BASELINES: tuple[Baseline, ...] = (
    Baseline(
        "ground-truth",
        "the truth itself",
        from_truth=lambda tree, shape, options: with_changed_joints(tree, lambda joint: joint),
    ),
    Baseline(
        "rewritten",
        "the same motions in another encoding",
        from_truth=lambda tree, shape, options: rewritten(tree, shape, options.seed),
    ),
    Baseline("null", "everything welded"),
    Baseline("mean-joint", "the mean main joint of the category", from_train=mean_joint),
    Baseline(
        "nearest",
        "the joints of the object of the category with the closest proportions",
        from_train=nearest,
    ),
    Baseline(
        "noise",
        "the truth with noise on axes, origins and ranges",
        option="sigma",
        from_truth=lambda tree, shape, options: noise(
            tree, shape, sigma=options.sigma, seed=options.seed
        ),
    ),
    Baseline(
        "drop",
        "the truth without some joints",
        option="count",
        from_truth=lambda tree, shape, options: drop(
            tree, shape, count=options.count, seed=options.seed
        ),
    ),
    Baseline(
        "spurious",
        "the truth with some hinges more",
        option="count",
        from_truth=lambda tree, shape, options: spurious(
            tree, shape, count=options.count, seed=options.seed
        ),
    ),
    Baseline(
        "wrong-type",
        "the truth with hinges and slides exchanged",
        from_truth=lambda tree, shape, options: wrong_type(tree, shape),
    ),
)


def by_name(name: str) -> Baseline:
    """Return a baseline; an unknown name raises `ArenaError` with the known ones."""
    for baseline in BASELINES:
        if baseline.name == name:
            return baseline
    known = ", ".join(baseline.name for baseline in BASELINES)
    raise ArenaError(f"there is no baseline {name!r}. Choose from {known}.")


def write_baseline(
    name: str,
    dataset: Dataset,
    folder: Path,
    *,
    options: Options | None = None,
    form: str = "joints",
) -> int:
    """Write the predictions of a baseline for every object; return their number.

    Parameters
    ----------
    name : str
        One of `BASELINES`.
    dataset : Dataset
        The objects to predict. Baselines that learn use the split ``train`` of its library.
    folder : Path
        Absent or empty.
    options : Options, optional
        Seed, size of the noise, number of joints.
    form : {"joints", "urdf"}
        Write ``joints.json`` or ``object.urdf``.
    """
    baseline, options = by_name(name), options or Options()
    trees = baseline.predictions(dataset, options)
    return write_predictions(folder, trees, baseline.method(options), form)
