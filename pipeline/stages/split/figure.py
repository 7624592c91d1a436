# SPDX-License-Identifier: Apache-2.0
"""A figure of what the evaluation splits cover: objects and categories per supercategory."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from PIL import Image, ImageDraw, ImageFont

WIDTH, ROW, LABEL, TOP = 900, 30, 250, 84
INK, PALE, STRONG = (40, 40, 46), (214, 222, 233), (66, 110, 180)


def coverage_figure(
    objects: Sequence[Mapping[str, Any]], splits: Mapping[str, Mapping[str, str]]
) -> bytes:
    """Return a PNG: per split and supercategory the objects, and its categories of all.

    Parameters
    ----------
    objects : rows of the table `objects`
        The whole library.
    splits : mapping by name
        Ids of every split's objects; the splits are drawn below each other.
    """
    panels = [_coverage_panel(objects, chosen, name) for name, chosen in splits.items()]
    image = Image.new("RGB", (WIDTH, sum(panel.height for panel in panels)), (255, 255, 255))
    top = 0
    for panel in panels:
        image.paste(panel, (0, top))
        top += panel.height
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def _coverage_panel(
    objects: Sequence[Mapping[str, Any]], chosen: Mapping[str, str], name: str
) -> Image.Image:
    """Draw one split: a bar per supercategory."""
    members = [row for row in objects if row["object_id"] in chosen]
    counts = Counter(row["supercategory"] for row in members)
    covered = _categories_by_group(members)
    every = _categories_by_group(objects)
    total = sum(map(len, covered.values()))
    title = f"{name}: {len(members)} objects, {total} of {sum(map(len, every.values()))} categories"
    image = Image.new("RGB", (WIDTH, TOP + ROW * len(every) + 20), (255, 255, 255))
    draw = ImageDraw.Draw(image)
    draw.text((16, 14), title, fill=INK, font=ImageFont.load_default(20))
    draw.text((LABEL, 50), "objects", fill=INK, font=ImageFont.load_default(14))
    draw.text((WIDTH - 190, 50), "categories covered", fill=INK, font=ImageFont.load_default(14))
    most = max(counts.values(), default=1)
    for number, group in enumerate(sorted(every, key=lambda group: (-counts[group], group))):
        share = f"{len(covered.get(group, ()))} of {len(every[group])}"
        _draw_bar_row(draw, number, group, counts[group] / most, counts[group], share)
    return image


def _categories_by_group(rows: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {}
    for row in rows:
        out.setdefault(row["supercategory"], set()).add(row["category"])
    return out


def _draw_bar_row(
    draw: ImageDraw.ImageDraw, number: int, group: str, length: float, count: int, share: str
) -> None:
    """Draw one row: label, bar, count, share of categories."""
    y, font = TOP + ROW * number, ImageFont.load_default(14)
    end = WIDTH - 260
    draw.text((16, y + 4), group, fill=INK, font=font)
    draw.rectangle((LABEL, y + 4, end, y + ROW - 8), fill=PALE)
    if count:
        draw.rectangle((LABEL, y + 4, LABEL + (end - LABEL) * length, y + ROW - 8), fill=STRONG)
    draw.text((end + 10, y + 4), str(count), fill=INK, font=font)
    draw.text((WIDTH - 190, y + 4), share, fill=INK, font=font)
