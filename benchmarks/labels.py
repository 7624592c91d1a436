# SPDX-License-Identifier: Apache-2.0
"""How many models of collections get a category from their names alone.

``PYTHONPATH=. python benchmarks/labels.py raw/tail`` reads a folder of collections, each with its
`source.yaml`, as `ingest` and `categorize` do. No mesh is read, so a copy of a repository that has
its models alone is enough. A model counts if its text, includes as well, has a joint that is not
free; whether it would enter a library is not decided.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.base.errors import Rejection
from pipeline.raw.adapters.urdf_folder import describe, discover
from pipeline.raw.files import open_raw
from pipeline.raw.records import Found
from pipeline.stages.categorize.rules import MODEL_SOURCES, decide

MOST_BYTES = 10**9
SEED = 1
IGNORED = re.compile(r"<!--.*?-->|<default.*?</default>", re.DOTALL)
MOVES = re.compile(r'<joint\b(?![^>]*type="(?:fixed|free|floating)")(?![^>]*\bjoint\d?=)[^>]*>')
INCLUDED = re.compile(r'<include[^>]*file="([^"]+)"')


@dataclass(frozen=True)
class Model:
    """One model with a joint; the category is None if no rule knows its names."""

    name: str
    category: str | None


def main() -> None:
    """Print counts by collection, what has no category, and a sample to look at."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, help="a folder of collections")
    parser.add_argument("--sample", type=int, default=0, help="print so many labels at random")
    given = parser.parse_args()
    models = list(labeled(given.folder))
    for name in sorted({one.name.split("/")[0] for one in models}):
        print_share(name, [one for one in models if one.name.startswith(f"{name}/")])
    print_share("all", models)
    known = [one for one in models if one.category is not None]
    print("".join(f"  none: {one.name}\n" for one in models if one.category is None), end="")
    for one in random.Random(SEED).sample(known, min(given.sample, len(known))):
        print(f"  {one.category}: {one.name}")


def print_share(name: str, models: list[Model]) -> None:
    """Print models, labeled ones and their share."""
    count = sum(one.category is not None for one in models)
    print(f"{name:45s} {len(models):5d} {count:5d} {100 * count / max(len(models), 1):6.1f} %")


def labeled(root: Path) -> Iterator[Model]:
    """Yield every model with a joint and its category."""
    for found in discover(root):
        try:
            record = describe(open_raw(root, list(found.paths), most_bytes=MOST_BYTES), found)
        except Rejection:
            continue
        if has_joint(root, found):
            chosen = decide(
                record.label, source=MODEL_SOURCES[0], source_id=found.name, name=record.name
            ).category
            yield Model(found.name, chosen.name if chosen else None)


def has_joint(root: Path, found: Found) -> bool:
    """Return whether a model, or what it includes, has a joint that is not free."""
    model = root / found.paths[0]
    waiting, seen = [model], set[Path]()
    while waiting:
        path = waiting.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        text = IGNORED.sub("", path.read_text(errors="replace"))
        if MOVES.search(text):
            return True
        waiting += [near / name for name in INCLUDED.findall(text) for near in
                    (path.parent, model.parent)]  # fmt: skip
    return False


if __name__ == "__main__":
    main()
