# SPDX-License-Identifier: Apache-2.0
"""Registration by the truth's box or shape, where nothing is stated."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from aa_dataset.dataset import Dataset
from aa_dataset.portable import applied, length
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.prediction import MethodPrediction
from aa_dataset.score.readers.shapes import joined_box
from aa_dataset.score.registration.bbox import Box, estimate_box
from aa_dataset.score.registration.icp import Estimate, estimate
from aa_dataset.score.registration.record import Given, Registration, RegistrationSource
from aa_dataset.score.registration.stated import Stated, stated_rest
from aa_dataset.score.registration.surface import surface_of
from aa_dataset.score.truth_shape import object_triangles

Array = NDArray[np.float64]


class Estimated:
    """Takes what is stated; what is not, it estimates from the truth.

    Parameters
    ----------
    source : RegistrationSource
        ``bbox`` or ``icp``.
    stated : Stated
        What is stated.
    dataset : Dataset
        The objects with their shapes.
    """

    def __init__(self, source: RegistrationSource, stated: Stated, dataset: Dataset):
        self.label = source.value
        self._source, self._stated, self._dataset = source, stated, dataset

    def registration(
        self, object_id: str, prediction: MethodPrediction, given: Given | None
    ) -> Registration:
        """Return the stated registration, else an estimate; without a shape what is stated."""
        if self._stated.similarity(object_id, prediction, given) is not None:
            return self._stated.registration(object_id, prediction, given)
        rest = stated_rest(prediction, given)
        found = self._estimate(object_id, prediction, rest)
        if found is None:
            return self._stated.registration(object_id, prediction, given)
        return Registration(
            self._source,
            found.similarity,
            rest,
            found.residual,
            found.runner_up,
            found.is_ambiguous,
            uses_truth=True,
        )

    def digest(self, object_id: str) -> str:
        """Return the digest of the object's `inputs.json`; the truth is part of the run's key."""
        return self._stated.digest(object_id)

    def _estimate(
        self, object_id: str, prediction: MethodPrediction, rest: Mapping[str, float]
    ) -> Estimate | None:
        """Return an estimate, None for a prediction without a shape."""
        item = self._dataset[object_id]
        if self._source is RegistrationSource.BBOX:
            box = predicted_box(prediction, rest)
            return None if box is None else estimate_box(box, (-item.extents / 2, item.extents / 2))
        triangles = rest_triangles(prediction, rest)
        if not len(triangles):
            return None
        truth = surface_of(np.concatenate(list(object_triangles(item).values())))
        return estimate(surface_of(triangles), truth, float(length(item.extents)))


def rest_triangles(prediction: MethodPrediction, rest: Mapping[str, float]) -> Array:
    """Return the triangles (n, 3, 3) of a prediction at rest, in the method's frame and unit."""
    shapes = prediction.triangles()
    placed = prediction.tree.placements(rest)
    moved = [
        applied(placed[link][:3, :3], corners.reshape(-1, 3)) + placed[link][:3, 3]
        for link, corners in shapes.items()
        if link in placed
    ]
    return np.concatenate([np.zeros((0, 3)), *moved]).reshape(-1, 3, 3)


def predicted_box(prediction: MethodPrediction, rest: Mapping[str, float]) -> Box | None:
    """Return the box of a prediction at rest, None without a shape of every visible link."""
    triangles = rest_triangles(prediction, rest)
    if len(triangles):
        corners = triangles.reshape(-1, 3)
        return corners.min(axis=0), corners.max(axis=0)
    if prediction.boxes is None or any(rest.values()):
        return None
    found = prediction.boxes()
    if found.unknown:
        raise PredictionError("a link has a shape of an unknown size, so there is no box.")
    return joined_box(list(found.boxes.values())) if found.boxes else None
