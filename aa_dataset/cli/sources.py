# SPDX-License-Identifier: Apache-2.0
"""``aa fetch`` and ``aa sources``: commands of the repository that rebuilds the library.

Raw sources concern those who build. The loader never imports the pipeline: in the checkout that it
was told to use it becomes it, anywhere else it says what to do. A folder is not trusted because
somebody stands in it: it may be a download that only looks like a checkout.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from aa_dataset.errors import ArenaError

CHECKOUT_VARIABLE = "AA_CHECKOUT"
ENTRANCE = Path("pipeline/__main__.py")
SOURCES = Path("pipeline/raw/sources.yaml")
NEEDED = {"jsonschema": "jsonschema", "yaml": "pyyaml"}
COMMANDS = {
    "fetch": "bring a raw source to its folder (in a checkout of the repository)",
    "sources": "raw sources: what is there, how to get the rest (in a checkout)",
}


class CheckoutError(ArenaError):
    """The command needs a checkout of the repository with the packages of the build."""


def add_to(commands: Any) -> None:
    """Add both commands; no word after them is an option here, the pipeline reads them."""
    for name, text in COMMANDS.items():
        parser = commands.add_parser(name, help=text, add_help=False, prefix_chars="\0")
        parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> NoReturn:
    run_pipeline(arguments.command, arguments.rest)


def run_pipeline(command: str, words: Sequence[str]) -> NoReturn:
    """Become a command of the pipeline in the checkout that was told, which is the current folder.

    This process is replaced, not a second one started, so that Ctrl-C and `kill` reach the command.
    """
    checkout = _told_checkout(command)
    if not Path.cwd().samefile(checkout):
        raise CheckoutError(
            f"`aa {command}` works in the checkout that this `aa` uses, {checkout}: go there. What "
            "lies in the current folder is not executed; if it is a checkout that you trust, set "
            f"{CHECKOUT_VARIABLE} to its path."
        )
    absent = [name for module, name in NEEDED.items() if importlib.util.find_spec(module) is None]
    if absent:
        raise CheckoutError(
            f"`aa {command}` needs {', '.join(absent)}: run "
            "`pip install --constraint constraints.txt --editable '.[build]'`."
        )
    sys.stdout.flush()
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONSAFEPATH"}
    os.execve(sys.executable, [sys.executable, "-m", "pipeline", command, *words], environment)


def _told_checkout(command: str) -> Path:
    """Return the folder that the environment names, else the one that this package lies in."""
    told = os.environ.get(CHECKOUT_VARIABLE)
    folder = Path(told) if told else Path(__file__).resolve().parents[2]
    if told and not folder.is_absolute():
        raise CheckoutError(
            f"{CHECKOUT_VARIABLE} is {told!r}: give an absolute path, which does not change with "
            "the current folder."
        )
    if (folder / ENTRANCE).is_file() and (folder / SOURCES).is_file():
        return folder
    raise CheckoutError(
        f"`aa {command}` works in a checkout of the repository, where `make library` builds the "
        f"library from raw sources; {folder if told else 'this `aa`'} is none. Clone it and use its"
        f" `.venv/bin/aa`, or set {CHECKOUT_VARIABLE} to its path. To use a library that is built "
        "already, no raw source is needed: see `aa info`."
    )
