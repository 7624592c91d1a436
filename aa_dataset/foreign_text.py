# SPDX-License-Identifier: Apache-2.0
"""Text of strangers on its way into a document: it stays text, on its own line, in its own cell.

Names, licenses and attributions come from files that anybody may write. Every place that puts them
into Markdown, HTML, YAML, tab-separated text or a terminal takes the function for that place here.
"""

from __future__ import annotations

import html
import re

# Control sequences, line breaks of any kind, and characters that turn the direction of reading.
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_MARKS = re.compile(r"([\\`*_\[\]|~$])")
# Words that YAML takes as they stand: no number, no null, no true or false.
_YAML_WORD = re.compile(r"[a-z][a-z0-9]*(?:[.-][a-z0-9]+)+|mit|other|unknown|zlib|unlicense")


def one_line(text: str, most: int = 300) -> str:
    """Return text that fits into one cell of a tab-separated file, cut to a length."""
    printable = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(printable.split())[:most]


def terminal_line(text: str) -> str:
    """Return text that a terminal shows on one line and obeys in nothing."""
    return UNPRINTABLE.sub("?", text)


def terminal_text(text: str) -> str:
    """Return the same for a message of several lines."""
    return "\n".join(map(terminal_line, text.split("\n")))


def html_text(text: str) -> str:
    """Return text for HTML, between tags or inside a quoted attribute."""
    return html.escape(_settled(text), quote=True)


def markdown_cell(text: str) -> str:
    """Return text for one cell of a Markdown table, without any markup of its own.

    An underscore within a word is left alone: it marks nothing there.
    """
    safe = html.escape(_settled(text), quote=False)
    return re.sub(r"(?<=[^\W_])\\_(?=[^\W_])", "_", _MARKS.sub(r"\\\1", safe))


def plain_line(text: str) -> str:
    """Return text for one line of a plain text file."""
    return _settled(text)


def yaml_text(text: str) -> str:
    """Return text as a YAML scalar: a plain word where it is one, else quoted."""
    if _YAML_WORD.fullmatch(text):
        return text
    is_plain = [c.isascii() and c.isprintable() and c not in '"\\' for c in text]
    shown = [c if ok else f"\\U{ord(c):08x}" for c, ok in zip(text, is_plain, strict=True)]
    return f'"{"".join(shown)}"'


def _settled(text: str) -> str:
    """Return text on one line, with single blanks and without control characters."""
    return " ".join(UNPRINTABLE.sub(" ", text).split())
