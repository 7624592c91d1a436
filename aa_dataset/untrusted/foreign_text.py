# SPDX-License-Identifier: Apache-2.0
"""Escaping of untrusted text for documents and terminals.

Names, licenses and attributions come from files that anybody may write. Code that puts them into
Markdown, YAML, tab-separated text or a terminal uses the matching function of this module.
"""

from __future__ import annotations

import html
import re

# Control characters (Cc), line and paragraph separators (Zl, Zp), surrogates (Cs), private use (Co)
# and format characters (Cf), which can reverse text, join or split words, or hide sentences. The
# ranges are literal because a scan of all code points is slow; a test compares them with the
# Unicode categories. The planes after the letters are excluded as a whole.
UNPRINTABLE = re.compile(
    "["
    r"\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u206f\ud800-\uf8ff\ufeff\ufff9-\ufffb\U000110bd\U000110cd"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff"
    "]"
)
_MARKS = re.compile(r"([\\`*_\[\]|~$])")
# Characters that every automatic link (address or @name) contains. They are wrapped in tags: some
# renderers search for links after decoding entities, but none searches across a tag.
_LINKED = re.compile(r":(?=/)|@|(?<=www)\.", re.IGNORECASE)
# Words that YAML reads as plain strings, not as numbers, nulls or booleans.
_YAML_WORD = re.compile(r"[a-z][a-z0-9]*(?:[.-][a-z0-9]+)+|mit|other|unknown|zlib|unlicense")


def one_line(text: str, most: int = 300) -> str:
    """Return text for one cell of a tab-separated file, truncated to `most` characters."""
    printable = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(printable.split())[:most]


def terminal_line(text: str) -> str:
    """Return text for one line of a terminal, without control characters."""
    return UNPRINTABLE.sub("?", text)


def terminal_text(text: str) -> str:
    """Return the same for a message of several lines."""
    return "\n".join(map(terminal_line, text.split("\n")))


def markdown_cell(text: str) -> str:
    """Return text for one cell of a Markdown table, with all markup escaped.

    Underscores within a word are kept: they are not markup there. Addresses and `@` names are shown
    unchanged but do not become links.
    """
    safe = html.escape(_on_one_line(text), quote=False)
    marked = re.sub(r"(?<=[^\W_])\\_(?=[^\W_])", "_", _MARKS.sub(r"\\\1", safe))
    return _LINKED.sub(r"<span>\g<0></span>", marked)


def plain_line(text: str) -> str:
    """Return text for one line of a plain text file."""
    return _on_one_line(text)


def yaml_text(text: str) -> str:
    """Return text as a YAML scalar, quoted unless it is a plain word."""
    if _YAML_WORD.fullmatch(text):
        return text
    is_plain = [c.isascii() and c.isprintable() and c not in '"\\' for c in text]
    shown = [c if ok else f"\\U{ord(c):08x}" for c, ok in zip(text, is_plain, strict=True)]
    return f'"{"".join(shown)}"'


def _on_one_line(text: str) -> str:
    """Return text on one line, with single spaces and without control characters."""
    return " ".join(UNPRINTABLE.sub(" ", text).split())
