# SPDX-License-Identifier: Apache-2.0
"""The stage: draws every object at rest, opened, in the colors of its joints, and in motion.

An object that cannot be drawn stays in the library without pictures.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from aa_dataset.errors import RenderError
from aa_dataset.format.layout import GLB, URDF
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.render.backend import choose_backend
from aa_dataset.render.egl import prepare_context
from aa_dataset.render.errors import BackendUnavailableError
from pipeline.base.assets import AssetRange, asset_ranges, read_range
from pipeline.base.errors import MachineError, Rejection
from pipeline.base.reasons import Code, Finding
from pipeline.engine.runner import Job, Outcome, Task, run_shard
from pipeline.engine.settings import RenderSettings
from pipeline.handover.rendered import RenderedRecord
from pipeline.stages.render.pictures import draw_pictures

_drew: set[int] = set()  # workers in which EGL has worked


@dataclass(frozen=True, slots=True)
class RenderInput:
    """The range of one object's files, and the renderer that draws it."""

    where: AssetRange
    backend: str


def run(job: Job[RenderSettings]) -> None:
    """Render one shard."""
    backend = choose_backend(job.settings.render.backend)
    places = asset_ranges(job.inputs["records"], job.inputs["assets"])
    tasks = [Task(key, RenderInput(where, backend)) for key, where in places.items()]
    run_shard(job, tasks, process=render, record=RenderedRecord, instead=without_pictures)


def render(task: Task[RenderInput], settings: RenderSettings) -> Outcome[RenderedRecord]:
    """Draw one object, with a camera that frames all its states."""
    backend = task.data.backend
    _require_backend(backend, settings)
    files = read_range(task.data.where)
    tree = urdf_tree(parse_urdf(files[URDF]))
    try:
        made = draw_pictures(files[GLB], tree, settings.render, backend=backend)
    except RenderError as error:
        return _undrawn(str(error))
    return Outcome(RenderedRecord(backend), files=made)


def _require_backend(backend: str, settings: RenderSettings) -> None:
    """Raise if this worker cannot draw at all, for which no object is to blame."""
    if backend != "egl":
        return
    try:
        prepare_context()
    except BackendUnavailableError:
        if os.getpid() in _drew:  # what an object left in memory may be the cause
            raise MemoryError from None  # so that this one is tried alone in a fresh worker
        raise MachineError(
            "EGL does not work in a worker, which may have "
            f"{settings.budgets.memory_gb:g} GB of address space. Raise budgets.memory_gb in "
            "config.yaml, or set render.backend to embree."
        ) from None
    _drew.add(os.getpid())


def without_pictures(rejection: Rejection) -> Outcome[RenderedRecord]:
    """Keep an object whose pictures took too much, or crashed what draws them."""
    return _undrawn(f"{rejection.reason}: {rejection.detail}")


def _undrawn(why: str) -> Outcome[RenderedRecord]:
    finding = Finding(Code.PREVIEW_FAILED, f"no picture could be drawn: {why}")
    return Outcome(RenderedRecord(None), [finding], files={})
