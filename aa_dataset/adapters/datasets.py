# SPDX-License-Identifier: Apache-2.0
"""Hugging Face `datasets`: a selection as one of its datasets, with pictures.

A release opens there without this package, ``datasets.load_dataset(folder, "objects")``; this is
for a local library, or for a selection of one.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from aa_dataset.dataset import Dataset
from aa_dataset.errors import optional
from aa_dataset.format.layout import PREVIEW

PICTURE = "picture"


def load(dataset: Dataset, table: str = "objects", *, pictures: bool = False) -> Any:
    """Return a table of a selection as a `datasets.Dataset` (extra ``datasets``).

    Parameters
    ----------
    dataset : Dataset
    table : str
        One of the tables of a library.
    pictures : bool
        Add a column of the previews to the objects; this reads one file of every object.

    Returns
    -------
    datasets.Dataset
        Maps are lists of key and value there, because `datasets` has no maps.
    """
    hub = optional("datasets", "the adapter of Hugging Face datasets", "datasets")
    rows = _without_maps(dataset.table(table))
    if pictures and table == "objects":
        drawn = (item.fact("preview_backend") is not None for item in dataset)
        images = [
            {"bytes": item.read(PREVIEW), "path": None} if is_drawn else None
            for item, is_drawn in zip(dataset, drawn, strict=True)
        ]
        kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
        rows = rows.append_column(PICTURE, pa.array(images, kind))
    made = hub.Dataset(hub.table.InMemoryTable(rows))
    return made.cast_column(PICTURE, hub.Image()) if PICTURE in rows.column_names else made


def _without_maps(table: pa.Table) -> pa.Table:
    """Return a table with every map as a list of structs, and without the notes of our schema."""
    for index, field in enumerate(table.schema):
        if pa.types.is_map(field.type):
            entry = pa.struct([("key", field.type.key_type), ("value", field.type.item_type)])
            cells = [
                None if cell is None else [{"key": key, "value": value} for key, value in cell]
                for cell in table[index].to_pylist()
            ]
            listed = pa.array(cells, pa.list_(entry))
            table = table.set_column(index, pa.field(field.name, listed.type), listed)
    plain = pa.schema([pa.field(field.name, field.type) for field in table.schema])
    return table.combine_chunks().cast(plain)
