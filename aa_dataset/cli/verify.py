# SPDX-License-Identifier: Apache-2.0
"""``aa verify``: check every byte of a library against its seal, and every law of its tables."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from aa_dataset.cli.arguments import add_json, add_library
from aa_dataset.cli.terminal import progress, say, say_json


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    what = "check every byte and every law of a library, and the cache"
    healing = (
        "A damaged object in the cache loses its receipt and is unpacked again on its next use; "
        "nothing else is changed."
    )
    parser = commands.add_parser("verify", help=what, description=f"{what.capitalize()}. {healing}")
    add_library(parser)
    add_json(parser)
    parser.set_defaults(run=run_verify)


def run_verify(arguments: argparse.Namespace) -> int:
    """Print the problems of a library; return 1 if there are any."""
    from aa_dataset.library.verify import NEXT_STEP, verify_library
    from aa_dataset.load import default_folder

    root = default_folder(arguments.library)
    with progress(_progress_steps(root), "check") as bar:
        problems = list(verify_library(root, advance=bar.update))
    if arguments.json:
        result = {"library": str(root), "problems": [asdict(one) for one in problems]}
        say_json(result | ({"next_step": NEXT_STEP} if problems else {}))
    elif problems:
        say(
            [
                *(one.sentence for one in problems),
                "",
                f"{_problem_count(len(problems))}. {NEXT_STEP}",
            ]
        )
    else:
        say([f"{root}: every file and every object matches the seal, and every law holds."])
    return int(bool(problems))


def _problem_count(problems: int) -> str:
    return "1 problem" if problems == 1 else f"{problems:,} problems"


def _progress_steps(root: Path) -> int | None:
    """Return the number of files and objects to check, None if the seal is unreadable."""
    from aa_dataset.errors import LibraryError
    from aa_dataset.format.layout import LibraryLayout
    from aa_dataset.format.seal import read_seal

    try:
        seal = read_seal(LibraryLayout(root))
    except LibraryError:
        return None
    return len(seal.files) + seal.objects
