# SPDX-License-Identifier: Apache-2.0
"""Objects of a published library, brought into the cache ahead of their use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from aa_dataset.assets.cache import HOME_VARIABLE, CacheError
from aa_dataset.assets.packed import Asset
from aa_dataset.files import free_bytes
from aa_dataset.hub.errors import DamagedFileError
from aa_dataset.hub.fragments import Fragments, runs
from aa_dataset.hub.landing import sweep
from aa_dataset.library.catalog import Catalog


@dataclass(frozen=True, slots=True)
class PullPlan:
    """What a pull has to do.

    Attributes
    ----------
    present, absent : tuple of Asset
        Objects that are on this disk, checked by their digests, and those to download.
    withheld : int
        Objects of which the library has the annotations alone.
    """

    present: tuple[Asset, ...]
    absent: tuple[Asset, ...]
    withheld: int

    @property
    def size(self) -> int:
        """Bytes to download."""
        return sum(asset.size for asset in self.absent)


@dataclass(frozen=True, slots=True)
class Damage:
    """An object that arrives with other bytes than its digest says, again and again."""

    object_id: str
    sentence: str


def plan_pull(
    catalog: Catalog, rows: Iterable[int], *, advance: Callable[[], object] = bool
) -> PullPlan:
    """Return which objects are on this disk, undamaged, and which must be downloaded.

    Parameters
    ----------
    catalog : Catalog
        An open library.
    rows : iterable of int
        Rows of its objects table.
    advance : callable
        Called after every object.
    """
    present: list[Asset] = []
    absent: list[Asset] = []
    withheld = 0
    for row in rows:
        if not catalog.has_files(row):
            withheld += 1
            advance()
            continue
        packed = catalog.place(row)
        store = catalog.fragments
        here = store is None or packed.path.is_file() or store.has(packed)
        (present if here else absent).append(packed)
        advance()
    return PullPlan(tuple(present), tuple(absent), withheld)


def pull(
    catalog: Catalog, plan: PullPlan, *, advance: Callable[[int], object] = bool
) -> tuple[Damage, ...]:
    """Download the absent objects; return those that arrive damaged, of which nothing is kept.

    Neighbors in a tar come with one request. What is complete stays, so that an interrupted pull
    goes on where it was.

    Parameters
    ----------
    catalog : Catalog
        An open library.
    plan : PullPlan
        From `plan_pull`.
    advance : callable
        Is given the bytes of every object that is done.
    """
    store, damages = catalog.fragments, []
    if store is None or not plan.absent:
        return ()
    folder = catalog.layout.fragments
    sweep(folder)
    free = free_bytes(folder)
    if plan.size > free:
        raise CacheError(
            f"{folder} has {free:,} bytes free, but the objects need {plan.size:,}. Free space "
            f"there, or set {HOME_VARIABLE} to a folder on another disk."
        )
    for run in runs(plan.absent):
        for asset in store.fetch_run(run, advance=advance):
            damages += _once_more(store, asset)
    return tuple(damages)


def _once_more(store: Fragments, asset: Asset) -> list[Damage]:
    """Download an object that arrived damaged by itself."""
    try:
        store.get(asset)
    except DamagedFileError as error:
        return [Damage(asset.object_id, str(error))]
    return []
