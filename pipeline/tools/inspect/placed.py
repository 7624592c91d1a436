# SPDX-License-Identifier: Apache-2.0
"""Meshes with their places in one state, for pictures of objects that are in no library yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
import trimesh

from aa_dataset.errors import CrowdedError, RenderError
from pipeline.base.errors import PipelineError, Rejection
from pipeline.base.reasons import Reason

Parts = list[tuple[trimesh.Trimesh, np.ndarray]]


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
