# SPDX-License-Identifier: Apache-2.0
"""Laws about the files of one object: what must be there, and a URDF that equals the tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from aa_dataset.assets.contents import PICTURES, PREVIEWS
from aa_dataset.errors import ArenaError
from aa_dataset.format.layout import GLB, URDF
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.joints import Joint
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import UrdfModel, parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree

TOLERANCE = 1e-6  # relative to the larger of 1 and the number; both were rounded once
OBJECT_LAWS = (
    (
        "object_files",
        "An object has its URDF, its GLB, every mesh of the URDF, and three previews if "
        "`preview_backend` says what drew them.",
    ),
    ("urdf", "Links and joints of the URDF equal `links` and `joints`, in the object frame."),
)


def object_problems(
    table: KinematicTree, names: Collection[str], urdf: bytes, *, backend: str | None
) -> Iterator[tuple[str, str]]:
    """Yield law and sentence for what is wrong with the files of an object.

    Parameters
    ----------
    table : KinematicTree
        The tree from the tables.
    names : collection of str
        The files of the object.
    urdf : bytes
        Its URDF, empty if it has none.
    backend : str or None
        What drew its pictures, from the tables.
    """
    wanted = (URDF, GLB, *(PREVIEWS if backend else ()))
    absent = [name for name in wanted if name not in names]
    if absent:
        yield "object_files", f"has no {', '.join(absent)}"
    if backend is None and (odd := sorted({*PICTURES} & {*names})):
        yield "object_files", f"has {', '.join(odd)}, and `preview_backend` is null"
    if not urdf:
        return
    try:
        model = parse_urdf(urdf)
        own = urdf_tree(model)
    except (ArenaError, ValueError) as error:
        yield "urdf", f"has a URDF that cannot be read: {error}"
        return
    lost = sorted({*_meshes(model)} - {*names})
    if lost:
        yield "object_files", f"has no {lost[0]!r}, which its URDF names"
    yield from (("urdf", problem) for problem in _differences(own, table))


def _meshes(model: UrdfModel) -> Iterator[str]:
    for link in model.links:
        for shape in (*link.visuals, *link.collisions):
            name = getattr(shape.geometry, "filename", None)
            if name:
                yield str(name)


def _differences(own: KinematicTree, table: KinematicTree) -> Iterator[str]:
    for kind, first, second in (
        ("link", {*own.links}, {*table.links}),
        ("joint", {j.name for j in own.joints}, {j.name for j in table.joints}),
    ):
        if first != second:
            odd = sorted(first ^ second)[0]
            here = "the URDF" if odd in first else "the tables"
            yield f"has the {kind} {odd!r} in {here} only"
            return
    for joint in own.joints:
        for field in _unequal(joint, table.joint(joint.name)):
            yield f"has another {field} of the joint {joint.name!r} in the URDF than in the tables"


def _unequal(own: Joint, row: Joint) -> Iterator[str]:
    for field in ("type", "parent", "child"):
        if getattr(own, field) != getattr(row, field):
            yield field
            return
    for field in ("screw", "lower", "upper", "pitch"):
        if not _close(getattr(own, field), getattr(row, field)):
            yield field
    if own.body is not None and not _same_body(own.body, row.body):
        yield "body"
    if (own.mimic is None) != (row.mimic is None):
        yield "mimic"
    elif own.mimic is not None and row.mimic is not None:
        numbers = [(one.multiplier, one.offset) for one in (own.mimic, row.mimic)]
        if own.mimic.joint != row.mimic.joint or not _close(*numbers):
            yield "mimic"


def _same_body(own: RigidBody, row: RigidBody | None) -> bool:
    if row is None:
        return False
    scale = max(float(np.abs(own.inertia).max()), 1e-300)
    return (
        abs(own.mass - row.mass) <= TOLERANCE * own.mass
        and _close(own.center, row.center)
        and bool((np.abs(own.inertia - row.inertia) <= TOLERANCE * scale).all())
    )


def _close(own: object, row: object) -> bool:
    first, second = np.asarray(own, dtype=float), np.asarray(row, dtype=float)
    same = first == second  # infinities
    with np.errstate(invalid="ignore"):
        near = np.abs(first - second) <= TOLERANCE * np.maximum(1.0, np.abs(second))
    return bool((same | near).all())
