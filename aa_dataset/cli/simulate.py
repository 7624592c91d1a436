# SPDX-License-Identifier: Apache-2.0
"""``aa simulate-method``: the ground truth in a method's own format, frame, unit and state."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import LIBRARY_HELP, add_json, parse_count
from aa_dataset.cli.terminal import say, say_json

if TYPE_CHECKING:
    from aa_dataset.score.simulated.folder import Simulated

NAMES = (
    "urdf", "articraft", "anymesh", "ditto", "particulate", "urdformer", "paris", "dta",
    "artgs", "real2code", "urdf_anything", "urdf_anything_plus", "physx_anything",
    "singapo", "mjcf",
)  # fmt: skip


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "simulate-method", help="write the ground truth as a method would have written it"
    )
    parser.add_argument("name", metavar="NAME", choices=NAMES, help=", ".join(NAMES))
    parser.add_argument(
        "--out",
        required=True,
        type=Path,
        metavar="DIR",
        help="absent or empty folder for the files; DIR.inputs receives sizes of the input meshes",
    )
    parser.add_argument("--split", default="eval200", help="split to write; default eval200")
    parser.add_argument("--library", metavar="LIBRARY", help=LIBRARY_HELP)
    parser.add_argument(
        "--seed", type=parse_count, default=0, help="for what a format leaves open; default 0"
    )
    add_json(parser)
    parser.set_defaults(run=run_simulate)


def run_simulate(arguments: argparse.Namespace) -> int:
    """Write the folders and say what they hold, and how to score them."""
    from aa_dataset.load import load_default
    from aa_dataset.score.baselines.folder import require_free
    from aa_dataset.score.simulated.folder import inputs_beside, write_simulated

    out = arguments.out
    for folder in (out, inputs_beside(out)):
        require_free(folder)
    dataset = load_default(arguments.library, arguments.split)
    found = write_simulated(arguments.name, dataset, out, seed=arguments.seed)
    if arguments.json:
        folders = {"folder": str(out), "inputs": str(inputs_beside(out))}
        say_json({**folders, "objects": found.count, "refused": dict(found.refused)})
    else:
        say(_lines(arguments, found, dataset.label))
    return 0


def _lines(arguments: argparse.Namespace, found: Simulated, label: str) -> Iterator[str]:
    from aa_dataset.score.simulated.folder import inputs_beside

    out = arguments.out
    yield (
        f"{out}: the ground truth as {arguments.name} writes it, for {found.count} objects of "
        f"{label}."
    )
    if found.refused:
        first = min(found.refused)
        yield f"{len(found.refused)} objects have no file, such as {first}: {found.refused[first]}"
    yield (
        f"Score it with `aa score {out} --split {arguments.split} --reader {arguments.name} "
        f"--registration stated --inputs {inputs_beside(out)}`."
    )
