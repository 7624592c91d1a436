# SPDX-License-Identifier: Apache-2.0
"""The facts of earlier stages that an object's rows need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aa_dataset.portable import length
from pipeline.handover.categorized import CategoryRecord
from pipeline.handover.normalized import NormalRecord


@dataclass(frozen=True, slots=True)
class ObjectFacts:
    """The record of `normalize`, with the object's source and the labels of its parts.

    Attributes
    ----------
    normal : NormalRecord
        The record of `normalize`.
    source : str
        Raw source.
    parts : mapping
        Semantic label by link name of the source.
    category : CategoryRecord or None
        With the usual masses.
    """

    normal: NormalRecord
    source: str
    parts: Mapping[str, str]
    category: CategoryRecord | None = None

    @property
    def diagonal(self) -> float:
        """Diagonal of the object's box [m]."""
        return float(length(self.normal.extents))

    def part(self, link: str) -> str:
        """Return the semantic label of a link, empty if the source has none."""
        return self.parts.get(self.normal.link_names.get(link, ""), "")
