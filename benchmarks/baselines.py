# SPDX-License-Identifier: Apache-2.0
"""Writes the table of the baselines into the README, as ``aa baseline table`` prints it.

``PYTHONPATH=. python benchmarks/baselines.py --library LIBRARY --out DIR``. The library must hold
the frozen benchmark, so that everybody gets the same table. It takes about two minutes of CPU time.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from aa_dataset import load_dataset
from aa_dataset.score.baselines.table import markdown, rows_of_all, title_of

README = Path(__file__).resolve().parents[1] / "README.md"
BEGIN, END = "<!-- baselines: begin, from benchmarks/baselines.py -->", "<!-- baselines: end -->"


def main() -> None:
    """Score all baselines and replace what stands between the marks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="folder of a library")
    parser.add_argument("--out", required=True, type=Path, help="folder for all results")
    arguments = parser.parse_args()
    table = table_of(arguments.library, arguments.out)
    README.write_text(replaced(README.read_text(), table))


def table_of(library: str | Path, folder: Path) -> str:
    """Return the table on the frozen benchmark; predictions and results go to a folder."""
    dataset = load_dataset(library, split="eval200", verbose=False)
    if dataset.benchmark is None:
        raise SystemExit("This library has sampled its own split. Build the default library.")
    rows = rows_of_all(dataset, folder, tell=lambda label: sys.stderr.write(f"{label}\n"))
    return markdown(rows, title_of(dataset))


def between(text: str) -> str:
    """Return what stands between the marks."""
    found = re.search(f"{re.escape(BEGIN)}\n\n(.*?)\n{re.escape(END)}", text, re.S)
    assert found is not None, "the README has lost its marks"
    return found[1]


def replaced(text: str, table: str) -> str:
    """Return the text with another table between the marks."""
    return text.replace(f"\n\n{between(text)}\n{END}", f"\n\n{table}\n{END}")


if __name__ == "__main__":
    main()
