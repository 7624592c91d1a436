# SPDX-License-Identifier: Apache-2.0
"""The stage: writes to `release/` what may be passed on; an evaluation split is one tar.

Objects whose terms allow it are there with their files, others with their annotations alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from aa_dataset.files import FileSeal, file_sha256
from aa_dataset.format.benchmark import SPLIT as EVALUATION
from aa_dataset.format.benchmark import Benchmark
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.licenses import Redistribution, allowed
from aa_dataset.format.schema import TABLES as SCHEMAS
from aa_dataset.format.seal import Seal
from pipeline.base import layout
from pipeline.base.assets import AssetRange, AssetWriter, read_fragment, require_content
from pipeline.base.reasons import Code, Reason
from pipeline.base.seal import require_sealed, seal_folder
from pipeline.base.tables import read_rows, replacing, write_arrow, write_bytes, write_table
from pipeline.engine.runner import Job
from pipeline.engine.settings import About, PublishSettings
from pipeline.raw.taxonomy import category_rows
from pipeline.stages.publish.annotations import annotated_object, bare_rows
from pipeline.stages.publish.card import dataset_card, license_text
from pipeline.stages.publish.croissant import croissant
from pipeline.stages.publish.facts import release_facts
from pipeline.stages.publish.views import View, is_evaluation, write_views

LIBRARY, RELEASE = LibraryLayout(layout.LIBRARY), LibraryLayout(layout.RELEASE)
BARE = Redistribution.ANNOTATIONS  # no files, and no words of the source
OBJECT_ID = re.compile(r"[a-z][a-z0-9_]*-[a-z0-9_.-]*[a-z0-9_-]")


def run(job: Job[PublishSettings]) -> None:
    """Write the release folder."""
    whole = require_sealed(LIBRARY)
    rows = read_rows(LIBRARY.table("objects"))
    marks: dict[str, FileSeal] = {}
    packed = _pack([row for row in rows if row["redistribution"] == Redistribution.ASSETS], marks)
    bare = [annotated_object(row) for row in rows if row["redistribution"] == BARE]
    objects = sorted([*packed, *bare], key=lambda row: row["object_id"])
    _write_tables(objects, _open_sources(job.settings.about))
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
    views = write_views(RELEASE)
    facts = release_facts(RELEASE, seal, whole=whole, settings=job.settings, views=views)
    write_bytes(job.outputs["card"], dataset_card(facts).encode())
    write_bytes(job.outputs["license"], license_text(facts).encode())
    write_bytes(job.outputs["croissant"], croissant(RELEASE, facts))
    write_bytes(job.outputs["checksums"], _checksum_lines(seal, views).encode())


def _pack(objects: list[dict[str, Any]], marks: dict[str, FileSeal]) -> list[dict[str, Any]]:
    """Write the tars of a release; return the rows of `objects` with their new places."""
    chosen = _evaluation_tars()
    shards = sorted(path.stem for path in LIBRARY.assets.glob("*.tar"))
    names = dict.fromkeys((*shards, EVALUATION, *sorted(chosen.values())))
    groups: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for row in objects:
        groups[chosen.get(row["object_id"], row["shard"])].append(row)
    packed = [row for name, rows in groups.items() for row in _write_tar(name, rows, marks)]
    _remove_other_assets(set(groups))
    return packed


def _evaluation_tars() -> dict[str, str]:
    """Return the tar of every object of an evaluation split.

    The first split has the tar `eval200`, so that the objects of the benchmark are in one file that
    does not depend on what else is in the library. A second split has a tar of its name, without
    the objects that are in the first one.
    """
    rows = [row for row in read_rows(LIBRARY.table("splits")) if is_evaluation(row["split"])]
    splits = sorted({row["split"] for row in rows})  # the plain name of a version comes first
    tars = {split: split if number else EVALUATION for number, split in enumerate(splits)}
    chosen: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: str(row["split"])):
        chosen.setdefault(row["object_id"], tars[row["split"]])
    return chosen


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
    kept = {row["object_id"] for row in objects}
    bare = {row["object_id"] for row in objects if row["redistribution"] == BARE}
    for name in ("links", "joints", "exclusions", "splits"):
        _write_kept_rows(name, kept, bare)
    rejects = read_rows(LIBRARY.table("rejects"))
    named = kept | {row["object_id"] for row in rejects if row["source"] in sources}
    findings = [row for row in read_rows(LIBRARY.table("findings")) if row["object_id"] in kept]
    rejects = [row for row in rejects if row["object_id"] in named - bare]
    for name, rows in (("findings", findings), ("rejects", rejects)):
        spoken = [{**row, "detail": _without_private_ids(row, named)} for row in rows]
        write_table(RELEASE.table(name), bare_rows(name, spoken, bare), SCHEMAS[name])


def _write_kept_rows(name: str, kept: set[str], bare: set[str]) -> None:
    """Write the rows about released objects, in the order of the library."""
    table = pq.read_table(LIBRARY.table(name))
    table = table.filter(pc.is_in(table["object_id"], pa.array(sorted(kept), pa.string())))
    if bare:
        rows = bare_rows(name, table.to_pylist(), bare)
        table = pa.Table.from_pylist(rows, schema=SCHEMAS[name])
    write_arrow(RELEASE.table(name), table)


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


def _open_sources(about: Mapping[str, About]) -> set[str]:
    """Return the sources of which a release may name the objects that are not in the library."""
    return {source for source, terms in about.items() if _is_open(terms)}


def _is_open(terms: About) -> bool:
    word = allowed(
        terms.license,
        terms.attribution,
        at_most=Redistribution(terms.redistribution),
        of_source=terms.license,
    )
    return word is Redistribution.ASSETS


def _remove_other_assets(names: set[str]) -> None:
    for path in RELEASE.assets.glob("*"):
        if path.name.removesuffix(".tar") not in names:
            path.unlink()


def _checksum_lines(seal: Seal, views: Sequence[View]) -> str:
    """Return one `sha256  name` line per file of the release, as `sha256sum --check` reads it."""
    digests = {name: mark.sha256 for name, mark in seal.files.items()}
    files = [file for view in views for file in view.files]
    for path in (RELEASE.seal, RELEASE.card, RELEASE.license, RELEASE.croissant):
        files.append(path.name)
    digests |= {name: file_sha256(RELEASE.root / name) for name in files}
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))
