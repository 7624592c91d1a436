# SPDX-License-Identifier: Apache-2.0
"""Files of proposals: automatically suggested categories, which apply only after a review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aa_dataset.untrusted.foreign_text import one_line

PROPOSAL_COLUMNS = ("object_id", "label", "category", "supercategory", "proposed_by", "why")


@dataclass(frozen=True, slots=True)
class Proposal:
    """An automatically suggested category of an object; it applies only after a review."""

    object_id: str
    label: str
    category: str
    supercategory: str
    proposed_by: str
    why: str

    def row(self) -> str:
        """Return the proposal as one line of a proposals file."""
        return "\t".join(one_line(getattr(self, name)) for name in PROPOSAL_COLUMNS) + "\n"


def proposed_objects(text: str) -> set[tuple[str, str]]:
    """Return (object, proposer) of every row of a proposals file."""
    rows = [line.split("\t") for line in text.splitlines()[1:] if line]
    place = PROPOSAL_COLUMNS.index("proposed_by")
    return {(row[0], row[place]) for row in rows if len(row) == len(PROPOSAL_COLUMNS)}


def proposal_text(proposals: Sequence[Proposal], *, header: bool = True) -> str:
    """Return a proposals file, or only its rows."""
    first = "\t".join(PROPOSAL_COLUMNS) + "\n" if header else ""
    return first + "".join(proposal.row() for proposal in proposals)
