# SPDX-License-Identifier: Apache-2.0
"""``aa compare``: results of several methods in the paper's tables, with paired tests."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import parse_positive
from aa_dataset.cli.terminal import note, say
from aa_dataset.errors import ArenaError

if TYPE_CHECKING:
    from aa_dataset.score.comparison.report import Report

FORMATS = ("text", "markdown", "latex", "csv", "json", "html")


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("compare", help="compare results of `aa score --out`")
    parser.add_argument(
        "results", metavar="RESULTS", type=Path, nargs="+", help="folders of `aa score --out`"
    )
    parser.add_argument(
        "--protocol",
        choices=("one-joint", "all-joints"),
        default="one-joint",
        help="one joint per object, as in the paper's table (default), or every joint",
    )
    parser.add_argument(
        "--variant",
        choices=("strict", "parallel-safe", "released"),
        default="strict",
        help="variant of the component scores; default strict, as in the paper",
    )
    parser.add_argument("--with-published", action="store_true", help="add the paper's rows")
    parser.add_argument(
        "--resamples", type=parse_positive, help="of intervals; default as in the results"
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--format", choices=FORMATS, default="text", help="what to print")
    output.add_argument("--json", action="store_true", help="the same as --format json")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="also write compare.{md,tex,csv,json,html} there"
    )
    parser.set_defaults(run=run_compare)


def run_compare(arguments: argparse.Namespace) -> int:
    """Compare, print one format and write the others."""
    from aa_dataset.score.comparison.draws import Resampling
    from aa_dataset.score.comparison.measures import Choice
    from aa_dataset.score.comparison.report import compare
    from aa_dataset.score.comparison.sources import open_results
    from aa_dataset.score.comparison.writers.files import write_comparison
    from aa_dataset.score.comparison.writers.text import text_lines

    if arguments.out is not None and not arguments.out.absolute().parent.is_dir():
        raise ArenaError(f"{arguments.out.parent} is not a folder. Create it or choose another.")
    report = compare(
        open_results(arguments.results),
        choice=Choice(arguments.protocol, arguments.variant),
        how=None if arguments.resamples is None else Resampling(arguments.resamples),
        published=arguments.with_published,
    )
    kind = "json" if arguments.json else arguments.format
    if kind == "text":
        say(text_lines(report))
    else:
        say(_document(report, kind).split("\n")[:-1])
    if arguments.out is not None:
        note(f"wrote {', '.join(write_comparison(report, arguments.out))} in {arguments.out}")
    return 0


def _document(report: Report, kind: str) -> str:
    from aa_dataset.score.comparison.writers.files import WRITERS

    return WRITERS[kind][1](report)
