# SPDX-License-Identifier: Apache-2.0
"""A library of as many objects as one likes, made of the demo's: tables, pictures, tars, seal."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from aa_dataset.assets.packed import Asset
from aa_dataset.format.layout import LibraryLayout, demo_folder
from aa_dataset.format.schema import TABLES
from tests.kit.library_folder import tar_fragment, write_seal

HOSTILE = "<img src=x onerror=alert(1)>"
SOURCES, LICENSES = ("alpha", "beta", "generated"), ("CC-BY-4.0", "CC0-1.0", "unknown")
PER_TAR = 1000


def write_many(
    root: Path, count: int, *, categories: int = 40, pixels: int = 64, complete: int = 100
) -> Path:
    """Write a library of `count` objects and return it.

    Object k is demo object k modulo 12 with an id, a name and labels of its own. The first one is
    called `HOSTILE`, the last one has no files. The first `complete` ones have all pictures of
    `pixels` pixels, the others have the first one alone.
    """
    demo = {name: pq.read_table(LibraryLayout(demo_folder()).table(name)) for name in TABLES}
    models = demo["objects"].to_pylist()
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    (root / "assets").mkdir(parents=True)
    pictures = [_pictures(model, pixels) for model in models]
    for number in range(count):
        rows["objects"].append(_object_row(models[number % len(models)], number, categories))
    for tar, start in enumerate(range(0, count, PER_TAR)):
        chosen = range(start, min(start + PER_TAR, count))
        _write_tar(root, f"many-{tar:04d}", [(rows["objects"][k], k) for k in chosen],
                   pictures, complete)  # fmt: skip
    if count:
        rows["objects"][-1] |= {"shard": None, "offset": None, "size": None, "rebuild": "make it"}
    for name in ("links", "joints"):
        rows[name] = list(_of_models(demo[name].to_pylist(), models, rows["objects"]))
    rows["findings"] = list(_findings(rows["objects"]))
    rows["splits"] = list(_splits(rows["objects"]))
    for name, schema in TABLES.items():
        table = pa.Table.from_pylist(rows[name], schema=schema)
        pq.write_table(table, root / f"{name}.parquet", compression="zstd")
    write_seal(root, revision="00112233aabbccdd")
    return root


def _object_row(model: dict[str, Any], number: int, categories: int) -> dict[str, Any]:
    """Return a row whose labels differ from its neighbors'."""
    place = number % categories
    source = SOURCES[number % 3]
    return model | {
        "object_id": f"{source}-o{number:05d}",
        "source": source,
        "source_id": f"o{number:05d}",
        "name": f"{model['name']} {number}" if number else HOSTILE,
        "category": f"kind_{place:03d}",
        "supercategory": f"Group {place % 7}",
        "license": LICENSES[number % 7 % 3],
        "is_metric": number % 5 != 0,
        "provenance": dict(model["provenance"]),
    }


def _of_models(
    rows: list[dict[str, Any]], models: list[dict[str, Any]], objects: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of every object's model, under the object's id."""
    groups: dict[str, list[dict[str, Any]]] = {model["object_id"]: [] for model in models}
    for row in rows:
        groups[row["object_id"]].append(row)
    for number, one in enumerate(objects):
        for row in groups[models[number % len(models)]["object_id"]]:
            yield row | {"object_id": one["object_id"]}


def _findings(objects: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    codes = ("mesh_open", "size_unusual", "label_unknown")
    for number, one in enumerate(objects):
        for code in codes[: number % 4]:
            fact = {"object_id": one["object_id"], "stage": "verify", "code": code}
            yield fact | {"severity": "warning", "detail": f"{code} of {one['name']}."}


def _splits(objects: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for number, one in enumerate(objects):
        names = ["library", "eval200_1a2b3c4d" if number % 10 == 3 else "train"]
        for split in names:
            fact = {"split": split, "version": None, "object_id": one["object_id"]}
            yield fact | {"content_sha256": one["content_sha256"], "reason": "test"}


def _pictures(model: dict[str, Any], pixels: int) -> dict[str, bytes]:
    """Return the pictures of a demo object at another size, and a strip of two frames."""
    names = ("offset", "size", "object_id", "content_sha256")
    tar = LibraryLayout(demo_folder()).asset(model["shard"])
    asset = Asset(tar, **{name: model[name] for name in names})
    views = [
        Image.open(io.BytesIO(asset.read(name))).convert("RGB").resize((pixels, pixels))
        for name in ("preview.png", "preview_open.png")
    ]
    names = ("preview.png", "preview_open.png", "preview_parts.png")
    rest, opened = (_saved(view, "PNG") for view in views)
    found = dict(zip(names, (rest, opened, rest), strict=True))
    small = [view.resize((min(pixels, 192),) * 2) for view in views]
    strip = _saved(small[0], "WEBP", save_all=True, append_images=small[1:], duration=200, loop=0)
    return found | {"strip.webp": strip}


def _saved(picture: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def _write_tar(
    root: Path,
    name: str,
    objects: list[tuple[dict[str, Any], int]],
    pictures: list[dict[str, bytes]],
    complete: int,
) -> None:
    """Write one tar, and its places into the rows."""
    with (root / "assets" / f"{name}.tar").open("wb") as stream:
        for row, number in objects:
            files = pictures[number % len(pictures)]
            if number >= complete:
                files = {"preview.png": files["preview.png"]}
            fragment = tar_fragment(row["object_id"], files)
            row |= {"shard": name, "offset": stream.tell(), "size": len(fragment)}
            stream.write(fragment)
        stream.write(bytes(1024))
