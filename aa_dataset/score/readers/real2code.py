# SPDX-License-Identifier: Apache-2.0
"""The reader of Real2Code: the joints of its executed program, or the program's text.

A program lists child joints by the oriented box of their part. In the mode ``obb_rel``, an axis is
one of the box's axes with a sign, and a hinge lies on one of its edges. ``obb_rot`` gives a place
relative to the box's center, ``absolute`` a place and an axis. The boxes are in the prompt, or
above the program. Executing the program yields MJCF, of which MuJoCo's joints are written to
`joints.json`. Programs are parsed here, never executed.

The frame and the unit are those of the scene that the images show, and the state is the shown one.
No limits are predicted, and every part hangs below the root.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.format.layout import JOINTS
from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.portable import applied
from aa_dataset.score.budgets import MOST_LINKS, PredictionError, name_file_in_errors
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.json_values import (
    json_value,
    number,
    numbers,
    one_of,
    record,
    records,
    text,
    whole,
)
from aa_dataset.score.readers.mujoco_dump import ROOT, dumped_tree, is_dump, unlimited
from aa_dataset.score.readers.notes import limit_notes
from aa_dataset.score.readers.oriented_box import OrientedBox
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction, Proof
from aa_dataset.score.readers.program_text import assigned

Array = NDArray[np.float64]

PROGRAM, ANSWER, PROMPT = "pred.py", "predictions.json", "input.json"
MOST = 4_000_000  # bytes of a file
_START = 65_536  # bytes in which a program must show what it is
_TYPES = {"hinge": JointType.REVOLUTE, "slide": JointType.PRISMATIC}


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    if is_dump(files.try_read_start(JOINTS)):
        return f"{JOINTS} is a list of MuJoCo's joints"
    for name in (PROGRAM, ANSWER):
        if b"child_joints" in (files.try_read_start(name, _START) or b""):
            return f"{name} lists child_joints"
    return ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the joints that the program yields; the executed result comes before its text."""
    if is_dump(files.try_read_start(JOINTS)):
        tree = dumped_tree(json_value(files, JOINTS, MOST), files.shown_path(JOINTS))
        return MethodPrediction(tree, notes=limit_notes(tree))
    if PROGRAM in files.top_names:
        program, where = _decoded(files, PROGRAM), files.shown_path(PROGRAM)
        boxes = program
    else:
        name = files.require_one(files.find_basenames(ANSWER), f"{JOINTS}, {PROGRAM} or {ANSWER}")
        where = files.shown_path(name)
        # The prompt ends with the name of the first value.
        program = f"root_geom = {text(json_value(files, name, MOST), where)}"
        boxes = _prompt(files)
    return _programmed(program, boxes, where)


def _decoded(files: PredictionFiles, name: str) -> str:
    try:
        return files.read(name, MOST).decode()
    except UnicodeDecodeError as error:
        raise PredictionError(
            f"{files.shown_path(name)} is not UTF-8: {error}. Save it so."
        ) from None


def _prompt(files: PredictionFiles) -> str:
    """Return the text that the model was given, empty without the file."""
    if PROMPT not in files.top_names:
        return ""
    where = files.shown_path(PROMPT)
    found = json_value(files, PROMPT, MOST)
    if isinstance(found, dict):
        found = found.get("raw_input", found.get("model_input"))
    return text(found[0] if isinstance(found, list) and found else found, f"{where}, `model_input`")


def _programmed(program: str, boxes_text: str, where: str) -> MethodPrediction:
    listed = assigned(program, "child_joints", where)
    if listed is None:
        raise PredictionError(f"{where} has no `child_joints = [...]`: the model wrote no joints.")
    boxes = _boxes(assigned(boxes_text, "bboxes", where), where)
    joints = []
    for place, entry in enumerate(records(listed, f"{where}, `child_joints`")):
        spot = f"{where}, `child_joints[{place}]`"
        with name_file_in_errors(spot):
            joints.append(_joint(record(entry, spot), boxes, program, spot))
    with name_file_in_errors(where):
        tree = KinematicTree("", (ROOT, *(joint.child for joint in joints)), tuple(joints))
    base = assigned(program, "root_geom", where)
    shapes = {ROOT: boxes[base]} if type(base) is int and base in boxes else {}
    shapes |= {f"link_{key}": box for key, box in boxes.items() if f"link_{key}" in tree.links}
    return MethodPrediction(tree, notes=limit_notes(tree), triangles=lambda: _triangles(shapes))


def _triangles(shapes: Mapping[str, OrientedBox]) -> dict[str, Array]:
    return {link: box.triangles() for link, box in shapes.items()}


def _boxes(found: object, where: str) -> dict[int, OrientedBox]:
    """Return the boxes by number; none if there are none."""
    if found is None:
        return {}
    boxes = {}
    for key, value in record(found, f"{where}, `bboxes`").items():
        spot = f"{where}, `bboxes[{key!r}]`"
        fields = record(value, spot)
        rows = records(fields.get("R"), f"{spot}, `R`", 3)
        turn = np.array([numbers(row, 3, f"{spot}, `R`") for row in rows])
        if turn.shape != (3, 3):
            raise PredictionError(f"{spot}, `R` is not three rows of three numbers. Complete it.")
        extent = fields.get("extent", fields.get("extents"))  # both are in use
        boxes[whole(key, spot, MOST_LINKS)] = OrientedBox(
            numbers(fields.get("center"), 3, f"{spot}, `center`"),
            turn,
            numbers(extent, 3, f"{spot}, `extent`"),
        )
    return boxes


def _joint(
    entry: dict[str, Any], boxes: Mapping[int, OrientedBox], program: str, where: str
) -> Joint:
    box = whole(entry.get("box"), f"{where}, `box`", MOST_LINKS)
    kind = _TYPES[one_of(entry.get("type"), tuple(_TYPES), f"{where}, `type`")]
    if "pos" in entry:
        origin = numbers(entry["pos"], 3, f"{where}, `pos`")
        axis = numbers(entry.get("axis"), 3, f"{where}, `axis`")
    elif box in boxes:
        origin, axis = _on_box(entry, boxes[box], program, where)
    else:
        raise PredictionError(
            f"{where}, `box` is {box}, which `bboxes` does not have. Put {PROGRAM}, or {PROMPT} "
            "with the boxes, beside the answer."
        )
    return unlimited(f"joint_{box}", kind, axis, origin, ROOT, f"link_{box}")


def _on_box(
    entry: dict[str, Any], box: OrientedBox, program: str, where: str
) -> tuple[Array, Array]:
    """Return place and axis of a joint that is stated relative to a box."""
    along = whole(entry.get("idx"), f"{where}, `idx`", 3)
    edge = numbers(entry.get("edge"), 2, f"{where}, `edge`")
    axis = number(entry.get("sign"), f"{where}, `sign`") * box.turn[:, along]
    offset = np.array([*edge[:along], 0.0, *edge[along:]])
    if "joint_xy_pos" in program:  # the helper of `obb_rot`
        return box.center + offset, axis
    if not (np.abs(edge) == 1.0).all() and "obb_edge" not in program:
        raise PredictionError(
            f"{where}, `edge` is {edge.tolist()}, which is no edge of a box; the mode that gives "
            f"places is stated in {PROGRAM} alone. Put that file there."
        )
    return box.center + applied(box.turn, offset * box.extent / 2), axis


FORMAT = MethodFormat(
    name="real2code",
    methods="Real2Code",
    reads=f"{JOINTS} (a list), {PROGRAM}, or {ANSWER} with {PROMPT}",
    proof=Proof.FIXTURE,
    claims=claims,
    read=read,
    cannot=(
        "limits",
        "joints below joints: every part hangs below the root",
        "axes and hinges beside the axes and edges of a box",
        "helical joints: the advance is lost",
        "more than two decimals of a box",
        "couplings",
    ),
)
