# SPDX-License-Identifier: Apache-2.0
"""The reader of MJCF: the only `*.xml` with the root `<mujoco>`.

The frame is the world's, the state is that of the document. MuJoCo compiles what moves: bodies,
frames, joints, their defaults and couplings, with the document's own angles and limits. It gets no
file name, no geometry and no plugin. A hinge without a range is continuous, as MuJoCo takes it. A
free joint below the world only places the object; ball joints and loops are refused. Shapes are
not read.
"""

from __future__ import annotations

import re
import warnings
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np

from aa_dataset.errors import MissingExtraError
from aa_dataset.kinematics.mjcf_joints import MjcfJoints, quiet
from aa_dataset.kinematics.mjcf_loops import Loops
from aa_dataset.kinematics.urdf import Geometry, Shape, UrdfJoint, UrdfLink, UrdfModel
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.score.budgets import MOST_LINKS, PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.mjcf_includes import read_included
from aa_dataset.score.readers.notes import limit_notes
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction, Proof
from aa_dataset.score.readers.urdf_documents import without_placing

_ROOT = re.compile(rb"<mujoco[\s/>]")
_LOOKED_AT = 8  # XML files

_TURNS = ("pos", "quat", "axisangle", "xyaxes", "zaxis", "euler")
_BODY = ("body", "frame", "joint", "freejoint")
# Elements that MuJoCo gets, by parent, and their attributes.
KEPT: dict[str, tuple[str, ...]] = {
    "mujoco": ("compiler", "default", "worldbody", "equality"),
    "default": ("default", "joint", "equality"),
    "worldbody": _BODY,
    "body": _BODY,
    "frame": _BODY,
    "equality": ("joint",),
}
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "compiler": ("angle", "autolimits", "coordinate", "eulerseq"),
    "default": ("class",),
    "body": ("name", "childclass", *_TURNS),
    "frame": ("name", "childclass", *_TURNS),
    "joint": ("name", "class", "type", "pos", "axis", "range", "limited", "ref"),
    "freejoint": ("name",),
}
COUPLING = ("name", "class", "active", "joint1", "joint2", "polycoef")
# They make parts that only MuJoCo knows.
REFUSED = frozenset({"attach", "composite", "flexcomp", "replicate"})
_SOMETHING = Shape("", np.eye(4), Geometry("sphere", (1e-6,)))


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    found = _candidates(files)
    return f"{found[0]} is the only MJCF" if len(found) == 1 else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the only MJCF, in the world's frame."""
    name = files.require_one(_candidates(files), "MJCF file")
    where = files.shown_path(name)
    document = _Document(read_included(files, name), where)
    model, lost = _model(document, where)
    model, placing = without_placing(model)
    tree = urdf_tree(model, absent="unbounded")
    return MethodPrediction(tree, notes=(*lost, *filter(None, [placing]), *limit_notes(tree)))


def _candidates(files: PredictionFiles) -> list[str]:
    if not files.is_folder:
        return []
    known = files.named(".xml", ".mjcf")[:_LOOKED_AT]
    return [name for name in known if _ROOT.search(files.read_start(name))]


class _Document:
    """What moves in a document, as a document for MuJoCo, and the bodies with geometry."""

    def __init__(self, root: Element, where: str):
        self._where, self._loops, self._count = where, Loops(root), 0
        self._names = {body.get("name", "") for body in root.iter("body")}
        self.solid: set[str] = set()
        if root.tag != "mujoco":
            raise PredictionError(f"{where}: the root is <{root.tag:.40}>, not <mujoco>.")
        copy = Element("mujoco")
        self._copy(root, copy, "")
        self.text = tostring(copy, encoding="unicode")

    def _copy(self, source: Element, target: Element, body: str) -> None:
        for child in source:
            if child.tag in REFUSED:
                raise PredictionError(
                    f"{self._where}: <{child.tag}> makes parts that are not in the file. Write "
                    "them out with MuJoCo's `mj_saveLastXML`."
                )
            if child.tag == "geom":
                self.solid.add(body)
            elif source.tag == "equality" and child.tag in ("connect", "weld"):
                self._refuse_loop(child)
            elif child.tag in KEPT.get(source.tag, ()) and child.get("mocap") != "true":
                copy = SubElement(target, child.tag, _attributes(child, source.tag))
                self._copy(child, copy, self._complete_body(copy) if child.tag == "body" else body)

    def _complete_body(self, body: Element) -> str:
        """Give a body a mass, which MuJoCo wants, and a name if it has none."""
        self._count += 1
        if self._count >= MOST_LINKS:
            raise PredictionError(f"{self._where}: it has more than {MOST_LINKS:,} bodies.")
        SubElement(body, "inertial", {"pos": "0 0 0", "mass": "1", "diaginertia": "1 1 1"})
        if not body.get("name"):
            name = f"body_{self._count}"
            while name in self._names:
                name += "_"
            self._names.add(name)
            body.set("name", name)
        return body.attrib["name"]

    def _refuse_loop(self, element: Element) -> None:
        if element.get("active", "true") != "false" and self._loops.binds(element):
            raise PredictionError(
                f"{self._where}: <{element.tag}> {element.get('name', '')!r:.80} closes a loop of "
                "bodies, which a tree cannot hold. Write the couplings of its joints instead."
            )


def _attributes(element: Element, parent: str) -> dict[str, str]:
    known = ATTRIBUTES.get(element.tag, ())
    if parent == "equality" or (parent == "default" and element.tag == "equality"):
        known = COUPLING
    return {key: element.attrib[key] for key in known if key in element.attrib}


def _model(document: _Document, where: str) -> tuple[UrdfModel, tuple[str, ...]]:
    """Return links and joints of a document, and what is lost."""
    compiled = _compiled(document.text, where)
    reader = MjcfJoints(compiled)
    links: list[UrdfLink] = []
    joints: list[UrdfJoint] = []
    for number, name in enumerate(reader.links):
        chain = list(reader.chain(number)) if number else []
        links += [UrdfLink(joint.child) for joint in chain[:-1]]
        links.append(UrdfLink(name, (_SOMETHING,) if name in document.solid else ()))
        joints += chain
    joints = reader.coupled(joints)
    lost = tuple(loss.detail.rstrip(".") for loss in reader.losses)
    return UrdfModel("object", tuple(links), tuple(joints)), lost


def _compiled(text: str, where: str) -> Any:
    try:
        import mujoco
    except ImportError as error:
        raise MissingExtraError("the reader of MJCF", "mjcf", error) from error
    try:
        with quiet(mujoco), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            spec = mujoco.MjSpec.from_string(text)
            compiler = spec.compiler
            compiler.fusestatic = compiler.alignfree = compiler.usethread = False
            compiled = spec.compile()
    except (ValueError, TypeError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        words = " ".join(str(error).removeprefix("XML ").replace("Error: ", "").split())
        raise PredictionError(f"{where}: MuJoCo says: {words[:200].rstrip('.')}.") from None
    for name in ("body_pos", "body_quat", "jnt_pos", "jnt_axis", "jnt_range", "qpos0", "eq_data"):
        if not np.isfinite(getattr(compiled, name)).all():
            raise PredictionError(f"{where}: {name} holds NaN or infinity.")
    return compiled


FORMAT = MethodFormat(
    name="mjcf",
    methods="any method that writes MuJoCo's format: Real2Code, Particulate, PhysX-Anything",
    reads="the only *.xml with the root <mujoco>",
    proof=Proof.REAL,
    claims=claims,
    read=read,
    cannot=(
        "a hinge whose limits are not stated: it is continuous",
        "a bound on one side",
        "a range of one point",
    ),
    is_general=True,
    proof_detail="models of other projects, because no method's output could be had",
)
