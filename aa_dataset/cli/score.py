# SPDX-License-Identifier: Apache-2.0
"""``aa score``: score predicted kinematics against a split of the library."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from aa_dataset.cli.arguments import LIBRARY_HELP, parse_count
from aa_dataset.cli.terminal import say, say_json
from aa_dataset.errors import ArenaError


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("score", help="score predicted kinematics against a split")
    parser.add_argument(
        "predictions",
        metavar="PREDICTIONS",
        type=Path,
        help="folder of <object_id>/object.urdf or <object_id>.urdf, or a library",
    )
    parser.add_argument(
        "--split",
        required=True,
        help="split to score on, such as eval200 or eval200-v1, or a file of `aa split export`",
    )
    parser.add_argument("--library", metavar="LIBRARY", help=LIBRARY_HELP)
    parser.add_argument("--alpha", type=float, default=1.0, help="1/m, split norm; default 1")
    parser.add_argument("--kappa", type=float, default=math.pi, help="scale of E^phi; default pi")
    parser.add_argument(
        "--pairing",
        choices=("tree", "assignment"),
        default="tree",
        help="match joints by exact tree matching, or by assignment that ignores the trees",
    )
    parser.add_argument("--budget", type=parse_count, help="search steps per tree distance")
    parser.add_argument(
        "--time-limit", type=float, metavar="S", help="time limit, recorded in the result"
    )
    parser.add_argument("--objects", action="store_true", help="also print a row per object")
    parser.add_argument("--json", action="store_true", help="print the result as JSON instead")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the result as JSON")
    parser.set_defaults(run=run_score)


def run_score(arguments: argparse.Namespace) -> int:
    """Score, print and write the result; return 1 if a prediction is unreadable."""
    from aa_dataset.load import load_default
    from aa_dataset.metric.tree.work import DEFAULT_BUDGET
    from aa_dataset.score.evaluate import evaluate
    from aa_dataset.score.readers import open_predictions
    from aa_dataset.score.report import report_lines
    from aa_dataset.score.results import Parameters, write_result

    parameters = Parameters(
        arguments.alpha,
        arguments.kappa,
        arguments.pairing,
        DEFAULT_BUDGET if arguments.budget is None else arguments.budget,
        arguments.time_limit,
    )
    if arguments.out is not None and not arguments.out.absolute().parent.is_dir():
        raise ArenaError(f"{arguments.out.parent} is not a folder. Create it or choose another.")
    predictions = open_predictions(arguments.predictions)
    dataset = load_default(arguments.library, arguments.split)
    result = evaluate(dataset, predictions, parameters=parameters, progress=True)
    if arguments.json:
        say_json(result.as_dict())
    else:
        say(report_lines(result, objects=arguments.objects))
    if arguments.out is not None:
        write_result(result, arguments.out)
    return 1 if result.count("unreadable") else 0
