# SPDX-License-Identifier: Apache-2.0
"""The registration of one prediction: a similarity and a rest configuration, with their source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree

if TYPE_CHECKING:  # readers import this module
    from aa_dataset.score.readers.prediction import MethodPrediction


class RegistrationSource(StrEnum):
    """Where a registration comes from."""

    IDENTITY = "identity"  # the prediction is taken to be in the object frame
    SAVED = "saved"  # the method saved it
    INPUTS = "inputs"  # how the method normalizes the mesh that it was given
    FILE = "file"  # a `registration.json` beside the prediction
    BBOX = "bbox"  # estimated from bounding boxes
    ICP = "icp"  # estimated from surfaces


ESTIMATED = frozenset({RegistrationSource.BBOX, RegistrationSource.ICP})


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """How a prediction is brought into the object frame at rest.

    Attributes
    ----------
    source : RegistrationSource
        Where the similarity comes from.
    similarity : Similarity
        From the method's frame to the object frame [m].
    rest : mapping of joint name to float [rad or m]
        Coordinates of the prediction's joints, in the method's unit, in which the object is in the
        ground truth's rest state; missing joints are at 0.
    residual : float or None [m]
        What is left between the shapes after an estimate.
    runner_up : float or None [m]
        The residual of the best estimate with clearly other axes.
    is_ambiguous : bool
        Whether the runner-up is so close that the estimate may be wrong.
    uses_truth : bool
        Whether the ground truth was used.
    """

    source: RegistrationSource
    similarity: Similarity = field(default_factory=Similarity)
    rest: Mapping[str, float] = field(default_factory=dict)
    residual: float | None = None
    runner_up: float | None = None
    is_ambiguous: bool = False
    uses_truth: bool = False

    @property
    def is_identity(self) -> bool:
        """Whether nothing moves."""
        return self.similarity.is_identity and not any(self.rest.values())


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What a `registration.json` states: a similarity, a rest configuration, or both."""

    similarity: Similarity | None = None
    rest: Mapping[str, float] = field(default_factory=dict)


IDENTITY = Registration(RegistrationSource.IDENTITY)


class Registrar(Protocol):
    """Decides the registration of predictions."""

    label: str

    def registration(
        self, object_id: str, prediction: MethodPrediction, given: Given | None
    ) -> Registration:
        """Return the registration of one prediction, or raise `ArenaError` with a sentence.

        Parameters
        ----------
        object_id : str
            The object.
        prediction : MethodPrediction
            What its files state.
        given : Given or None
            What the `registration.json` beside it states.
        """
        ...

    def digest(self, object_id: str) -> str:
        """Return a digest of what is read for an object besides its prediction."""
        ...


class Identity:
    """Takes every prediction as it is."""

    label = "identity"

    def registration(
        self, object_id: str, prediction: MethodPrediction, given: Given | None
    ) -> Registration:
        """Return the identity."""
        return IDENTITY

    def digest(self, object_id: str) -> str:
        """Return nothing: nothing else is read."""
        return ""


def registered(prediction: MethodPrediction, registration: Registration) -> KinematicTree:
    """Return the tree of a prediction in the object frame at rest."""
    tree = prediction.tree.reanchored(registration.rest) if registration.rest else prediction.tree
    return registration.similarity.tree(tree)
