# SPDX-License-Identifier: Apache-2.0
"""The category tree, and the steps that led to an object's category, from the library's tables.

The build writes the steps that led to a category into the column `label_provenance`
(``record id: articulated_task_lamp > without articulated: task_lamp``), so that they can be read
without the repository that built the library.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

UNKNOWN = "uncategorized"
UNKNOWN_RULE = "unknown"

# Meaning of each rule by the first words of a step; the rest names the word, person or file.
RULES: dict[str, str] = {
    "metadata": "the source states this label for the object",
    "record id": "the record id without `rec_` and the number or hash at its end",
    "prompt": "the text that the object was made from, in the shared lowercase form",
    "category slug": "the record id gives no known class, so the source's category is used",
    "name": "the source has no label, so the object's name is used",
    "model name": "a name in the file, the label or a folder that the table of models has",
    "model": "the category of that model",
    "cut at": "everything from this connective on is description and is removed",
    "without": "generic words that do not change the class are dropped",
    "singular": "the last word in the singular",
    "head noun": "the longest known suffix of the phrase; in English the head noun comes last",
    "alias": "another spelling or name of the same class",
    "review by": "a manual decision, which overrides every rule",
    UNKNOWN_RULE: "the taxonomy has no such class; it must be added or reviewed manually",
}

_STEP = re.compile(r"(?P<rule>[^:]+): (?P<label>[a-z0-9_]*)")


@dataclass(frozen=True, slots=True)
class Step:
    """One step from a source's label to a category: the rule, and the label after it."""

    rule: str
    label: str

    @property
    def meaning(self) -> str:
        """What the rule does, empty for a rule of another version."""
        meanings = (text for start, text in RULES.items() if self.rule.startswith(start))
        return next(meanings, "")


@dataclass(frozen=True, slots=True)
class Branch:
    """One supercategory with its categories, largest first."""

    supercategory: str
    categories: tuple[tuple[str, int], ...]

    @property
    def objects(self) -> int:
        """Objects of the supercategory."""
        return sum(count for _, count in self.categories)

    @property
    def inhabited(self) -> tuple[tuple[str, int], ...]:
        """The categories that have objects."""
        return tuple(pair for pair in self.categories if pair[1])


def plain_label(label: str) -> str:
    """Return the shared lowercase form: `TrashCan`, `trash-can` and `Trash Can` are `trash_can`."""
    folded = unicodedata.normalize("NFKD", label.strip())
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", folded)
    return re.sub(r"[^a-z0-9]+", "_", re.sub(r"[\u0300-\u036f']", "", spaced).lower()).strip("_")


def format_trace(steps: Iterable[Step]) -> str:
    """Format steps as text for the column `label_provenance`."""
    return " > ".join(f"{step.rule}: {step.label}" for step in steps)


def parse_trace(text: str) -> list[Step]:
    """Parse the steps; text of another form becomes one step without a label."""
    matches = [_STEP.fullmatch(part) for part in text.split(" > ")]
    if not all(matches):
        return [Step(text, "")]
    return [Step(match["rule"], match["label"]) for match in matches if match]


def branches(supercategories: Mapping[str, str], counts: Mapping[str, int]) -> list[Branch]:
    """Group categories by supercategory, largest first.

    Parameters
    ----------
    supercategories : mapping of str to str
        Supercategory of every category.
    counts : mapping of str to int
        Objects per category.
    """
    groups: dict[str, list[tuple[str, int]]] = {}
    for category, supercategory in supercategories.items():
        pair = (category, counts.get(category, 0))
        groups.setdefault(supercategory, []).append(pair)
    found = [
        Branch(name, tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0]))))
        for name, pairs in groups.items()
    ]
    return sorted(found, key=lambda branch: (-branch.objects, branch.supercategory))
