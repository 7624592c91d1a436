# SPDX-License-Identifier: Apache-2.0
"""What `render` writes, beside the pictures."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.base.records import Record


@dataclass(frozen=True, slots=True)
class RenderedRecord(Record):
    """The renderer that drew an object's pictures; None if it could not."""

    preview_backend: str | None
