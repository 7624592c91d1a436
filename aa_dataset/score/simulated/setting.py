# SPDX-License-Identifier: Apache-2.0
"""How the ground truth is written as a method would have written it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.registration.normalization import InputShape

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What a method knows of one object.

    Attributes
    ----------
    object_id, category : str
        The object and its category.
    shape : InputShape
        Size and place of the mesh that the method is given.
    triangles : mapping of link to (n, 3, 3) float [m]
        Visual triangles of every link at rest, object frame.
    main : str
        The main joint of the protocol `one-joint`; empty if nothing moves.
    seed : int
        For what the format leaves open, such as the sign of an axis.
    """

    object_id: str
    category: str
    shape: InputShape
    triangles: Mapping[str, Array]
    main: str = ""
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """The files of one object.

    Attributes
    ----------
    files : mapping of str to bytes
        Contents by the path in the object's folder.
    rest : mapping of joint name to float [rad or m]
        For `registration.json`: the state of the input in the file's joints and unit, where the
        format itself does not tell it.
    saved : Similarity or None
        For `registration.json`: from the method's frame to the object frame [m], where neither the
        format nor the method's normalization tells it.
    """

    files: Mapping[str, bytes]
    rest: Mapping[str, float]
    saved: Similarity | None = None


@dataclass(frozen=True, slots=True)
class SimulatedMethod:
    """The writer of one format of the registry of readers.

    Attributes
    ----------
    name : str
        The reader of the same name reads it.
    keep_expressible : function
        Returns what the format can express of a tree, in the object frame at rest: what a reader
        must return, up to names and rounding.
    write : function
        Writes a tree that `keep_expressible` returned.
    """

    name: str
    keep_expressible: Callable[[KinematicTree, Setting], KinematicTree]
    write: Callable[[KinematicTree, Setting], Written]
