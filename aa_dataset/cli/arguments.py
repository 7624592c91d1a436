# SPDX-License-Identifier: Apache-2.0
"""Arguments that several commands share."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aa_dataset.score.parameters import Parameters

LIBRARY_HELP = "library folder or name; default $AA_LIBRARY, else ./library, else by name"


def add_library(parser: argparse.ArgumentParser, *, alternative: str = "") -> None:
    """Add the optional library argument."""
    text = f"{LIBRARY_HELP}; {alternative}" if alternative else LIBRARY_HELP
    parser.add_argument("library", nargs="?", metavar="LIBRARY", help=text)


def add_json(parser: argparse.ArgumentParser, text: str = "print JSON") -> None:
    """Add the switch for machine-readable output."""
    parser.add_argument("--json", action="store_true", help=text)


def add_norms(parser: argparse.ArgumentParser) -> None:
    """Add the two scales of the metric."""
    parser.add_argument("--alpha", type=float, default=1.0, help="1/m, split norm; default 1")
    parser.add_argument("--kappa", type=float, default=math.pi, help="scale of E^phi; default pi")


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """Add everything that changes the score of an object."""
    add_norms(parser)
    parser.add_argument(
        "--pairing",
        choices=("tree", "assignment", "name", "geometry"),
        default="tree",
        help="pair joints by exact tree matching (default), by assignment that ignores the trees, "
        "by equal names, or by the centers of what they move",
    )
    parser.add_argument(
        "--impute-limits",
        choices=("none", "truth"),
        default="none",
        help="give joints without limits the range of their partner; marks the method",
    )
    parser.add_argument("--budget", type=parse_count, help="search steps per tree distance")
    parser.add_argument(
        "--time-limit", type=float, metavar="S", help="time limit, recorded in the result"
    )


def read_parameters(arguments: argparse.Namespace) -> Parameters:
    """Return the parameters that the options of `add_parameters` state."""
    from aa_dataset.score.parameters import SEARCH_BUDGET, Parameters

    return Parameters(
        arguments.alpha,
        arguments.kappa,
        arguments.pairing,
        SEARCH_BUDGET if arguments.budget is None else arguments.budget,
        arguments.time_limit,
        arguments.impute_limits,
    )


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


def parse_span(text: str) -> float | tuple[float | None, float | None]:
    """Parse a number, or a range such as ``2..5``, ``3..`` or ``..4``, ends included."""
    low, dots, high = text.partition("..")
    try:
        ends = [float(end) if end else None for end in ((low, high) if dots else (low,))]
    except ValueError:
        ends = []
    numbers = [end for end in ends if end is not None]
    if not numbers or not all(map(math.isfinite, numbers)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number or a range such as 2..5 or 3..")
    return (ends[0], ends[1]) if dots else numbers[0]
