# SPDX-License-Identifier: Apache-2.0
"""How predictions are read and registered: arguments of ``aa score`` and ``aa explain``."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.terminal import say, say_json, width

if TYPE_CHECKING:
    from aa_dataset.dataset import Dataset
    from aa_dataset.score.readers import PredictionReader
    from aa_dataset.score.readers.prediction import MethodFormat

READERS = (
    "urdf", "joints", "articraft", "anymesh", "ditto", "particulate", "urdformer", "paris",
    "dta", "artgs", "real2code", "urdf_anything", "urdf_anything_plus", "physx_anything",
    "singapo", "mjcf",
)  # fmt: skip
AUTO = "auto"
REGISTRATIONS = ("identity", "stated", "bbox", "icp")
_INDENT = 14  # columns before a fact


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--reader",
        choices=(AUTO, *READERS),
        default=AUTO,
        metavar="NAME",
        help="format of the predictions, see `aa score --readers`; default auto: recognize each",
    )
    parser.add_argument(
        "--registration",
        choices=REGISTRATIONS,
        default=REGISTRATIONS[0],
        help="take predictions as they are (default), apply what they state of frame, unit and "
        "state, or estimate what they do not state from the truth's box or shape, which marks the "
        "method",
    )
    parser.add_argument(
        "--inputs", type=Path, metavar="DIR", help="folder of `aa inputs` that the method was given"
    )
    parser.add_argument(
        "--key", type=Path, metavar="FILE", help="key of `aa inputs --blind`: neutral names"
    )


def open_reading(path: Path, arguments: argparse.Namespace, dataset: Dataset) -> PredictionReader:
    """Return the reader of a folder of predictions with these options."""
    from aa_dataset.score.readers import open_predictions
    from aa_dataset.score.registration.inputs import Inputs
    from aa_dataset.score.registration.key import read_key
    from aa_dataset.score.registration.modes import registrar_named

    key = {} if arguments.key is None else read_key(arguments.key)
    inputs = Inputs(arguments.inputs, {found: name for name, found in key.items()})
    registrar = None
    if arguments.registration != REGISTRATIONS[0]:
        registrar = registrar_named(arguments.registration, dataset, inputs)
    return open_predictions(
        path, reader=arguments.reader, registrar=registrar, inputs=inputs, key=key
    )


def say_readers(*, as_json: bool) -> int:
    """Print every reader: what it reads, on what it was tried, what its format cannot express."""
    from aa_dataset.score.readers.registry import formats

    if as_json:
        say_json([_content(one) for one in formats()])
    else:
        say(line for one in formats() for line in ("", *_lines(one)))
    return 0


def _content(one: MethodFormat) -> dict[str, Any]:
    names = ("name", "methods", "reads")
    content = {name: getattr(one, name) for name in names}
    return {**content, "proof": one.stated_proof, "cannot": list(one.cannot)}


def _lines(one: MethodFormat) -> Iterator[str]:
    """Yield the lines of one reader: its name, then facts below each other."""
    facts = {
        "written by": one.methods,
        "reads": one.reads,
        "proof": one.stated_proof,
        "cannot say": "; ".join(one.cannot) or "nothing: it can express every tree",
    }
    yield one.name
    for title, text in facts.items():
        yield from textwrap.wrap(
            text,
            max(width(), 2 * _INDENT),
            initial_indent=f"  {title}".ljust(_INDENT),
            subsequent_indent=" " * _INDENT,
            break_on_hyphens=False,
        )
