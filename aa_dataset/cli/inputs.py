# SPDX-License-Identifier: Apache-2.0
"""``aa inputs``: write what a reconstruction method is given of the objects of a split."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import LIBRARY_HELP, add_json, parse_count, parse_positive
from aa_dataset.cli.terminal import note, progress, say, say_json
from aa_dataset.errors import MissingExtraError

if TYPE_CHECKING:
    from aa_dataset.inputs.folder import Order, Refused

# Names of `aa_dataset.inputs.layouts.LAYOUTS`; a test compares them.
NAMES = (
    "plain", "ditto", "paris", "dta", "artgs", "particulate", "artllm", "anymesh", "urdformer",
    "spark", "articulate-anything",
)  # fmt: skip


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("inputs", help="write what a method is given: meshes, views")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--split", help="split, such as eval200, or a file of `aa split export`")
    chosen.add_argument("--objects", nargs="+", metavar="OBJECT", help="only these objects")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write")
    parser.add_argument("--library", metavar="LIBRARY", help=LIBRARY_HELP)
    parser.add_argument(
        "--layout", choices=NAMES, default="plain", help="files as a method reads them"
    )
    parser.add_argument(
        "--views", type=parse_positive, default=12, help="cameras per state; default 12"
    )
    parser.add_argument(
        "--size", type=parse_positive, default=512, help="width of a picture; default 512 pixels"
    )
    parser.add_argument(
        "--points", type=parse_positive, default=100_000, help="of a cloud at most; default 100000"
    )
    parser.add_argument("--seed", type=parse_count, default=0, help="default 0")
    parser.add_argument(
        "--blind", action="store_true", help="neutral names, no description; key beside the folder"
    )
    parser.add_argument(
        "--truth", action="store_true", help="also write joint values and parts, into DIR/truth"
    )
    parser.add_argument(
        "--workers", type=parse_positive, default=1, help="worker processes; default 1"
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be written")
    add_json(parser)
    parser.set_defaults(run=run_inputs)


def run_inputs(arguments: argparse.Namespace) -> int:
    """Write the inputs; return 1 if an object has none."""
    _require_packages()
    from aa_dataset.inputs.folder import expected_bytes, prepare

    asked = _order(arguments)
    needed = expected_bytes(asked.settings, asked.dataset) / 1e9
    note(
        f"{len(asked.dataset):,} objects, 2 states of {asked.settings.views} views with "
        f"{asked.settings.size} pixels, layout {asked.settings.layout}: about {needed:.2f} GB"
    )
    if arguments.dry_run:
        if arguments.json:
            say_json({"objects": len(asked.dataset), "gigabytes": needed})
        return 0
    waiting = prepare(asked)
    there = len(asked.dataset) - len(waiting)
    if there:
        note(f"{there:,} objects are there already.")
    refused = _written(asked, waiting, arguments.workers)
    if arguments.json:
        say_json(_facts(asked, refused))
        return int(bool(refused))
    say([f"{arguments.out}: inputs of {len(asked.dataset) - len(refused):,} objects"])
    if asked.settings.blind:
        say([f"{asked.key}: the ids behind the names; keep it from the method"])
    for one in refused:
        note(f"{one.object_id} has no inputs: {one.sentence}")
    return int(bool(refused))


def _facts(asked: Order, refused: list[Refused]) -> dict[str, Any]:
    return {
        "folder": str(asked.out),
        "objects": len(asked.dataset) - len(refused),
        "key": str(asked.key) if asked.settings.blind else None,
        "refused": {one.object_id: one.sentence for one in refused},
    }


def _written(asked: Order, waiting: list[str], workers: int) -> list[Refused]:
    from aa_dataset.inputs.folder import write_all

    refused = []
    with progress(len(waiting), "object") as bar:
        for _, one in write_all(asked, waiting, workers):
            bar.update()
            if one is not None:
                refused.append(one)
    return refused


def _order(arguments: argparse.Namespace) -> Order:
    from aa_dataset.inputs.folder import Order
    from aa_dataset.inputs.make import Settings
    from aa_dataset.load import load_default

    dataset = load_default(arguments.library, arguments.split)
    if arguments.objects:
        dataset = dataset.select(dict.fromkeys(arguments.objects))
    names = ("layout", "views", "size", "points", "seed", "blind", "truth")
    return Order(
        dataset, arguments.out, Settings(**{name: getattr(arguments, name) for name in names})
    )


def _require_packages() -> None:
    """Raise a sentence if the renderer's packages are not installed."""
    try:
        import embreex  # noqa: F401
        import PIL  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("`aa inputs`", "render", error) from error
