# SPDX-License-Identifier: Apache-2.0
"""Joints of methods that compare two states of an object: what they saw move, and how far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.shapes import MOST_MESH_BYTES
from aa_dataset.untrusted.obj import ObjError, read_obj

Array = NDArray[np.float64]

# The file does state these limits, and the method states no others: they are scored as given.
CHANGE_NOTE = "limits are the observed change of state, not the object's range"

MOST_TRIANGLES = 4_000_000  # of one prediction


def changed_joint(
    name: str, kind: JointType, axis: Array, origin: Array, *, ends: tuple[float, float],
    links: tuple[str, str],
) -> Joint:  # fmt: skip
    """Return a joint whose range lies between two states.

    Parameters
    ----------
    name : str
        The joint.
    kind : JointType
        Revolute or prismatic.
    axis, origin : (3,) float
        The method's frame; the origin of a slide does not count.
    ends : tuple of float [rad, or the method's unit of length]
        Coordinates of both states, in any order.
    links : tuple of str
        Parent and child.
    """
    return Joint(name, kind, axis, origin, min(ends), max(ends), 0.0, *links)


def obj_triangles(files: PredictionFiles, meshes: dict[str, str]) -> dict[str, Array]:
    """Return the triangles (n, 3, 3) of OBJ files by link; a file that is not there is no shape.

    Parameters
    ----------
    files : PredictionFiles
        The prediction.
    meshes : mapping of link to str
        Paths of the files.
    """
    found: dict[str, Array] = {}
    for link, name in meshes.items():
        if name in files.names:
            found[link] = _triangles(files, name)
    if sum(map(len, found.values())) > MOST_TRIANGLES:
        raise PredictionError(
            f"{files.object_id}: the meshes have more than {MOST_TRIANGLES:,} triangles."
        )
    return found


def _triangles(files: PredictionFiles, name: str) -> Array:
    try:
        text = read_obj(files.read(name, MOST_MESH_BYTES))
    except ObjError as error:
        raise PredictionError(f"{files.where(name)}: {error}") from error
    corners = np.asarray(text.points[text.whole.corners], dtype=float)
    if not np.isfinite(corners).all():
        raise PredictionError(f"{files.where(name)} has coordinates that are not finite.")
    return corners
