# SPDX-License-Identifier: Apache-2.0
"""Manual reviews: `pipeline/raw/curation/reviews.tsv`, checked before the first job."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from pipeline.base.errors import ConfigError

HEAD = "object_id\taction\twhy"
ACTIONS = ("exclude", "note")


@dataclass(frozen=True, slots=True)
class Review:
    """One row: a person's verdict about an object, and its line in the file."""

    line: int
    object_id: str
    action: str
    why: str

    def row(self) -> str:
        """Return the row as a line of a shard's slice."""
        return f"{self.object_id}\t{self.action}\t{self.why}\n"


def load_reviews(path: Path) -> list[Review]:
    """Read the curation file; every bad row is a line of one `ConfigError`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read as text: {error}.") from None
    if lines[:1] != [HEAD]:
        raise ConfigError(f"{path}, line 1: the header must be {HEAD!r}, with tabs.")
    rows = [(number, line) for number, line in enumerate(lines[1:], 2) if line.strip()]
    problems = [problem for number, line in rows if (problem := _row_problem(line, path, number))]
    if problems:
        raise ConfigError("\n".join(problems))
    return [Review(number, *line.split("\t")) for number, line in rows]


def _row_problem(line: str, path: Path, number: int) -> str:
    fields = line.split("\t")
    if len(fields) == 3 and all(field.strip() for field in fields) and fields[1] in ACTIONS:
        return ""
    return (
        f"{path}, line {number}: {line!r} is not `object_id, exclude|note, why`, three fields "
        "with a tab between them."
    )


def unknown_objects(
    reviews: Iterable[Review], objects: Collection[str], absent: Iterable[str], path: Path
) -> list[str]:
    """Return a message per row about an object that no source has.

    Parameters
    ----------
    reviews : iterable of Review
        The rows.
    objects : collection of str
        Ids of every object found.
    absent : iterable of str
        Sources of the config without files; rows about their objects are not reported.
    path : Path
        The file, for messages.
    """
    waiting = tuple(f"{source}-" for source in absent)
    return [
        f"{path}, line {review.line}: no source has an object {review.object_id!r}; "
        "the row has no effect. Correct the id or remove the row."
        for review in reviews
        if review.object_id not in objects and not review.object_id.startswith(waiting)
    ]


def read_slice(path: Path) -> dict[str, list[tuple[str, str]]]:
    """Return the (action, why) rows of one shard by object."""
    reviews: dict[str, list[tuple[str, str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        object_id, action, why = line.split("\t")
        reviews.setdefault(object_id, []).append((action, why))
    return reviews
