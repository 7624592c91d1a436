# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline summary`: the closing table of a build."""

from __future__ import annotations

import argparse
import csv
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress

from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.seal import read_seal
from aa_dataset.kinematics import JointType
from pipeline.base import layout
from pipeline.base.reasons import Reason
from pipeline.base.tables import read_rows
from pipeline.engine.stages import STAGES

WIDTH = 40
WRAP = 96


def main(arguments: list[str]) -> int:
    """Print the summary of the library in this folder."""
    about = "Print the summary of the library in this folder."
    argparse.ArgumentParser("python -m pipeline summary", description=about).parse_args(arguments)
    print_summary()
    return 0


def print_summary() -> None:
    """Print objects, joints by type, rejects by reason and seconds per stage."""
    library = LibraryLayout(layout.LIBRARY)
    seal = read_seal(library)
    joints = Counter(row["type"] for row in read_rows(library.table("joints")))
    rejects = Counter((row["stage"], row["code"]) for row in read_rows(library.table("rejects")))
    lines = [
        f"{seal.name}, revision {seal.revision}: {seal.objects:,} of the "
        f"{seal.expected_objects:,} objects of ArticulateArena-20K",
        *_table_lines("objects by source", sorted(seal.sources.items())),
        *_table_lines("joints by type", [(kind, joints[kind]) for kind in JointType]),
        *_table_lines(
            "rejects by reason", [(f"{s}: {c}", n) for (s, c), n in sorted(rejects.items())]
        ),
        *_table_lines("splits", sorted(seal.splits.items())),
        *(f"  {line}" for line in _split_remarks()),
        *_table_lines("seconds per stage, all jobs", _seconds_per_stage()),
    ]
    if any(code == Reason.TIME_EXCEEDED for _, code in rejects):
        lines.append("An object exceeded the time limit: this build is not reproducible.")
    sys.stdout.write("\n".join(lines) + "\n")


def _split_remarks() -> list[str]:
    if not layout.SPLIT_REPORT.is_file():
        return []
    text = layout.SPLIT_REPORT.read_text()
    return [part for line in text.splitlines() for part in textwrap.wrap(line, WRAP)]


def _table_lines(title: str, rows: Iterable[tuple[str, float]]) -> list[str]:
    rows = list(rows)
    out = ["", title]
    out += [
        f"  {name:<{WIDTH}}{value:>10,.1f}"
        if isinstance(value, float)
        else f"  {name:<{WIDTH}}{value:>10,}"
        for name, value in rows
    ]
    return out if rows else [*out, "  none"]


def _seconds_per_stage() -> list[tuple[str, float]]:
    out = []
    for stage in STAGES:
        total = 0.0
        for path in layout.benchmarks(stage).rglob("*.tsv"):
            with suppress(OSError, ValueError, TypeError, KeyError, csv.Error):  # for display only
                text = path.read_text().splitlines()
                total += sum(float(row["s"]) for row in csv.DictReader(text, delimiter="\t"))
        out.append((stage, total))
    return out
