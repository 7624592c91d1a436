# SPDX-License-Identifier: Apache-2.0
"""Laws about the tars: every byte belongs to exactly one object, or to the end of the tar."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from aa_dataset.format.layout import LibraryLayout
from aa_dataset.library.laws.law import Findings, Law, Subject, named

Place = tuple[int, int, str]  # offset, size, object
_END = 1024  # [B] of zeros that end a tar, at least
_MOST_END = 10240  # [B] that a tar is padded to


def _ranges(subject: Subject) -> Findings:
    places = _places(subject)
    for shard, held in sorted(places.items()):
        place = 0
        for offset, size, name in sorted(held):
            if offset != place:
                what = "overlaps the object before it" if offset < place else "follows a gap"
                yield from named("objects", [name], f"its range in {shard}.tar {what}")
            place = max(place, offset + size)


def _ends(subject: Subject) -> Findings:
    layout, places = subject.catalog.layout, _places(subject)
    for path in _tars(subject, layout):
        held = places.get(path.stem, [])
        last = max((offset + size for offset, size, _ in held), default=0)
        rest = path.stat().st_size - last
        if not _END <= rest <= _MOST_END:
            yield "objects", f"{path.name}: {rest:,} bytes follow the last object, not {_END:,}"
        elif any(_tail(path, last)):
            yield "objects", f"{path.name}: bytes after the last object belong to no object"


def _places(subject: Subject) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = {}
    rows = subject.rows("objects", "shard", "offset", "size", "object_id")
    for shard, offset, size, name in rows:
        if shard is not None:
            found.setdefault(shard, []).append((offset, size, name))
    return found


def _tars(subject: Subject, layout: LibraryLayout) -> Iterator[Path]:
    names = (Path(name) for name in subject.catalog.seal.files if name.endswith(".tar"))
    paths = (layout.asset(name.stem) for name in names)
    return (path for path in sorted(paths) if path.is_file())


def _tail(path: Path, start: int) -> bytes:
    with path.open("rb") as stream:
        stream.seek(start)
        return stream.read(_MOST_END)


PLACE_LAWS = (
    Law("places", "The objects of a tar follow each other without gap or overlap.", _ranges),
    Law("tar_ends", "After the last object a tar has zeros alone.", _ends),
)
