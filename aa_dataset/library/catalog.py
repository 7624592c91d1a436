# SPDX-License-Identifier: Apache-2.0
"""One opened library: its tables, read when first needed, and the indices between them.

Opening reads the seal, the objects table and the splits, which must match the benchmark that the
seal names. Everything else is read on first access. The joints of an object are found by an index
that is built once with array operations.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from aa_dataset.assets.packed import Asset
from aa_dataset.assets.seen import Seen
from aa_dataset.assets.unpacked import KnownFolders
from aa_dataset.errors import ArenaError, FilesNotHeldError, LibraryError
from aa_dataset.files import FileSeal
from aa_dataset.format.layout import TABLES, LibraryLayout
from aa_dataset.format.seal import Seal, read_seal
from aa_dataset.hub.fragments import Fragments
from aa_dataset.hub.place import Access
from aa_dataset.hub.snapshot import complete, fetch_table, read_mark
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.joints import Joint, JointType, Mimic
from aa_dataset.kinematics.trees import AnyEdge, KinematicTree, ordered_tree
from aa_dataset.library.agreement import require_agreement
from aa_dataset.library.joint_columns import JOINT_COLUMNS, MIMIC, JointColumns
from aa_dataset.library.storage import read_table, require_tar, verify_files

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

_HERE = Access()
_VERSION = re.compile(r"-v[0-9]+$")
ROOT_LINK = "base"  # the URDF convention's name, needed for an object without joints


class _Edge(NamedTuple):
    """What the shape of a tree needs of a joint."""

    joint: str
    parent: str
    child: str

    @property
    def name(self) -> str:
        return self.joint


class SelectionError(ArenaError, LookupError):
    """A split, an object or a value to filter by is not in the library."""


class UnknownObjectError(SelectionError, KeyError):
    """No object of the library has that id."""

    def __str__(self) -> str:
        """Return the message; a plain KeyError would show it in quotes."""
        return str(self.args[0])


class Catalog:
    """The tables of one library; compared by identity, pickled by folder.

    A pickle holds only the folder and the revision. A worker process opens the tables itself, once
    for all objects that it receives.
    """

    def __init__(self, layout: LibraryLayout, seal: Seal, access: Access = _HERE):
        self.layout, self.seal, self.access = layout, seal, access
        mark = read_mark(layout)
        self.origin = None if mark is None else mark.origin
        origin = self.origin
        self.fragments = None if origin is None else Fragments(layout, seal, origin, access)
        self._tables: dict[str, pa.Table] = {}
        self._columns: dict[str, pa.Array] = {}  # of the objects table
        self._row_of: dict[str, int] | None = None
        self._joints: JointColumns | None = None
        self.known_folders = KnownFolders()
        self._sealed_at = layout.seal.stat().st_mtime_ns

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as folder and revision of the library."""
        return _reopen_pickled, (str(self.layout.root), self.seal.revision, self.access)

    def table(self, name: str) -> pa.Table:
        """Return one whole table."""
        if name not in self._tables:
            if name not in TABLES:
                raise SelectionError(
                    f"there is no table {name!r}. Choose from {_list_names(list(TABLES))}."
                )
            self._tables[name] = self.read_columns(name)
        return self._tables[name]

    def read_columns(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Read a table, or some columns; a downloaded one that is damaged is downloaded again."""
        try:
            return read_table(self.layout, self.seal, name, columns)
        except LibraryError:
            if self.origin is None or self.access.is_offline or not self._is_damaged(name):
                raise
        fetch_table(self.origin, self.layout, self.seal, name)
        return read_table(self.layout, self.seal, name, columns)

    def _is_damaged(self, name: str) -> bool:
        path = self.layout.table(name)
        return not path.is_file() or FileSeal.of(path) != self.seal.files[path.name]

    @cached_property
    def seen(self) -> Seen:
        """What is known of objects that were checked; made before processes are forked."""
        return Seen(self.objects.num_rows)

    @property
    def objects(self) -> pa.Table:
        """The objects table."""
        return self.table("objects")

    def fact(self, row: int, column: str) -> Any:
        """Return the value of one column of the objects table."""
        if column not in self._columns:
            self._columns[column] = self.objects[column].combine_chunks()
        return self._columns[column][row].as_py()

    def row_of(self, object_id: str) -> int:
        """Return the row of an object in the objects table."""
        if self._row_of is None:
            ids = self.objects["object_id"].to_pylist()
            self._row_of = {name: row for row, name in enumerate(ids)}
        try:
            return self._row_of[object_id]
        except KeyError:
            near = _closest_name(object_id, self._row_of)
            raise UnknownObjectError(
                f"no object {object_id!r} among the {len(self._row_of):,} of {self.seal.name} "
                f"revision {self.seal.revision}.{near} `aa list` lists them."
            ) from None

    def resolve_split(self, name: str) -> str:
        """Return the full name of a split of this library.

        A frozen split has a plain name; its version (``eval200-v1``) is an alias. The name of a
        sampled split ends in a digest (``eval200_1a2b3c4d``); its stem is an alias if unambiguous.
        """
        known, benchmark = self.seal.splits, self.seal.benchmark
        if name in known:
            return name
        if benchmark is not None and name == benchmark.version:
            return benchmark.split
        if _VERSION.search(name):
            held = "no version" if benchmark is None else benchmark.version
            raise SelectionError(
                f"the benchmark {name!r} is not in this library, which holds {held}. Download the "
                "library of that version, or choose a split of this one: "
                f"{_list_names(sorted(known))}."
            )
        sampled = [split for split in known if split.startswith(f"{name}_")]
        if len(sampled) == 1:
            return sampled[0]
        problem = "is ambiguous" if sampled else "is not in this library"
        raise SelectionError(
            f"the split {name!r} {problem}. Choose from {_list_names(sorted(known))}."
        )

    def split_rows(self, name: str) -> Rows:
        """Return the rows of the objects table that a split holds, in the order of that table."""
        splits = self.table("splits")
        members = splits.filter(pc.equal(splits["split"], name))
        rows = self.rows_of(members["object_id"])
        self._require_same_content(name, members, rows)
        return np.unique(rows)

    def _require_same_content(self, name: str, members: pa.Table, rows: Rows) -> None:
        absent = int((rows < 0).sum())
        decided = members["content_sha256"].to_numpy(zero_copy_only=False)
        present = self.objects["content_sha256"].to_numpy(zero_copy_only=False)[rows]
        changed = int(((decided != present) & (rows >= 0)).sum())
        if absent or changed:
            raise LibraryError(
                f"the split {name!r} of {self.layout.root} names {absent} objects that the library "
                f"lacks and {changed} whose contents changed, so scores on it would not be "
                "comparable. Run `make library` again."
            )

    def rows_of(self, object_ids: pa.ChunkedArray) -> Rows:
        """Return the row of each id in the objects table, -1 if absent; (n,) int."""
        indices = pc.index_in(object_ids, value_set=self.objects["object_id"].combine_chunks())
        return np.asarray(pc.fill_null(indices, -1).to_numpy(), dtype=np.int64)

    @property
    def joints(self) -> JointColumns:
        """The joints table as arrays, indexed by object."""
        if self._joints is None:
            table = self._tables.get("joints")
            if table is None:  # the other columns are as large, and nothing here needs them
                table = self.read_columns("joints", JOINT_COLUMNS)
            owner = self.rows_of(table["object_id"])
            self._joints = JointColumns.of(table, owner, self.objects.num_rows)
            del table, owner
            pa.default_memory_pool().release_unused()
        return self._joints

    def tree(self, row: int) -> KinematicTree:
        """Return the kinematic tree of one object, every movable joint with its body."""
        object_id = self.fact(row, "object_id")
        rows = self.joints.rows(row)
        text = self.joints.texts.take(pa.array(rows)).to_pylist()
        with self._read_joints(object_id):
            joints = tuple(
                self._joint_of_row(index, words) for index, words in zip(rows, text, strict=True)
            )
            return KinematicTree(object_id, _link_names(joints), joints)

    def links(self, row: int) -> tuple[str, ...]:
        """Return the links of one object as its tree has them, several times as fast."""
        rows, columns = self.joints.rows(row), self.joints.edges
        if len(rows) and rows[-1] - rows[0] == len(rows) - 1:
            texts = [column.slice(rows[0], len(rows)) for column in columns]
        else:
            texts = [column.take(pa.array(rows)) for column in columns]
        edges = tuple(map(_Edge._make, zip(*(text.to_pylist() for text in texts), strict=True)))
        known = _links_in_order(edges)
        if known is not None:
            return known
        with self._read_joints(self.fact(row, "object_id")):
            return ordered_tree(_link_names(edges), edges)[0]

    @contextmanager
    def _read_joints(self, object_id: str) -> Iterator[None]:
        """Turn what is wrong with the joints of an object into a sentence."""
        try:
            yield
        except (ArenaError, ValueError, KeyError, OverflowError, RecursionError) as error:
            path = self.layout.table("joints")
            raise LibraryError(f"{path}, object {object_id!r}: {error}") from error

    def _joint_of_row(self, index: int, words: dict[str, str | None]) -> Joint:
        vectors, numbers = self.joints.vectors, self.joints.numbers
        mass = float(numbers["body_mass"][index])
        inertia = vectors["body_inertia"][index].reshape(3, 3)
        body = None if np.isnan(mass) else RigidBody(mass, vectors["body_com"][index], inertia)
        mimic = words["mimic"]
        return Joint(
            str(words["joint"]),
            JointType(str(words["type"])),
            vectors["axis"][index],
            vectors["origin"][index],
            lower=float(numbers["lower"][index]),
            upper=float(numbers["upper"][index]),
            pitch=float(numbers["pitch"][index]),
            parent=str(words["parent"]),
            child=str(words["child"]),
            body=body,
            mimic=None if mimic is None else self._mimic_of_row(index, mimic),
        )

    def _mimic_of_row(self, index: int, leader: str) -> Mimic:
        coupling = {name: float(self.joints.numbers[name][index]) for name in MIMIC[1:]}
        for name, number in coupling.items():
            if not math.isfinite(number):
                raise ValueError(f"the {name} of its mimic is {number}, not a finite number")
        return Mimic(leader, **coupling)

    def place(self, row: int) -> Asset:
        """Return the byte range that holds one object's files; the tar may be on the Hub only."""
        self._require_unchanged()
        columns = ("offset", "size", "object_id", "content_sha256")
        facts = {name: self.fact(row, name) for name in columns}
        if not self.has_files(row):
            command = self.fact(row, "rebuild")
            raise FilesNotHeldError(self.seal.name, facts["object_id"], command)
        return Asset(self.layout.asset(self.fact(row, "shard")), **facts)

    def has_files(self, row: int) -> bool:
        """Return whether the library has the files of an object, not its annotations alone."""
        return self.fact(row, "shard") is not None

    def asset(self, row: int) -> Asset:
        """Return the byte range of one object on this disk, downloaded if it is on the Hub only."""
        packed = self.place(row)
        if self.fragments is not None and not packed.path.is_file():
            return self.fragments.get(packed)
        require_tar(packed.path)
        return packed

    def read(self, row: int, name: str) -> bytes:
        """Return the contents of one file; the first time, all files of the object are checked."""
        asset = self.asset(row)
        data = self.seen.read(row, asset, name)
        if data is None:
            found = asset.find(name) if self.seen.is_checked(row, asset) else asset.checked(name)
            self.seen.add(row, asset, name, found)
            data = found.data
        return data

    def _require_unchanged(self) -> None:
        """Raise `LibraryError` if another build replaced the one whose tables are open."""
        try:
            same = self.layout.seal.stat().st_mtime_ns == self._sealed_at
            same = same or read_seal(self.layout).sha256 == self.seal.sha256
        except OSError:
            same = False
        if not same:
            raise LibraryError(
                f"{self.layout.root} was rebuilt or removed after it was opened as revision "
                f"{self.seal.revision}. Load the dataset again."
            )


def open_catalog(root: Path, access: Access = _HERE) -> Catalog:
    """Open a library folder, or raise `LibraryError` if it is incomplete or mixed."""
    layout = LibraryLayout(root.absolute())
    mark = read_mark(layout)
    if mark is not None and not access.is_offline:
        complete(layout, mark.origin)
    seal = read_seal(layout)
    verify_files(layout, seal, tables_only=mark is not None)
    return checked_catalog(layout, seal, access)


def checked_catalog(layout: LibraryLayout, seal: Seal, access: Access = _HERE) -> Catalog:
    """Return the tables of a sealed folder, or raise `LibraryError` if they contradict the seal."""
    catalog = Catalog(layout, seal, access)
    require_agreement(catalog)
    catalog.seen  # noqa: B018
    return catalog


@lru_cache(maxsize=8)
def _reopen_pickled(root: str, revision: str, access: Access) -> Catalog:
    """Open the library of a pickle, once per process; its revision must be unchanged."""
    catalog = open_catalog(Path(root), access)
    if catalog.seal.revision != revision:
        raise LibraryError(
            f"{root} was revision {revision} when the object was pickled and is now "
            f"{catalog.seal.revision}. Load the dataset again."
        )
    return catalog


def _link_names(joints: tuple[AnyEdge, ...]) -> tuple[str, ...]:
    """Return all links that joints connect, the ones without a parent first."""
    children = {joint.child for joint in joints}
    roots = dict.fromkeys(j.parent for j in joints if j.parent not in children)
    return (*(roots or (ROOT_LINK,)), *(joint.child for joint in joints))


def _links_in_order(edges: tuple[_Edge, ...]) -> tuple[str, ...] | None:
    """Return the links of a tree whose joints are in the order of `ordered_tree`, else None."""
    if not edges or len({edge.joint for edge in edges}) < len(edges):
        return None
    place, last = {edges[0].parent: 0}, 0
    for edge in edges:
        above = place.get(edge.parent, -1)
        if above < last or edge.child in place:
            return None
        place[edge.child], last = len(place), above
    return tuple(place)


def _closest_name(name: str, known: dict[str, int]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, list(known)[:5000], n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def _list_names(names: list[str], most: int = 12) -> str:
    shown = ", ".join(names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
