# SPDX-License-Identifier: Apache-2.0
"""``aa publish``: send a release to a dataset repository of the Hub."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import add_json
from aa_dataset.cli.terminal import byte_progress, note, progress, say, say_json, table

if TYPE_CHECKING:
    from aa_dataset.hub.upload import Parcel, UploadPlan

RELEASE = Path("release")  # what `make library` writes beside the library


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    what = "send a release to a dataset repository of the Hub"
    parser = commands.add_parser(
        "publish",
        help=what,
        description=f"{what.capitalize()}. Every law and the limits of the Hub are checked before "
        "the first byte. After a failure run it again: what is there is not sent twice.",
    )
    parser.add_argument("repo", metavar="OWNER/NAME", help="repository; created if absent")
    parser.add_argument(
        "release", nargs="?", type=Path, default=RELEASE, metavar="RELEASE", help="folder"
    )
    parser.add_argument("--dry-run", action="store_true", help="print what would go, send nothing")
    parser.add_argument("--private", action="store_true", help="create a private repository")
    add_json(parser)
    parser.set_defaults(run=run_publish)


def run_publish(arguments: argparse.Namespace) -> int:
    """Check the release, then publish it; return 1 if something is wrong with it."""
    from aa_dataset.hub.upload import plan_upload, read_release, upload

    seal, parcels = read_release(arguments.release)
    problems = _problems(arguments.release, parcels, len(seal.files) + seal.objects)
    if problems:
        say_json({"problems": problems}) if arguments.json else say(problems)
        note(f"{len(problems):,} problems; nothing was sent.")
        return 1
    plan = plan_upload(arguments.repo, seal, parcels)
    if arguments.dry_run:
        _report(plan, "", as_json=arguments.json)
        return 0
    with byte_progress(plan.size) as bar, _quiet_client():
        commit = upload(plan, private=arguments.private or None, advance=bar.update)
    _report(plan, commit, as_json=arguments.json)
    return 0


@contextmanager
def _quiet_client() -> Iterator[None]:
    """Hide the bars of the client, which it shows for every file, where nobody sees them."""
    from huggingface_hub.utils import (  # type: ignore[attr-defined]
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )

    if sys.stderr.isatty() or are_progress_bars_disabled():
        yield
        return
    disable_progress_bars()
    try:
        yield
    finally:
        enable_progress_bars()


def _problems(root: Path, parcels: tuple[Parcel, ...], steps: int) -> list[str]:
    """Return what keeps a release from being published."""
    from aa_dataset.hub.limits import limit_problems
    from aa_dataset.library.verify import verify_library

    limits = list(limit_problems({parcel.name: parcel.size for parcel in parcels}))
    if limits:
        return limits
    with progress(steps, "check") as bar:
        return [one.sentence for one in verify_library(root, advance=bar.update)]


def _report(plan: UploadPlan, commit: str, *, as_json: bool) -> None:
    if as_json:
        say_json(
            {
                "repository": plan.repo_id,
                "branch": plan.branch,
                "tag": plan.tag,
                "tag_exists": plan.is_tagged,
                "repository_exists": plan.head is not None,
                "commit": commit,
                "sent": {parcel.name: parcel.size for parcel in plan.sent},
                "unchanged": [parcel.name for parcel in plan.same],
                "removed": list(plan.removed),
                "bytes": plan.size,
            }
        )
        return
    rows = [(parcel.name, f"{parcel.size:,}", "send") for parcel in plan.sent]
    rows += [(parcel.name, f"{parcel.size:,}", "is there") for parcel in plan.same]
    rows += [(name, "", "remove") for name in plan.removed]
    say(table(("file", "bytes", ""), rows))
    verb = f"published as commit {commit[:12]}" if commit else "would go"
    state = "exists and stays" if plan.is_tagged else "is set" if commit else "would be set"
    new = "" if plan.head else ", a new repository"
    say(
        [
            "",
            f"{len(plan.sent):,} files with {plan.size:,} bytes {verb} to {plan.repo_id}, branch "
            f"{plan.branch}{new}",
            f"the tag {plan.tag} {state}: load it with revision='{plan.tag}'",
        ]
    )
