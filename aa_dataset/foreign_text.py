# SPDX-License-Identifier: Apache-2.0
"""Escapes untrusted text for documents: it stays text, on its own line, in its own cell.

Names, licenses and attributions come from files that anybody may write. Every place that puts them
into Markdown, YAML, tab-separated text or a terminal takes the function for that place here.
"""

from __future__ import annotations

import html
import re

# Control sequences (Cc), line breaks of any kind (Zl, Zp), halves of characters (Cs), what every
# font draws as it likes (Co), and what nobody sees (Cf): such characters turn the direction of
# reading, join or part words, or hide whole sentences. Written out, because a look at all signs
# takes long; a test compares them with the categories. The planes behind the letters go as a whole.
UNPRINTABLE = re.compile(
    "["
    r"\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u206f\ud800-\uf8ff\ufeff\ufff9-\ufffb\U000110bd\U000110cd"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff"
    "]"
)
_MARKS = re.compile(r"([\\`*_\[\]|~$])")
# What addresses and names that become links by themselves cannot do without. It gets tags around:
# some renderers look for addresses where entities are letters again, but none looks across a tag.
_LINKED = re.compile(r":(?=/)|@|(?<=www)\.", re.IGNORECASE)
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


def markdown_cell(text: str) -> str:
    """Return text for one cell of a Markdown table, without any markup of its own.

    An underscore within a word is left alone: it marks nothing there. An address or a name after
    `@` looks as it is, but becomes no link.
    """
    safe = html.escape(_settled(text), quote=False)
    marked = re.sub(r"(?<=[^\W_])\\_(?=[^\W_])", "_", _MARKS.sub(r"\\\1", safe))
    return _LINKED.sub(r"<span>\g<0></span>", marked)


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
