# SPDX-License-Identifier: Apache-2.0
"""A library, or a selection of it, as a sequence of objects."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from aa_dataset.assets.cache import claim_folder
from aa_dataset.assets.unpacked import given_folder
from aa_dataset.errors import optional
from aa_dataset.format.benchmark import Benchmark, members_digest
from aa_dataset.format.split_file import is_split_file
from aa_dataset.kinematics.joints import JointType
from aa_dataset.library.catalog import Catalog, UnknownObjectError
from aa_dataset.library.exchange import Exchange, member_proofs, open_split_file
from aa_dataset.library.filters import Choice, Predicate, Span, accepted, selected
from aa_dataset.library.gallery import gallery
from aa_dataset.library.indexing import as_index, picked, shuffled
from aa_dataset.library.joint_arrays import JointArrays, joint_arrays
from aa_dataset.library.prefetch import prefetched
from aa_dataset.objects import ArticulatedObject

Rows = NDArray[np.int64]
Loaded = TypeVar("Loaded")
Indices = list[int] | list[str] | tuple[int, ...] | range | NDArray[Any]

SHOWN = 12  # objects that a notebook shows


class Dataset:
    """Objects of one library in a fixed order; index by number, slice or object id.

    Opening reads only tables. A dataset can be pickled and sent to worker processes, which open the
    library themselves.
    """

    def __init__(
        self,
        catalog: Catalog,
        rows: Rows | None = None,
        *,
        label: str = "library",
        exchange: Exchange | None = None,
    ):
        self._catalog, self._exchange = catalog, exchange
        count = catalog.objects.num_rows
        self._rows = np.arange(count) if rows is None else np.asarray(rows, dtype=np.int64)
        self._label = label

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ArticulatedObject]:
        return (ArticulatedObject(self._catalog, int(row)) for row in self._rows)

    @overload
    def __getitem__(self, key: int | str) -> ArticulatedObject: ...

    @overload
    def __getitem__(self, key: slice | Indices) -> Dataset: ...

    def __getitem__(self, key: int | str | slice | Indices) -> ArticulatedObject | Dataset:
        """Return one object by number or id; a selection by slice, numbers, ids or mask.

        Numbers, ids and masks may be lists, arrays, or columns of pandas, polars and pyarrow.
        """
        if isinstance(key, slice):
            return self._select_rows(self._rows[key], self._label)
        if isinstance(key, str):
            return ArticulatedObject(self._catalog, self._selected_row(key))
        index = as_index(key)
        if index.dtype.kind == "U":
            return self.select(index.tolist())
        if index.ndim:
            return self._select_rows(picked(self._rows, index), f"{self._label}, selected")
        try:
            return ArticulatedObject(self._catalog, int(self._rows[index]))
        except IndexError:
            raise IndexError(f"index {key} is out of range for {len(self)} objects.") from None

    def __contains__(self, item: object) -> bool:
        if isinstance(item, ArticulatedObject):
            return item.revision == self.revision and item.row in self._rows
        try:
            return isinstance(item, str) and self._selected_row(item) >= 0
        except UnknownObjectError:
            return False

    def __repr__(self) -> str:
        seal = self._catalog.seal
        sources = ", ".join(f"{name} {count:,}" for name, count in self.sources.items())
        return (
            f"<{seal.name} revision {seal.revision}, {self._label}: {len(self):,} of "
            f"{seal.expected_objects:,} objects ({sources or 'no source'})>"
        )

    def _repr_html_(self) -> str:
        """Return the first objects with their pictures, for notebooks."""
        cards = [item.card() for item in self[:SHOWN]]
        return gallery(repr(self)[1:-1], cards, len(self) - len(cards))

    def _selected_row(self, object_id: str) -> int:
        row = self._catalog.row_of(object_id)
        if row not in self._rows:
            raise UnknownObjectError(
                f"object {object_id!r} is in the library but not in this selection ({self._label})."
            )
        return row

    def _select_rows(self, rows: Rows, label: str) -> Dataset:
        return Dataset(self._catalog, rows, label=label, exchange=self._exchange)

    @property
    def catalog(self) -> Catalog:
        """The open library of this selection."""
        return self._catalog

    @property
    def name(self) -> str:
        """Name of the dataset, as published."""
        return self._catalog.seal.name

    @property
    def revision(self) -> str:
        """Digest of the library's contents, to be cited with every result."""
        return self._catalog.seal.revision

    @property
    def label(self) -> str:
        """What this selection is: the split, or how it was filtered."""
        return self._label

    @property
    def root(self) -> Path:
        """The library's folder."""
        return self._catalog.layout.root

    @property
    def expected_objects(self) -> int:
        """Number of objects of the full published dataset."""
        return self._catalog.seal.expected_objects

    @property
    def splits(self) -> dict[str, int]:
        """The splits of the library and their numbers of objects."""
        return dict(self._catalog.seal.splits)

    @property
    def exchange(self) -> Exchange | None:
        """The split file that the selection comes from, None if from a split of the library."""
        return self._exchange

    @property
    def benchmark(self) -> Benchmark | None:
        """The benchmark version if this selection is exactly its split, else None."""
        held = self._catalog.seal.benchmark
        if held is None:
            return None
        members = self._catalog.split_rows(held.split)
        same = np.array_equal(np.sort(self._rows), members)
        return held if same and {*self._proofs()} <= {held.digest} else None

    @property
    def members(self) -> str:
        """Digest of the selected objects, 16 hex digits; equal digests mean comparable results.

        Objects of the benchmark enter by the digest of its frozen list, all others by content. Of a
        split file, they enter as in the library that exported it.
        """
        return members_digest(zip(self.object_ids, self._proofs(), strict=True))

    @property
    def agreement(self) -> tuple[int, int] | None:
        """Objects that agree by bytes and by numbers alone with the benchmark or a split file.

        None if this selection is not exactly the objects of one.
        """
        held = self.benchmark
        if held is not None:
            return held.by_bytes, held.by_numbers
        found = self._exchange
        if found is None or {*self._rows.tolist()} != found.proofs.keys():
            return None
        return found.by_bytes, found.by_numbers

    def _proofs(self) -> list[str]:
        if self._exchange is None:
            return member_proofs(self._catalog, self._rows)
        return [self._exchange.proofs[row] for row in self._rows.tolist()]

    @property
    def object_ids(self) -> list[str]:
        """Ids of the objects, in order."""
        return list(self._column("object_id").to_pylist())

    @property
    def sources(self) -> dict[str, int]:
        """Objects of this selection per source, largest first."""
        return self.counts("source")

    @property
    def categories(self) -> dict[str, int]:
        """Objects of this selection per category, largest first."""
        return self.counts("category")

    @property
    def supercategories(self) -> dict[str, str]:
        """Supercategory of every category that the library knows."""
        table = self.table("categories")
        pairs = (table[name].to_pylist() for name in ("category", "supercategory"))
        return dict(zip(*pairs, strict=True))

    @property
    def licenses(self) -> dict[str, int]:
        """Objects of this selection per license, largest first."""
        return self.counts("license")

    def joint_counts(self) -> dict[str, int]:
        """Return the number of joints per type, fixed ones included."""
        columns = {kind.value: self._column(f"joints_{kind}") for kind in JointType}
        return {kind: int(pc.sum(column).as_py() or 0) for kind, column in columns.items()}

    def split(self, name: str | os.PathLike[str]) -> Dataset:
        """Return the objects that are also in a split.

        The split is given by its name or its stem, or by a file of `aa split export`, all of whose
        objects must be in the library. Text with a dot or a slash is a file.
        """
        exchange = self._exchange
        if is_split_file(name):
            exchange = open_split_file(self._catalog, Path(name))
            full, members = exchange.name, np.array([*exchange.proofs], np.int64)
        else:
            full = self._catalog.resolve_split(str(name))
            members = self._catalog.split_rows(full)
        rows = self._rows[np.isin(self._rows, members)]
        return Dataset(self._catalog, rows, label=f"split {full}", exchange=exchange)

    def select(self, object_ids: Iterable[str]) -> Dataset:
        """Return the objects with these ids, in the given order."""
        rows = [self._selected_row(object_id) for object_id in object_ids]
        return self._select_rows(np.array(rows, dtype=np.int64), f"{self._label}, selected")

    def filter(
        self,
        *,
        category: Choice = None,
        supercategory: Choice = None,
        source: Choice = None,
        license: Choice = None,
        joint_type: Choice = None,
        joints: Span = None,
        depth: Span = None,
        size: Span = None,
        is_metric: bool | None = None,
        finding: Choice = None,
        without_finding: Choice = None,
        where: Predicate | None = None,
    ) -> Dataset:
        """Return the objects that match every argument.

        An unknown value raises `SelectionError`, so that a typo never gives an empty selection.

        Parameters
        ----------
        category, supercategory, source, license : str or several
            The value of that column.
        joint_type : str or several
            A joint of at least one of these types.
        joints, depth, size : number or (lowest, highest)
            Movable joints, depth of the tree, and diagonal of the bounding box [m, or the object's
            own unit]; None is an open end, both ends are included.
        is_metric : bool
            Whether lengths are true meters.
        finding, without_finding : str or several
            A finding of at least one, or of none, of these codes.
        where : function
            Called with the row of the objects table as a dict, for objects that match the rest.
        """
        choices = {k: v for k, v in locals().items() if k not in ("self", "where")}
        rows, label = selected(self._catalog, self._rows, choices)
        label = self._label + label
        if where is not None:
            rows, label = rows[accepted(self._catalog, rows, where)[rows]], f"{label}, where"
        return self._select_rows(rows, label)

    def shuffle(self, seed: int = 0) -> Dataset:
        """Return the objects in a random order, which depends on ids and seed alone.

        It is the same on every machine and for every build, and an object keeps its place among the
        others when objects come or go.
        """
        order = shuffled(self.object_ids, seed)
        return self._select_rows(self._rows[order], f"{self._label}, shuffled")

    def table(self, name: str) -> pa.Table:
        """Return a table as pyarrow, restricted to the objects of this selection.

        `rejects` and `categories` are returned whole: their rows are not objects of the library.
        """
        table = self._catalog.table(name)
        if name in ("rejects", "categories"):
            return table
        if name == "objects":
            return table.take(pa.array(self._rows))
        owner = self._catalog.rows_of(table["object_id"])
        return table.filter(pa.array(np.isin(owner, self._rows)))

    def rows(self, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """Yield the row of every object in the objects table, or some columns, as a dict.

        This is the fast way to read facts of many objects.
        """
        table = self.table("objects")
        for batch in (table if columns is None else table.select(list(columns))).to_batches(1024):
            yield from batch.to_pylist()

    def joint_arrays(self, *, fixed: bool = False) -> JointArrays:
        """Return screws, limits and moving bodies of all joints as arrays, with the fixed if asked.

        The joints of object k of this selection are rows ``starts[k]:starts[k + 1]``.
        """
        return joint_arrays(self._catalog, self._rows, fixed=fixed)

    def to_pandas(self, name: str = "objects") -> Any:
        """Return a table of this selection as a pandas frame (extra ``pandas``)."""
        optional("pandas", "`to_pandas`", "pandas")
        return self.table(name).to_pandas()

    def to_polars(self, name: str = "objects") -> Any:
        """Return a table of this selection as a polars frame (extra ``polars``)."""
        return optional("polars", "`to_polars`", "polars").from_arrow(self.table(name))

    def prefetch(
        self,
        load: Callable[[ArticulatedObject], Loaded] | None = None,
        *,
        ahead: int = 16,
        threads: int = 4,
    ) -> Iterator[ArticulatedObject | Loaded]:
        """Iterate while threads read the files of the next objects.

        Parameters
        ----------
        load : function of an object, optional
            Called in a thread; its results are yielded in the order of the objects. Default: unpack
            the object's files, and yield the object.
        ahead, threads : int
            Results at most that wait to be taken, and threads.
        """
        work: Callable[[ArticulatedObject], Any] = _unpacked if load is None else load
        return prefetched(self, work, ahead=ahead, threads=threads)

    def unpack(self, folder: Path) -> int:
        """Write every object to ``folder/<object_id>/``; return the number of new objects.

        Objects are written atomically, so an interrupted call can be repeated. A folder with other
        content is refused, so that two revisions never mix.
        """
        assets = [self._catalog.asset(int(row)) for row in self._rows]  # or raise, with no folder
        place = claim_folder(folder, f"{self.name} {self.revision}")
        return sum(given_folder(place.object(asset.object_id), asset) for asset in assets)

    def _column(self, name: str) -> pa.ChunkedArray:
        return self._catalog.objects[name].take(pa.array(self._rows))

    def counts(self, column: str) -> dict[str, int]:
        """Return the number of objects per value of a text column, largest first."""
        rows = pc.value_counts(self._column(column)).to_pylist()
        ranked = sorted(rows, key=lambda row: (-row["counts"], row["values"]))
        return {row["values"]: row["counts"] for row in ranked}


def _unpacked(item: ArticulatedObject) -> ArticulatedObject:
    item.folder  # noqa: B018
    return item
