# SPDX-License-Identifier: Apache-2.0
"""Every number that the card and `croissant.json` state, counted in the tables of the release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.licenses import Redistribution
from aa_dataset.format.seal import Seal
from pipeline.base.tables import read_arrow, read_rows
from pipeline.engine.settings import About, PublishSettings
from pipeline.stages.publish.views import NEITHER, View, object_parts

Counts = Mapping[str, int]
COLUMNS = ["source", "license", "attribution", "redistribution", "supercategory", "category",
           "is_metric", "label_provenance"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Facts:
    """What is in a release.

    Attributes
    ----------
    seal : Seal
        The seal of the release.
    version, date : str
        Its version, and the day of it.
    whole_splits : mapping of str to int
        Objects of every split of the library, of which a release lacks some.
    kept_back : int
        Objects of the library that are not in the release at all.
    about : mapping by source
        What its description tells about a source.
    views : sequence of View
        The tables as `datasets` sees them.
    terms : mapping of (source, license, attribution, redistribution) to int
        Objects by their terms; `bare` are those without files.
    joints, findings, inertia, supercategories, labels : mapping of str to int
        Joints by type, objects with a finding by code, links by the way of their inertia, objects
        by supercategory, objects by the kind of their label.
    rows : mapping of str to int
        Rows of every table; `in_no_split` are the objects that no split has.
    metric, categories : int
        Objects in true meters, and categories that have an object.
    asset_bytes, table_bytes : int [B]
        Size of the tars, and of the tables.
    """

    seal: Seal
    version: str
    date: str
    whole_splits: Counts
    kept_back: int
    about: Mapping[str, About]
    views: Sequence[View]
    terms: Mapping[tuple[str, str, str, str], int]
    joints: Counts
    findings: Counts
    inertia: Counts
    supercategories: Counts
    labels: Counts
    rows: Counts
    in_no_split: int
    metric: int
    categories: int
    asset_bytes: int
    table_bytes: int

    @property
    def bare(self) -> int:
        """Objects that are here with their annotations alone."""
        return sum(n for terms, n in self.terms.items() if terms[3] == Redistribution.ANNOTATIONS)

    @property
    def sources(self) -> dict[str, int]:
        """Objects by source."""
        return dict(sorted(self.seal.sources.items()))

    def view(self, config: str) -> View:
        """Return one table as `datasets` sees it; without splits if it has no row."""
        return next((one for one in self.views if one.config == config), View(config, {}))


def release_facts(
    release: LibraryLayout,
    seal: Seal,
    *,
    whole: Seal,
    settings: PublishSettings,
    views: Sequence[View],
) -> Facts:
    """Count what is in the tables of a release; `whole` is the seal of the library."""
    objects = read_rows(release.table("objects"), COLUMNS)
    findings = read_rows(release.table("findings"), ["object_id", "code"])
    sizes = {name: mark.size for name, mark in seal.files.items()}
    return Facts(
        seal=seal,
        version=settings.publish.version,
        date=settings.publish.date,
        whole_splits=whole.splits,
        kept_back=whole.objects - seal.objects,
        about={name: settings.about[name] for name in sorted(seal.sources)},
        views=views,
        terms=Counter(_terms(row) for row in objects),
        joints=_counted(read_rows(release.table("joints"), ["type"]), "type"),
        findings=Counter(code for _, code in {(r["object_id"], r["code"]) for r in findings}),
        inertia=_counted(read_rows(release.table("links"), ["inertia_method"]), "inertia_method"),
        supercategories=_counted(objects, "supercategory"),
        labels=Counter(row["label_provenance"].split(":")[0] for row in objects),
        rows={name.removesuffix(".parquet"): _row_count(release.root / name)
              for name in sizes if name.endswith(".parquet")},
        in_no_split=len(_parts(release).get((NEITHER,), ())),
        metric=sum(row["is_metric"] for row in objects),
        categories=len({row["category"] for row in objects}),
        asset_bytes=sum(size for name, size in sizes.items() if name.endswith(".tar")),
        table_bytes=sum(size for name, size in sizes.items() if name.endswith(".parquet")),
    )  # fmt: skip


def _parts(release: LibraryLayout) -> Mapping[tuple[str, ...], set[str]]:
    return object_parts(*(read_arrow(release.table(name)) for name in ("objects", "splits")))


def _terms(row: Mapping[str, Any]) -> tuple[str, str, str, str]:
    return row["source"], row["license"], row["attribution"], row["redistribution"]


def _counted(rows: Sequence[Mapping[str, Any]], column: str) -> Counts:
    return dict(sorted(Counter(row[column] for row in rows).items()))


def _row_count(path: Path) -> int:
    return int(pq.read_metadata(path).num_rows)
