# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline sources`, also `aa sources`: status of every raw source and how to get it."""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path
from typing import Any

from aa_dataset.cli.terminal import WIDTH, say, say_json, table
from pipeline.engine.config import load_config
from pipeline.raw.inventory import adapter_module
from pipeline.tools.fetch.access import Source, find_source, load_all
from pipeline.tools.fetch.hub import page
from pipeline.tools.fetch.layout import FetchLayout
from pipeline.tools.fetch.receipt import read_receipt

PROVED = {"real_bytes": "real bytes", "fixture": "fixture", "made_here": "made here"}


def main(arguments: list[str]) -> int:
    """List all sources, or show everything about one."""
    parser = argparse.ArgumentParser(
        prog="aa sources",
        description="Every raw source: its status, its license, how to get it, and what its "
        "adapter was tested on.",
    )
    parser.add_argument("source", nargs="?", metavar="SOURCE", help="show all about one source")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    config = load_config()
    if given.source:
        sources = [find_source(given.source, config)]
    else:
        sources = list(load_all(config).values())
    facts = [survey(source, source.folder) for source in sources]
    if given.json:
        say_json(facts[0] if given.source else facts)
    elif given.source:
        say(_source_lines(facts[0]))
    else:
        say(table(_HEADER, [_table_row(one) for one in facts]))
    return 0


def survey(source: Source, folder: Path) -> dict[str, Any]:
    """Return everything about a source, with the current state of its folder.

    `found` is the number of objects that the adapter discovers, None if there is no folder.
    """
    found, problem = _count_objects(source, folder)
    described = source.described
    expected, proved = described.expected, described.proved
    return {
        "source": source.name,
        "title": described.title,
        "status": _folder_status(source, folder, found, expected.get("objects")),
        "folder": folder.as_posix(),
        "found": found,
        "expected": expected.get("objects"),
        "expected_categories": expected.get("categories"),
        "license": described.license,
        "redistribution": described.redistribution,
        "terms": described.terms,
        "kind": source.kind,
        "gated": source.access.gated,
        "repo_id": source.access.repo_id or None,
        "revision": source.access.revision or None,
        "how": how_to_get(source, folder),
        "proved": PROVED[proved["by"]],
        "proof": proved["note"],
        "citation": described.citation,
        "problem": problem,
    }


def _count_objects(source: Source, folder: Path) -> tuple[int | None, str]:
    """Return how many objects the adapter finds, and why it finds none."""
    if not folder.is_dir():
        return None, ""
    try:
        return sum(1 for _ in adapter_module(source.described.adapter).discover(folder)), ""
    except Exception as error:  # one unreadable source must not hide the others
        return None, f"{folder} cannot be read: {error or type(error).__name__}"


def _folder_status(source: Source, folder: Path, found: int | None, expected: int | None) -> str:
    """Return one word for what is in a source's folder.

    `incomplete`: a fetch began and did not end. `partly`: fewer objects than expected.
    """
    place = FetchLayout(folder)
    receipt = read_receipt(place)
    if place.is_underway() or (found and receipt and not receipt.get("complete")):
        return "incomplete"
    if found is None:
        return "unknown" if folder.is_dir() else "absent"
    if not found:
        return "absent"
    return "partly" if expected and found < expected else "present"


def how_to_get(source: Source, folder: Path) -> str:
    """Return how to get a source, in a few sentences."""
    text = source.access.instructions
    command = f"aa fetch {source.name}"
    if source.kind == "hub" and source.access.gated:
        return f"Gated: request access on {page(source)}, set HF_TOKEN, then `{command}`. {text}"
    if source.kind in ("hub", "archive"):
        return f"`{command}`. {text}"
    if source.kind == "generated":
        return text
    where = f" ({source.access.page})" if source.access.page else ""
    return f"By hand{where}, into {folder}. {text}"


_HEADER = ("source", "status", "found", "expected", "license", "how to get it", "tested on")
_WAYS = {"archive": "aa fetch", "generated": "make library", "manual": "by hand"}


def _table_row(facts: dict[str, Any]) -> tuple[str, ...]:
    way = "aa fetch, gated" if facts["gated"] else _WAYS.get(facts["kind"], "aa fetch")
    counts = (_format_number(facts["found"]), _format_number(facts["expected"]))
    names = (facts["source"], facts["status"], *counts)
    return (*names, facts["license"], way, facts["proved"])


def _format_number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _source_lines(facts: dict[str, Any]) -> list[str]:
    """Return the lines about one source."""
    lines = []
    for key, value in facts.items():
        if value in (None, ""):
            continue
        text = _format_number(value) if type(value) is int else str(value)
        wrapped = textwrap.wrap(text, WIDTH - 21, break_on_hyphens=False) or [""]
        lines += [f"{key.replace('_', ' '):<20} {wrapped[0]}"]
        lines += [f"{'':<20} {line}" for line in wrapped[1:]]
    return lines
