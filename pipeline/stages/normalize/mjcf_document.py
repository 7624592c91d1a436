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

from aa_dataset.errors import UrdfError
from aa_dataset.kinematics.mjcf_loops import Loops
from aa_dataset.untrusted.safe_xml import XmlBudget, parse_xml
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Code, Finding, Reason, Severity
from pipeline.engine.settings import Budgets
from pipeline.raw.files import RawFiles

# Bodies are nested in MJCF, so a chain of links needs as many levels.
DEEPEST = 200
MOST_FILES = 200
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


def read_document(files: RawFiles, model: str, budgets: Budgets) -> MjcfDocument:
    """Read a model with all its includes; reject what leads out of the object's files."""
    includer = _Includer(files, model, budgets.urdf_bytes)
    root = includer.read()
    if root.tag != "mujoco":
        raise Rejection(Reason.MJCF_INVALID, f"{model}: the root is <{root.tag}>, not <mujoco>.")
    bodies = sum(1 for _ in root.iter("body"))
    if bodies > budgets.links:
        detail = f"{bodies} bodies, more than the budget of {budgets.links} links."
        raise Rejection(Reason.TOO_MANY_LINKS, detail)
    return _Cleaner(files, model, root, includer.homes).clean()


class _Includer:
    """Resolves includes; a file is included at most once, as in MuJoCo, so growth is bounded."""

    def __init__(self, files: RawFiles, model: str, most_bytes: int) -> None:
        self._files, self._model, self._left = files, model, most_bytes
        self._elements = XmlBudget().max_elements
        self._seen: set[str] = set()
        self.homes: dict[Element, str] = {}  # the included file of an element that names a file

    def read(self) -> Element:
        root = self._parse(self._model)
        self._fill(root, self._model, 0)
        return root

    def _parse(self, name: str) -> Element:
        if name in self._seen or len(self._seen) >= MOST_FILES:
            detail = f"{name} is included twice, or one of more than {MOST_FILES} files."
            raise Rejection(Reason.MJCF_INVALID, detail)
        self._seen.add(name)
        data = self._files.read(name, most=max(self._left, 1))
        self._left -= len(data)
        try:
            root = parse_xml(data, XmlBudget(max_bytes=len(data), max_depth=DEEPEST))
        except UrdfError as error:
            raise Rejection(Reason(error.code), f"{name}: {error.detail}") from None
        self._elements -= sum(1 for _ in root.iter())
        if self._elements < 0:
            raise Rejection(Reason.XML_TOO_LARGE, f"{name}: the model has too many elements.")
        return root

    def _fill(self, parent: Element, name: str, depth: int) -> None:
        """Replace every `<include>` below an element by the children of the file's root."""
        if depth > DEEPEST:
            detail = f"{name}: elements nest deeper than {DEEPEST} levels."
            raise Rejection(Reason.XML_TOO_DEEP, detail)
        filled: list[Element] = []
        for child in parent:
            if child.tag != "include":
                if name != self._model and child.get("file"):
                    self.homes[child] = name
                self._fill(child, name, depth + 1)
                filled.append(child)
                continue
            place = self._place(child.get("file", ""), name)
            root = self._parse(place)
            self._fill(root, place, depth)
            filled += root
        parent[:] = filled

    def _place(self, written: str, name: str) -> str:
        """Return the file of an include: beside the model, else beside the including file."""
        places = [self._files.resolve(written, beside=self._model)]
        if name != self._model:
            places.append(self._files.resolve(written, beside=name))
        for place in places:
            if self._files.has(place):
                return place
        raise Rejection(Reason.MJCF_INVALID, f"{name} includes {written!r}, which does not exist.")


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
