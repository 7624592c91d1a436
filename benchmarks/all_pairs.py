# SPDX-License-Identifier: Apache-2.0
"""All pairs of trees: relaxations, exact nearest neighbors, the command ``aa nearest``.

``PYTHONPATH=. python benchmarks/all_pairs.py [--objects 1000] [--full]``. Trees are those of the
generated collection. The 2e8 relaxations of 20,000 objects are extrapolated from a sample;
`--full` computes them. Wall times and CPU times are shown: on a busy machine, compare CPU times.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from aa_dataset.kinematics import KinematicTree
from aa_dataset.metric import (
    PackedTrees,
    nearest_trees,
    relaxed_tree_distance,
    tree_distance,
    tree_distance_blocks,
    tree_distances,
)
from aa_dataset.metric._engine import has_numba
from aa_dataset.metric.tree.relaxation import TreeBatch
from benchmarks.all_pairs_library import collection_tree, write_library
from pipeline.generate.collection import members

PAIRS = 20_000 * 19_999 // 2
SAMPLE = 300
WORKERS = os.cpu_count() or 1
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def main() -> None:
    """Run every measurement and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=1000, help="size of the library")
    parser.add_argument("--full", action="store_true", help="do all 2e8 relaxations")
    arguments = parser.parse_args()
    trees = made_trees(arguments.objects)
    library = PackedTrees.of(trees)
    print(f"{len(library):,} objects, {len(library.joints):,} moving joints", flush=True)
    relaxation_rows(trees, library)
    neighbor_rows(trees, library)
    command_rows(trees)
    if arguments.full:
        full_rows()


def made_trees(count: int) -> list[KinematicTree]:
    """Return the first trees of the generated collection."""
    with ProcessPoolExecutor(WORKERS) as pool:
        return list(pool.map(collection_tree, members(count), chunksize=50))


def show(what: str, result: str, goal: str = "") -> None:
    """Print one row."""
    print(f"  {what:<52} {result:<40} {goal}", flush=True)


def timed(run: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return wall seconds, CPU seconds of this process and its children, and the result."""
    wall, cpu = time.perf_counter(), sum(os.times()[:4])
    result = run()
    return time.perf_counter() - wall, sum(os.times()[:4]) - cpu, result


def sample(count: int, pairs: int) -> np.ndarray:
    """Return random pairs (pairs, 2), the smaller index first."""
    chosen = np.random.default_rng(0).integers(0, count, (pairs, 2))
    return np.sort(chosen, axis=1)


def relaxation_rows(trees: list[KinematicTree], library: PackedTrees) -> None:
    """Measure one relaxation with every implementation."""
    few = sample(len(trees), SAMPLE)
    batch = TreeBatch(library, library, compactify=math.pi)
    weights = [batch.prices(a, b).saved for a, b in few.tolist()]
    wall, _, _ = timed(lambda: [linear_sum_assignment(w, maximize=True) for w in weights])
    show("scipy's assignment alone (floor)", f"{1e6 * wall / SAMPLE:.1f} us a pair")

    def one_by_one() -> None:
        for a, b in few.tolist():
            relaxed_tree_distance(trees[a], trees[b], compactify=math.pi)

    single, _, _ = timed(one_by_one)
    show(
        "relaxed_tree_distance, pair by pair (reference)", f"{1e6 * single / SAMPLE:.1f} us a pair"
    )
    for engine, count in (("numpy", 20 * SAMPLE), ("numba", 1_000 * SAMPLE)):
        if engine == "numba" and not has_numba():
            continue
        pairs = sample(len(trees), count)
        for workers in sorted({1, WORKERS}):
            options = {"compactify": math.pi, "engine": engine, "workers": workers}
            tree_distances(library, pairs=pairs[:10], **options)  # compile before the clock
            wall, cpu, found = timed(
                lambda p=pairs, o=options: tree_distances(library, pairs=p, **o)
            )
            result = f"{1e6 * wall / count:.2f} us a pair, {single * count / SAMPLE / wall:.0f}x"
            show(f"tree_distances, {engine}, {workers} workers", result)
    show("  settled by their certificate", f"{100 * found.proven.mean():.1f} %")
    whole = f"{wall / count * PAIRS / 60:.1f} min, CPU {cpu / count * PAIRS / 60:.1f} min"
    show(f"all {PAIRS:.1e} relaxations of 20,000 (extrapolated)", whole, "< 15 min on 2 cores")


def neighbor_rows(trees: list[KinematicTree], library: PackedTrees) -> None:
    """Measure ten exact nearest neighbors of every object, compared with searching every pair."""
    few = sample(len(trees), SAMPLE)
    pairs = len(trees) * (len(trees) - 1) // 2

    def one_by_one() -> None:
        for a, b in few.tolist():
            tree_distance(trees[a], trees[b], compactify=math.pi)

    single, _, _ = timed(one_by_one)
    result = (
        f"{1e3 * single / SAMPLE:.1f} ms a pair, {single / SAMPLE * pairs / 60:.0f} min for all"
    )
    show("tree_distance, pair by pair (reference)", result)
    wall, cpu, found = timed(
        lambda: nearest_trees(library, k=10, compactify=math.pi, workers=WORKERS)
    )
    proven = all(neighbor.exact for ranking in found for neighbor in ranking)
    what = f"10 nearest of {len(trees):,} objects, {WORKERS} workers"
    show(what, f"{wall:.1f} s, CPU {cpu:.1f} s, all exact: {proven}", "< 120 s at 1,000")


def command_rows(trees: list[KinematicTree]) -> None:
    """Measure the command on a library of the same trees, compared with its imports only."""
    with tempfile.TemporaryDirectory() as folder:
        names = write_library(Path(folder), trees)
        floor = "import pyarrow.parquet, scipy.optimize"
        program = "import sys; from aa_dataset.cli import main; sys.exit(main(sys.argv[1:]))"
        nearest = [program, "nearest", names[0], folder]
        for what, command, goal in (
            ("importing pyarrow and scipy alone (floor)", [floor], ""),
            (f"aa nearest, {len(trees):,} objects", nearest, "< 2 s"),
        ):
            run = partial(subprocess.run, [sys.executable, "-c", *command], check=True, **QUIET)
            wall, cpu, _ = min((timed(run) for _ in range(3)), key=lambda row: row[0])
            show(what, f"{wall:.2f} s, CPU {cpu:.2f} s", goal)


def full_rows() -> None:
    """Relax all pairs of 20,000 objects, keeping only counts."""
    library = PackedTrees.of(made_trees(20_000))

    def run() -> tuple[int, int]:
        settled = total = 0
        for _, _, block in tree_distance_blocks(library, compactify=math.pi, workers=WORKERS):
            settled += int(block.proven.sum())
            total += block.lower.size
        return settled, total

    wall, cpu, (settled, total) = timed(run)
    show(f"all {PAIRS:.1e} relaxations of 20,000", f"{wall / 60:.1f} min, CPU {cpu / 60:.1f} min")
    show("  settled by their certificate", f"{100 * settled / total:.1f} %")


if __name__ == "__main__":
    main()
