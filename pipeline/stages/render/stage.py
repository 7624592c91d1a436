# SPDX-License-Identifier: Apache-2.0
"""The stage: draws two pictures of every object, at rest and opened, with the same camera."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import trimesh

from aa_dataset.errors import CrowdedError, RenderError
from aa_dataset.format.layout import GLB, PREVIEW, PREVIEW_OPEN, URDF
from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.render.backend import choose_backend, encode_png, render_views
from aa_dataset.render.camera import look_at
from pipeline.base.assets import AssetRange, asset_ranges, read_range
from pipeline.base.errors import PipelineError, Rejection
from pipeline.base.reasons import Reason
from pipeline.engine.runner import Job, Outcome, Task, run_shard
from pipeline.engine.settings import RenderSettings
from pipeline.handover.rendered import RenderedRecord
from pipeline.shapes.glb import read_links

Parts = list[tuple[trimesh.Trimesh, np.ndarray]]


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
    run_shard(job, tasks, process=render, record=RenderedRecord)


def render(task: Task[RenderInput], settings: RenderSettings) -> Outcome[RenderedRecord]:
    """Draw one object twice, with a camera that frames both states."""
    backend, options = task.data.backend, settings.render
    files = read_range(task.data.where)
    tree = urdf_tree(parse_urdf(files[URDF]))
    meshes = read_links(files[GLB], tree.links)
    rest = placed_parts(meshes, tree.placements({}))
    opened = placed_parts(meshes, tree.placements(open_state(tree, options.open_fraction)))
    with drawing():
        camera = look_at(part_points(rest + opened))
        pictures = render_views([rest, opened], camera, size=options.size, backend=backend)
    names = (PREVIEW, PREVIEW_OPEN)
    made = {name: encode_png(picture) for name, picture in zip(names, pictures, strict=True)}
    return Outcome(RenderedRecord(backend), files=made)


@contextmanager
def drawing() -> Iterator[None]:
    """Reject an object whose triangles are too many to draw; other trouble is the pipeline's."""
    try:
        yield
    except CrowdedError as error:
        raise Rejection(Reason.TOO_MANY_FACES, str(error)) from error
    except RenderError as error:
        raise PipelineError(str(error)) from error


def placed_parts(
    meshes: Mapping[str, list[trimesh.Trimesh]], placements: Mapping[str, np.ndarray]
) -> Parts:
    """Return every mesh with its displacement from rest (4, 4), object frame."""
    return [(mesh, placements[link]) for link, parts in meshes.items() for mesh in parts]


def part_points(parts: Parts) -> np.ndarray:
    """Return the placed vertices (n, 3) of all parts."""
    moved = [np.asarray(m.vertices) @ pose[:3, :3].T + pose[:3, 3] for m, pose in parts]
    return np.concatenate(moved)


def open_state(tree: KinematicTree, fraction: float) -> dict[str, float]:
    """Return joint coordinates that show the motion: each independent joint towards its far end."""
    free = [joint for joint in tree.movable if joint.mimic is None]
    return {
        joint.name: open_coordinate(joint, fraction, number) for number, joint in enumerate(free)
    }


def open_coordinate(joint: Joint, fraction: float, number: int) -> float:
    """Return the share of the range towards its far end [rad or m].

    Continuous joints turn by different angles, so that the hands of a clock separate.
    """
    if joint.type is JointType.CONTINUOUS:
        return math.pi / 4 + 0.7 * number
    far = joint.upper if abs(joint.upper) >= abs(joint.lower) else joint.lower
    return fraction * far
