# SPDX-License-Identifier: Apache-2.0
"""``aa explain``: why one object scores as it does."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import LIBRARY_HELP, add_json, add_parameters, read_parameters
from aa_dataset.cli.reading import add_reading, open_reading
from aa_dataset.cli.terminal import is_ascii_only, note, say, say_json
from aa_dataset.errors import ArenaError
from aa_dataset.files import write_document

if TYPE_CHECKING:
    from aa_dataset.dataset import Dataset
    from aa_dataset.score.readers import PredictionReader
    from aa_dataset.score.result.record import Result


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("explain", help="explain the score of one object, joint by joint")
    parser.add_argument("object", metavar="OBJECT", help="object id")
    parser.add_argument(
        "--pred",
        metavar="PREDICTIONS",
        type=Path,
        required=True,
        help="folder of predictions, as for `aa score`",
    )
    parser.add_argument("--split", help="require an object of a split, such as eval200")
    parser.add_argument("--library", metavar="LIBRARY", help=LIBRARY_HELP)
    add_reading(parser)
    add_parameters(parser)
    add_json(parser, "print the explanation as JSON instead")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write a picture of both trees")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page about the object")
    parser.set_defaults(run=run_explain)


def run_explain(arguments: argparse.Namespace) -> int:
    """Explain one object; return 1 if its prediction is missing or unreadable."""
    from aa_dataset.load import load_default
    from aa_dataset.score.explain.run import (
        explain_object,
        object_page,
        run_context,
        subject_json,
    )
    from aa_dataset.score.explain.subject import UNREADABLE
    from aa_dataset.score.explain.text import explanation_lines

    for path in (arguments.svg, arguments.html):
        require_folder(path)
    parameters = read_parameters(arguments)
    dataset = load_default(arguments.library, arguments.split)
    predictions = open_reading(arguments.pred, arguments, dataset)
    parameters = replace(parameters, registration=predictions.registration)
    subject = explain_object(dataset[arguments.object], predictions, parameters)
    context = run_context(dataset, predictions.label, parameters)
    if arguments.json:
        say_json({"context": dict(context), **subject_json(subject)})
    else:
        say(explanation_lines(subject, context, ascii_only=is_ascii_only()))
    if arguments.svg is not None:
        from aa_dataset.score.explain.picture import object_svg

        _say_size(arguments.svg, write_document(arguments.svg, object_svg(subject)))
    if arguments.html is not None:
        text = object_page(dataset, arguments.object, predictions, parameters)
        _say_size(arguments.html, write_document(arguments.html, text))
    return 1 if subject.rows.status in UNREADABLE else 0


def add_page(parser: argparse.ArgumentParser) -> None:
    """Add the option that writes a page about all objects of a run."""
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="write a page about all objects, worst first"
    )


def write_page(path: Path, result: Result, dataset: Dataset, predictions: PredictionReader) -> None:
    """Write the page about all objects of a result and say its size."""
    from aa_dataset.score.explain.run import result_page

    _say_size(path, write_document(path, result_page(result, dataset, predictions)))


def require_folder(path: Path | None) -> None:
    """Refuse a file in a folder that does not exist, before work starts."""
    if path is not None and not path.absolute().parent.is_dir():
        raise ArenaError(f"{path.parent} is not a folder. Create it or choose another.")


def _say_size(path: Path, size: int) -> None:
    note(f"{path}: {size:,} bytes")
