# SPDX-License-Identifier: Apache-2.0
"""The stage: writes the redistributable objects to `release/`; an evaluation split is one tar."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from aa_dataset.files import FileSeal, file_sha256
from aa_dataset.format.benchmark import Benchmark
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.licenses import Redistribution
from aa_dataset.format.schema import TABLES as SCHEMAS
from aa_dataset.format.seal import Seal
from pipeline.base import layout
from pipeline.base.assets import AssetRange, AssetWriter, read_fragment, require_content
from pipeline.base.reasons import Code, Reason
from pipeline.base.seal import require_sealed, seal_folder
from pipeline.base.tables import read_rows, replacing, write_arrow, write_bytes, write_table
from pipeline.engine.runner import ShardJob
from pipeline.engine.settings import PublishSettings
from pipeline.raw.taxonomy import category_rows
from pipeline.stages.publish.card import dataset_card, license_text

LIBRARY, RELEASE = LibraryLayout(layout.LIBRARY), LibraryLayout(layout.RELEASE)
EVALUATION = "eval200"
OBJECT_ID = re.compile(r"[a-z][a-z0-9_]*-[a-z0-9_.-]*[a-z0-9_-]")


def run(job: ShardJob[PublishSettings]) -> None:
    """Write the release folder."""
    whole = require_sealed(LIBRARY)
    rows = read_rows(LIBRARY.table("objects"))
    objects = [row for row in rows if row["redistribution"] == Redistribution.ASSETS]
    chosen = _evaluation_tars()
    shards = sorted(path.stem for path in LIBRARY.assets.glob("*.tar"))
    names = dict.fromkeys((*shards, EVALUATION, *sorted(chosen.values())))
    groups: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for row in objects:
        groups[chosen.get(row["object_id"], row["shard"])].append(row)
    marks: dict[str, FileSeal] = {}
    packed = [row for name, rows in groups.items() for row in _write_tar(name, rows, marks)]
    _write_tables(
        sorted(packed, key=lambda row: row["object_id"]), _open_sources(job.settings.redistribution)
    )
    _remove_other_assets(set(groups))
    benchmark = _released_benchmark(whole.benchmark)
    if benchmark is None:
        _clear_split_versions()
    seal = seal_folder(
        RELEASE,
        name=job.settings.name,
        expected=whole.expected_objects,
        benchmark=benchmark,
        marks=marks,
        credits=whole.credits,
    )
    card = dataset_card(seal, RELEASE, version=job.settings.publish.version, whole=whole.splits)
    write_bytes(job.outputs["card"], card.encode())
    write_bytes(job.outputs["license"], license_text(RELEASE).encode())
    write_bytes(job.outputs["checksums"], _checksum_lines(seal).encode())


def _evaluation_tars() -> dict[str, str]:
    """Return the tar of every object of an evaluation split.

    The first split has the tar `eval200`, so that the objects of the benchmark are in one file that
    does not depend on what else is in the library. A second split has a tar of its name, without
    the objects that are in the first one.
    """
    rows = [row for row in read_rows(LIBRARY.table("splits")) if _is_evaluation(row["split"])]
    splits = sorted({row["split"] for row in rows})  # the plain name of a version comes first
    tars = {split: split if number else EVALUATION for number, split in enumerate(splits)}
    chosen: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: str(row["split"])):
        chosen.setdefault(row["object_id"], tars[row["split"]])
    return chosen


def _is_evaluation(split: str) -> bool:
    return split == EVALUATION or split.startswith(f"{EVALUATION}_")


def _released_benchmark(found: Benchmark | None) -> Benchmark | None:
    """Return the library's benchmark if the release contains all of its objects."""
    if found is None:
        return None
    held = sum(row["split"] == found.split for row in read_rows(RELEASE.table("splits")))
    return found if held == found.objects else None


def _clear_split_versions() -> None:
    """Set the versions in `splits` to null: a part of a frozen split is not a version."""
    table = pq.read_table(RELEASE.table("splits"))
    place = table.schema.get_field_index("version")
    field = table.schema.field(place)
    nothing = pa.nulls(table.num_rows, field.type)
    write_arrow(RELEASE.table("splits"), table.set_column(place, field, nothing))


def _write_tar(
    name: str, rows: list[dict[str, Any]], marks: dict[str, FileSeal]
) -> list[dict[str, Any]]:
    """Write one tar of the release and its mark; return its rows with their new offsets."""
    out = []
    with replacing(RELEASE.asset(name)) as temporary, temporary.open("wb") as stream:
        writer = AssetWriter(stream)
        for row in rows:
            where = AssetRange(LIBRARY.asset(row["shard"]), row["offset"], row["size"])
            fragment = read_fragment(where)
            require_content(where, fragment, row["content_sha256"])
            offset, size, _ = writer.append(fragment)
            out.append({**row, "shard": name, "offset": offset, "size": size})
        writer.close()
        marks[f"assets/{name}.tar"] = writer.mark
    return out


def _write_tables(objects: list[dict[str, Any]], sources: set[str]) -> None:
    write_table(RELEASE.table("objects"), objects, SCHEMAS["objects"])
    write_table(RELEASE.table("categories"), _category_rows(objects), SCHEMAS["categories"])
    ids = pa.array([row["object_id"] for row in objects], pa.string())
    for name in ("links", "joints", "exclusions", "splits"):
        table = pq.read_table(LIBRARY.table(name))
        write_arrow(RELEASE.table(name), table.filter(pc.is_in(table["object_id"], ids)))
    kept = {row["object_id"] for row in objects}
    rejects = read_rows(LIBRARY.table("rejects"))
    named = kept | {row["object_id"] for row in rejects if row["source"] in sources}
    findings = [row for row in read_rows(LIBRARY.table("findings")) if row["object_id"] in kept]
    rejects = [row for row in rejects if row["object_id"] in named]
    for name, rows in (("findings", findings), ("rejects", rejects)):
        spoken = [{**row, "detail": _without_private_ids(row, named)} for row in rows]
        write_table(RELEASE.table(name), spoken, SCHEMAS[name])


def _without_private_ids(row: Mapping[str, Any], named: set[str]) -> str:
    """Return a row's detail without the ids of objects that are not released."""
    if row["code"] not in (Code.DUPLICATE_KEPT, Reason.DUPLICATE):
        return str(row["detail"])
    return OBJECT_ID.sub(
        lambda found: found[0] if found[0] in named else "an object that is not released",
        row["detail"],
    )


def _category_rows(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    pairs = ((row["category"], row["source"]) for row in objects)
    return sorted(category_rows(pairs), key=lambda row: row["category"])


def _open_sources(redistribution: Mapping[str, str]) -> set[str]:
    return {source for source, word in redistribution.items() if word == Redistribution.ASSETS}


def _remove_other_assets(names: set[str]) -> None:
    for path in RELEASE.assets.glob("*"):
        if path.name.removesuffix(".tar") not in names:
            path.unlink()


def _checksum_lines(seal: Seal) -> str:
    """Return one `sha256  name` line per file of the release, as `sha256sum --check` reads it."""
    digests = {name: mark.sha256 for name, mark in seal.files.items()}
    for path in (RELEASE.seal, RELEASE.root / "README.md", RELEASE.root / "LICENSE"):
        digests[path.name] = file_sha256(path)
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))
