# SPDX-License-Identifier: Apache-2.0
"""Laws between tables: splits, categories, rejects."""

from __future__ import annotations

from collections import Counter

from aa_dataset.format.benchmark import SPLIT
from aa_dataset.library.laws.law import Findings, Law, Subject, named

_ALL, _TRAIN = "library", "train"


def _splits(subject: Subject) -> Findings:
    members: dict[str, set[str]] = {}
    for split, name in subject.rows("splits", "split", "object_id"):
        members.setdefault(split, set()).add(name)
    absent = sorted(subject.object_ids - members.get(_ALL, set()))
    yield from named("splits", absent, f"the split {_ALL!r} lacks the object")
    for split, names in sorted(members.items()):
        if split == SPLIT or split.startswith(f"{SPLIT}_"):
            both = sorted(names & members.get(_TRAIN, set()))
            yield from named("splits", both, f"the object is in {_TRAIN!r} and in {split!r}")


def _split_contents(subject: Subject) -> Findings:
    contents = dict(subject.rows("objects", "object_id", "content_sha256"))
    rows = subject.rows("splits", "split", "object_id", "content_sha256")
    wrong = (f"{split} {name}" for split, name, old in rows if contents.get(name, old) != old)
    yield from named("splits", wrong, "the object had other contents when the split was made")


def _categories(subject: Subject) -> Findings:
    known = dict(subject.rows("categories", "category", "supercategory"))
    rows = subject.rows("objects", "object_id", "category", "supercategory")
    wrong = (name for name, one, above in rows if known.get(one) != above)
    yield from named("objects", wrong, "category and supercategory are not a row of categories")


def _category_counts(subject: Subject) -> Findings:
    found = Counter(subject.rows("objects", "category", "source"))
    totals = Counter(subject.column("objects", "category"))
    for name, count, by_source in subject.rows("categories", "category", "objects", "by_source"):
        if totals[name] != count:
            problem = f"categories counts {count:,} objects, objects has {totals[name]:,}"
            yield from named("categories", [name], problem)
        held = {source: number for source, number in by_source if number}
        if held != {source: n for (one, source), n in found.items() if one == name}:
            yield from named("categories", [name], "by_source is not the count of objects")


def _rejects(subject: Subject) -> Findings:
    both = sorted(subject.object_ids & {*subject.column("rejects", "object_id")})
    yield from named("rejects", both, "the object is in the library and left out")


SET_LAWS = (
    Law("splits", "`library` has every object, and no evaluation object is in `train`.", _splits),
    Law("split_contents", "A split was decided on the contents that are here.", _split_contents),
    Law("categories", "The category of an object is a row of `categories`.", _categories),
    Law("category_counts", "The counts of `categories` are those of `objects`.", _category_counts),
    Law("rejects", "No object is both in the library and left out.", _rejects),
)
