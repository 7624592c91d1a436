# SPDX-License-Identifier: Apache-2.0
"""Reads an untrusted MJCF document: resolves includes and removes everything dangerous.

MuJoCo's own reader would open includes, meshes, textures and plugins. Here our bounded reader does,
and MuJoCo gets a document without file names: meshes are replaced by a small tetrahedron, textures
by one pixel. MuJoCo provides only kinematics, defaults, units and frames; `MeshReader` reads the
geometry like that of every other source.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, tostring

from aa_dataset.kinematics.mjcf_loops import Loops
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Code, Finding, Reason, Severity
from pipeline.engine.settings import Budgets
from pipeline.raw.files import RawFiles
from pipeline.raw.mjcf_includes import read_included
from pipeline.raw.mjcf_objects import keep_object

STAND_IN = "0 0 0 1 0 0 0 1 0 0 0 1"
PICTURES = ("file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")

_BODY = ("body", "frame", "joint", "freejoint", "geom", "inertial")
# Elements that MuJoCo gets, by parent.
KEPT: dict[str, tuple[str, ...]] = {
    "mujoco": ("compiler", "default", "asset", "worldbody", "equality"),
    "default": ("default", "mesh", "material", "joint", "geom", "equality"),
    "asset": ("mesh", "material", "texture"),
    "worldbody": _BODY,
    "body": _BODY,
    "frame": _BODY,
    "material": ("layer",),
    "equality": ("joint",),
}
COMPILER = ("angle", "autolimits", "coordinate", "eulerseq")
# Elements that are neither geometry nor motion of the object.
ASIDE = frozenset(
    {
        "actuator", "camera", "contact", "custom", "exclude", "general", "key", "keyframe", "light",
        "motor", "option", "pair", "position", "sensor", "site", "size", "statistic", "velocity",
        "visual",
    }
)  # fmt: skip
# Geometry that only MuJoCo can build; without it the object would be incomplete.
REFUSED = frozenset({"attach", "composite", "flexcomp", "replicate"})


@dataclass(slots=True)
class MjcfDocument:
    """A document without file names, and the files that it named.

    Attributes
    ----------
    text : str
        XML for MuJoCo.
    meshes : dict
        By name: attributes of the `<mesh>` as written, and the file's name among the object's
        files as `path` (empty if the mesh is written out in the document).
    textures : dict
        By name: attributes of the `<texture>`, and `path` likewise.
    findings : list of Finding
        What was left out.
    """

    text: str = ""
    meshes: dict[str, dict[str, str]] = field(default_factory=dict)
    textures: dict[str, dict[str, str]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def read_document(files: RawFiles, model: str, budgets: Budgets, body: str = "") -> MjcfDocument:
    """Read a model with all its includes; reject what leads out of the object's files.

    Of a scene with several objects, only the one with the key `body` is read.
    """
    root, homes = read_included(files, model, budgets.urdf_bytes)
    if root.tag != "mujoco":
        raise Rejection(Reason.MJCF_INVALID, f"{model}: the root is <{root.tag}>, not <mujoco>.")
    others = keep_object(root, body) if body else []
    bodies = sum(1 for _ in root.iter("body"))
    if bodies > budgets.links:
        detail = f"{bodies} bodies, more than the budget of {budgets.links} links."
        raise Rejection(Reason.TOO_MANY_LINKS, detail)
    document = _Cleaner(files, model, root, homes).clean()
    if others:
        detail = f"of the file, only {body!r} is this object; others are {', '.join(others)}."
        document.findings.append(Finding(Code.MJCF_PART_IGNORED, detail, Severity.INFO))
    return document


class _Cleaner:
    """Copies the allowed elements, and records files and what was left out."""

    def __init__(
        self, files: RawFiles, model: str, root: Element, homes: Mapping[Element, str]
    ) -> None:
        self._files, self._model, self._root, self._homes = files, model, root, homes
        self._out = MjcfDocument()
        self._ignored: Counter[str] = Counter()
        self._loops = Loops(root)
        self._assets: dict[tuple[str, str], dict[str, str]] = {}
        self._again: set[tuple[str, str]] = set()
        self._settings: dict[str, str] = {}
        for compiler in root.findall("compiler"):
            self._settings.update(compiler.attrib)

    def clean(self) -> MjcfDocument:
        self._require_inside()
        root = Element("mujoco")
        self._copy_children(self._root, root)
        self._out.text = tostring(root, encoding="unicode")
        self._out.findings += [
            Finding(Code.MJCF_PART_IGNORED, f"<{tag}> ({count} times) is not read.", Severity.INFO)
            for tag, count in sorted(self._ignored.items())
        ]
        return self._out

    def _require_inside(self) -> None:
        """Reject a document that names a file elsewhere, whether or not anything uses it."""
        for element in self._root.iter():
            for key in PICTURES:
                if element.get(key):
                    self._path(element, element.get(key, ""))

    def _path(self, element: Element, name: str) -> str:
        """Return a file's name among the object's files: beside the model, else the include."""
        own = "texturedir" if element.tag == "texture" else "meshdir"
        folder = self._settings.get(own, self._settings.get("assetdir", ""))
        plain = name.replace("\\", "/")
        if self._settings.get("strippath") == "true":
            plain = posixpath.basename(plain)
        if plain.startswith("/"):
            folder = ""
        written = posixpath.join(folder, plain)
        path, home = self._files.resolve(written, beside=self._model), self._homes.get(element)
        if home is not None and not self._files.has(path):
            other = self._files.resolve(written, beside=home)
            return other if self._files.has(other) else path
        return path

    def _copy_children(self, source: Element, target: Element) -> None:
        for child in source:
            if child.tag in REFUSED:
                detail = f"<{child.tag}> makes parts that only MuJoCo knows; write them out."
                raise Rejection(Reason.MJCF_INVALID, f"{self._model}: {detail}")
            if source.tag == "equality" and child.tag in ("connect", "weld"):
                self._refuse_loop(child)
            elif self._is_left_out(child, source.tag):
                continue
            elif child.tag in KEPT.get(source.tag, ()):
                copy = Element(child.tag, self._attributes(child, source.tag))
                target.append(copy)
                self._copy_children(child, copy)
            elif child.tag not in ASIDE:
                self._ignored[child.tag] += 1

    def _refuse_loop(self, element: Element) -> None:
        """Reject a loop on which the motion depends; another one is a finding."""
        if element.get("active", "true") == "false":
            return
        shown = f"<{element.tag}> {element.get('name', '')!r}"
        if self._loops.binds(element):
            detail = (
                f"{self._model}: {shown} closes a loop of bodies, and their motion depends on it; "
                "write the couplings of its joints instead."
            )
            raise Rejection(Reason.JOINT_CYCLE, detail)
        detail = f"{shown} holds what cannot move, or a handle of the simulator; it is not read."
        self._out.findings.append(Finding(Code.MJCF_PART_IGNORED, detail, Severity.INFO))

    def _is_left_out(self, element: Element, parent: str) -> bool:
        """Return whether an element is a handle, a height field, or an asset a second time."""
        if element.tag == "body" and element.get("mocap") == "true":
            self._ignored["body mocap"] += 1
            return True
        if element.tag == "geom" and (element.get("type") == "hfield" or element.get("hfield")):
            self._ignored["hfield"] += 1
            return True
        if parent != "asset" or not element.get("name"):
            return False
        key = (element.tag, element.attrib["name"])
        if self._assets.setdefault(key, element.attrib) == element.attrib:
            is_again = key in self._again
            self._again.add(key)
            return is_again
        if element.tag == "mesh":
            return False  # of one name and different: MuJoCo refuses it, with the name
        detail = f"<{key[0]}> {key[1]!r} is defined twice; the first counts."
        self._out.findings.append(Finding(Code.DOCUMENT_MENDED, detail))
        return True

    def _attributes(self, element: Element, parent: str) -> dict[str, str]:
        if element.tag == "compiler":
            return {key: element.attrib[key] for key in COMPILER if key in element.attrib}
        if parent == "asset" and element.tag == "mesh":
            return self._mesh(element)
        if parent == "asset" and element.tag == "texture":
            return self._texture(element)
        return dict(element.attrib)

    def _mesh(self, element: Element) -> dict[str, str]:
        name, facts = self._entered(element, self._out.meshes)
        keys: tuple[str, ...] = ("class", "scale", "refpos", "refquat")
        kept = {key: facts[key] for key in keys if key in facts}
        return {"name": name, "vertex": STAND_IN, **kept}

    def _texture(self, element: Element) -> dict[str, str]:
        name, facts = self._entered(element, self._out.textures)
        kind = facts.get("type", "cube")
        return {"name": name, "type": kind, "builtin": "flat", "width": "1", "height": "1"}

    def _entered(
        self, element: Element, book: dict[str, dict[str, str]]
    ) -> tuple[str, dict[str, str]]:
        """Add an asset; without a name it is named after its file."""
        written = next(self._written(element), "")
        stem = posixpath.splitext(posixpath.basename(written.replace("\\", "/")))[0]
        name = element.get("name") or stem
        path = self._path(element, written) if written else ""
        book[name] = {**element.attrib, "path": path}
        return name, book[name]

    def _written(self, element: Element) -> Iterator[str]:
        for key in PICTURES:
            if element.get(key):
                yield element.attrib[key]
