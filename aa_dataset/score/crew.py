# SPDX-License-Identifier: Apache-2.0
"""Scoring by several processes, with the same rows for any number of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aa_dataset.dataset import Dataset
from aa_dataset.errors import ArenaError
from aa_dataset.metric.tree.processes import Workers
from aa_dataset.score.objects import ScoredObject, score_object
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.readers import PredictionReader

# A process takes about a second to start, in which one scores as many objects.
OBJECTS_PER_WORKER = 60
MOST_WORKERS = 256
_SENT_OBJECTS = 4  # at a time: a few large objects must not wait behind each other


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """What every process needs: objects, predictions and parameters."""

    dataset: Dataset
    predictions: PredictionReader
    parameters: Parameters

    def score(self, object_id: str) -> ScoredObject:
        """Score one object."""
        return score_object(self.dataset[object_id], self.predictions, self.parameters)


def scored_objects(work: Work, object_ids: Sequence[str], workers: int) -> Iterator[ScoredObject]:
    """Yield the rows of objects in their order."""
    if workers <= 1 or len(object_ids) <= 1:
        yield from map(work.score, object_ids)
        return
    with Workers(min(workers, len(object_ids)), _begin, work) as crew:
        yield from crew.map(_score, object_ids, chunk=_SENT_OBJECTS)


def worker_count(asked: int | None, objects: int) -> int:
    """Return the number of processes: as asked, else as many as processors and objects warrant."""
    if asked is not None:
        if not 1 <= asked <= MOST_WORKERS:
            raise ArenaError(f"workers is {asked}; it must be from 1 to {MOST_WORKERS}.")
        return asked
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return max(1, min(processors, objects // OBJECTS_PER_WORKER, MOST_WORKERS))


_work: list[Work] = []


def _begin(work: Work) -> None:
    """Keep the work of this process."""
    _work[:] = [work]


def _score(object_id: str) -> ScoredObject:
    return _work[0].score(object_id)
