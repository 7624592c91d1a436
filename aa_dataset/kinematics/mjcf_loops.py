# SPDX-License-Identifier: Apache-2.0
"""Loops that `<connect>` and `<weld>` of an MJCF model close, and whether motion depends on them.

A constraint between two bodies restricts every joint on the way from one to the other in the tree.
If there is none, it holds what cannot move anyway. A mocap body has no physics: it is a handle by
which a simulator drags another body, not a part of the object.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

WORLD = "world"


class Loops:
    """The tree of bodies of a document, by name."""

    def __init__(self, root: Element) -> None:
        self._above: dict[Element, Element | None] = {}
        self._jointed: set[Element] = set()
        self._bodies: dict[str, Element] = {}
        self._sites: dict[str, Element | None] = {}
        for world in root.iter("worldbody"):
            self._enter(world)

    def _enter(self, world: Element) -> None:
        waiting: list[tuple[Element, Element | None]] = [(world, None)]
        while waiting:
            parent, body = waiting.pop()
            for child in parent:
                if child.tag == "body":
                    self._above[child] = body
                    self._bodies.setdefault(child.get("name", ""), child)
                    waiting.append((child, child))
                elif child.tag == "frame":
                    waiting.append((child, body))
                elif child.tag == "site":
                    self._sites.setdefault(child.get("name", ""), body)
                elif body is not None and child.tag in ("joint", "freejoint"):
                    self._jointed.add(body)

    def binds(self, element: Element) -> bool:
        """Return whether a constraint restricts a joint; True if its bodies are not known."""
        try:
            ways = [self._way(body) for body in self._ends(element)]
        except KeyError:
            return True
        if any(body.get("mocap") == "true" for way in ways for body in way[:1]):
            return False
        one, other = ways
        between = {*one} ^ {*other}
        return not self._jointed.isdisjoint(between)

    def _ends(self, element: Element) -> list[Element | None]:
        """Return the two bodies of a constraint; None is the world."""
        if element.get("site1"):
            return [self._sites[element.get(key, "")] for key in ("site1", "site2")]
        names = [element.get("body1", ""), element.get("body2", WORLD)]
        return [None if name == WORLD else self._bodies[name] for name in names]

    def _way(self, body: Element | None) -> list[Element]:
        """Return a body and all bodies above it."""
        way: list[Element] = []
        while body is not None:
            way.append(body)
            body = self._above[body]
        return way
