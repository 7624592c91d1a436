# SPDX-License-Identifier: Apache-2.0
"""Counts the nodes and triangles of a scene, with all instances, before a reader expands it.

A few lines of COLLADA can instantiate a node ten times in another node, and that again ten times:
nine such lines are a billion triangles. A glTF file may draw one list of triangles many times.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason

# Maximum number of nodes of a scene with all instances.
MOST_NODES = 100_000
# Maximum nesting of nodes, instances included: our readers and pycollada use recursion.
DEEPEST = 64
# Numbers of all accessors of a glTF file, per triangle of the budget.
NUMBERS_PER_FACE = 20
_PRIMITIVES = ("triangles", "polylist", "polygons", "tristrips", "trifans")
_TRIANGLES = 4  # glTF's mode of separate triangles, also the default


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of an element: nodes, triangles, and depth."""

    nodes: int = 0
    faces: int = 0
    depth: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.nodes + other.nodes, self.faces + other.faces, max(self.depth, other.depth)
        )

    def most(self, other: Cost) -> Cost:
        """Return the maximum of each number."""
        return Cost(
            max(self.nodes, other.nodes),
            max(self.faces, other.faces),
            max(self.depth, other.depth),
        )


def require_collada(root: Element, path: str, *, faces: int) -> None:
    """Refuse a COLLADA document whose instances become too many nodes or triangles."""
    cost = _Instances(root, path).whole(root)
    if cost.nodes > MOST_NODES or cost.faces > faces:
        raise Rejection(
            Reason.TOO_MANY_FACES,
            f"{path}: its instances become {cost.nodes:.3g} nodes and {cost.faces:.3g} triangles; "
            f"{MOST_NODES} and {faces} are allowed.",
        )


class _Instances:
    """Follows `<instance_node>` and `<instance_geometry>`, every node once."""

    def __init__(self, root: Element, path: str) -> None:
        self._path = path
        self._known: dict[int, Cost] = {}
        self._nodes: dict[str, list[Element]] = defaultdict(list)
        self._faces: dict[str, int] = defaultdict(int)
        for element in root.iter():
            if _tag(element) == "node":
                self._nodes[element.get("id", "")].append(element)
            elif _tag(element) == "geometry":
                name = element.get("id", "")
                self._faces[name] = max(self._faces[name], _geometry_faces(element))

    def whole(self, root: Element) -> Cost:
        """Return the cost of all scenes, and of the largest node of the libraries."""
        total = Cost()
        for element in root.iter():
            if _tag(element) == "visual_scene":
                total += sum((self._node(node, 1) for node in element), Cost())
        for nodes in self._nodes.values():
            for node in nodes:
                self._node(node, 1)  # also nodes without an instance may be nested endlessly
        return total

    def _node(self, element: Element, depth: int) -> Cost:
        if id(element) not in self._known:
            if depth > DEEPEST:
                raise self._too_deep()
            inner = sum((self._child(child, depth) for child in element), Cost())
            self._known[id(element)] = Cost(inner.nodes + 1, inner.faces, inner.depth + 1)
        cost = self._known[id(element)]
        if cost.depth > DEEPEST:
            raise self._too_deep()
        return cost

    def _child(self, element: Element, depth: int) -> Cost:
        name = element.get("url", "").removeprefix("#")
        kind = _tag(element)
        if kind == "node":
            return self._node(element, depth + 1)
        if kind == "instance_geometry":
            return Cost(1, self._faces[name])
        if kind != "instance_node":
            return Cost()
        # Readers differ in which node of several with the same id they use: take the largest.
        costs = [self._node(node, depth + 1) for node in self._nodes.get(name, ())]
        return functools.reduce(Cost.most, costs, Cost())

    def _too_deep(self) -> Rejection:
        detail = f"{self._path}: nodes and their instances nest deeper than {DEEPEST} levels."
        return Rejection(Reason.XML_TOO_DEEP, detail)


def _tag(element: Element) -> str:
    return element.tag.rpartition(":")[2]


def _geometry_faces(geometry: Element) -> int:
    return sum(_faces(e, _tag(e)) for e in geometry.iter() if _tag(e) in _PRIMITIVES)


def _faces(primitive: Element, kind: str) -> int:
    """Return how many triangles the index lists of a primitive can be at most."""
    offsets = [e.get("offset", "0") for e in primitive if _tag(e) == "input"]
    stride = 1 + max((int(o) for o in offsets if re.fullmatch(r"[0-9]{1,3}", o)), default=0)
    words = sum(len((e.text or "").split()) for e in primitive.iter() if _tag(e) == "p")
    return words // stride // (3 if kind == "triangles" else 1)


def require_gltf(tree: Any, path: str, *, faces: int) -> None:
    """Refuse a glTF document whose accessors or primitives add up to too much."""
    counts = [int(accessor["count"]) for accessor in tree.get("accessors", [])]
    if any(not 0 <= count <= 3 * faces for count in counts):
        detail = f"{path}: an accessor claims {max(counts, key=abs)} elements."
        raise Rejection(Reason.TOO_MANY_FACES, detail)
    if sum(counts) > NUMBERS_PER_FACE * faces:
        detail = f"{path}: its accessors claim {sum(counts)} elements."
        raise Rejection(Reason.TOO_MANY_FACES, detail)
    drawn = sum(_primitive_faces(tree, counts))
    if drawn > faces:
        raise Rejection(Reason.TOO_MANY_FACES, f"{path}: its primitives draw {drawn} triangles.")


def _primitive_faces(tree: Any, counts: list[int]) -> Iterator[int]:
    for mesh in tree.get("meshes", []):
        for primitive in mesh.get("primitives", []):
            corners = primitive.get("indices", primitive["attributes"].get("POSITION"))
            count = 0 if corners is None else counts[corners]
            yield count // 3 if primitive.get("mode", _TRIANGLES) == _TRIANGLES else count
