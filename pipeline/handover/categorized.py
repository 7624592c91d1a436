# SPDX-License-Identifier: Apache-2.0
"""What `categorize` writes."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.base.records import Record


@dataclass(frozen=True, slots=True)
class CategoryRecord(Record):
    """The category of one object, and the steps from its label to it (`label_provenance`)."""

    category: str
    supercategory: str
    label_provenance: str
