# SPDX-License-Identifier: Apache-2.0
"""``aa pull``: download tables and objects of a published library into the cache."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import add_json
from aa_dataset.cli.terminal import byte_progress, note, progress, say, say_json
from aa_dataset.errors import ArenaError

if TYPE_CHECKING:
    from aa_dataset.dataset import Dataset
    from aa_dataset.library.pull import Damage, PullPlan


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    what = "download objects of a published library into the cache"
    parser = commands.add_parser(
        "pull",
        help=what,
        description=f"{what.capitalize()}. Without --split, --ids or --all, only the tables. "
        "Objects in the cache are checked, damaged ones are downloaded again; an interrupted pull "
        "goes on where it was.",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="name of the dataset")
    parser.add_argument("--repo", metavar="OWNER/NAME", help="repository; default $AA_REPO")
    parser.add_argument("--revision", help="16 digits as printed, a tag, a branch or a commit")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--split", help="the objects of a split, by its name or a split file")
    which.add_argument("--ids", nargs="+", metavar="ID", help="these objects")
    which.add_argument("--all", action="store_true", help="every object")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="folder; default $AA_HOME")
    add_json(parser)
    parser.set_defaults(run=run_pull)


def run_pull(arguments: argparse.Namespace) -> int:
    """Download what is absent; return 1 if an object arrives damaged."""
    from aa_dataset.library.pull import plan_pull, pull

    dataset = _opened(arguments)
    chosen = _chosen(dataset, arguments)
    rows = [item.row for item in chosen]
    with progress(len(rows), "object") as bar:
        plan = plan_pull(dataset.catalog, rows, advance=bar.update)
    with byte_progress(plan.size) as bar:
        damages = pull(dataset.catalog, plan, advance=bar.update)
    _report(dataset, plan, damages, as_json=arguments.json)
    return int(bool(damages))


def _opened(arguments: argparse.Namespace) -> Dataset:
    from aa_dataset.hub.place import Access, default_repository
    from aa_dataset.load import DEFAULT_NAME, load_dataset, load_published

    repository = arguments.repo or default_repository()
    home = None if arguments.cache is None else arguments.cache.expanduser().absolute()
    if arguments.name is None and repository is not None:
        return load_published(repository, arguments.revision, Access(home), tell=note)
    return load_dataset(
        arguments.name or DEFAULT_NAME,
        revision=arguments.revision,
        repo_id=arguments.repo,
        cache_dir=home,
        verbose=False,
    )


def _chosen(dataset: Dataset, arguments: argparse.Namespace) -> Dataset:
    if arguments.ids:
        return dataset.select(dict.fromkeys(arguments.ids))
    if arguments.split:
        found = dataset.split(arguments.split)
        if not len(found):
            raise ArenaError(f"{arguments.split!r} has no objects. `aa info` lists the splits.")
        return found
    return dataset if arguments.all else dataset[:0]


def _report(
    dataset: Dataset, plan: PullPlan, damages: tuple[Damage, ...], *, as_json: bool
) -> None:
    got, size = len(plan.absent) - len(damages), plan.size
    facts = {
        "name": dataset.name,
        "revision": dataset.revision,
        "origin": str(dataset.catalog.origin or ""),
        "folder": str(dataset.root),
        "objects_present": len(plan.present),
        "objects_downloaded": got,
        "objects_without_files": plan.withheld,
        "bytes": size,
        "problems": [asdict(one) for one in damages],
    }
    if as_json:
        say_json(facts)
        return
    lines = [
        f"{dataset.name} revision {dataset.revision}"
        + (f" from {dataset.catalog.origin}" if dataset.catalog.origin else " on this disk"),
        f"{got:,} objects downloaded ({size:,} bytes), {len(plan.present):,} were here",
        f"in {dataset.root}",
    ]
    if plan.withheld:
        lines.append(f"{plan.withheld:,} objects have numbers alone, no files")
    say([*lines, *(one.sentence for one in damages)])
