# SPDX-License-Identifier: Apache-2.0
"""Objects as HTML with pictures, for notebooks. All text is foreign and is escaped."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 160  # pixels of a picture
_CARD = "display:inline-block;width:{width}px;margin:4px;vertical-align:top;font-size:12px"


@dataclass(frozen=True, slots=True)
class Card:
    """One object: the PNG of its preview, empty if there is none, and lines of text below it."""

    picture: bytes
    lines: tuple[str, ...]


def gallery(title: str, cards: Sequence[Card], more: int = 0) -> str:
    """Return a title, the cards side by side, and how many `more` there are, as HTML."""
    body = "".join(_card(card) for card in cards)
    rest = f"<div>and {more:,} more</div>" if more else ""
    return f"<div><div><b>{escape(title)}</b></div>{body}{rest}</div>"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows of text as an HTML table."""
    lines = [("th", head), *(("td", row) for row in rows)]
    cells = ("".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts) for tag, texts in lines)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


def _card(card: Card) -> str:
    text = "<br>".join(escape(line) for line in card.lines)
    picture = ""
    if card.picture:
        data = base64.b64encode(_shrunk(card.picture)).decode()
        picture = f'<img width="{WIDTH}" src="data:image/png;base64,{data}"><br>'
    return f'<div style="{_CARD.format(width=WIDTH)}">{picture}{text}</div>'


def _shrunk(data: bytes) -> bytes:
    """Return a picture of the shown size, or as it is without Pillow or if it cannot be read."""
    try:
        from PIL import Image

        with Image.open(io.BytesIO(data), formats=("PNG",)) as picture:
            small = picture.convert("RGB")
            small.thumbnail((WIDTH, WIDTH))
    except (ImportError, OSError, ValueError, SyntaxError):
        return data
    stream = io.BytesIO()
    small.save(stream, format="PNG")
    return stream.getvalue()
