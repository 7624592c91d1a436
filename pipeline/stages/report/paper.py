# SPDX-License-Identifier: Apache-2.0
"""The build against the numbers that the paper states of its library."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.stages.report.tables import LibraryTables


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One number of the paper beside ours.

    Attributes
    ----------
    section : str
        Heading of the rows that belong together.
    quantity : str
        What is counted.
    paper, ours : int
        The two counts.
    """

    section: str
    quantity: str
    paper: int
    ours: int

    @property
    def difference(self) -> int:
        """Ours minus the paper's."""
        return self.ours - self.paper


def compare_with_paper(tables: LibraryTables) -> tuple[PaperRow, ...]:
    """Return every number that the paper states of its library, in the paper's order."""
    return (PaperRow("library", "objects", 19_977, tables.objects.num_rows),)
