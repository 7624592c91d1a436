# SPDX-License-Identifier: Apache-2.0
"""The joints of many objects as arrays, for training code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from aa_dataset.errors import LibraryError
from aa_dataset.format.validation import brief
from aa_dataset.kinematics.joints import JointType
from aa_dataset.library.catalog import Catalog

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

TYPES = tuple(JointType)  # `JointArrays.types` are indices into it


@dataclass(frozen=True, slots=True, eq=False)
class JointArrays:
    """The joints of a selection, object after object; all in the frame of their object at rest.

    Attributes
    ----------
    screws : (n, 6) float
        Unit screws ``(omega, v)``; zero for a fixed joint.
    limits : (n, 2) float [rad or m]
        May be infinite.
    types : (n,) int
        0 fixed, 1 revolute, 2 continuous, 3 prismatic, 4 helical.
    masses : (n,) float [kg]
        Of the body that a joint moves; nan for a fixed joint, as are center and inertia.
    centers : (n, 3) float [m]
    inertias : (n, 3, 3) float [kg m^2]
        About the center.
    objects : (n,) int
        Place of the joint's object in the selection.
    starts : (objects + 1,) int
        The joints of object k are ``starts[k]:starts[k + 1]``, in the order of the table.
    rows : (n,) int
        Row of the joints table of the library, for its other columns.
    """

    screws: Array
    limits: Array
    types: NDArray[np.int64]
    masses: Array
    centers: Array
    inertias: Array
    objects: Rows
    starts: Rows
    rows: Rows

    def __len__(self) -> int:
        return len(self.screws)

    @property
    def endpoints(self) -> Array:
        """Twists (n, 2, 6) to both ends of the range; nan where a limit is infinite."""
        ends = np.where(np.isfinite(self.limits), self.limits, np.nan)
        return ends[:, :, None] * self.screws[:, None, :]


def joint_arrays(catalog: Catalog, rows: Rows, *, fixed: bool) -> JointArrays:
    """Return the joints of some rows of the objects table, with or without the fixed ones."""
    columns = catalog.joints
    types = _types(catalog)
    counts = columns.starts[rows + 1] - columns.starts[rows]
    objects = np.repeat(np.arange(len(rows)), counts)
    first = np.cumsum(counts) - counts
    chosen = columns.order[
        np.repeat(columns.starts[rows] - first, counts) + np.arange(len(objects))
    ]
    if not fixed:
        moves = types[chosen] != 0
        chosen, objects = chosen[moves], objects[moves]
    vectors, numbers, kind = columns.vectors, columns.numbers, types[chosen]
    return JointArrays(
        _screws(vectors["axis"][chosen], vectors["origin"][chosen], numbers["pitch"][chosen], kind),
        np.stack([numbers["lower"][chosen], numbers["upper"][chosen]], axis=1),
        kind,
        numbers["body_mass"][chosen],
        vectors["body_com"][chosen],
        vectors["body_inertia"][chosen].reshape(-1, 3, 3),
        objects,
        np.searchsorted(objects, np.arange(len(rows) + 1)),
        chosen,
    )


def _types(catalog: Catalog) -> NDArray[np.int64]:
    """Return the type of every row of the joints table (n,), an index into `TYPES`."""
    texts = catalog.joints.texts["type"]
    found = pc.index_in(texts, value_set=pa.array([str(one) for one in TYPES]))
    if found.null_count:
        unknown = texts.filter(pc.is_null(found))[0].as_py()
        raise LibraryError(
            f"{catalog.layout.table('joints')} has a joint of type {brief(unknown)}, which this "
            "package does not know. Run `aa verify`, which lists what is wrong."
        )
    return np.asarray(found.to_numpy(), dtype=np.int64)


def _screws(axis: Array, origin: Array, pitch: Array, types: NDArray[np.int64]) -> Array:
    """Return unit screws (n, 6), as `Joint.screw` has them."""
    out = np.zeros((len(axis), 6))
    slides = (types == TYPES.index(JointType.PRISMATIC))[:, None]
    turns = (types != 0)[:, None] & ~slides
    out[:, :3] = np.where(turns, axis, 0.0)
    out[:, 3:] = np.where(slides, axis, 0.0)
    np.copyto(out[:, 3:], np.cross(origin, axis) + pitch[:, None] * axis, where=turns)
    return out
