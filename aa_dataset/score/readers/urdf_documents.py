# SPDX-License-Identifier: Apache-2.0
"""From the URDF files of a prediction to one document.

* LARM writes `eval_<id>_joint_<k>.urdf`, one joint per file. They join at their root link, which is
  the base of all and must have one name. Other links and joints get the number of their file. The
  shape of the base is that of the first file, because each file counts the other parts to it.
* A floating joint below an empty root only places the object in a world. It counts as fixed.
* Names of meshes are relative to their file, and become relative to the prediction's folder.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from aa_dataset.errors import UrdfError
from aa_dataset.kinematics.turns import Turn, rpy_turn
from aa_dataset.kinematics.urdf import Shape, UrdfJoint, UrdfLink, UrdfModel, parse_urdf
from aa_dataset.score.budgets import MOST_LINKS, XML, PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles

_ONE_JOINT = re.compile(r"(?:.*/)?(?P<stem>[^/]+)_joint_(?P<number>\d{1,6})\.urdf")


def joint_files(names: Sequence[str]) -> dict[int, str]:
    """Return files of one joint each by their number; empty if they are anything else."""
    found = [_ONE_JOINT.fullmatch(name) for name in names]
    parts = {int(one["number"]): one[0] for one in found if one is not None}
    stems = {one["stem"] for one in found if one is not None}
    is_one_object = len(stems) == 1 and len(parts) == len(names) >= 2
    return dict(sorted(parts.items())) if is_one_object else {}


def read_model(files: PredictionFiles, name: str, turn: Turn = rpy_turn) -> UrdfModel:
    """Read one file; meshes are named relative to the prediction's folder."""
    # One byte more shows that a file is too large.
    return _parsed(files, name, files.read_start(name, XML.max_bytes + 1), turn)


def _parsed(files: PredictionFiles, name: str, data: bytes, turn: Turn = rpy_turn) -> UrdfModel:
    folder = posixpath.dirname(name) if files.is_folder else ""
    try:
        return with_mesh_folder(parse_urdf(data, budget=XML, turn=turn), folder)
    except UrdfError as error:
        raise PredictionError(f"{files.shown_path(name)}: {error}") from error


def with_mesh_folder(model: UrdfModel, folder: str) -> UrdfModel:
    """Return a document whose meshes are named from above `folder`."""

    def moved(shape: Shape) -> Shape:
        written = shape.geometry.filename
        path = posixpath.normpath(posixpath.join(folder, written)) if written else ""
        return replace(shape, geometry=replace(shape.geometry, filename=path))

    links = tuple(
        replace(link, visuals=tuple(moved(shape) for shape in link.visuals)) for link in model.links
    )
    return replace(model, links=links)


def joined_model(files: PredictionFiles, parts: Mapping[int, str]) -> UrdfModel:
    """Read files of one joint each and join them at their root."""
    links: list[UrdfLink] = []
    joints: list[UrdfJoint] = []
    base, left = "", XML.max_bytes
    for number, name in parts.items():
        data = files.read_start(name, left + 1)
        left -= len(data)
        if left < 0:
            raise PredictionError(
                f"{files.object_id}/: its URDFs have more than {XML.max_bytes:,} bytes. Keep only "
                "those of the prediction."
            )
        model = _parsed(files, name, data)
        root = _root(model, files.shown_path(name))
        if base and root.name != base:
            raise PredictionError(
                f"{files.shown_path(name)}: its root is {root.name!r}, but that of the other files "
                f"is {base!r}. Give the common base one name, or write one URDF."
            )
        links += [] if base else [root]
        base = root.name
        links += [_numbered_link(link, number) for link in model.links if link is not root]
        joints += [_numbered_joint(joint, number, base) for joint in model.joints]
    if len(links) > MOST_LINKS:
        raise PredictionError(
            f"{files.object_id}/: its URDFs have more than {MOST_LINKS:,} links. Keep only those "
            "of the prediction."
        )
    return UrdfModel(files.object_id, tuple(links), tuple(joints))


def _root(model: UrdfModel, where: str) -> UrdfLink:
    children = {joint.child for joint in model.joints}
    roots = [link for link in model.links if link.name not in children]
    if len(roots) != 1:
        raise PredictionError(
            f"{where}: {len(roots)} links have no parent; a file of one joint has one, the base."
        )
    return roots[0]


def _numbered_link(link: UrdfLink, number: int) -> UrdfLink:
    return replace(link, name=f"{link.name}_{number}")


def _numbered_joint(joint: UrdfJoint, number: int, base: str) -> UrdfJoint:
    mimic = joint.mimic
    if mimic is not None:
        mimic = replace(mimic, joint=f"{mimic.joint}_{number}")
    return replace(
        joint,
        name=f"{joint.name}_{number}",
        parent=joint.parent if joint.parent == base else f"{joint.parent}_{number}",
        child=joint.child if joint.child == base else f"{joint.child}_{number}",
        mimic=mimic,
    )


def without_placing(model: UrdfModel) -> tuple[UrdfModel, str]:
    """Return a document whose placement in a world is fixed, and a note, empty if it has none."""
    children = {joint.child for joint in model.joints}
    empty = {link.name for link in model.links if not link.visuals and not link.collisions}
    below: dict[str, list[UrdfJoint]] = {}
    for joint in model.joints:
        below.setdefault(joint.parent, []).append(joint)
    for root, (first, *others) in below.items():
        if first.type == "floating" and not others and root in empty - children:
            joints = tuple(replace(j, type="fixed") if j is first else j for j in model.joints)
            note = f"joint {first.name!r} floats below the empty root; it counts as fixed"
            return replace(model, joints=joints), note
    return model, ""
