# SPDX-License-Identifier: Apache-2.0
"""Mistakes in a URDF whose meaning is certain: they are mended, each with a finding.

* A joint whose parent is `world`, which no `<link>` declares: an empty link of that name is added,
  as Drake does.
* Numbers with a comma after them (`xyz="1, 0, 0,"`): the commas are dropped, as Bullet does.

docs/sources.md has a table of what simulators do with these and with what is refused.
"""

from __future__ import annotations

import re
from dataclasses import replace

from aa_dataset.errors import UrdfError
from aa_dataset.kinematics.urdf import UrdfLink, UrdfModel, parse_urdf
from aa_dataset.untrusted.safe_xml import XmlBudget
from pipeline.base.reasons import Code, Finding

WORLD = "world"
_NUMBERS = re.compile(
    rb"""\b(?:xyz|rpy|size|scale|rgba|radius|length|value|lower|upper|effort|velocity|multiplier"""
    rb"""|offset|i[xyz][xyz])\s*=\s*(?:"[^"<]*"|'[^'<]*')"""
)
_COMMA = re.compile(rb"""(?<=[0-9.]),(?=[\s"'])""")


def parse_mended(data: bytes, budget: XmlBudget) -> tuple[UrdfModel, list[Finding]]:
    """Read a URDF document, mended where its meaning is certain.

    Raises
    ------
    UrdfError
        As `parse_urdf`, about the document as written.
    """
    findings: list[Finding] = []
    try:
        model = parse_urdf(data, budget=budget)
    except UrdfError as error:
        whole = _NUMBERS.sub(lambda found: _COMMA.sub(b"", found[0]), data)
        if error.code != "number_invalid" or whole == data:
            raise
        model = parse_urdf(whole, budget=budget)
        line = _first_difference(data, whole)
        detail = f"line {line}: commas after numbers were dropped."
        findings.append(Finding(Code.DOCUMENT_MENDED, detail))
    declared = {link.name for link in model.links}
    if WORLD not in declared and any(joint.parent == WORLD for joint in model.joints):
        model = replace(model, links=(UrdfLink(WORLD), *model.links))
        detail = f"the link {WORLD!r} is not declared; an empty one was added."
        findings.append(Finding(Code.DOCUMENT_MENDED, detail))
    return model, findings


def _first_difference(one: bytes, other: bytes) -> int:
    """Return the number of the first line that differs."""
    lines = zip(one.split(b"\n"), other.split(b"\n"), strict=False)
    return next(number for number, (a, b) in enumerate(lines, start=1) if a != b)


def line_of_joint(data: bytes, name: str) -> int | None:
    """Return the line of a joint's tag; None if its name is written with an escape."""
    quoted = re.escape(name.encode())
    tag = re.compile(rb"""<joint\b[^<>]*\bname\s*=\s*["']""" + quoted + rb"""["']""")
    found = tag.search(data)
    return None if found is None else data.count(b"\n", 0, found.start()) + 1
