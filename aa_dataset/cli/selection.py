# SPDX-License-Identifier: Apache-2.0
"""The options that select objects, shared by the commands that work on a selection."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from aa_dataset.cli.arguments import parse_span

if TYPE_CHECKING:
    from aa_dataset.dataset import Dataset

_VALUES = ("--category", "--supercategory", "--source", "--joint-type", "--license")
_SPANS = (
    ("--joints", "movable joints"),
    ("--depth", "depth of the tree"),
    ("--size", "diagonal of the box [m]"),
)


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add a split and every filter."""
    for option in _VALUES:
        parser.add_argument(option, action="append", help="keep only these; repeatable")
    for option, what in _SPANS:
        parser.add_argument(
            option,
            type=parse_span,
            metavar="N|LOW..HIGH",
            help=f"keep only this number, or range, of {what}; 3.. means 3 or more",
        )
    parser.add_argument("--metric", action="store_true", help="keep only objects in true meters")
    parser.add_argument("--finding", action="append", help="keep only objects with this finding")
    parser.add_argument("--without-finding", action="append", help="leave out such objects")
    parser.add_argument("--split", help="one split only, such as eval200, or a split file")


def open_selection(arguments: argparse.Namespace) -> Dataset:
    """Open the library of the arguments and return what its options select."""
    from aa_dataset.load import load_default

    return load_default(arguments.library, arguments.split).filter(
        category=arguments.category,
        supercategory=arguments.supercategory,
        source=arguments.source,
        license=arguments.license,
        joint_type=arguments.joint_type,
        joints=arguments.joints,
        depth=arguments.depth,
        size=arguments.size,
        is_metric=True if arguments.metric else None,
        finding=arguments.finding,
        without_finding=arguments.without_finding,
    )
