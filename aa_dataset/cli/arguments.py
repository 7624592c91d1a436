# SPDX-License-Identifier: Apache-2.0
"""Arguments that several commands share."""

from __future__ import annotations

import argparse

LIBRARY_HELP = "library folder or name; default $AA_LIBRARY, else ./library, else by name"


def add_library(parser: argparse.ArgumentParser, *, alternative: str = "") -> None:
    """Add the optional library argument."""
    text = f"{LIBRARY_HELP}; {alternative}" if alternative else LIBRARY_HELP
    parser.add_argument("library", nargs="?", metavar="LIBRARY", help=text)


def add_json(parser: argparse.ArgumentParser, text: str = "print JSON") -> None:
    """Add the switch for machine-readable output."""
    parser.add_argument("--json", action="store_true", help=text)


def parse_count(text: str) -> int:
    """Parse a non-negative integer."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a non-negative integer")
    return int(text)


def parse_positive(text: str) -> int:
    """Parse a positive integer."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return int(text)
