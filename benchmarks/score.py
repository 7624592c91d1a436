# SPDX-License-Identifier: Apache-2.0
"""Time and memory of `aa score`, beside a floor of the same run, and a figure for 20,000 objects.

``PYTHONPATH=. python benchmarks/score.py [--objects 200] [--noise]``. The truth is that of the
newest frozen benchmark. Predictions are URDF files: the truth itself, and with ``--noise`` the
honest noise of `benchmarks/cheating.py`, where two objects of over a hundred equal slats need most
of the time for their exact tree distances. The floor reads the files and computes the four
distances of joints of equal names.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from aa_dataset import load_dataset
from aa_dataset.dataset import Dataset
from aa_dataset.metric import contract
from aa_dataset.score.charges import price_pairs, price_truth
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.result.resampling import aggregates
from aa_dataset.score.result.statistics import Label, Statistic
from benchmarks.cheating import REPOSITORY, frozen_case, write_frozen_library
from benchmarks.cheating_submissions import write_all
from pipeline.stages.split.frozen import frozen_versions, read_frozen

MANY, COLUMNS, SOME_RESAMPLES = 20_000, 120, 200


def main() -> None:
    """Write library and predictions, time everything, print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=200, help="objects of the split")
    parser.add_argument("--noise", action="store_true", help="also score honest noise, a minute")
    arguments = parser.parse_args()
    count = arguments.objects
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        write_frozen_library(root / "library", read_frozen(frozen_versions()[-1]), count)
        case = frozen_case(root)
        dataset = load_dataset(root / "library", split="eval200", verbose=False)
        print(f"scoring {count} objects from URDF files, {os.cpu_count()} processors")
        print(f"  {'':<34}{'wall s':>8}{'CPU s':>8}{'MB':>6}")
        cases = {"the truth": case.truth} | ({"noise": case.honest} if arguments.noise else {})
        for key, trees in cases.items():
            folder = root / key.split()[-1]
            write_all(folder, trees)
            floor = timed(dataset, folder)
            print(f"  {f'{key}: read, four distances':<34}{floor[0]:>8.2f}{floor[1]:>8.2f}")
            for workers in (1, 2):
                show_run(key, root, folder, workers)
    show_many()


def timed(dataset: Dataset, folder: Path) -> tuple[float, float]:
    """Return wall and CPU seconds of the floor."""
    start = time.perf_counter(), time.process_time()
    predictions, parameters = open_predictions(folder), Parameters()
    for item in dataset:
        truth, guess = contract(item.tree), contract(predictions.tree(item.object_id))
        places = {name: k for k, name in enumerate(guess.names)}
        partner = {k: places[name] for k, name in enumerate(truth.names) if name in places}
        price_pairs(price_truth(truth, parameters), guess, partner=partner, parameters=parameters)
    return time.perf_counter() - start[0], time.process_time() - start[1]


def show_run(key: str, root: Path, folder: Path, workers: int) -> None:
    """Run the command once and print its time and the largest memory of a process."""
    out = root / f"result-{folder.name}-{workers}"
    words = ["score", str(folder), "--split", "eval200", "--library", str(root / "library")]
    command = [sys.executable, "-m", "aa_dataset.cli", *words, "--out", str(out)]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "AA_HOME": str(root / "home")}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [*command, "--workers", str(workers)], env=environment, check=True, capture_output=True
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    label = f"{key}: aa score, {workers} worker{'s' if workers > 1 else ''}"
    print(f"  {label:<34}{wall:>8.2f}{cpu:>8.2f}{after.ru_maxrss / 1e3:>6.0f}", flush=True)


def show_many() -> None:
    """Print the time of all intervals of many objects, from a part of the resamples."""
    rng, how = np.random.default_rng(0), Parameters(resamples=SOME_RESAMPLES)
    some = [
        Statistic(Label("", str(k), "all", "mean_of_objects"), rng.random(MANY), np.ones(MANY), 0)
        for k in range(COLUMNS)
    ]
    start = time.process_time()
    aggregates([some], how)
    seconds = (time.process_time() - start) * Parameters().resamples / SOME_RESAMPLES
    print(f"  intervals of {MANY:,} objects: {seconds:.0f} CPU s; add to it the seconds above per")
    print(f"  object, times {MANY:,}, over the number of workers")


if __name__ == "__main__":
    main()
