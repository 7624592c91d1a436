# SPDX-License-Identifier: Apache-2.0
"""Thumbnails on sheets of a hundred, and the large pictures and strips of single objects.

Pictures come straight from the library's tars and are done sheet by sheet, so that memory does not
depend on the number of objects. A picture that is absent or broken is a gap.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from PIL import Image

from aa_dataset.assets.tars import read_members
from aa_dataset.files import write_bytes
from aa_dataset.format.layout import (
    PREVIEW,
    PREVIEW_OPEN,
    PREVIEW_PARTS,
    STRIP,
    LibraryLayout,
)
from pipeline.base.layout import ReportLayout
from pipeline.stages.report.gallery.order import Order

COLUMNS = 10
PER_SHEET = COLUMNS * COLUMNS
# Name of a large picture in the report and its file in the library; the bit says that it is there.
LARGE = {"rest": PREVIEW, "open": PREVIEW_OPEN, "parts": PREVIEW_PARTS}
BITS = {"thumbnail": 1, "rest": 2, "open": 4, "parts": 8, "strip": 16}
MOST_BYTES = 50_000_000  # B of one picture
SIDE = 512  # pixels of a large picture; larger ones are shrunk
PAPER = (244, 245, 247)  # the ground of previews
QUALITY, METHOD = 82, 2


@dataclass(frozen=True, slots=True)
class Cell:
    """One object on a sheet: its place in the library's tars, None without files."""

    row: int
    object_id: str
    tar: Path | None
    offset: int
    size: int
    is_large: bool


def write_pictures(
    objects: pa.Table, library: Path, order: Order, report: ReportLayout, *, tile: int, workers: int
) -> list[int]:
    """Write every sheet and large picture; return the bits of `BITS` by row of the gallery.

    Parameters
    ----------
    tile : int
        Width and height of a thumbnail in pixels.
    workers : int
        Threads; Pillow works outside of the interpreter's lock.
    """
    bits: list[int] = []
    with ThreadPoolExecutor(workers) as pool:
        waiting: list[Future[list[int]]] = []
        for number, cells in enumerate(_sheets(objects, library, order)):
            waiting.append(pool.submit(_write_sheet, number, cells, report, tile))
            if len(waiting) > 2 * workers:
                bits += waiting.pop(0).result()
        for future in waiting:
            bits += future.result()
    return bits


def _sheets(objects: pa.Table, library: Path, order: Order) -> Iterator[list[Cell]]:
    """Yield the objects of every sheet, in the order of the gallery."""
    folder, columns = LibraryLayout(library), ("object_id", "shard", "offset", "size")
    for start in range(0, len(order.rows), PER_SHEET):
        rows = pa.array(order.rows[start : start + PER_SHEET])
        facts = objects.select(columns).take(rows).to_pylist()
        yield [_cell(row, fact, folder, order) for row, fact in enumerate(facts, start)]


def _cell(row: int, fact: Mapping[str, Any], folder: LibraryLayout, order: Order) -> Cell:
    tar = None if fact["shard"] is None else folder.asset(fact["shard"])
    place = (fact["offset"] or 0, fact["size"] or 0)
    return Cell(row, fact["object_id"], tar, *place, row in order.large)


def _write_sheet(number: int, cells: Sequence[Cell], report: ReportLayout, tile: int) -> list[int]:
    """Write one sheet and its objects' large pictures; return their bits."""
    height = -(-len(cells) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * tile, height * tile), PAPER)
    bits = []
    for place, cell in enumerate(cells):
        files = _read_pictures(cell)
        corner = (place % COLUMNS * tile, place // COLUMNS * tile)
        found = BITS["thumbnail"] if _paste(sheet, files.get(PREVIEW), corner, tile) else 0
        bits.append(found | (_write_large(cell.row, files, report) if cell.is_large else 0))
    if any(bits):
        write_bytes(report.sheet(number), _webp(sheet), lasting=False)
    return bits


def _read_pictures(cell: Cell) -> dict[str, bytes]:
    """Return the pictures of one object that the report needs, as far as they are there."""
    names = {*LARGE.values(), STRIP} if cell.is_large else {PREVIEW}
    found: dict[str, bytes] = {}
    if cell.tar is None:
        return found
    try:
        with cell.tar.open("rb") as stream:
            for member in read_members(stream, cell.offset, cell.size, object_id=cell.object_id):
                if member.name in names and member.size <= MOST_BYTES:
                    stream.seek(member.offset)
                    found[member.name] = stream.read(member.size)
    except (OSError, ValueError):  # `aa verify` reports damage; here it is a gap
        return found
    return found


def _paste(sheet: Image.Image, data: bytes | None, corner: tuple[int, int], tile: int) -> bool:
    picture = _decoded(data, tile)
    if picture is None:
        return False
    inset = tuple((tile - length) // 2 for length in picture.size)
    sheet.paste(picture, (corner[0] + inset[0], corner[1] + inset[1]))
    return True


def _write_large(row: int, files: Mapping[str, bytes], report: ReportLayout) -> int:
    """Write the large pictures and the strip of one object; return their bits."""
    bits = 0
    for name, file in LARGE.items():
        picture = _decoded(files.get(file), SIDE)
        if picture is not None:
            write_bytes(report.picture(row, name), _webp(picture), lasting=False)
            bits |= BITS[name]
    strip = files.get(STRIP, b"")
    if strip[:4] == b"RIFF" and strip[8:12] == b"WEBP":
        write_bytes(report.picture(row, "strip"), strip, lasting=False)
        bits |= BITS["strip"]
    return bits


def _decoded(data: bytes | None, most: int) -> Image.Image | None:
    """Return a picture of at most `most` pixels on its longer side, None if there is none."""
    if data is None:
        return None
    try:
        picture = Image.open(io.BytesIO(data), formats=["PNG"]).convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    scale = most / max(picture.size)
    if scale < 1:
        width, height = (max(1, round(scale * length)) for length in picture.size)
        picture = picture.resize((width, height), Image.Resampling.BOX, reducing_gap=2.0)
    return picture


def _webp(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "WEBP", quality=QUALITY, method=METHOD)
    return buffer.getvalue()
