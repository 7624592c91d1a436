# SPDX-License-Identifier: Apache-2.0
"""``aa verify``: is every byte of a library what its seal vouches for, and what to do if not."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any


def add_verify(commands: Any, library_help: str) -> None:
    """Add the command to the parser."""
    what = "check every byte of a library, and the cache"
    healing = (
        "What is damaged in the cache loses its receipt, so that its next use unpacks it anew; "
        "nothing else is changed."
    )
    parser = commands.add_parser("verify", help=what, description=f"{what.capitalize()}. {healing}")
    parser.add_argument("library", nargs="?", metavar="LIBRARY", help=library_help)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run_verify)


def run_verify(arguments: argparse.Namespace) -> int:
    """Print what is wrong with a library; 1 when something is."""
    from tqdm import tqdm

    from aa_dataset.cli import _say, _say_json
    from aa_dataset.load import default_folder
    from aa_dataset.verify import NEXT_STEP, verify_library

    root = default_folder(arguments.library)
    hidden = not sys.stderr.isatty()
    with tqdm(total=_steps(root), unit="check", leave=False, disable=hidden) as bar:
        problems = list(verify_library(root, advance=bar.update))
    if arguments.json:
        found = {"library": str(root), "problems": [asdict(one) for one in problems]}
        _say_json(found | ({"next_step": NEXT_STEP} if problems else {}))
    elif problems:
        _say([*(one.sentence for one in problems), "", f"{_counted(len(problems))}. {NEXT_STEP}"])
    else:
        _say([f"{root}: every file and every object is what its seal vouches for."])
    return int(bool(problems))


def _counted(problems: int) -> str:
    return "1 problem" if problems == 1 else f"{problems:,} problems"


def _steps(root: Path) -> int | None:
    """Return how many files and objects there are to check, None where the seal does not tell."""
    from aa_dataset.errors import LibraryError
    from aa_dataset.layout import LibraryLayout
    from aa_dataset.storage import read_seal

    try:
        seal = read_seal(LibraryLayout(root))
    except LibraryError:
        return None
    return len(seal.files) + seal.objects
