# SPDX-License-Identifier: Apache-2.0
"""SRDF: the pairs of links whose contacts simulators ignore, in a file beside the URDF.

MoveIt's tools, pinocchio and SAPIEN read this format. SAPIEN heeds a pair only if its reason is
``Default``, so every pair has that reason; the table `exclusions` of a library has ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree

from aa_dataset.errors import ArenaError
from aa_dataset.untrusted.safe_xml import parse_xml

Pair = tuple[str, str]
REASON = "Default"


class SrdfError(ArenaError):
    """A file is not a usable SRDF."""


def format_srdf(name: str, pairs: Iterable[Pair]) -> bytes:
    """Return an SRDF document.

    Parameters
    ----------
    name : str
        Of the robot, as in the URDF.
    pairs : iterable of (str, str)
        Links whose contacts are ignored.
    """
    root = ElementTree.Element("robot", {"name": name})
    for first, second in pairs:
        ends = {"link1": first, "link2": second, "reason": REASON}
        ElementTree.SubElement(root, "disable_collisions", ends)
    ElementTree.indent(root)
    return b'<?xml version="1.0"?>\n' + ElementTree.tostring(root) + b"\n"


def read_srdf(data: bytes, links: Iterable[str]) -> tuple[Pair, ...]:
    """Return the pairs of an SRDF document, the names of each in order.

    Parameters
    ----------
    data : bytes
        The document.
    links : iterable of str
        Links of the URDF; a pair that names another link is an error.
    """
    known, found = set(links), set()
    for element in parse_xml(data).iter("disable_collisions"):
        pair = element.get("link1", ""), element.get("link2", "")
        for name in pair:
            if name not in known:
                raise SrdfError(
                    f"disable_collisions names the link {name!r}, which the URDF does not have. "
                    "Correct the name, or remove the element."
                )
        found.add((min(pair), max(pair)))
    return tuple(sorted(found))
