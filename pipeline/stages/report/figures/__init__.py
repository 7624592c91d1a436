# SPDX-License-Identifier: Apache-2.0
"""The figures of the report: one module per subject, numbers apart from drawing."""

from __future__ import annotations

from pipeline.stages.report.figures.figure import Figure
from pipeline.stages.report.tables import LibraryTables

__all__ = ["Figure", "draw_figures"]


def draw_figures(tables: LibraryTables) -> tuple[Figure, ...]:
    """Return every figure of a library, in the order of the page."""
    return ()
