# SPDX-License-Identifier: Apache-2.0
"""From predictions to a result: every object of a split is scored, by one or more processes.

`evaluate` keeps the result in memory. `evaluate_into` keeps it in a folder, continues there after
an interruption, and recognizes a run that is finished.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import aa_dataset
from aa_dataset.dataset import Dataset
from aa_dataset.errors import ArenaError
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.crew import Work, scored_objects, worker_count
from aa_dataset.score.method import Method, marked
from aa_dataset.score.objects import ScoredObject
from aa_dataset.score.parameters import METRIC_VERSION, RESULT_VERSION, Parameters
from aa_dataset.score.parts import PART_OBJECTS, PartsFolder, RunPart, joined
from aa_dataset.score.readers import PredictionReader
from aa_dataset.score.result.record import (
    SUMMARY,
    DatasetFacts,
    PredictionFacts,
    Result,
    read_result,
    read_summary,
    require_summary,
    write_result,
)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is scored, and how.

    Attributes
    ----------
    dataset : Dataset
        The objects to score, ``load_dataset(..., split="eval200")``.
    predictions : PredictionReader
        The reader that `readers.open_predictions` returns. It brings trees into the object frame
        of the ground truth, if it has a registrar; else they must be there.
    parameters : Parameters
        Norm, scale and pairing; the default is the paper's. The registration is that of the reader.
    method : Method or None
        The name in tables; the default is the label of the predictions.
    by : tuple of str
        Breakdowns for the summary, see `groups.BREAKDOWNS`.
    workers : int or None
        Processes; None for as many as the machine and the split warrant. The result does not
        depend on it.
    progress : bool
        Show a progress bar on stderr.
    """

    dataset: Dataset
    predictions: PredictionReader
    parameters: Parameters
    method: Method | None = None
    by: tuple[str, ...] = ()
    workers: int | None = 1
    progress: bool = False

    def __post_init__(self) -> None:
        """State in the parameters what the reader of predictions does."""
        how = replace(self.parameters, registration=self.predictions.registration)
        object.__setattr__(self, "parameters", how)

    @property
    def marked_method(self) -> Method:
        """The method, with what the parameters impute."""
        method = self.method or Method(self.predictions.label)
        return method.with_truths_limits() if self.parameters.impute_limits == "truth" else method


def evaluate(
    dataset: Dataset,
    predictions: PredictionReader,
    *,
    parameters: Parameters | None = None,
    method: Method | None = None,
    by: Sequence[str] = (),
    workers: int | None = 1,
    progress: bool = False,
) -> Result:
    """Score predictions against a split; see `Plan` for the arguments.

    Returns
    -------
    Result
        A missing or unreadable prediction gets a row instead of an exception, and its joints are
        charged as welded.

    Raises
    ------
    PredictionError
        If there is no prediction for any object: probably the wrong folder.
    """
    parameters = parameters or Parameters()
    return evaluate_plan(
        Plan(dataset, predictions, parameters, method, tuple(by), workers, progress)
    )


def evaluate_plan(plan: Plan) -> Result:
    """Score predictions and keep the result in memory."""
    _require_any(plan)
    return _result(plan, joined(list(_parts(plan, None))))


def evaluate_into(folder: Path, plan: Plan, *, again: bool = False) -> tuple[Result, bool]:
    """Score predictions into a folder; return the result, and whether it was there already.

    Parameters
    ----------
    folder : Path
        Where the result is written. It may be new or empty, or hold a run of the same objects,
        predictions and parameters: an interrupted one continues, a finished one is read.
    plan : Plan
        What is scored.
    again : bool
        Throw away what the folder holds of another run, or of the same.
    """
    _require_any(plan)
    key = run_key(plan)
    store = PartsFolder(folder, key)
    with _explain_unwritable(folder):
        finished = _held_result(folder, store, key, again=again)
    if finished:
        method = marked(plan.marked_method, finished.per_joint, finished.per_object)
        result = replace(finished, method=method, by=plan.by)
        if (result.method, result.by) != (finished.method, finished.by):
            write_result(result, folder)
        return result, True
    with _explain_unwritable(folder):
        folder.mkdir(exist_ok=True)
        store.open()
    result = replace(_result(plan, joined(list(_parts(plan, store)))), key=key)
    write_result(result, folder)
    store.remove()
    return result, False


@contextmanager
def _explain_unwritable(folder: Path) -> Iterator[None]:
    """Turn what the system refuses in the folder of a result into a sentence."""
    try:
        yield
    except OSError as error:
        raise ArenaError(
            f"cannot write {folder} ({error.strerror}). Choose another folder for the result."
        ) from error


def run_key(plan: Plan) -> str:
    """Return the digest of everything that decides the tables of a run."""
    ids = sorted(plan.dataset.object_ids)
    held = [(name, plan.predictions.digest(name)) for name in ids if plan.predictions.has(name)]
    content = {
        "versions": [RESULT_VERSION, METRIC_VERSION, aa_dataset.__version__],
        "dataset": asdict(_dataset_facts(plan.dataset)),
        "parameters": asdict(plan.parameters),
        "predictions": [plan.predictions.label, plan.predictions.surplus(set(ids)), held],
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _held_result(folder: Path, store: PartsFolder, key: str, *, again: bool) -> Result | None:
    """Return the finished result of this run; refuse a folder with anything else."""
    if not folder.absolute().parent.is_dir():
        raise ArenaError(f"{folder.parent} is not a folder. Create it or choose another.")
    if folder.exists() and not folder.is_dir():
        raise ArenaError(f"{folder} is a file. Choose a folder for the result.")
    has_summary, interrupted = (folder / SUMMARY).is_file(), store.held_key()
    if not has_summary and interrupted is None:
        if folder.is_dir() and any(folder.iterdir()):
            raise ArenaError(f"{folder} has files of something else. Choose a new folder.")
        return None
    if again:
        if has_summary:
            require_summary(folder)
        store.require_own()
        (folder / SUMMARY).unlink(missing_ok=True)  # without it, no result is there
        store.remove()
        return None
    held = str(read_summary(folder).get("key")) if has_summary else interrupted
    if held != key:
        state = "the result" if has_summary else "an interrupted run"
        raise ArenaError(
            f"{folder} has {state} of other predictions, objects or parameters. Choose another "
            "folder, or replace it with --again."
        )
    return read_result(folder) if has_summary else None


def _parts(plan: Plan, store: PartsFolder | None) -> Iterator[RunPart]:
    """Yield every part of a run in order, scored now or before."""
    from tqdm import tqdm

    ids = sorted(plan.dataset.object_ids)
    places = [ids[start : start + PART_OBJECTS] for start in range(0, len(ids), PART_OBJECTS)]
    done = {k: part for k in range(len(places)) if store and (part := store.read(k))}
    left = [name for k, some in enumerate(places) if k not in done for name in some]
    work = Work(plan.dataset, plan.predictions, plan.parameters)
    scored = scored_objects(work, left, worker_count(plan.workers, len(left)))
    hidden: Any = None if plan.progress else True  # None: shown if stderr is a terminal
    with tqdm(total=len(ids), unit="object", leave=False, disable=hidden) as bar:
        bar.update(len(ids) - len(left))
        for k, some in enumerate(places):
            if k in done:
                yield done.pop(k)
                continue
            part = RunPart.of(list(_with_progress(islice(scored, len(some)), bar)))
            if store is not None:
                store.write(k, part)
            yield part


def _with_progress(scored: Iterator[ScoredObject], bar: Any) -> Iterator[ScoredObject]:
    for one in scored:
        bar.update()
        yield one


def _result(plan: Plan, whole: RunPart) -> Result:
    surplus = plan.predictions.surplus(set(plan.dataset.object_ids))
    return Result(
        _dataset_facts(plan.dataset),
        PredictionFacts(plan.predictions.label, tuple(surplus)),
        plan.parameters,
        marked(plan.marked_method, whole.per_joint, whole.per_object),
        whole.per_joint,
        whole.per_object,
        by=plan.by,
        seconds=whole.seconds,
    )


def _require_any(plan: Plan) -> None:
    ids, dataset, label = plan.dataset.object_ids, plan.dataset, plan.predictions.label
    if ids and not any(plan.predictions.has(object_id) for object_id in ids):
        raise PredictionError(
            f"{label} has no prediction for any of the {len(ids)} objects ({dataset.label}). "
            f"Expected `{ids[0]}/object.urdf` or `{ids[0]}.urdf` and so on."
        )


def _dataset_facts(dataset: Dataset) -> DatasetFacts:
    seal, benchmark = dataset.catalog.seal, dataset.benchmark
    by_bytes, by_numbers = dataset.agreement or (None, None)
    return DatasetFacts(
        name=seal.name,
        revision=seal.revision,
        objects=seal.objects,
        expected_objects=seal.expected_objects,
        split=dataset.label.removeprefix("split "),
        benchmark=None if benchmark is None else benchmark.version,
        list=None if benchmark is None else benchmark.digest,
        members=dataset.members,
        member_count=len(dataset),
        by_bytes=by_bytes,
        by_numbers=by_numbers,
    )
