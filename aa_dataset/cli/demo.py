# SPDX-License-Identifier: Apache-2.0
"""``aa demo``: a walk through load, pose, predict, score and page, without network or library."""

from __future__ import annotations

import argparse
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import add_json
from aa_dataset.cli.terminal import say, say_json, width

if TYPE_CHECKING:
    from aa_dataset.demo.steps import Step

FOLDER, STEPS = "aa-demo", 5


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    what = "load, pose and score a dozen objects that are part of the package"
    parser = commands.add_parser(
        "demo", help=what, description=f"{what.capitalize()}. It needs no network and no library."
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(FOLDER),
        metavar="DIR",
        help=f"absent or empty folder for what it writes; default {FOLDER}",
    )
    add_json(parser)
    parser.set_defaults(run=run_demo)


def run_demo(arguments: argparse.Namespace) -> int:
    """Do every step and print it at once; the last line names all files."""
    from aa_dataset.demo.steps import walk

    done = []
    for number, step in enumerate(walk(arguments.out), start=1):
        done.append(step)
        if not arguments.json:
            say(_step_lines(step, number))
    if arguments.json:
        steps = [
            {"name": one.name, "call": one.call, "lines": list(one.lines),
             "files": [str(path) for path in one.files]}
            for one in done
        ]  # fmt: skip
        say_json({"folder": str(arguments.out), "steps": steps})
    else:
        say([f"Everything that was written is in {arguments.out}; remove that folder at any time."])
    return 0


def _step_lines(step: Step, number: int) -> list[str]:
    return [
        f"{number}/{STEPS} {step.name}: {step.call}",
        *(line for text in step.lines for line in _wrapped(text)),
        "",
    ]


def _wrapped(text: str) -> list[str]:
    indent = "    "
    room = max(width(), 40)
    return wrap(
        text, room, initial_indent=indent, subsequent_indent=f"{indent}  ",
        break_long_words=False, replace_whitespace=False, drop_whitespace=True,
    )  # fmt: skip
