# SPDX-License-Identifier: Apache-2.0
"""Compares times and numbers with `articulatearena` 0.1.0, the package of the paper's authors.

``PYTHONPATH=. python benchmarks/authors.py [--quick]`` prints CPU times on one thread, both
measured in one run; with ``--equality`` it compares every quantity that both have and prints the
table of docs/articulatearena.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path


def main() -> int:
    """Print one of the two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--equality", action="store_true", help="compare numbers, not times")
    parser.add_argument("--quick", action="store_true", help="a tenth of the pairs and trees")
    arguments = parser.parse_args()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # before numpy is imported, hence the imports below
    here = Path(__file__).parent
    sys.path[:0] = [str(here), str(here.parent)]
    lines = equality_table(arguments.quick) if arguments.equality else speed_table(arguments.quick)
    for line in lines:
        print(line, flush=True)
    return 0


def equality_table(quick: bool) -> Iterator[str]:
    """Yield the lines of a Markdown table: quantity, their function, count, difference."""
    import numpy as np

    from benchmarks.authors_equality import equalities

    yield "| quantity | their function | compared | largest relative difference |"
    yield "|---|---|---:|---:|"
    share = 10 if quick else 1
    with np.errstate(invalid="ignore"):  # infinite ranges in their component scores
        for row in equalities(10_000 // share, 500 // share):
            shown = f"{row.largest:.1e}" if row.largest else "0"
            yield f"| {row.quantity} | `{row.theirs}` | {row.count:,} | {shown} |"


def speed_table(quick: bool) -> Iterator[str]:
    """Yield one line per measurement: ours, theirs and the ratio."""
    yield f"{'what':<46} {'ours':>12} {'articulatearena':>16} {'ratio':>7}"
    for what, ours, theirs in (*_joint_times(quick), *_tree_times(quick)):
        yield f"{what:<46} {_shown(ours):>12} {_shown(theirs):>16} {theirs / ours:>7.1f}"


def _joint_times(quick: bool) -> Iterator[tuple[str, float, float]]:
    import numpy as np

    from aa_dataset.metric import JointArray, joint_distance
    from benchmarks.authors_cases import NORMS, authors_distance, joint_pairs

    pairs = joint_pairs(np.random.default_rng(1), 200 if quick else 2000)
    pairs = [pair for pair in pairs if pair.bounded]
    many = [JointArray.of(side) for side in zip(*(pair.both for pair in pairs), strict=True)]
    for kind in NORMS[:2]:
        norms = [pair.norms[kind] for pair in pairs]
        theirs = _best(
            lambda norms=norms: [
                authors_distance(pair, norm, None)
                for pair, (_, norm) in zip(pairs, norms, strict=True)
            ]
        )
        single = _best(
            lambda norms=norms: [
                joint_distance(*pair.both, norm=norm)
                for pair, (norm, _) in zip(pairs, norms, strict=True)
            ]
        )
        own = [norm for norm, _ in norms]
        batch = _best(lambda own=own: joint_distance(*many, norm=own))
        yield f"E, {kind} norm, a pair at a time", single / len(pairs), theirs / len(pairs)
        yield f"E, {kind} norm, all pairs in one call", batch / len(pairs), theirs / len(pairs)


def _tree_times(quick: bool) -> Iterator[tuple[str, float, float]]:
    import articulatearena
    import numpy as np

    from aa_dataset.metric import SplitNorm, tree_distance
    from benchmarks.authors_cases import authors_edges
    from benchmarks.metric_trees import random_tree

    norm, kappa = articulatearena.make_split_norm(1.0), 3.0
    for count in (4, 5, 6) if quick else (4, 5, 6, 7):
        rng = np.random.default_rng(count)
        trees = [random_tree(rng, count, shape="random", repeats=0.0) for _ in range(12)]
        own, other = [], []
        for first, second in zip(trees[::2], trees[1::2], strict=True):
            edges = [authors_edges(tree, norm, kappa) for tree in (first, second)]
            own.append(
                _once(
                    lambda pair=(first, second): tree_distance(
                        *pair, norm=SplitNorm(), compactify=kappa
                    )
                )
            )
            other.append(
                _once(lambda edges=edges: articulatearena.exact_tree_distance(*edges, norm))
            )
        yield f"exact tree distance, {count} unrelated joints", np.mean(own), np.mean(other)


def _best(run: Callable[[], object]) -> float:
    return min(_once(run) for _ in range(3))


def _once(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _shown(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


if __name__ == "__main__":
    raise SystemExit(main())
