# SPDX-License-Identifier: Apache-2.0
"""The command ``aa``: inspect a library, unpack it, score predictions against it.

Exit status: 0 success, 1 findings (an unreadable prediction, a broken rule), 2 wrong usage or an
error, explained on stderr. Results go to stdout, everything else to stderr.
Commands import their dependencies when they run, so that `aa --help` is fast.
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from aa_dataset.cli import (
    baseline,
    check,
    compare,
    completion,
    credit,
    demo,
    draw,
    explain,
    export,
    inputs,
    judge,
    library,
    nearest,
    publish,
    pull,
    score,
    simulate,
    sources,
    split,
    taxonomy,
    verify,
)
from aa_dataset.cli.terminal import say
from aa_dataset.errors import ArenaError
from aa_dataset.untrusted.foreign_text import terminal_text

# In the order of `aa --help`.
_COMMANDS = (
    demo,
    library,
    credit,
    score,
    compare,
    baseline,
    simulate,
    explain,
    draw,
    split,
    taxonomy,
    check,
    sources,
    nearest,
    export,
    inputs,
    judge,
    pull,
    publish,
    verify,
    completion,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # never fail on a terminal without UTF-8
        sys.stdout.reconfigure(errors="replace")
    if argv is None:  # child processes must not import from the current folder
        os.environ.setdefault("PYTHONSAFEPATH", "1")
    arguments = _parse_arguments(argv)
    try:
        status = int(arguments.run(arguments))
        sys.stdout.flush()
        return status
    except ArenaError as error:
        sys.stderr.write(f"aa: {terminal_text(str(error))}\n")
        return 2
    except BrokenPipeError:  # `aa list | head` closed the pipe: not a failure
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        sys.stderr.write("aa: a name in a path is too long. Choose a shorter one.\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("aa: interrupted.\n")
        return 130


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments; those of a pipeline command are passed on unparsed."""
    parser = argument_parser()
    arguments, rest = parser.parse_known_args(argv)
    if rest and arguments.command not in sources.COMMANDS:
        known = f"`aa {arguments.command} --help` lists the known ones"
        parser.error(f"unrecognized arguments: {' '.join(rest)}; {known}")
    arguments.rest = rest
    return arguments


def argument_parser() -> argparse.ArgumentParser:
    """Return the parser with all commands."""
    parser = argparse.ArgumentParser(
        prog="aa", description="Inspect, unpack and score with the ArticulateArena library."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in _COMMANDS:
        module.add_to(commands)
    return parser


class _Version(argparse.Action):
    """Print the version; look it up only when requested."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        from aa_dataset import __version__

        say([f"aa-dataset {__version__}"])
        parser.exit()
