# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline previews FILE`: a sheet with the pictures of one object per category."""

from __future__ import annotations

import argparse
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from aa_dataset.cli.arguments import parse_positive
from aa_dataset.format.layout import PREVIEW, PREVIEW_OPEN, PREVIEW_PARTS, LibraryLayout
from aa_dataset.format.seal import read_seal
from aa_dataset.render.backend import encode_png
from pipeline.base import layout
from pipeline.base.assets import AssetRange, read_range
from pipeline.base.errors import PipelineError
from pipeline.base.tables import read_rows, write_bytes
from pipeline.stages.render.sheet import contact_sheet

KINDS = {"rest": PREVIEW, "open": PREVIEW_OPEN, "parts": PREVIEW_PARTS}


def main(arguments: list[str]) -> int:
    """Draw the sheet of the library in this folder."""
    parser = argparse.ArgumentParser(prog="python -m pipeline previews")
    parser.add_argument("file", type=Path, help="PNG to write")
    parser.add_argument("--columns", type=parse_positive, default=8, help="objects in a row")
    parser.add_argument("--tile", type=parse_positive, default=160, help="pixels of one picture")
    parser.add_argument("--most", type=parse_positive, default=48, help="objects at most")
    parser.add_argument(
        "--kind", choices=(*KINDS, "all"), default="all", help="which picture; default all three"
    )
    given = parser.parse_args(arguments)
    names = list(KINDS.values()) if given.kind == "all" else [KINDS[given.kind]]
    rows = one_per_category()
    if not rows:
        raise PipelineError("No object of this library has pictures; its findings say why.")
    spread = rows[:: math.ceil(len(rows) / given.most)]
    pictures = [(_read_previews(row, names), row["category"]) for row in spread]
    columns = max(1, given.columns // len(names))
    sheet = contact_sheet(pictures, columns=columns, tile=given.tile, broad=len(names))
    write_bytes(given.file, encode_png(np.asarray(sheet)))
    return 0


def one_per_category() -> list[dict[str, Any]]:
    """Return the first object with pictures of every category, by supercategory."""
    library = LibraryLayout(layout.LIBRARY)
    if not library.seal.is_file():
        raise PipelineError("There is no library here. Run `make library` first.")
    read_seal(library)  # refuses tables of another schema
    rows = sorted(
        read_rows(library.table("objects")),
        key=lambda row: (row["supercategory"], row["category"], row["object_id"]),
    )
    first: dict[str, dict[str, Any]] = {}
    for row in (row for row in rows if row["preview_backend"] is not None):
        first.setdefault(row["category"], row)
    return list(first.values())


def _read_previews(row: dict[str, Any], names: list[str]) -> np.ndarray:
    """Return pictures of one object side by side."""
    tar = LibraryLayout(layout.LIBRARY).asset(row["shard"])
    files = read_range(AssetRange(tar, row["offset"], row["size"]))
    opened = [Image.open(io.BytesIO(files[name]), formats=["PNG"]) for name in names]
    return np.concatenate([np.asarray(picture.convert("RGB")) for picture in opened], axis=1)
