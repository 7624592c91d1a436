# SPDX-License-Identifier: Apache-2.0
"""What the file of a method states, before it is brought into the object frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.shapes import LinkBoxes

Array = NDArray[np.float64]


class Proof(StrEnum):
    """On what a reader was tried."""

    REAL = "proved on real output"
    FIXTURE = "on a fixture from the writer's code"
    DESCRIPTION = "from a description only"
    OWN = "the format of this project"


class Center(StrEnum):
    """The point of the given mesh that a method moves to its origin."""

    BOX = "box"  # center of the bounding box
    CENTROID = "centroid"  # mean of the vertices


class Size(StrEnum):
    """The length of the given mesh that a method brings to a fixed value."""

    LARGEST = "largest"  # largest extent of the bounding box
    DIAGONAL = "diagonal"  # diagonal of the bounding box
    FARTHEST = "farthest"  # largest distance of a vertex from the center


@dataclass(frozen=True, slots=True, eq=False)
class Normalization:
    """How a method normalizes the mesh that it is given; a fact about the method.

    Attributes
    ----------
    center : Center
        What becomes the origin.
    size : Size
        What becomes `length`.
    length : float
        The value of that size in the method's frame.
    rotation : (3, 3) float
        Directions of the object frame in the method's frame, applied before or after alike.
    """

    center: Center
    size: Size
    length: float
    rotation: Array = field(default_factory=lambda: np.eye(3))


def no_triangles() -> Mapping[str, Array]:
    """Return no shapes: the prediction has none, or none that is read."""
    return {}


@dataclass(frozen=True, slots=True, eq=False)
class MethodPrediction:
    """The prediction of one object in the method's own frame, unit and state.

    Attributes
    ----------
    tree : KinematicTree
        The joints; coordinates are 0 in the state that the method stores.
    saved : Similarity or None
        From the method's frame to the frame of its input, if the method saved it.
    normalization : Normalization or None
        How the method's frame comes from the mesh that it was given, if that is known.
    rest : mapping of joint name to float [rad or m]
        Coordinates of `tree` in which the object is as the method saw it, in the method's unit;
        missing joints are at 0.
    notes : tuple of str
        What a user must know: values from the method's own table, what was left out.
    triangles : function
        Returns the triangles (n, 3, 3) of links at the stored state in the method's frame, by link
        name; may raise `ArenaError`. Links without an entry have no shape.
    boxes : function or None
        Returns the boxes of the links in the method's frame, where these are known without their
        triangles.
    in_input_frame : bool
        Whether the method works in the frame of the files that it is given, such as that of their
        cameras.
    """

    tree: KinematicTree
    saved: Similarity | None = None
    normalization: Normalization | None = None
    rest: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    triangles: Callable[[], Mapping[str, Array]] = no_triangles
    boxes: Callable[[], LinkBoxes] | None = None
    in_input_frame: bool = False


@dataclass(frozen=True, slots=True)
class MethodFormat:
    """A format of predictions, and how it is read: a row of `aa score --readers`.

    Attributes
    ----------
    name : str
        The value of ``--reader``.
    methods : str
        The methods that write it.
    reads : str
        The files that are read.
    proof : Proof
        On what the reader was tried.
    claims : function
        Says in a few words why files are of this format; empty if they are not. It opens as few
        files as possible, and raises nothing for files of other formats.
    read : function
        Reads the prediction of one object, or raises `ArenaError` with a sentence.
    cannot : tuple of str
        What the format cannot express.
    is_general : bool
        Whether more special formats come first: a URDF of URDFormer is a URDF as well.
    proof_detail : str
        On which files that was, and what other methods rest on; empty where the proof says all.
    """

    name: str
    methods: str
    reads: str
    proof: Proof
    claims: Callable[[PredictionFiles], str]
    read: Callable[[PredictionFiles], MethodPrediction]
    cannot: tuple[str, ...] = ()
    is_general: bool = False
    proof_detail: str = ""

    @property
    def stated_proof(self) -> str:
        """On what the reader was tried, in words."""
        return f"{self.proof}: {self.proof_detail}" if self.proof_detail else str(self.proof)
