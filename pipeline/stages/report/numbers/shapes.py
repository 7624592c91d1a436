# SPDX-License-Identifier: Apache-2.0
"""Numbers per object: sizes of categories, joints, depths, and lengths against the usual ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aa_dataset.format.labels import UNKNOWN
from pipeline.stages.report.numbers.counting import Array, Counts, quantile
from pipeline.stages.report.tables import LibraryTables

# Of joints and levels: each number up to 10, then from the first to the last.
BINS = (*((n, n) for n in range(11)), (11, 15), (16, 20), (21, 30), (31, 50), (51, 100))
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, slots=True)
class CategorySizes:
    """Objects per category by rank.

    Attributes
    ----------
    sizes : (n,) int
        Objects of the categories, largest first.
    shares : (n,) float
        Share of the objects in the categories up to each rank, in (0, 1].
    unlabeled : int
        Objects without a category, which are not among them.
    """

    sizes: Counts
    shares: Array
    unlabeled: int


def category_sizes(tables: LibraryTables) -> CategorySizes:
    """Return how large the categories are."""
    found = Counter(tables.objects["category"].to_pylist())
    unlabeled = found.pop(UNKNOWN, 0)
    sizes = np.array(sorted(found.values(), reverse=True), np.int64)
    return CategorySizes(sizes, np.cumsum(sizes) / max(int(sizes.sum()), 1), unlabeled)


def objects_by_joints(tables: LibraryTables) -> list[tuple[str, int]]:
    """Return the objects by their movable joints; see `binned`."""
    return binned(column(tables, "joints_movable"))


def objects_by_depth(tables: LibraryTables) -> list[tuple[str, int]]:
    """Return the objects by the most movable joints between root and a link; see `binned`."""
    return binned(column(tables, "depth"))


def binned(values: Counts) -> list[tuple[str, int]]:
    """Return label and count of every bin of `BINS`, and of what is beyond them."""
    bins = [(_bin_label(*ends), _between(values, *ends)) for ends in BINS]
    last = BINS[-1][1]
    return [*bins, (f"> {last}", int((values > last).sum()))]


@dataclass(frozen=True, slots=True)
class SizeRatios:
    """Diagonals of objects over the usual diagonal of their category.

    Attributes
    ----------
    ratios : (n,) float
        Of the objects in meters whose category has a usual size.
    groups : tuple of str
        Supercategories that have such objects, by name.
    spread : (groups, 7) float
        For each the smallest ratio, the quantiles at `SHARES`, and the largest ratio.
    not_metric, without_usual : int
        Objects left out: in another unit than meters; in meters, but without a usual size.
    """

    ratios: Array
    groups: tuple[str, ...]
    spread: Array
    not_metric: int
    without_usual: int


def size_ratios(tables: LibraryTables) -> SizeRatios:
    """Compare the sizes of objects with the usual sizes of their categories."""
    names = (tables.categories[name].to_pylist() for name in ("category", "usual_size"))
    usual_of = dict(zip(*names, strict=True))
    usual = _floats([usual_of.get(name) for name in tables.objects["category"].to_pylist()])
    metric = np.array(tables.objects["is_metric"].to_pylist(), bool)
    chosen = metric & (usual > 0)
    ratios = diagonals(tables)[chosen] / usual[chosen]
    groups = np.array(tables.objects["supercategory"].to_pylist(), object)[chosen]
    names_of = tuple(sorted({*groups.tolist()}))
    spread = [_spread(ratios[groups == name]) for name in names_of]
    return SizeRatios(
        ratios,
        names_of,
        np.array(spread, np.float64).reshape(len(names_of), 2 + len(SHARES)),
        int((~metric).sum()),
        int((metric & ~chosen).sum()),
    )


def diagonals(tables: LibraryTables) -> Array:
    """Return the diagonal of every object's box at rest, (n,) [m or the object's unit]."""
    extents = _floats(tables.objects["extents"].to_pylist()).reshape(-1, 3)
    return np.asarray(np.sqrt((extents**2).sum(axis=1)))


def column(tables: LibraryTables, name: str) -> Counts:
    """Return a column of whole numbers of `objects`, (n,)."""
    return np.array(tables.objects[name].to_pylist(), np.int64)


def _spread(ratios: Array) -> list[float]:
    return [ratios.min(), *(quantile(ratios, share) for share in SHARES), ratios.max()]


def _floats(values: Sequence[object]) -> Array:
    return np.array(values, np.float64)  # None becomes nan


def _between(values: Counts, first: int, last: int) -> int:
    return int(((first <= values) & (values <= last)).sum())


def _bin_label(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
