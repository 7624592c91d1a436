# SPDX-License-Identifier: Apache-2.0
"""``aa cite`` and ``aa licenses``: what the users of a selection must cite, and obey."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import add_json, add_library
from aa_dataset.cli.selection import add_selection, open_selection
from aa_dataset.cli.terminal import say, say_json

if TYPE_CHECKING:
    from aa_dataset.dataset import Dataset
    from aa_dataset.format.credits import Credit

SPDX_PAGE = "https://spdx.org/licenses"


@dataclass(frozen=True, slots=True)
class CreditLine:
    """Objects of one source under one license by one author, with the line to copy."""

    source: str
    attribution: str
    objects: int
    line: str


@dataclass(frozen=True, slots=True)
class Terms:
    """What one license asks of whoever passes on the objects under it."""

    license: str
    page: str | None
    objects: int
    attribution_required: bool
    share_alike: bool
    note: str
    credit: tuple[CreditLine, ...]


def add_to(commands: Any) -> None:
    """Add both commands and their options."""
    for name, run, text in (
        ("cite", run_cite, "print BibTeX for the library and the sources of a selection"),
        ("licenses", run_licenses, "print what the licenses of a selection ask, with credit lines"),
    ):
        parser = commands.add_parser(name, help=text)
        add_library(parser)
        add_selection(parser)
        add_json(parser)
        parser.set_defaults(run=run)


def run_cite(arguments: argparse.Namespace) -> int:
    """Print the entries; what has no entry is a comment of BibTeX."""
    from aa_dataset import __version__
    from aa_dataset.format.credits import PAPER, software_entry

    dataset = open_selection(arguments)
    detail = f"{dataset.label}, {len(dataset)} objects"
    own = software_entry(__version__, name=dataset.name, revision=dataset.revision, detail=detail)
    sources = dataset.sources
    known = dataset.catalog.seal.credits
    if arguments.json:
        facts = {
            name: {"objects": count, **(asdict(known[name]) if name in known else {})}
            for name, count in sources.items()
        }
        say_json({"library": [PAPER, own], "sources": facts})
        return 0
    say([*_block("the library and its metric", [PAPER, own]), *_source_blocks(sources, known)])
    return 0


def _source_blocks(sources: dict[str, int], known: dict[str, Credit]) -> Iterator[str]:
    """Yield a comment and the entries of every source; an entry of two sources comes once."""
    from aa_dataset.format.credits import NO_CREDIT, entry_key

    printed: set[str] = set()
    for name, count in sources.items():
        credit = known.get(name, NO_CREDIT)
        entries = {entry_key(entry): entry for entry in credit.bibtex}
        text = f"{name}, {count:,} objects: {credit.citation or 'its build names no citation'}"
        yield ""
        yield from _block(text, [entries[key] for key in entries if key not in printed])
        printed |= {*entries}


def _block(comment: str, entries: list[str]) -> list[str]:
    lines = [f"% {' '.join(comment.split())}"]
    for entry in entries:
        lines += entry.splitlines()
    return lines


def run_licenses(arguments: argparse.Namespace) -> int:
    """Print every license with its terms and the lines that give credit."""
    dataset = open_selection(arguments)
    found = list(selection_terms(dataset))
    if arguments.json:
        say_json([asdict(terms) for terms in found])
        return 0
    for number, terms in enumerate(found):
        say([*([""] if number else []), *_terms_lines(terms)])
    return 0


def selection_terms(dataset: Dataset) -> Iterator[Terms]:
    """Yield the terms of a selection by license, the license of most objects first."""
    from aa_dataset.format.licenses import LICENSES, license_terms

    rows = dataset.table("objects").select(["license", "source", "attribution"]).to_pylist()
    groups = Counter((row["license"], row["source"], row["attribution"]) for row in rows)
    for name, objects in dataset.licenses.items():
        terms = license_terms(name)
        lines = [
            _credit_line(dataset, key, count) for key, count in sorted(groups.items())
            if key[0] == name
        ]  # fmt: skip
        page = f"{SPDX_PAGE}/{name}.html" if name in LICENSES else None
        yield Terms(
            name, page, objects, terms.attribution, terms.share_alike, terms.note, tuple(lines)
        )


def _credit_line(dataset: Dataset, key: tuple[str, str, str], count: int) -> CreditLine:
    """Return title, author, license and number of objects as one line."""
    license_name, source, attribution = key
    credit = dataset.catalog.seal.credits.get(source)
    title = credit.title if credit else source
    author = f" by {attribution}" if attribution else ", author not stated"
    line = f"{title}{author}, {license_name}, {count:,} objects, normalized by ArticulateArena"
    return CreditLine(source, attribution, count, line)


def _terms_lines(terms: Terms) -> list[str]:
    duties = [terms.note]
    if terms.share_alike:
        duties.append("What you derive from these objects must keep the license.")
    if terms.page is not None:
        duties.append(f"Text: {terms.page}")
    heading = "credit to give" if terms.attribution_required else "credit, if you like"
    return [
        f"{terms.license}: {terms.objects:,} objects",
        *(f"  {duty}" for duty in duties),
        f"  {heading}:",
        *(f"    {one.line}" for one in terms.credit),
    ]
