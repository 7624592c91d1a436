# SPDX-License-Identifier: Apache-2.0
"""The files of a comparison."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from aa_dataset.errors import ArenaError
from aa_dataset.files import write_bytes
from aa_dataset.score.comparison.report import Report
from aa_dataset.score.comparison.writers.html import html_text
from aa_dataset.score.comparison.writers.latex import latex_text
from aa_dataset.score.comparison.writers.machine import csv_text, json_text
from aa_dataset.score.comparison.writers.markdown import markdown_text

# The name of each format: how its file ends, and its writer.
WRITERS: dict[str, tuple[str, Callable[[Report], str]]] = {
    "markdown": ("md", markdown_text),
    "latex": ("tex", latex_text),
    "csv": ("csv", csv_text),
    "json": ("json", json_text),
    "html": ("html", html_text),
}


def write_comparison(report: Report, folder: Path) -> list[str]:
    """Write every format into a folder, which is created; return the names of the files."""
    names = []
    try:
        folder.mkdir(exist_ok=True)
        for ending, text in WRITERS.values():
            names.append(f"compare.{ending}")
            write_bytes(folder / names[-1], text(report).encode())
    except OSError as error:
        raise ArenaError(
            f"cannot write into {folder} ({error.strerror}). Choose another folder."
        ) from error
    return names
