# SPDX-License-Identifier: Apache-2.0
"""The stage: writes `report/`, a page that opens from a file and shows the library.

It holds what the stages took, so it is no part of the release, whose bytes are the same in every
build. Everything else in it is a function of the library and the settings.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator

from aa_dataset.files import write_bytes
from aa_dataset.format.labels import UNKNOWN
from pipeline.base import layout
from pipeline.engine.runner import Job
from pipeline.engine.settings import ReportSettings
from pipeline.stages.report.figures import draw_figures
from pipeline.stages.report.gallery import write_gallery
from pipeline.stages.report.page import Page, page_text
from pipeline.stages.report.paper import compare_with_paper
from pipeline.stages.report.tables import LibraryTables, read_tables

log = logging.getLogger(__name__)
BENCHMARKS = layout.benchmarks("report").parent


def run(job: Job[ReportSettings]) -> None:
    """Write the report of the library in this folder."""
    report = layout.ReportLayout(job.outputs["page"].parent)
    tables = read_tables(job.inputs["seal"].parent, BENCHMARKS)
    shutil.rmtree(report.data, ignore_errors=True)
    gallery = write_gallery(tables, report, job.settings.report, workers=max(1, job.workers))
    page = Page(
        tables.name,
        tables.revision,
        tuple(_numbers(tables, job.settings.expected_objects)),
        draw_figures(tables),
        compare_with_paper(tables),
        gallery,
        job.settings.report,
    )
    write_bytes(report.page, page_text(page).encode())
    log.info("%d objects, %d bytes per 1,000 objects", gallery.objects, gallery.per_thousand)


def _numbers(tables: LibraryTables, expected: int) -> Iterator[tuple[str, str]]:
    """Yield the counts of the page's head."""
    objects = tables.objects
    yield f"{objects.num_rows:,}", f"of {expected:,} objects"
    for name, one, many in (
        ("category", "category", "categories"),
        ("supercategory", "supercategory", "supercategories"),
        ("source", "source", "sources"),
    ):
        count = len({*objects[name].to_pylist()} - {UNKNOWN})
        yield f"{count:,}", one if count == 1 else many
    yield f"{sum(objects['joints_movable'].to_pylist()):,}", "movable joints"
