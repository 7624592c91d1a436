# SPDX-License-Identifier: Apache-2.0
"""``aa score``: score predicted kinematics against a split of the library."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import LIBRARY_HELP, add_parameters, parse_count, read_parameters
from aa_dataset.cli.explain import add_page, require_folder, write_page
from aa_dataset.cli.presets import add_preset, preset_reports, report_content, report_texts
from aa_dataset.cli.reading import add_reading, open_reading, say_readers
from aa_dataset.cli.terminal import note, say, say_json

if TYPE_CHECKING:
    from aa_dataset.score.evaluate import Plan
    from aa_dataset.score.result.record import Result


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("score", help="score predicted kinematics against a split")
    parser.add_argument(
        "predictions",
        metavar="PREDICTIONS",
        type=Path,
        nargs="?",
        help="folder with a folder or a URDF per object, in any format of --readers, or a library",
    )
    parser.add_argument(
        "--split",
        help="split to score on, such as eval200 or eval200-v1, or a file of `aa split export`",
    )
    parser.add_argument("--library", metavar="LIBRARY", help=LIBRARY_HELP)
    parser.add_argument(
        "--readers", action="store_true", help="print the formats that are read, and exit"
    )
    add_reading(parser)
    add_parameters(parser)
    _add_outputs(parser)
    parser.set_defaults(run=run_score, refuse=parser.error)


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    """Add what is shown and written."""
    parser.add_argument("--method", type=Path, metavar="FILE", help="method.json of the method")
    parser.add_argument(
        "--by",
        action="append",
        default=[],
        choices=("supercategory", "category", "joint-type", "source", "joints", "metric"),
        help="also report groups; may be repeated",
    )
    add_preset(parser)
    parser.add_argument("--objects", action="store_true", help="also print a row per object")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON instead")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write the result into a folder")
    add_page(parser)
    parser.add_argument(
        "--again", action="store_true", help="replace what --out holds instead of reading it"
    )
    parser.add_argument(
        "--workers", type=parse_count, metavar="N", help="processes; default: as many as help"
    )
    parser.add_argument(
        "--strict", action="store_true", help="return 1 if there is a warning of any kind"
    )


def run_score(arguments: argparse.Namespace) -> int:
    """Score, print and write the result; return 1 if a prediction is unreadable."""
    if arguments.readers:
        return say_readers(as_json=arguments.json)
    if arguments.predictions is None or arguments.split is None:
        arguments.refuse("PREDICTIONS and --split are required")
    from aa_dataset.load import load_default
    from aa_dataset.score.evaluate import Plan
    from aa_dataset.score.method import find_method
    from aa_dataset.score.result.report import report_lines
    from aa_dataset.score.result.warnings import warnings_of

    parameters = read_parameters(arguments)
    require_folder(arguments.html)
    dataset = load_default(arguments.library, arguments.split)
    predictions = open_reading(arguments.predictions, arguments, dataset)
    plan = Plan(
        dataset,
        predictions,
        parameters,
        find_method(arguments.predictions, arguments.method),
        tuple(arguments.by),
        arguments.workers,
        progress=True,
    )
    result = _scored(plan, arguments)
    presets = preset_reports(arguments.preset, result, plan.dataset, predictions)
    if arguments.json:
        content = result.as_dict()
        say_json(content | {"presets": report_content(presets)} if presets else content)
    else:
        say([*report_lines(result, objects=arguments.objects), *report_texts(presets)])
    if arguments.html is not None:
        write_page(arguments.html, result, plan.dataset, predictions)
    troubled = warnings_of(result) if arguments.strict else result.count("unreadable")
    return 1 if troubled else 0


def _scored(plan: Plan, arguments: argparse.Namespace) -> Result:
    from aa_dataset.score.evaluate import evaluate_into, evaluate_plan

    if arguments.out is None:
        return evaluate_plan(plan)
    result, was_there = evaluate_into(arguments.out, plan, again=arguments.again)
    if was_there:
        note(f"{arguments.out} has this result already; --again scores once more.")
    return result
