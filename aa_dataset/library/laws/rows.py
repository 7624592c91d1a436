# SPDX-License-Identifier: Apache-2.0
"""Laws about ids and counts: every row belongs to an object, every object has its rows."""

from __future__ import annotations

from collections import Counter

import pyarrow.compute as pc

from aa_dataset.errors import LibraryError
from aa_dataset.kinematics.joints import JointType
from aa_dataset.library.laws.law import Findings, Law, Subject, named

_OF_OBJECTS = ("links", "joints", "exclusions", "findings", "splits")
_KEYS = {
    "links": ("object_id", "link"),
    "joints": ("object_id", "joint"),
    "exclusions": ("object_id", "first", "second"),
    "splits": ("split", "object_id"),
    "categories": ("category",),
}


def _ids(subject: Subject) -> Findings:
    rows = subject.rows("objects", "object_id", "source")
    wrong = (name for name, source in rows if not name.startswith(f"{source}-"))
    yield from named("objects", wrong, "the id does not begin with the source")


def _owners(subject: Subject) -> Findings:
    known = subject.catalog.objects["object_id"]
    for table in _OF_OBJECTS:
        column = subject.catalog.table(table)["object_id"]
        strange = column.filter(pc.invert(pc.is_in(column, value_set=known.combine_chunks())))
        yield from named(table, strange.unique().to_pylist(), "objects has no such object")


def _unique(subject: Subject) -> Findings:
    for table, key in _KEYS.items():
        seen = Counter(subject.rows(table, *key))
        twice = (" ".join(map(str, row)) for row, count in seen.items() if count > 1)
        yield from named(table, twice, "the row is there more than once")


def _link_counts(subject: Subject) -> Findings:
    found = Counter(subject.column("links", "object_id"))
    for name, count in subject.rows("objects", "object_id", "links"):
        if found[name] != count:
            problem = f"objects counts {count:,} links, links has {found[name]:,}"
            yield from named("objects", [name], problem)


def _joint_counts(subject: Subject) -> Findings:
    found = Counter(subject.rows("joints", "object_id", "type"))
    kinds = [kind.value for kind in JointType]
    columns = ("object_id", "joints_movable", *(f"joints_{kind}" for kind in kinds))
    for name, movable, *counts in subject.rows("objects", *columns):
        for kind, count in zip(kinds, counts, strict=True):
            if found[name, kind] != count:
                problem = (
                    f"objects counts {count:,} {kind} joints, joints has {found[name, kind]:,}"
                )
                yield from named("objects", [name], problem)
        total = sum(counts) - counts[kinds.index(JointType.FIXED.value)]
        if total != movable:
            problem = f"joints_movable is {movable:,}, the types add up to {total:,}"
            yield from named("objects", [name], problem)


def _ends(subject: Subject) -> Findings:
    links = {*subject.rows("links", "object_id", "link")}
    for table, names in (("joints", ("parent", "child")), ("exclusions", ("first", "second"))):
        for end in names:
            rows = subject.rows(table, "object_id", end)
            wrong = (f"{name} {link}" for name, link in rows if (name, link) not in links)
            yield from named(table, wrong, f"the {end} is not in links")
    rows = subject.rows("exclusions", "object_id", "first", "second")
    wrong = (f"{name} {one}" for name, one, two in rows if not one < two)
    yield from named("exclusions", wrong, "the first link does not come before the second")


def _trees(subject: Subject) -> Findings:
    links: dict[str, set[str]] = {}
    for name, link in subject.rows("links", "object_id", "link"):
        links.setdefault(name, set()).add(link)
    for row, (name, depth) in enumerate(subject.rows("objects", "object_id", "depth")):
        try:
            tree = subject.catalog.tree(row)
        except LibraryError as error:
            yield "joints", str(error)
            continue
        if {*tree.links} != links.get(name, set()):
            yield from named("joints", [name], "the joints do not connect exactly its links")
        if tree.depth != depth:
            problem = f"objects states depth {depth}, the joints have {tree.depth}"
            yield from named("objects", [name], problem)


ROW_LAWS = (
    Law("ids", "The id of an object begins with its source.", _ids),
    Law("owners", "Every row about an object names one of `objects`.", _owners),
    Law("unique", "No link, joint, pair, membership or category is listed twice.", _unique),
    Law("link_counts", "`objects.links` is the number of rows of `links`.", _link_counts),
    Law("joint_counts", "The counts of joints by type are those of `joints`.", _joint_counts),
    Law("ends", "Parents, children and excluded pairs are rows of `links`.", _ends),
    Law("trees", "Joints connect the links of an object to one tree of the stated depth.", _trees),
)
