# SPDX-License-Identifier: Apache-2.0
"""``aa check``: list the rules of the URDF convention that a file breaks."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from aa_dataset.cli.arguments import add_json
from aa_dataset.cli.terminal import say, say_json


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("check", help="check a URDF against the library's convention")
    parser.add_argument(
        "files", nargs="+", metavar="FILE", type=Path, help="URDF, or folder with object.urdf"
    )
    parser.add_argument(
        "--without-inertials",
        action="store_true",
        help="allow links without masses, as after normalize",
    )
    add_json(parser)
    parser.set_defaults(run=run_check)


def run_check(arguments: argparse.Namespace) -> int:
    """Print the broken rules of every file; return 1 if there are any."""
    from aa_dataset.convention.folder import check_file

    with_inertials = not arguments.without_inertials
    found = {str(path): check_file(path, with_inertials) for path in arguments.files}
    if arguments.json:
        say_json([{"file": name, "problems": problems} for name, problems in found.items()])
    else:
        for name, problems in found.items():
            say(f"{name}: {problem}" for problem in problems or ["follows the convention."])
    return 1 if any(found.values()) else 0
