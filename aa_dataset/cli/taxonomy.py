# SPDX-License-Identifier: Apache-2.0
"""``aa taxonomy``: show the category tree, or explain an object's label."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import add_json
from aa_dataset.cli.terminal import say, say_json
from aa_dataset.errors import ArenaError
from aa_dataset.format.labels import UNKNOWN, Branch, Step, branches, parse_trace

if TYPE_CHECKING:
    from aa_dataset.dataset import Dataset
    from aa_dataset.objects import ArticulatedObject


class UsageError(ArenaError):
    """The arguments of ``aa taxonomy`` are not valid."""


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    usage = (
        "aa taxonomy [LIBRARY] [--all] [--json]\n       aa taxonomy why OBJECT [LIBRARY] [--json]"
    )
    parser = commands.add_parser(
        "taxonomy", help="show the category tree or explain a label", usage=usage
    )
    parser.add_argument("words", nargs="*", metavar="WORD", help="see the usage above")
    parser.add_argument("--all", action="store_true", help="include categories without objects")
    add_json(parser)
    parser.set_defaults(run=run_taxonomy)


def run_taxonomy(arguments: argparse.Namespace) -> int:
    """Explain a label if the first argument is `why`; else show the category tree."""
    words = list(arguments.words)
    if words[:1] == ["why"]:
        del words[0]
        if not words:
            raise UsageError("`aa taxonomy why` needs an object id; `aa list` lists them.")
        return _explain_label(words.pop(0), _open_library(words), as_json=arguments.json)
    return _show_tree(_open_library(words), arguments)


def _open_library(words: list[str]) -> Dataset:
    from aa_dataset.load import load_default

    if len(words) > 1:
        raise UsageError(f"unexpected argument {words[1]!r}; see `aa taxonomy --help`.")
    return load_default(words[0] if words else None)


def _show_tree(dataset: Dataset, arguments: argparse.Namespace) -> int:
    groups = branches(dataset.supercategories, dataset.categories)
    if arguments.json:
        say_json(
            {
                "revision": dataset.revision,
                "objects": len(dataset),
                "supercategories": {
                    b.supercategory: dict(_shown_categories(b, True)) for b in groups
                },
            }
        )
        return 0
    say(line for branch in groups for line in _branch_lines(branch, arguments.all))
    used = sum(len(branch.inhabited) for branch in groups)
    rows = sum(len(branch.categories) for branch in groups)
    say([f"{len(dataset):,} objects in {used:,} of {rows:,} categories"])
    return 0


def _shown_categories(branch: Branch, everything: bool) -> tuple[tuple[str, int], ...]:
    return branch.categories if everything else branch.inhabited


def _branch_lines(branch: Branch, everything: bool) -> list[str]:
    pairs = _shown_categories(branch, everything)
    head = f"{branch.supercategory:<38} {branch.objects:>7,}"
    return [head, *(f"  {name:<36} {count:>7,}" for name, count in pairs)]


def _explain_label(object_id: str, dataset: Dataset, *, as_json: bool) -> int:
    """Explain one label from the library's tables; return 1 if the object has none."""
    item = dataset[object_id]
    steps = parse_trace(str(item.fact("label_provenance")))
    facts = _label_facts(dataset, item, steps)
    if as_json:
        say_json(facts)
    else:
        say(_why_lines(facts, steps))
    return 1 if item.category == UNKNOWN else 0


def _label_facts(dataset: Dataset, item: ArticulatedObject, steps: list[Step]) -> dict[str, Any]:
    rows = dataset.table("categories").to_pylist()
    entry: dict[str, Any] = next((row for row in rows if row["category"] == item.category), {})
    findings = dataset.select([item.object_id]).table("findings").to_pylist()
    return {
        "object_id": item.object_id,
        "name": item.name,
        "source": item.source,
        "source_id": item.fact("source_id"),
        "steps": [{"rule": s.rule, "label": s.label, "meaning": s.meaning} for s in steps],
        "category": item.category,
        "supercategory": item.supercategory,
        "origin": entry.get("origin", ""),
        "usual_size": entry.get("usual_size"),
        "findings": [row["detail"] for row in findings if row["stage"] == "categorize"],
    }


def _why_lines(facts: dict[str, Any], steps: list[Step]) -> Iterable[str]:
    yield f"{facts['object_id']}: {facts['name']}"
    yield f"source {facts['source']}, id in the source {facts['source_id']}"
    for number, step in enumerate(steps, start=1):
        yield f"{number}. {step.rule}: {step.label or '(nothing)'}"
        if step.meaning:
            yield f"   {step.meaning}"
    size = f", usually {facts['usual_size']:g} m across" if facts["usual_size"] else ""
    origin = f" (row: {facts['origin']}{size})" if facts["origin"] else ""
    yield f"category {facts['category']}{origin}"
    yield f"supercategory {facts['supercategory']}"
    yield from (f"finding: {detail}" for detail in facts["findings"])
