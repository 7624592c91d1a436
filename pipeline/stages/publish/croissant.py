# SPDX-License-Identifier: Apache-2.0
"""`croissant.json`: the release for machines, by the format of mlcommons.org/croissant, 1.1.

There is one record set per table and part of the objects, so that no record set mixes training and
evaluation objects. Columns that the format cannot express, which are pairs and structs, are in the
Parquet files alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.files import file_sha256
from aa_dataset.format.credits import AUTHORS, PAPER
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.licenses import LICENSES
from pipeline.base.tables import dump_json
from pipeline.stages.publish.facts import Facts
from pipeline.stages.publish.front_matter import TAGS
from pipeline.stages.publish.views import PICTURE

Json = dict[str, Any]
PARQUET, TAR = "application/x-parquet", "application/x-tar"
KINDS = {
    pa.string(): "sc:Text",
    pa.float64(): "cr:Float64",
    pa.int32(): "cr:Int32",
    pa.int64(): "cr:Int64",
    pa.bool_(): "sc:Boolean",
}
# How the terms below are to be read; the format demands this block in every file.
CONTEXT: Json = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    **{
        term: f"cr:{term}"
        for term in (
            "arrayShape", "citeAs", "column", "equivalentProperty", "extract", "field",
            "fileObject", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath",
            "key", "parentField", "path", "recordSet", "references", "regex", "repeated",
            "replace", "samplingRate", "separator", "source", "subField", "transform",
        )
    },
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "fileProperty": "cr:fileProperty",
    "md5": "cr:md5",
}  # fmt: skip


def croissant(release: LibraryLayout, facts: Facts) -> bytes:
    """Return the bytes of `croissant.json`."""
    files = [file for view in facts.views for file in view.files]
    description: Json = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": facts.seal.name,
        "version": facts.version,
        "datePublished": facts.date,
        "description": _description(facts),
        "license": _licenses(facts),
        "creator": [{"@type": "sc:Person", "name": _plain_name(name)} for name in AUTHORS],
        "citeAs": PAPER,
        "keywords": list(TAGS),
        "isLiveDataset": False,
        "distribution": [*_tars(facts), *(_file_object(release, name) for name in files)],
        "recordSet": [_record_set(release, name) for name in files],
    }
    return dump_json(description)


def _description(facts: Facts) -> str:
    return (
        f"{facts.seal.objects} of the {facts.seal.expected_objects} articulated objects of "
        f"ArticulateArena-20K, revision {facts.seal.revision}: joints as screws with limits, "
        "bodies with inertia. Record sets are named after table and split."
    )


def _licenses(facts: Facts) -> list[str]:
    kinds = sorted({license for _, license, _, _ in facts.terms})
    known = [f"https://spdx.org/licenses/{kind}.html" for kind in kinds if kind in LICENSES]
    return known or ["LICENSE"]


def _plain_name(name: str) -> str:
    family, given = name.split(", ")
    return f"{given} {family}"


def _tars(facts: Facts) -> Iterator[Json]:
    for name, mark in sorted(facts.seal.files.items()):
        if name.endswith(".tar"):
            yield {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": name,
                "contentSize": f"{mark.size} B",
                "encodingFormat": TAR,
                "sha256": mark.sha256,
            }


def _file_object(release: LibraryLayout, name: str) -> Json:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "encodingFormat": PARQUET,
        "sha256": file_sha256(release.root / name),
    }


def _record_set(release: LibraryLayout, name: str) -> Json:
    """Return the record set of one file of `data/`, such as `joints/train`."""
    path = PurePosixPath(name)
    key = f"{path.parent.name}/{path.stem}"
    schema = pq.read_schema(release.root / name)
    fields = [_field(name, key, field) for field in schema]
    return {
        "@type": "cr:RecordSet",
        "@id": key,
        "name": key,
        "description": f"Table {path.parent.name}, split {path.stem.replace('-and-', ' and ')}.",
        "field": [field for field in fields if field],
    }


def _field(file: str, key: str, field: pa.Field) -> Json | None:
    """Return the description of one column, None if the format has no word for its type."""
    extract: Json = {"fileObject": {"@id": file}, "extract": {"column": field.name}}
    notes = {k.decode(): v.decode() for k, v in (field.metadata or {}).items()}
    found: Json = {"@type": "cr:Field", "@id": f"{key}/{field.name}", "name": field.name}
    if notes.get("meaning"):
        unit = f" [{notes['unit']}]" if notes.get("unit") else ""
        found["description"] = notes["meaning"] + unit
    if field.name == PICTURE.name:
        source = {**extract, "transform": {"jsonPath": "bytes"}}
        return {**found, "dataType": "sc:ImageObject", "source": source}
    if pa.types.is_fixed_size_list(field.type):
        shape = {"isArray": True, "arrayShape": str(field.type.list_size)}
        return {**found, "dataType": KINDS[field.type.value_type], **shape, "source": extract}
    if field.type not in KINDS:
        return None
    return {**found, "dataType": KINDS[field.type], "source": extract}
