# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline fetch`, also `aa fetch`: download one raw source into its folder."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from aa_dataset.cli.terminal import say_json
from pipeline.base.locks import locked
from pipeline.engine.config import load_config
from pipeline.tools.fetch.access import Source, find_source
from pipeline.tools.fetch.connection import MINUTES, TimeLimit
from pipeline.tools.fetch.download import Remote
from pipeline.tools.fetch.errors import FetchError
from pipeline.tools.fetch.hub import hub_files
from pipeline.tools.fetch.layout import FetchLayout, safe_name
from pipeline.tools.fetch.receipt import verify
from pipeline.tools.fetch.sources import how_to_get, survey
from pipeline.tools.fetch.transfer import (
    Transfer,
    free_space,
    needed_space,
    require_space,
    unpack_by_hand,
)

SHOWN = 20  # names in a list for people
LONGEST = 527_040  # min, a year


def main(arguments: list[str]) -> int:
    """Fetch, show what would be fetched, or verify; return 1 if files are missing or differ."""
    given = _argument_parser().parse_args(arguments)
    logging.getLogger().setLevel(logging.WARNING)  # the Hub's client logs every request,
    logging.getLogger("huggingface_hub").propagate = False  # and logs problems with its own handler
    source = find_source(given.source, load_config())
    place = FetchLayout(given.dest or source.folder)
    if place.root.exists() and not place.root.is_dir():
        raise FetchError(f"{place.root} is a file; give a folder with --dest.")
    if given.verify:
        return _verify_files(source, place, as_json=given.json)
    if given.dry_run and source.kind not in ("manual", "generated"):
        return _dry_run(source, place, TimeLimit(given.time_limit), as_json=given.json)
    status = _fetch(source, place, given)
    if given.json:
        say_json(survey(source, place.root))
    return status


def _fetch(source: Source, place: FetchLayout, given: argparse.Namespace) -> int:
    """Unpack the given archive, download what is missing, or say how to get it."""
    limit = TimeLimit(given.time_limit)
    if given.archive is not None:
        with _folder_lock(place):
            entry = unpack_by_hand(source, given.archive, place=place, limit=limit)
        _print_message(
            f"{given.archive.name}: {entry['unpacked']['files']:,} files in {place.root}."
        )
        return _print_objects_found(source, place)
    if source.kind in ("manual", "generated"):
        return _print_manual_steps(source, place, as_json=given.json)
    return _fetch_source(source, _remotes(source, limit), place=place, limit=limit)


def _remotes(source: Source, limit: TimeLimit) -> list[Remote]:
    return list(hub_files(source, limit) if source.kind == "hub" else _archive_files(source))


def _argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aa fetch",
        description="Download one raw source into its folder. Interrupted downloads are resumed, "
        "every file is checked, and a receipt is written (.fetched.json). "
        "`aa sources` lists the sources.",
    )
    parser.add_argument("source", metavar="SOURCE")
    parser.add_argument("--dest", type=Path, help="folder, instead of the one in config.yaml")
    parser.add_argument("--archive", type=Path, metavar="FILE", help="unpack a downloaded archive")
    parser.add_argument(
        "--time-limit",
        type=_parse_minutes,
        default=MINUTES,
        metavar="MINUTES",
        help="stop after this time; the next run resumes (default: %(default)g)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--dry-run", action="store_true", help="show what would be fetched")
    what.add_argument("--verify", action="store_true", help="check files against the receipt")
    return parser


def _parse_minutes(word: str) -> float:
    value = float(word)
    if not 0 < value <= LONGEST:
        raise argparse.ArgumentTypeError(f"{word} is not between 0 and {LONGEST:,} minutes")
    return value


@contextmanager
def _folder_lock(place: FetchLayout) -> Iterator[None]:
    """Hold the one lock of a folder, so that two fetches never write the same file."""
    with ExitStack() as stack:
        try:
            obtained = stack.enter_context(locked(place.lock, wait=False))
        except OSError as error:
            raise FetchError(f"{place.root} cannot be written to ({error.strerror}).") from None
        if obtained is None:
            raise FetchError(f"Another fetch is running in {place.root}; wait for it.")
        yield


def _archive_files(source: Source) -> list[Remote]:
    return [
        Remote(
            name=safe_name(archive.name, "pipeline/raw/sources.yaml"),
            address=archive.url,
            size=archive.size,
            sha256=archive.sha256,
            refusal=_access_instructions(source),
        )
        for archive in source.access.archives
    ]


def _access_instructions(source: Source) -> str:
    page = source.access.page
    return f"Request access on {page}." if page else source.access.instructions


def _fetch_source(
    source: Source, remotes: Sequence[Remote], *, place: FetchLayout, limit: TimeLimit
) -> int:
    with _folder_lock(place):
        transfer = Transfer(source, remotes, place=place, limit=limit)
        missing = transfer.missing()
        require_space(source, missing, place)
        try:
            entries = transfer.run(missing)
        except OSError as error:
            raise FetchError(f"{place.root} cannot be written to: {error}.") from None
    size = sum(entry["size"] for entry in entries)
    news = f"{len(missing):,} of them now" if missing else "all present already"
    came = f"{_file_count(len(entries))}, {_byte_count(size)}, {news}"
    _print_message(f"{source.name}: {came}; {place.receipt} lists them.")
    _print_stale_files(transfer.stale())
    return _print_objects_found(source, place)


def _print_stale_files(stale: Sequence[str]) -> None:
    if stale:
        _print_message(
            f"{_file_count(len(stale))} of an earlier revision are still there, such as "
            f"{stale[0]}; remove what should not be built."
        )


def _dry_run(source: Source, place: FetchLayout, limit: TimeLimit, *, as_json: bool) -> int:
    remotes = _remotes(source, limit)
    missing = Transfer(source, remotes, place=place, limit=limit).missing()
    total = sum(remote.size for remote in missing)
    need, free = needed_space(source, missing, place), free_space(place.root)
    if as_json:
        files = [{"name": remote.name, "size": remote.size} for remote in missing]
        sizes = {"bytes": total, "needed_bytes": need, "free_bytes": free}
        facts = {"source": source.name, "folder": place.root.as_posix(), "of": len(remotes)}
        say_json({**facts, "files": files, **sizes})
        return 0
    for remote in missing[:SHOWN]:
        unpacked = ", unpacked" if source.unpack_rule(remote.name) else ""
        _print_line(f"{_byte_count(remote.size):>10}  {remote.name}{unpacked}")
    if len(missing) > SHOWN:
        _print_line(f"            and {len(missing) - SHOWN:,} more")
    _print_line(
        f"{_byte_count(total):>10}  in {_file_count(len(missing))} of {len(remotes):,}, "
        f"into {place.root}"
    )
    _print_line(
        f"{_byte_count(need):>10}  needed on disk, approximately; {_byte_count(free)} are free"
    )
    return 0


def _verify_files(source: Source, place: FetchLayout, *, as_json: bool) -> int:
    count, problems = verify(source, place)
    if as_json:
        facts = {"source": source.name, "folder": place.root.as_posix(), "files": count}
        say_json({**facts, "problems": list(problems)})
        return 1 if problems else 0
    for problem in problems[:SHOWN]:
        _print_line(problem)
    if len(problems) > SHOWN:
        _print_line(f"and {len(problems) - SHOWN:,} more")
    if not problems:
        _print_line(f"{source.name}: {_file_count(count)} match {place.receipt}.")
    return 1 if problems else 0


def _print_manual_steps(source: Source, place: FetchLayout, *, as_json: bool) -> int:
    """Look for the files of a source that cannot be downloaded, and print how to get them."""
    found = survey(source, place.root)["found"]
    if found:
        return _print_objects_found(source, place)
    if as_json:  # the facts about the source say it
        return 1
    _print_line(f"{source.name}: no objects in {place.root}.")
    _print_line(how_to_get(source, place.root))
    return 1


def _print_objects_found(source: Source, place: FetchLayout) -> int:
    facts = survey(source, place.root)
    if facts["problem"]:
        _print_message(f"{source.name}: {facts['problem']}")
    elif facts["found"] is not None:
        expected = facts["expected"]
        of = f" of {expected:,} expected" if expected else ""
        _print_message(f"{source.name}: {facts['found']:,} objects{of} in {place.root}.")
    return 0


def _file_count(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _byte_count(size: int) -> str:
    for limit, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= limit:
            return f"{size / limit:,.1f} {unit}"
    return f"{size} B"


def _print_message(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")


def _print_line(line: Any) -> None:
    sys.stdout.write(f"{line}\n")
