# SPDX-License-Identifier: Apache-2.0
"""The registration that is stated for a prediction; the truth is not used."""

from __future__ import annotations

from collections.abc import Mapping

from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.score.readers.prediction import MethodPrediction
from aa_dataset.score.registration.inputs import Inputs
from aa_dataset.score.registration.normalization import normalizing
from aa_dataset.score.registration.record import IDENTITY, Given, Registration, RegistrationSource

Found = tuple[RegistrationSource, Similarity]


class Stated:
    """Takes what is stated, the first of: saved by the method, `inputs.json`, `registration.json`.

    Parameters
    ----------
    inputs : Inputs, optional
        Size and place of the meshes that the method was given.
    """

    label = "stated"

    def __init__(self, inputs: Inputs | None = None):
        self._inputs = inputs or Inputs()

    def registration(
        self, object_id: str, prediction: MethodPrediction, given: Given | None
    ) -> Registration:
        """Return the stated registration; the identity if nothing is stated."""
        found, rest = self.similarity(object_id, prediction, given), stated_rest(prediction, given)
        if found is not None:
            return Registration(*found, rest)
        if not any(rest.values()):
            return IDENTITY
        by_file = not any(prediction.rest.values())
        source = RegistrationSource.FILE if by_file else RegistrationSource.SAVED
        return Registration(source, rest=rest)

    def similarity(
        self, object_id: str, prediction: MethodPrediction, given: Given | None
    ) -> Found | None:
        """Return the stated similarity with its source, None if none is stated."""
        frame = self._inputs.frame(object_id)
        if prediction.saved is not None:
            saved = prediction.saved if frame is None else frame.after(prediction.saved)
            return RegistrationSource.SAVED, saved
        if prediction.in_input_frame and frame is not None:
            return RegistrationSource.INPUTS, frame
        if prediction.normalization is not None:
            shape = self._inputs.shape(object_id)
            if shape is not None:
                back = normalizing(prediction.normalization, shape).inverse()
                return RegistrationSource.INPUTS, back
        if given is not None and given.similarity is not None:
            return RegistrationSource.FILE, given.similarity
        return None

    def digest(self, object_id: str) -> str:
        """Return the digest of the object's `inputs.json`."""
        return self._inputs.digest(object_id)


def stated_rest(prediction: MethodPrediction, given: Given | None) -> Mapping[str, float]:
    """Return the rest configuration; joint by joint, what the method saved comes first."""
    return {**({} if given is None else given.rest), **prediction.rest}
