# SPDX-License-Identifier: Apache-2.0
"""How close the objects of the generated collection come to the thresholds of the stages.

For every decision: how often it was made, and the smallest distance of a number to its threshold,
or of the best candidate to the second, in units of rounding (2^-52 of the larger of both).
Decisions use IEEE operations in a fixed order (`aa_dataset/portable.py`), so a small margin is safe
between processors. It shows where another platform, whose hulls or winding numbers round
differently, would differ first.

    PYTHONPATH=. python benchmarks/margins.py --count 1000 --workers 2
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

EPSILON = 2.0**-52


@dataclass
class Closest:
    """The smallest margin of one decision so far."""

    taken: int = 0
    margin: float = np.inf
    where: str = ""

    def add(self, margins: np.ndarray, where: str) -> None:
        """Add margins (n,) of one object; margins that are not finite are ignored."""
        margins = margins[np.isfinite(margins)]
        self.taken += len(margins)
        if len(margins) and margins.min() < self.margin:
            self.margin, self.where = float(margins.min()), where


@dataclass
class Recorder:
    """The smallest margins of all decisions while objects are built."""

    object_id: str = ""
    found: dict[str, Closest] = field(default_factory=dict)

    def note(self, decision: str, values: Any, thresholds: Any) -> None:
        """Record how far values are from their thresholds."""
        a, b = np.broadcast_arrays(np.asarray(values, float), np.asarray(thresholds, float))
        with np.errstate(all="ignore"):
            margins = np.abs(a - b) / (EPSILON * np.maximum(np.abs(a), np.abs(b)))
        self.found.setdefault(decision, Closest()).add(margins.ravel(), self.object_id)

    def note_best(self, decision: str, values: Any) -> None:
        """Record how far the largest value is from the second; equal ones are a tie by order."""
        ranked = np.unique(np.asarray(values, float))
        if len(ranked) > 1:
            self.note(decision, ranked[-1], ranked[-2])

    def note_rounding(self, decision: str, steps: np.ndarray) -> None:
        """Record how far numbers, in steps of a grid, are from the halves between two steps."""
        steps = np.asarray(steps, float).ravel()
        away = np.abs(steps - np.floor(steps) - 0.5) / (EPSILON * np.maximum(np.abs(steps), 1e-300))
        self.found.setdefault(decision, Closest()).add(away, self.object_id)


def watch(module: Any, name: str, look: Callable[..., None]) -> None:
    """Call `look(result, *arguments)` after every call of a function of a module or a class."""
    original = getattr(module, name)

    @wraps(original)
    def watched(*arguments: Any, **options: Any) -> Any:
        result = original(*arguments, **options)
        look(result, *arguments, **options)
        return result

    setattr(module, name, watched)


def watch_all(recorder: Recorder) -> None:
    """Record the decisions of generate, normalize and annotate."""
    watch_rounding(recorder)
    watch_hulls(recorder)
    watch_cuts(recorder)
    watch_shells(recorder)
    watch_numbers(recorder)


def watch_rounding(recorder: Recorder) -> None:
    """Record every coordinate that is rounded before it is written."""
    from pipeline.generate import unwrap, urdf
    from pipeline.shapes import pieces
    from pipeline.stages.annotate.collision import decomposition
    from pipeline.stages.normalize import frame

    def settled(name: str) -> Callable[..., None]:
        def look(_: Any, values: Any, decimals: int) -> None:
            # The first rounding moves the boundary by half of its own step.
            steps = np.abs(np.asarray(values, float)) * 10.0**decimals + 0.5e-4
            recorder.note_rounding(name, steps)

        return look

    watch(urdf, "settled", settled("generate: vertex rounded to its digits"))
    watch(unwrap, "settled", settled("generate: texture coordinate rounded"))
    watch(frame, "settled", settled("normalize: coordinate rounded to the grid"))
    watch(pieces, "settled", settled("normalize: texture coordinate rounded"))
    watch(decomposition, "settled", settled("annotate: corner of a convex part rounded"))


def watch_hulls(recorder: Recorder) -> None:
    """Record the decisions whether a component is flat, convex or hollow."""
    from pipeline.stages.annotate.collision import convex, links

    share = convex._filled_share

    def is_flat(_: bool, part: Any, decimals: int) -> None:
        widths = part.principal[2]
        thin = max(convex.FLATNESS * widths.max(), convex.THINNEST_STEPS * 10.0**-decimals)
        recorder.note("annotate: component is flat", widths.min(), thin)

    def is_convex(_: bool, part: Any, hull: Any) -> None:
        found = share(part, hull) or np.nan
        recorder.note("annotate: component is convex (volume)", found, convex.CONVEX_SHARE)

    def is_hollow(_: bool, part: Any, hull: Any, __: int) -> None:
        if hull is not part:
            found = share(part, hull) or np.nan
            recorder.note("annotate: component is hollow", found, convex.HOLLOW_SHARE)

    watch(convex, "is_flat", is_flat)
    watch(convex, "_is_convex", is_convex)
    watch(links, "may_be_hollow", is_hollow)


def watch_cuts(recorder: Recorder) -> None:
    """Record how a hollow component is cut into parts."""
    from pipeline.stages.annotate.collision import cells, decomposition

    def flattest(_: Any, __: Any, weights: np.ndarray) -> None:
        largest = weights.max() if len(weights) else np.nan
        recorder.note("annotate: grid laid along a flat side", largest, cells._FLAT_SHARE)

    def grown(_: None, self: Any, part: Any) -> None:
        hull = decomposition.hull_of(decomposition._outline(self._points(part)))
        if hull is not None:
            air, count = self._cells.inside(hull.points[hull.simplices])
            most = max(
                decomposition.FILLED_SHARE * count, decomposition.FILLED_OF_WHOLE * self._whole
            )
            recorder.note("annotate: part cut again (whole cells of air)", air, max(most, 1e-9))

    burdens: list[float] = []

    def chosen(_: Any, *__: Any) -> None:
        recorder.note_best(
            "annotate: which cut (best against second)", [-value for value in burdens]
        )
        burdens.clear()

    watch(cells, "_flattest", flattest)
    watch(decomposition.Decomposition, "_add", grown)
    watch(decomposition.Decomposition, "_burden", lambda value, *_: burdens.append(value))
    watch(decomposition.Decomposition, "_best_pair", chosen)


def watch_shells(recorder: Recorder) -> None:
    """Record the decisions which triangles enclose a volume."""
    from pipeline.stages.annotate import mass, shells, solids, surface

    def welded(_: Any, points: np.ndarray) -> None:
        recorder.note_rounding("annotate: vertices welded", (points + 0.5) * surface.WELD_STEPS)

    def solid(found: Any, _: Any) -> None:
        closed = found.closed
        flat = shells.FLAT_SHARE * found.areas[closed]
        recorder.note("annotate: closed shell is solid", np.abs(found.moments[closed, 0]), flat)
        recorder.note("annotate: closed shell faces outward", found.moments[found.solid, 0], 0.0)

    def clusters(_: Any, found: Any, __: Any) -> None:
        lower, upper = found.lower[found.solid], found.upper[found.solid]
        for k in range(len(lower)):
            shared = np.minimum(upper[k], upper[k + 1 :]) - np.maximum(lower[k], lower[k + 1 :])
            recorder.note("annotate: boxes of shells touch", shared.min(axis=1), solids.TOUCH)

    watch(surface, "_places", welded)
    watch(mass, "find_shells", solid)
    watch(solids, "_clusters", clusters)


def watch_numbers(recorder: Recorder) -> None:
    """Record the numbers of the tables."""
    from pipeline.stages.annotate import moments, rounding

    def physical(_: bool, body: Any) -> None:
        low, middle, high = moments.symmetric_eigen(body.inertia)[0]
        recorder.note("annotate: triangle inequality of inertia", high, (low + middle) * (1 + 1e-9))

    def rounded(_: float, value: float) -> None:
        if value and np.isfinite(value):
            steps = abs(value) * 10.0 ** (9 - np.floor(np.log10(abs(value)))) + 0.5e-3
            recorder.note_rounding("annotate: number of a table rounded", steps)

    watch(moments, "is_physical", physical)
    watch(rounding, "rounded", rounded)


def build(names: list[str]) -> dict[str, Closest]:
    """Build objects in this process and return the closest margins."""
    from pipeline.engine.config import load_config
    from tests.pipeline.machines.rebuild import rebuild

    recorder = Recorder()
    watch_all(recorder)
    config = load_config()
    for name in names:
        recorder.object_id = name
        with tempfile.TemporaryDirectory() as folder:
            rebuild(name, Path(folder), config)
    return recorder.found


def merged(parts: Iterator[dict[str, Closest]], total: int) -> dict[str, Closest]:
    """Merge what the workers found."""
    out: dict[str, Closest] = {}
    for part in tqdm(parts, total=total, unit="batch"):
        for name, one in part.items():
            kept = out.setdefault(name, Closest())
            kept.taken += one.taken
            if one.margin < kept.margin:
                kept.margin, kept.where = one.margin, one.where
    return out


def splits(library: Path) -> dict[str, Closest]:
    """Return the margins of deduplicate and split on a built library."""
    from aa_dataset import load_dataset
    from pipeline.base.tables import read_rows
    from pipeline.engine.config import load_config
    from pipeline.stages.split.near import _relaxed_distance, read_skeletons

    recorder = Recorder()
    threshold = load_config().split.near_duplicate
    joints = read_rows(library / "joints.parquet")
    skeletons = read_skeletons(joints)
    dataset = load_dataset(str(library))
    rows = read_rows(library / "objects.parquet")
    chosen = {item.object_id for item in dataset.split("eval200")}
    by_category: dict[str, list[str]] = {}
    for row in rows:
        if row["object_id"] in chosen:
            by_category.setdefault(row["category"], []).append(row["object_id"])
    for row in rows:
        key = row["object_id"]
        recorder.object_id = key
        others = [o for o in by_category.get(row["category"], []) if o != key]
        if key not in chosen and others:
            nearest = min(_relaxed_distance(skeletons[key], skeletons[other]) for other in others)
            recorder.note("split: near-duplicate of an evaluation object", nearest, threshold)
    motions: dict[str, list[float]] = {}
    for row in joints:
        motions.setdefault(row["object_id"], []).append(row["motion_alpha"])
    for key, values in motions.items():
        recorder.object_id = key
        recorder.note_best("split: main joint (largest motion against second)", values)
    return recorder.found


def main() -> None:
    """Build the collection and print the table."""
    from pipeline.generate.collection import members
    from pipeline.generate.layout import object_name

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="objects of the collection")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--library", type=Path, help="a built library, for the split's decisions")
    given = parser.parse_args()
    names = [f"generated-{object_name(*member)}" for member in members(given.count)]
    batches = [names[k : k + 20] for k in range(0, len(names), 20)]
    with multiprocessing.get_context("spawn").Pool(given.workers, maxtasksperchild=1) as pool:
        found = merged(pool.imap_unordered(build, batches), len(batches))
    if given.library:
        found |= splits(given.library)
    print(f"{'decision':54} {'taken':>10} {'closest':>9}  object")
    for name, one in sorted(found.items()):
        print(f"{name:54} {one.taken:10,} {one.margin:9.2g}  {one.where}")


if __name__ == "__main__":
    main()
