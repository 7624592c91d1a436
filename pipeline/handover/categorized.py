# SPDX-License-Identifier: Apache-2.0
"""What `categorize` writes."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.base.records import Record


@dataclass(frozen=True, slots=True)
class CategoryRecord(Record):
    """The category of one object, and the steps from its label to it (`label_provenance`).

    An object of the category usually has a mass from `lightest` to `heaviest` [kg], None if that is
    unknown. They are here so that a new label concerns `annotate` only where it changes a record.
    """

    category: str
    supercategory: str
    label_provenance: str
    lightest: float | None = None
    heaviest: float | None = None
