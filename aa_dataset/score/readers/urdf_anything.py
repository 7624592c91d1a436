# SPDX-License-Identifier: Apache-2.0
"""The reader of URDF-Anything: its JSON per object, or the `mobility.urdf` made of it.

The JSON has the model's words as `pred_answers_raw`: links, and joints as in URDF (places in the
frame of the parent, axes in the turned frame of the child, angles in rad). `pred_answers` is the
same after the script cut it to the truth's number of parts and renamed links and joints after it,
but not the parents; it is read only without the raw words, and its parents are renamed back. The
truth, which stands in the same file, is never read.

The frame is the unit ball about the centroid of the points that the method was given; `normalize`
saves center and radius. Travels of slides are taken to be in the unit of the ball, as the places
are. Coordinates are 0 in the shown state. `mobility.urdf` is in the frame of the input, but the
script that wrote it left travels in the unit of the ball, added the centroid also to places below
the first joint, and gave joints without limits the range [-3.14, 3.14], which is marked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import UrdfJoint, UrdfLink, UrdfModel, parse_urdf, pose_matrix
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.score.budgets import MOST_LINKS, XML, PredictionError, name_file_in_errors
from aa_dataset.score.readers import urdf_anything_plus
from aa_dataset.score.readers.answer_json import json_in
from aa_dataset.score.readers.constant_limits import with_table
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.json_values import (
    json_value,
    number,
    numbers,
    one_of,
    record,
    records,
    text,
)
from aa_dataset.score.readers.notes import limit_notes
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction, Proof

URDF = "mobility.urdf"
DOCUMENTS = (URDF, f"pred/{URDF}")
BASE = "base"
RAW, ALIGNED = "pred_answers_raw", "pred_answers"
MOST = 8_000_000  # bytes of a file
_START = 65_536  # bytes in which a file must show what it is
_TYPES = ("revolute", "prismatic", "fixed", "continuous")
_NO_LIMITS = (-3.14, 3.14)
_LINK = re.compile(r"link_(\d{1,6})")
_ROBOT = re.compile(rb'<robot\s+name="[^"]*_pred"')


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    if not files.is_folder:
        return ""
    found = _answers(files)
    if found:
        return f"{found[0]} has {ALIGNED}"
    documents = _documents(files)
    return f"the name of the robot in {documents[0]} ends with _pred" if documents else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the model's words, or the document."""
    if not _answers(files):
        if _documents(files):
            return _of_urdf(files)
        if urdf_anything_plus.claims(files):
            return urdf_anything_plus.read(files)
    name = files.require_one(_answers(files), f"JSON with {ALIGNED}, or {URDF}")
    where = files.shown_path(name)
    content = record(json_value(files, name, MOST), where)
    model = _model(_answer(content, where), where)
    with name_file_in_errors(where):
        tree = urdf_tree(model, fold=False, absent="unbounded")
    return MethodPrediction(tree, saved=_saved(content, where), notes=limit_notes(tree))


def _answers(files: PredictionFiles) -> list[str]:
    mark = f'"{ALIGNED}'.encode()
    return [
        name
        for name in files.top_names
        if name.endswith(".json") and mark in (files.try_read_start(name, _START) or b"")
    ]


def _documents(files: PredictionFiles) -> list[str]:
    return [name for name in DOCUMENTS if _ROBOT.search(files.try_read_start(name) or b"")]


def _saved(content: dict[str, Any], where: str) -> Similarity | None:
    """Return the map from the ball to the input, if the file has it."""
    if content.get("normalize") is None:
        return None
    spot = f"{where}, `normalize`"
    found = record(content["normalize"], spot)
    scale = number(found.get("scale"), f"{spot}, `scale`")
    if scale <= 0:
        raise PredictionError(f"{spot}, `scale` is {scale}; give the radius of the points.")
    centroid = numbers(found.get("centroid"), 3, f"{spot}, `centroid`")
    return Similarity(scale, np.eye(3), centroid)


def _answer(content: dict[str, Any], where: str) -> dict[str, Any]:
    """Return links and joints in the model's own words."""
    field = RAW if content.get(RAW) else ALIGNED
    spot = f"{where}, `{field}`"
    answer = record(json_in(text(content.get(field), spot), spot), spot)
    alignment = content.get("alignment")
    if field == RAW or alignment is None:
        return answer
    listed = record(alignment, f"{where}, `alignment`").get("permutation")
    order = records(listed, f"{where}, `alignment`, `permutation`")
    new = {f"link_{old}": f"link_{place}" for place, old in enumerate(order)}
    joints = [
        {**record(one, spot), "parent": _renamed(record(one, spot).get("parent", BASE), new, spot)}
        for one in records(answer.get("joints", []), spot)
    ]
    return {**answer, "joints": joints}


def _renamed(parent: object, new: Mapping[str, str], where: str) -> str:
    name = text(parent, f"{where}, `parent`")
    if _LINK.fullmatch(name) and name not in new:
        raise PredictionError(
            f"{where}: the parent {name[:40]!r} was cut off by the alignment with the truth. Keep "
            f"`{RAW}` in the file."
        )
    return new.get(name, name)


def _model(answer: dict[str, Any], where: str) -> UrdfModel:
    """Return the answer as a document; links without a joint are fixed to the base."""
    joints = [
        _joint(record(one, f"{where}, joint {place}"), place, where)
        for place, one in enumerate(records(answer.get("joints", []), f"{where}, `joints`"))
    ]
    listed = record(answer.get("links", {}), f"{where}, `links`")
    if len(listed) > MOST_LINKS:
        raise PredictionError(f"{where}, `links` has more than {MOST_LINKS:,} links.")
    children = {joint.child for joint in joints}
    names = list(dict.fromkeys([*listed, *(joint.child for joint in joints)]))
    loose = [name for name in names if name not in children and name != BASE]
    joints += [UrdfJoint(f"joint_{name}_fixed", "fixed", BASE, name, np.eye(4)) for name in loose]
    links = dict.fromkeys([BASE, *names])
    return UrdfModel("", tuple(UrdfLink(name) for name in links), tuple(joints))


def _joint(entry: dict[str, Any], place: int, where: str) -> UrdfJoint:
    spot = f"{where}, joint {place}"
    child = text(entry.get("child"), f"{spot}, `child`")
    origin = record(entry.get("origin", {}), f"{spot}, `origin`")
    xyz = numbers(origin.get("xyz", [0, 0, 0]), 3, f"{spot}, `xyz`").tolist()
    rpy = numbers(origin.get("rpy", [0, 0, 0]), 3, f"{spot}, `rpy`").tolist()
    limit = entry.get("limit")
    ends = record({} if limit is None else limit, f"{spot}, `limit`")
    lower, upper = (
        None if ends.get(key) is None else number(ends[key], f"{spot}, `{key}`")
        for key in ("lower", "upper")
    )
    return UrdfJoint(
        name=text(entry.get("id", f"joint_{child}"), f"{spot}, `id`"),
        type=one_of(entry.get("type", "fixed"), _TYPES, f"{spot}, `type`"),
        parent=text(entry.get("parent", BASE), f"{spot}, `parent`"),
        child=child,
        pose=pose_matrix(tuple(xyz), tuple(rpy)),
        axis=numbers(entry.get("axis", [1, 0, 0]), 3, f"{spot}, `axis`"),
        lower=lower,
        upper=upper,
        has_limit=bool(ends),
    )


def _of_urdf(files: PredictionFiles) -> MethodPrediction:
    name = files.require_one(_documents(files), URDF)
    with name_file_in_errors(files.shown_path(name)):
        model = parse_urdf(files.read(name, XML.max_bytes), budget=XML)
        tree = with_table(urdf_tree(model, fold=False, absent="unbounded"), _NO_LIMITS)
    return MethodPrediction(tree, notes=(*_doubts(tree), *limit_notes(tree)))


def _doubts(tree: KinematicTree) -> tuple[str, ...]:
    """Return what the document leaves wrong without the JSON beside it."""
    notes = []
    if any(joint.type == "prismatic" for joint in tree.joints):
        notes.append("travels are in the unit of the ball, which the document does not state")
    if tree.depth > 1:
        notes.append("places below the first joint contain the centroid once too often")
    return tuple(notes)


FORMAT = MethodFormat(
    name="urdf_anything",
    methods="URDF-Anything",
    reads=f"*.json with {RAW} or {ALIGNED}, or {URDF} of a robot named *_pred",
    proof=Proof.FIXTURE,
    claims=claims,
    read=read,
    cannot=(
        "helical joints: the advance is lost",
        "ranges with one end: the other is a full turn away",
        "couplings",
    ),
)
