# SPDX-License-Identifier: Apache-2.0
"""Terminal output: results to stdout as lines, JSON or tables; progress to stderr."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from aa_dataset.untrusted.foreign_text import UNPRINTABLE, terminal_line

WIDTH = 100  # columns where no terminal and no $COLUMNS tells the width
_NARROWEST = 40


def say(lines: Iterable[str]) -> None:
    """Print lines to stdout; the only place in the package that prints."""
    for line in lines:
        print(terminal_line(line))  # noqa: T201


def say_json(value: Any) -> None:
    """Print a value as JSON; infinities become strings, unprintable characters are escaped."""
    text = json.dumps(_without_infinities(value), indent=1, allow_nan=False, ensure_ascii=False)
    lines = text.split("\n")  # from indentation only; line breaks in strings are escaped
    say(UNPRINTABLE.sub(lambda match: json.dumps(match[0])[1:-1], line) for line in lines)


def note(line: str) -> None:
    """Write an informational line to stderr."""
    sys.stderr.write(f"{terminal_line(line)}\n")


def progress(total: int | None, unit: str) -> Any:
    """Return a progress bar on stderr, hidden if stderr is not a terminal."""
    from tqdm import tqdm

    return tqdm(total=total, unit=unit, leave=False, disable=not sys.stderr.isatty())


def byte_progress(total: int) -> Any:
    """Return a progress bar that counts bytes, hidden if stderr is not a terminal."""
    from tqdm import tqdm

    hidden = not sys.stderr.isatty()
    return tqdm(total=total, unit="B", unit_scale=True, leave=False, disable=hidden)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return aligned lines that fit the terminal.

    The widest columns are truncated first, the first column last: it holds what people copy.
    """
    cells = [list(header), *(list(row) for row in rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(header))]
    while sum(widths) + 2 * (len(widths) - 1) > max(width(), _NARROWEST):
        widest = max(range(1, len(widths)), key=widths.__getitem__)
        widths[widest if widths[widest] > 10 or widths[0] <= 1 else 0] -= 1
    return [
        "  ".join(
            _cut_to_width(text, most) for text, most in zip(row, widths, strict=True)
        ).rstrip()
        for row in cells
    ]


def is_ascii_only() -> bool:
    """Return whether the terminal cannot show the lines of a tree."""
    try:
        "├".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def width() -> int:
    """Return the columns of the terminal, ``$COLUMNS`` if set, else `WIDTH`."""
    return shutil.get_terminal_size((WIDTH, 24)).columns


def _cut_to_width(text: str, most: int) -> str:
    return text.ljust(most) if len(text) <= most else text[: max(most - 1, 0)] + "…"


def _without_infinities(value: Any) -> Any:
    """Replace infinite numbers by text, because JSON cannot represent them."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _without_infinities(item) for key, item in value.items()}
    return [_without_infinities(item) for item in value] if isinstance(value, list) else value
