# SPDX-License-Identifier: Apache-2.0
"""Data as scripts: a page that is opened from a file may run a script, but not fetch a file."""

from __future__ import annotations

import json

from aa_dataset.untrusted.foreign_text import terminal_line

# A description longer than this is cut; the paper's longest collections write a sentence or two.
MOST_CHARACTERS = 1000
NAME = "aaReport"  # the global object whose functions take the data


def script(function: str, value: object) -> bytes:
    """Return a script that hands a value to a function of the page.

    The value is JSON in a string: browsers parse that faster than the same as a literal.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"{NAME}.{function}(JSON.parse('{quoted}'));\n".encode()


def plain(text: str | None, most: int = MOST_CHARACTERS) -> str:
    """Return foreign text on one line, without control characters, cut where it is too long."""
    line = " ".join(terminal_line(" ".join((text or "").split())).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
