# SPDX-License-Identifier: Apache-2.0
"""Which objects an MJCF scene has: a file with several root bodies may be a kitchen.

A root body with joints below it, and none or a free one to the world, is an object. Root bodies
that joints attach to the world are one object, with the world's own geometry and whatever does not
move, because the world is their base. Objects that an active constraint connects are one. If the
document has fewer than two objects, it is one as a whole.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from scipy.cluster.hierarchy import DisjointSet

from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason

WORLD = "world"  # the key of what is attached to it; MuJoCo lets no body have this name
_ENDS = re.compile(r"(body|joint|site)[12]")
_STRANGE = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST = 80  # characters of a key
_OWN = ("body", "joint", "site")  # elements that a constraint names


def scene_objects(root: Element) -> list[str]:
    """Return the keys of the objects of a document, in its order; none if it is one as a whole.

    A key is the name of the first root body of an object, reduced to plain characters, or `world`.
    """
    return list(_Scene(root).groups())


def keep_object(root: Element, key: str) -> list[str]:
    """Remove all objects of a document but one, and return the keys of the others.

    With them go the world's own geometry, if the object is not the one attached to it, and all
    constraints that name a removed part.
    """
    scene = _Scene(root)
    groups = scene.groups()
    if key not in groups:
        raise Rejection(Reason.MJCF_INVALID, f"the model has no object {key!r}.")
    scene.keep(groups, key)
    return [other for other in groups if other != key]


class _Scene:
    """The root bodies of a document by key."""

    def __init__(self, root: Element) -> None:
        self._root, self._tops = root, dict[str, Element]()
        for world in root.iter("worldbody"):
            for body in _inside(world):
                if body.tag == "body":
                    self._tops[self._free_key(body)] = body
        joints = {key: [*_own_joints(body)] for key, body in self._tops.items()}
        self._attached = [key for key, own in joints.items() if any(map(_is_movable, own))]
        self._alone = [
            key
            for key, body in self._tops.items()
            if key not in self._attached and any(map(_is_movable, body.iter("joint")))
        ]

    def _free_key(self, body: Element) -> str:
        base = _STRANGE.sub("_", body.get("name", "")).strip("_")[:_LONGEST] or "body"
        key, count = base, 1
        while key in self._tops or key == WORLD:
            count += 1
            key = f"{base}_{count}"
        return key

    def groups(self) -> dict[str, set[str]]:
        """Return the keys of the root bodies of every object by its key; none if it is only one."""
        sets = DisjointSet([*self._alone, WORLD])
        owners = self._owners()
        for equality in self._root.iter("equality"):
            for constraint in equality:
                if constraint.get("active") != "false":
                    ends = [owners[name] for name in _ends(constraint) if name in owners]
                    for one, other in itertools.pairwise(ends):
                        sets.merge(one, other)
        found = {}
        for key in [*self._alone, *([WORLD] if self._attached else [])]:
            group = sets.subset(key)
            first = WORLD if WORLD in group else min(group, key=self._alone.index)
            found[first] = set(group)
        return found if len(found) > 1 else {}

    def _owners(self) -> dict[tuple[str, str], str]:
        """Return the object of every part of one that a constraint may name, by kind and name."""
        found: dict[tuple[str, str], str] = {}
        for key in [*self._alone, *self._attached]:
            owner = WORLD if key in self._attached else key
            found |= dict.fromkeys(_names(self._tops[key]), owner)
        return found

    def keep(self, groups: dict[str, set[str]], key: str) -> None:
        others = set().union(*(group for one, group in groups.items() if one != key))
        kept = {*self._tops} - others if key == WORLD else groups[key]
        bodies = {self._tops[one] for one in kept}
        removed = {name for one, body in self._tops.items() if one not in kept
                   for name in _names(body)}  # fmt: skip
        for world in self._root.iter("worldbody"):
            _prune(world, bodies, with_world=key == WORLD)
        for equality in self._root.iter("equality"):
            equality[:] = [one for one in equality if removed.isdisjoint(_ends(one))]


def _prune(parent: Element, bodies: set[Element], *, with_world: bool) -> None:
    """Remove other bodies, and the world's own parts unless they belong to the object."""
    for child in list(parent):
        if child.tag == "frame":
            _prune(child, bodies, with_world=with_world)
        elif child.tag == "body":
            if child not in bodies:
                parent.remove(child)
        elif not with_world:
            parent.remove(child)


def _inside(parent: Element) -> Iterator[Element]:
    """Yield the children of an element; a `<frame>` is none, but what it holds."""
    waiting = list(reversed(parent))
    while waiting:
        child = waiting.pop()
        if child.tag == "frame":
            waiting += reversed(child)
        else:
            yield child


def _own_joints(body: Element) -> Iterator[Element]:
    return (child for child in _inside(body) if child.tag == "joint")


def _is_movable(joint: Element) -> bool:
    return joint.get("type") != "free"


def _names(body: Element) -> Iterator[tuple[str, str]]:
    """Yield kind and name of every part of a root body that a constraint may name."""
    for element in body.iter():
        if element.tag in _OWN and element.get("name"):
            yield element.tag, element.attrib["name"]


def _ends(constraint: Element) -> Iterator[tuple[str, str]]:
    """Yield kind and name of what a constraint connects."""
    for key, name in constraint.attrib.items():
        if match := _ENDS.fullmatch(key):
            yield match[1], name
