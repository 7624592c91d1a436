# SPDX-License-Identifier: Apache-2.0
"""How often bootstrap intervals of skewed errors contain the true mean (docs/intervals.md).

Errors are lognormal with sigma = 1, as errors of methods that mostly succeed and sometimes fail
badly. Every replicate draws new objects and checks whether the interval contains the mean of the
population. Run `python benchmarks/intervals.py`, with `--replicates 400` for a quick estimate.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np

from aa_dataset.metric import bootstrap_mean

COUNTS = (10, 30, 50, 200)
METHODS = ("percentile", "bca")
LEVEL = 0.95
SIGMA = 1.0
Population = Callable[[np.random.Generator, int], list[np.ndarray]]


def one_error(rng: np.random.Generator, count: int) -> list[np.ndarray]:
    """Return one error per object; the mean is exp(1/2)."""
    return list(rng.lognormal(sigma=SIGMA, size=(count, 1)))


def several_joints(rng: np.random.Generator, count: int) -> list[np.ndarray]:
    """Return the errors of one to six joints per object, half of their variance shared."""
    half = SIGMA * math.sqrt(0.5)
    return [
        rng.lognormal(rng.normal(scale=half), half, size=rng.integers(1, 7)) for _ in range(count)
    ]


def covered(population: Population, count: int, replicates: int, resamples: int) -> np.ndarray:
    """Return per method the share of intervals that contain the true mean, and those above it."""
    truth = math.exp(SIGMA**2 / 2)
    found = np.zeros((len(METHODS), 2))
    for replicate in range(replicates):
        groups = population(np.random.default_rng([count, replicate]), count)
        for row, method in enumerate(METHODS):
            interval = bootstrap_mean(groups, method=method, level=LEVEL, resamples=resamples)
            found[row] += interval.low <= truth <= interval.high, truth > interval.high
    return found / replicates


def main() -> None:
    """Print the table in markdown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=4000)
    parser.add_argument("--resamples", type=int, default=2000)
    chosen = parser.parse_args()
    print(f"nominal {LEVEL:.0%}; {chosen.replicates} replicates of {chosen.resamples} resamples\n")
    print("| errors | objects | percentile | mean above it | BCa | mean above it | ± |")
    print("|---|---|---|---|---|---|---|")
    for population in (one_error, several_joints):
        for count in COUNTS:
            shares = covered(population, count, chosen.replicates, chosen.resamples)
            worst = float(np.sqrt(shares[:, 0] * (1 - shares[:, 0])).max())
            cells = " | ".join(f"{100 * x:.1f} %" for x in shares.ravel())
            error = f"{100 * worst / math.sqrt(chosen.replicates):.1f} %"
            name = population.__name__.replace("_", " ")
            print(f"| {name} | {count} | {cells} | {error} |", flush=True)


if __name__ == "__main__":
    main()
