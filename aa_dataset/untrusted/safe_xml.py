# SPDX-License-Identifier: Apache-2.0
"""Strict parser for untrusted XML: no entities, no document types, limits on size and depth.

The standard library's expat is enough, so the core needs no other package. The handlers below
refuse dangerous constructs before anything is expanded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from aa_dataset.errors import UrdfError

_LATE_DECLARATION = expat.errors.codes[expat.errors.XML_ERROR_MISPLACED_XML_PI]
_LATE_STEP = " Remove what stands before `<?xml`."


@dataclass(frozen=True, slots=True)
class XmlBudget:
    """Limits of a document: counts, not seconds, so that every machine gives the same result.

    `max_links` limits the links of a URDF, and its joints, before any of them is read; with None,
    only the number of elements is limited.
    """

    max_bytes: int = 32_000_000
    max_depth: int = 64
    max_elements: int = 400_000
    max_links: int | None = None


def parse_xml(data: bytes, budget: XmlBudget | None = None) -> Element:
    """Return the root element of a small, entity-free XML document.

    Raises
    ------
    UrdfError
        With code ``xml_too_large``, ``xml_too_deep``, ``xml_entity`` or ``xml_invalid``.
    """
    budget = budget or XmlBudget()
    if len(data) > budget.max_bytes:
        raise UrdfError("xml_too_large", f"the file has more than {budget.max_bytes:,} bytes.")
    parser, builder = _guarded_parser(budget)
    try:
        parser.Parse(data, True)
        return builder.close()
    except (expat.ExpatError, AssertionError, LookupError, ValueError) as error:
        if isinstance(error, UrdfError):
            raise
        step = _LATE_STEP if _is_late_declaration(error) else ""
        raise UrdfError("xml_invalid", f"the file is not well-formed XML: {error}.{step}") from None


def _is_late_declaration(error: Exception) -> bool:
    """Return whether `<?xml ...?>` stands after something else, such as a comment."""
    return isinstance(error, expat.ExpatError) and error.code == _LATE_DECLARATION


def _guarded_parser(budget: XmlBudget) -> tuple[expat.XMLParserType, TreeBuilder]:
    builder = TreeBuilder()
    counter = _Counter(budget)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = counter.opening(builder)
    parser.EndElementHandler = counter.closing(builder)
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refusing_handler("a document type declaration")
    parser.EntityDeclHandler = _refusing_handler("an entity declaration")
    parser.ExternalEntityRefHandler = _refusing_handler("an external entity")
    return parser, builder


def _refusing_handler(what: str) -> Callable[..., int]:
    def handler(*_: object) -> int:
        raise UrdfError("xml_entity", f"the file holds {what}; remove it, URDF needs none.")

    return handler


class _Counter:
    """Counts the depth and number of elements."""

    def __init__(self, budget: XmlBudget) -> None:
        self.budget, self.depth, self.elements = budget, 0, 0

    def opening(self, builder: TreeBuilder) -> Callable[[str, dict[str, str]], None]:
        def start(tag: str, attributes: dict[str, str]) -> None:
            self.depth += 1
            self.elements += 1
            if self.depth > self.budget.max_depth:
                raise UrdfError(
                    "xml_too_deep", f"elements nest deeper than {self.budget.max_depth} levels."
                )
            if self.elements > self.budget.max_elements:
                raise UrdfError(
                    "xml_too_large", f"the file has more than {self.budget.max_elements} elements."
                )
            builder.start(tag, attributes)

        return start

    def closing(self, builder: TreeBuilder) -> Callable[[str], None]:
        def end(tag: str) -> None:
            self.depth -= 1
            builder.end(tag)

        return end
