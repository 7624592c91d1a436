# SPDX-License-Identifier: Apache-2.0
"""What `verify` writes."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.base.records import Record


@dataclass(frozen=True, slots=True)
class VerifiedRecord(Record):
    """An object that passed, with the number of findings about it."""

    findings: int
