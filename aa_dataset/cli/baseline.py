# SPDX-License-Identifier: Apache-2.0
"""``aa baseline``: write the predictions of a baseline for a split, or the table of all."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import LIBRARY_HELP, add_json, parse_count
from aa_dataset.cli.terminal import note, say, say_json

if TYPE_CHECKING:
    from aa_dataset.score.baselines import Options

NAMES = (
    "ground-truth", "rewritten", "null", "mean-joint", "nearest", "noise", "drop", "spurious",
    "wrong-type",
)  # fmt: skip
TABLE = "table"


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("baseline", help="write the predictions of a baseline")
    parser.add_argument(
        "name",
        metavar="NAME",
        choices=(*NAMES, TABLE),
        help=f"{', '.join(NAMES)}; or `{TABLE}`: score them all and print Markdown",
    )
    parser.add_argument(
        "--out",
        required=True,
        type=Path,
        metavar="DIR",
        help="absent or empty folder for the predictions; for the table also for the results",
    )
    parser.add_argument("--split", default="eval200", help="split to predict; default eval200")
    parser.add_argument("--library", metavar="LIBRARY", help=LIBRARY_HELP)
    parser.add_argument("--seed", type=parse_count, default=0, help="random directions; default 0")
    parser.add_argument("--sigma", type=float, default=0.1, help="size of `noise`; default 0.1")
    parser.add_argument(
        "--count", type=parse_count, default=1, help="joints to `drop`, or `spurious`; default 1"
    )
    parser.add_argument(
        "--format",
        choices=("joints", "urdf"),
        default="joints",
        help="write joints.json (default, keeps every digit) or object.urdf",
    )
    add_json(parser)
    parser.set_defaults(run=run_baseline)


def run_baseline(arguments: argparse.Namespace) -> int:
    """Write the folder and say what it holds, or print the table."""
    from aa_dataset.score.baselines import Options

    if arguments.name == TABLE:
        return _print_table(arguments)
    return _write(arguments, Options(arguments.seed, arguments.sigma, arguments.count))


def _write(arguments: argparse.Namespace, options: Options) -> int:
    from aa_dataset.load import load_default
    from aa_dataset.score.baselines import by_name, write_baseline
    from aa_dataset.score.baselines.folder import require_free

    baseline = by_name(arguments.name)
    require_free(arguments.out)
    dataset = load_default(arguments.library, arguments.split)
    count = write_baseline(
        arguments.name, dataset, arguments.out, options=options, form=arguments.format
    )
    if arguments.json:
        facts = {"baseline": baseline.label(options), "objects": count, "split": dataset.label}
        say_json({"folder": str(arguments.out), **facts})
        return 0
    say(
        [
            f"{arguments.out}: {baseline.label(options)} for {count} objects of "
            f"{dataset.label}: {baseline.text}.",
            f"Score it with `aa score {arguments.out} --split {arguments.split}`.",
        ]
    )
    return 0


def _print_table(arguments: argparse.Namespace) -> int:
    from aa_dataset.load import load_default
    from aa_dataset.score.baselines.folder import require_free
    from aa_dataset.score.baselines.table import (
        markdown,
        rows_content,
        rows_of_all,
        title_of,
    )

    require_free(arguments.out)
    dataset = load_default(arguments.library, arguments.split)
    rows = rows_of_all(dataset, arguments.out, seed=arguments.seed, tell=note)
    if arguments.json:
        say_json(rows_content(rows, title_of(dataset)))
    else:
        say(markdown(rows, title_of(dataset)).splitlines())
    return 0
