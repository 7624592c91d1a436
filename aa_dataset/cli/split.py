# SPDX-License-Identifier: Apache-2.0
"""``aa split``: write a split as a file, and find its objects in another library."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import LIBRARY_HELP, add_json
from aa_dataset.cli.terminal import note, say, say_json
from aa_dataset.untrusted.foreign_text import one_line

if TYPE_CHECKING:
    from aa_dataset.dataset import Dataset
    from aa_dataset.format.split_file import Member
    from aa_dataset.library.exchange import Comparison

_SHOWN = 5  # objects of a kind; --json lists all


def add_to(commands: Any) -> None:
    """Add the command with its two verbs."""
    parser = commands.add_parser("split", help="exchange a split with others who have the objects")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    _add_export(verbs)
    _add_import(verbs)


def _add_export(verbs: Any) -> None:
    what = "write the members of a split with their digests and ground truth to one file"
    parser = verbs.add_parser("export", help=what, description=f"{what.capitalize()}.")
    parser.add_argument("split", metavar="SPLIT", help="name of a split, see `aa info`")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="file to write")
    parser.add_argument("--library", metavar="LIBRARY", help=LIBRARY_HELP)
    add_json(parser)
    parser.set_defaults(run=_run_export)


def _add_import(verbs: Any) -> None:
    what = "check that this library has every object of a split file, and say what is missing"
    parser = verbs.add_parser(
        "import",
        help=what,
        description=f"{what.capitalize()}. Nothing is changed: `aa score --split FILE` and the "
        "other commands with --split take the file itself.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="a file of `aa split export`")
    parser.add_argument("--library", metavar="LIBRARY", help=LIBRARY_HELP)
    add_json(parser, "print JSON with every object that is missing or differs")
    parser.set_defaults(run=_run_import)


def _run_export(arguments: argparse.Namespace) -> int:
    """Write a split file."""
    from aa_dataset.format.split_file import write_split_file
    from aa_dataset.library.exchange import export_split
    from aa_dataset.load import load_default

    dataset = load_default(arguments.library)
    split = export_split(dataset.catalog, arguments.split)
    write_split_file(split, arguments.out)
    if arguments.json:
        facts = {"split": split.name, "objects": len(split.members), "members": split.digest}
        say_json({"file": str(arguments.out), **facts})
    else:
        what = f"{split.name}, {_count(len(split.members))}, members {split.digest}"
        say([f"{arguments.out}: {what}"])
    for line in _terms_lines(dataset, split.members):
        note(line)
    return 0


def _terms_lines(dataset: Dataset, members: Iterable[Member]) -> list[str]:
    """Remind of terms: the file has joints of objects that may not be passed on themselves."""
    table = dataset.table("objects").select(["object_id", "redistribution"]).to_pylist()
    closed = {row["object_id"] for row in table if row["redistribution"] == "none"}
    found = Counter(
        (member.source, member.license) for member in members if member.object_id in closed
    )
    if not found:
        return []
    terms = (f"{source} ({kind}) {count:,}" for (source, kind), count in sorted(found.items()))
    return [
        f"{_count(found.total())} may not be redistributed: {', '.join(terms)}. The file has their "
        "ids, digests and joints, no geometry; check the terms before you publish it."
    ]


def _run_import(arguments: argparse.Namespace) -> int:
    """Compare a split file with a library; return 1 unless every member is there and agrees."""
    from aa_dataset.format.split_file import read_split_file
    from aa_dataset.library.exchange import compare_split
    from aa_dataset.load import load_default

    split = read_split_file(arguments.file)
    dataset = load_default(arguments.library)
    found = compare_split(dataset.catalog, split)
    if arguments.json:
        say_json(_facts(dataset, found))
    else:
        say(_report_lines(dataset, found, arguments.file))
    return 0 if found.agreement.is_complete else 1


def _facts(dataset: Dataset, found: Comparison) -> dict[str, Any]:
    split, agreement = found.split, found.agreement
    return {
        "split": split.name,
        "version": split.version,
        "members": split.digest,
        "member_count": len(split.members),
        "exported_from": {"name": split.library, "revision": split.revision},
        "library": {"name": dataset.name, "revision": dataset.revision},
        "complete": agreement.is_complete,
        "by_bytes": agreement.by_bytes,
        "by_numbers": agreement.by_numbers,
        "missing": [
            {
                "object_id": member.object_id,
                "source": member.source,
                "source_id": member.source_id,
                "license": member.license,
                "attribution": member.attribution,
                "reason": found.rejected.get(member.object_id),
            }
            for member in _absent_members(found)
        ],
        "different": dict(agreement.changed),
        "in_train": list(found.trained),
    }


def _report_lines(dataset: Dataset, found: Comparison, path: Path) -> list[str]:
    split, agreement = found.split, found.agreement
    version = f" ({split.version})" if split.version else ""
    present = agreement.by_bytes + agreement.by_numbers
    rows = (
        ("split", f"{split.name}{version}, {_count(len(split.members))}, members {split.digest}"),
        ("exported from", f"{one_line(split.library, 60)} revision {split.revision}"),
        ("compared with", f"{dataset.name} revision {dataset.revision}, {dataset.root}"),
        (
            "agree",
            f"{present:,}: {agreement.by_bytes:,} by bytes, {agreement.by_numbers:,} by numbers",
        ),
        ("missing", f"{len(agreement.absent):,}"),
        ("differ", f"{len(agreement.changed):,}"),
    )
    return [
        *(f"{name:<15} {text}" for name, text in rows),
        *_missing_lines(dataset, found),
        *_changed_lines(found),
        *_train_lines(found),
        "",
        _verdict(found, path),
    ]


def _absent_members(found: Comparison) -> list[Member]:
    absent = {*found.agreement.absent}
    return [member for member in found.split.members if member.object_id in absent]


def _missing_lines(dataset: Dataset, found: Comparison) -> list[str]:
    """Return what is missing, by the source that has it."""
    by_source: dict[str, list[Member]] = {}
    for member in _absent_members(found):
        by_source.setdefault(member.source, []).append(member)
    lines = []
    for source, members in sorted(by_source.items()):
        held = dataset.sources.get(source, 0)
        lines += ["", f"missing of {source}: {_count(len(members))}. {_advice(source, held)}"]
        credits = sorted({(member.attribution, member.license) for member in members})
        lines += [f"  {one_line(who) or 'unknown'}, {one_line(kind)}" for who, kind in credits[:3]]
        shown = (
            f"  {member.object_id}, {one_line(member.source_id, 120)} there"
            + (f"; {one_line(why)}" if (why := found.rejected.get(member.object_id)) else "")
            for member in members
        )
        lines += _first_lines(list(shown))
    return lines


def _advice(source: str, held: int) -> str:
    """Return how to get objects of a source, of which the library has `held` others."""
    if source == "generated":
        return "`make library` builds them in a checkout."
    if held:
        return (
            f"The library has {held:,} other objects of this source: its copy may be of another "
            "version or incomplete, or the build left them out."
        )
    return (
        f"The library has no object of this source: `aa sources {source}` says how to get it, "
        "then run `make library`."
    )


def _changed_lines(found: Comparison) -> list[str]:
    if not found.agreement.changed:
        return []
    lines = [f"  {key}: {one_line(change)}" for key, change in found.agreement.changed.items()]
    head = (
        "these differ in what scoring uses. Build both libraries with the same version of the "
        "repository, and compare the raw files of these objects."
    )
    return ["", head, *_first_lines(lines)]


def _train_lines(found: Comparison) -> list[str]:
    if not found.trained:
        return []
    head = (
        f"{_count(len(found.trained))} of the file are in `train` of this library. Leave them out "
        "when you train:"
    )
    return ["", head, *_first_lines([f"  {object_id}" for object_id in found.trained])]


def _first_lines(lines: list[str]) -> list[str]:
    rest = len(lines) - _SHOWN
    return [*lines[:_SHOWN], *([f"  and {rest:,} more with --json"] if rest > 0 else [])]


def _verdict(found: Comparison, path: Path) -> str:
    if found.agreement.is_complete:
        return f"The split is complete here. `aa score PREDICTIONS --split {path}` scores on it."
    return "The split is not complete here, so no scores on it would be comparable."


def _count(objects: int) -> str:
    return "1 object" if objects == 1 else f"{objects:,} objects"
