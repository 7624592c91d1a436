# SPDX-License-Identifier: Apache-2.0
"""The figures of the report: one module per subject, numbers apart from drawing."""

from __future__ import annotations

from pipeline.stages.report.figures.composition import composition_figure
from pipeline.stages.report.figures.figure import Figure
from pipeline.stages.report.figures.joints import pitches_figure, ranges_figure
from pipeline.stages.report.figures.quality import (
    costs_figure,
    coverage_figure,
    findings_figure,
    inertia_figure,
)
from pipeline.stages.report.figures.shapes import (
    category_sizes_figure,
    depth_figure,
    joints_figure,
    sizes_figure,
)
from pipeline.stages.report.tables import LibraryTables

__all__ = ["Figure", "draw_figures"]

_FIGURES = (
    composition_figure,
    category_sizes_figure,
    joints_figure,
    depth_figure,
    ranges_figure,
    pitches_figure,
    sizes_figure,
    inertia_figure,
    findings_figure,
    coverage_figure,
    costs_figure,
)


def draw_figures(tables: LibraryTables) -> tuple[Figure, ...]:
    """Return every figure of a library, in the order of the page; the same tables, the same bytes.

    What a library lacks, such as pictures or helical joints, leaves a gap with a word.
    """
    return tuple(draw(tables) for draw in _FIGURES)
