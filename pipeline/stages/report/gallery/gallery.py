# SPDX-License-Identifier: Apache-2.0
"""Writes the files of the gallery."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from aa_dataset.files import write_bytes
from aa_dataset.format.licenses import Redistribution
from pipeline.base.layout import ReportLayout
from pipeline.engine.settings import Report
from pipeline.stages.report.gallery.columns import gallery_columns
from pipeline.stages.report.gallery.details import write_details
from pipeline.stages.report.gallery.order import gallery_order
from pipeline.stages.report.gallery.pictures import write_pictures
from pipeline.stages.report.gallery.scripts import script
from pipeline.stages.report.tables import LibraryTables


@dataclass(frozen=True, slots=True)
class Gallery:
    """What was written.

    Attributes
    ----------
    objects, large : int
        Objects, and those with large pictures.
    restricted : int
        Objects whose files a release may not contain.
    table, thumbnails, pictures, details : int [B]
        Size of the files of each kind.
    """

    objects: int
    large: int
    restricted: int
    table: int
    thumbnails: int
    pictures: int
    details: int

    @property
    def per_thousand(self) -> int:
        """Bytes of all files per 1,000 objects."""
        total = self.table + self.thumbnails + self.pictures + self.details
        return round(1000 * total / self.objects) if self.objects else 0


def write_gallery(
    tables: LibraryTables, report: ReportLayout, settings: Report, *, workers: int
) -> Gallery:
    """Write table, sheets, pictures and details of a library, which is sealed."""
    order = gallery_order(tables.objects, settings)
    bits = write_pictures(
        tables.objects, tables.root, order, report, tile=settings.thumbnail, workers=workers
    )
    write_details(tables, report)
    write_bytes(report.table, script("table", gallery_columns(tables, order, bits)))
    return Gallery(
        len(order.rows),
        len(order.large),
        sum(word != Redistribution.ASSETS for word in tables.objects["redistribution"].to_pylist()),
        report.table.stat().st_size,
        _bytes(report.sheets.glob("*")),
        _bytes(report.pictures.glob("*")),
        _bytes(report.detail_scripts.glob("*")),
    )


def _bytes(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths)
