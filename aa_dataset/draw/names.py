# SPDX-License-Identifier: Apache-2.0
"""Foreign names in a fixed number of columns, escaped for a terminal or for markup."""

from __future__ import annotations

import html
import unicodedata

from aa_dataset.untrusted.foreign_text import terminal_line

ELLIPSIS = "…"


def columns(text: str) -> int:
    """Return the columns that a text takes in a font of fixed width."""
    return sum(map(_char_columns, text))


def shortened(text: str, most: int, *, ellipsis: str = ELLIPSIS) -> str:
    """Return printable text of at most `most` columns, cut in the middle if it is longer.

    The middle is cut because names of one object often share their beginning and differ at the end.
    """
    text = terminal_line(text)
    if columns(text) <= most:
        return text
    room = most - len(ellipsis)
    head = _prefix(text, (room + 1) // 2)
    tail = _prefix(text[::-1], room // 2)[::-1]
    return f"{head}{ellipsis}{tail}"


def padded(text: str, width: int) -> str:
    """Return a text filled with spaces to `width` columns."""
    return text + " " * (width - columns(text))


def markup(text: str) -> str:
    """Return printable text for the content or a quoted attribute of HTML and SVG."""
    return html.escape(terminal_line(text))


def _prefix(text: str, most: int) -> str:
    used = 0
    for index, char in enumerate(text):
        used += _char_columns(char)
        if used > most:
            return text[:index]
    return text


def _char_columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
