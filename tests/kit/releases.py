# SPDX-License-Identifier: Apache-2.0
"""A release of a small true library in the current folder, by the stage `publish` alone."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.base import layout
from pipeline.engine.config import load_config
from pipeline.stages.publish.stage import run
from tests.kit.library_folder import build_library, write_seal
from tests.kit.library_objects import LIBRARY_OBJECTS, ObjectSpec
from tests.kit.places import REPOSITORY
from tests.kit.small_build import library_job

TRAIN, EVAL, SAMPLE = "train", "eval200", "eval200_1a2b3c4d"
# Object, its evaluation splits or `train`, and what a release may contain of it. Two objects are in
# both evaluation splits, two are near-duplicates in no split.
MEMBERS = (
    ("generated-a", (TRAIN,), "assets"),
    ("generated-b", (TRAIN,), "assets"),
    ("generated-c", (EVAL,), "assets"),
    ("generated-d", (EVAL, SAMPLE), "assets"),
    ("generated-e", (EVAL, SAMPLE), "assets"),
    ("generated-f", (), "assets"),
    ("local-g", (TRAIN,), "annotations"),
    ("local-h", (SAMPLE,), "annotations"),
    ("local-i", (), "annotations"),
    ("local-j", (TRAIN,), "none"),
    ("local-k", (SAMPLE,), "none"),
)
# Rows of the taxonomy, from which the stage makes the table of categories.
KINDS = (("bottle", "Containers"), ("table_lamp", "Lighting"), ("cabinet", "Storage Furniture"))
ALLOWED = {key: word for key, _, word in MEMBERS}


def specs(**changes: Any) -> tuple[ObjectSpec, ...]:
    """Return the objects, with the shapes of the small library in turn."""
    shapes = LIBRARY_OBJECTS
    return tuple(
        replace(
            shapes[number % len(shapes)],
            object_id=key,
            splits=("library", *splits),
            license="CC0-1.0" if word == "assets" else "CC-BY-NC-4.0",
            **dict(zip(("category", "supercategory"), KINDS[number % len(KINDS)], strict=True)),
            **changes,
        )
        for number, (key, splits, word) in enumerate(MEMBERS)
    )


def write_library(objects: Iterable[ObjectSpec], allowed: dict[str, str] = ALLOWED) -> Path:
    """Write `library/` into the current folder."""
    root = build_library(Path(layout.LIBRARY), tuple(objects))
    change_rows(root, "objects", lambda row: {**row, "redistribution": allowed[row["object_id"]]})
    return root


def change_rows(
    root: Path, name: str, change: Callable[[dict[str, Any]], dict[str, Any] | None]
) -> None:
    """Rewrite or drop the rows of a table, then seal the folder again."""
    path = root / f"{name}.parquet"
    table = pq.read_table(path)
    rows = [new for row in table.to_pylist() if (new := change(row)) is not None]
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path, compression="zstd")
    write_seal(root)


def publish(**settings: str) -> Path:
    """Write `release/` from the `library/` of the current folder; `settings` of `publish`."""
    with contextlib.chdir(REPOSITORY):
        config = load_config()
    config = replace(config, publish=replace(config.publish, **settings))
    run(library_job("publish", config))
    return Path(layout.RELEASE)


def rows(root: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table."""
    return list(pq.read_table(root / f"{name}.parquet").to_pylist())


def front_matter_configs(release: Path) -> list[dict[str, Any]]:
    """Return the configs that the card names."""
    import yaml

    front = (release / "README.md").read_text().split("---\n")[1]
    return list(yaml.safe_load(front)["configs"])


def everything_in(folder: Path) -> dict[str, str]:
    """Return all that a reader may find in a folder: names, bytes, and tables unpacked, by file."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            text = f"{path.relative_to(folder)}\n" + path.read_bytes().decode("latin-1")
            if path.suffix == ".parquet":
                table = pq.read_table(path)
                text += json.dumps(table.to_pylist(), default=lambda data: data.decode("latin-1"))
                text += str(table.schema) + str(pq.read_metadata(path).metadata)
            found[path.relative_to(folder).as_posix()] = text
    return found
