# SPDX-License-Identifier: Apache-2.0
"""``aa fetch`` and ``aa sources``: commands of the build repository.

Only a build needs raw sources. The loader never imports the pipeline: in the configured checkout it
replaces itself with `python -m pipeline`; elsewhere it explains how to get one. The current folder
is not trusted by itself: it may be a download that only looks like a checkout.
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
    "fetch": "download a raw source (in a checkout of the repository)",
    "sources": "list raw sources and how to get the missing ones (in a checkout)",
}


class CheckoutError(ArenaError):
    """The command needs a checkout of the repository and the build dependencies."""


def add_to(commands: Any) -> None:
    """Add both commands; the pipeline parses their arguments."""
    for name, text in COMMANDS.items():
        parser = commands.add_parser(name, help=text, add_help=False, prefix_chars="\0")
        parser.set_defaults(run=_run_command)


def _run_command(arguments: argparse.Namespace) -> NoReturn:
    run_pipeline(arguments.command, arguments.rest)


def run_pipeline(command: str, words: Sequence[str]) -> NoReturn:
    """Replace this process with a pipeline command; the current folder must be the checkout.

    No child process is started, so that Ctrl-C and `kill` reach the command.
    """
    checkout = _checkout_folder(command)
    if not Path.cwd().samefile(checkout):
        raise CheckoutError(
            f"`aa {command}` must run in its checkout, {checkout}; change to that folder. Code in "
            "the current folder is not executed; if it is a checkout that you trust, set "
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


def _checkout_folder(command: str) -> Path:
    """Return the folder that the environment names, else the one that contains this package."""
    setting = os.environ.get(CHECKOUT_VARIABLE)
    folder = Path(setting) if setting else Path(__file__).resolve().parents[2]
    if setting and not folder.is_absolute():
        raise CheckoutError(
            f"{CHECKOUT_VARIABLE} is {setting!r}, a relative path. Set it to an absolute path."
        )
    if (folder / ENTRANCE).is_file() and (folder / SOURCES).is_file():
        return folder
    raise CheckoutError(
        f"`aa {command}` needs a checkout of the repository, where `make library` builds the "
        f"library from raw sources; {folder if setting else 'this `aa`'} is not in one. Clone it "
        f"and use its `.venv/bin/aa`, or set {CHECKOUT_VARIABLE} to its path. A built library "
        "needs no raw sources: see `aa info`."
    )
