# SPDX-License-Identifier: Apache-2.0
"""Time of the readers beside reading the bytes, and of `icp` beside one search tree.

``PYTHONPATH=. python benchmarks/readers.py [--objects 20] [--library LIBRARY]``. The truth of some
objects is written in every format. *bytes* is the time to list and read the files, *read* what the
reader needs beyond that, shapes left out; a reader of few files can be below 0. `icp` registers the
moved shape of an object to itself; the floor is one search tree over the samples of its surface.
Times are CPU time per object.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from aa_dataset.dataset import Dataset
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.load import load_default
from aa_dataset.portable import length, quaternion_rotation
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.registry import format_named
from aa_dataset.score.registration.icp import estimate
from aa_dataset.score.registration.surface import SAMPLES, surface_of
from aa_dataset.score.simulated.folder import write_simulated
from aa_dataset.score.simulated.registry import NAMES
from aa_dataset.score.truth_shape import object_triangles

AWAY = Similarity(2.0, quaternion_rotation((0.9, 0.3, -0.2, 0.4)), np.array([1.0, -2.0, 0.5]))


def main() -> None:
    """Print one table of readers and one line about `icp`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=20, help="objects of eval200")
    parser.add_argument("--library", help="as for `aa score`")
    arguments = parser.parse_args()
    whole = load_default(arguments.library, "eval200")
    dataset = whole[:: max(1, len(whole) // arguments.objects)]
    print(f"readers, {len(dataset)} objects: median and largest CPU ms per object")
    print(f"  {'':<20}{'bytes':>8}{'read':>8}{'largest':>9}")
    with tempfile.TemporaryDirectory() as name:
        for reader in NAMES:
            show_reader(reader, dataset, Path(name) / reader)
    show_icp(dataset)


def show_reader(name: str, dataset: Dataset, folder: Path) -> None:
    """Write the truth in a format and time its reader."""
    write_simulated(name, dataset, folder)
    floors, reads = [], []
    for object_id in dataset.object_ids:
        if (folder / object_id).is_dir():
            floors.append(fastest(lambda k=object_id: read_bytes(folder, k)))
            reads.append(fastest(lambda k=object_id: read_object(name, folder, k)))
    beyond = np.array(reads) - np.array(floors)
    middle, most = np.median(beyond), beyond.max()
    print(f"  {name:<20}{np.median(floors):>8.2f}{middle:>8.2f}{most:>9.2f}")


def read_bytes(folder: Path, object_id: str) -> None:
    """List and read every file of a prediction but its meshes."""
    files = PredictionFiles(folder, object_id, object_id)
    for name in files.names:
        if not name.endswith((".obj", ".ply")):
            files.read(name)


def read_object(name: str, folder: Path, object_id: str) -> None:
    """Recognize nothing, read everything but the shapes."""
    format_named(name).read(PredictionFiles(folder, object_id, object_id))


def fastest(work: Callable[[], None], times: int = 3) -> float:
    """Return the smallest CPU time of some runs [ms]."""
    found = []
    for _ in range(times):
        start = time.process_time()
        work()
        found.append(1000 * (time.process_time() - start))
    return min(found)


def show_icp(dataset: Dataset) -> None:
    """Time `icp` on every object, beside one search tree."""
    floors, runs = [], []
    for item in dataset:
        triangles = np.concatenate(list(object_triangles(item).values()))
        points, _ = surface_of(triangles).samples(SAMPLES, 0)
        floors.append(fastest(lambda points=points: cKDTree(points)) / 1000)
        moved, diagonal = AWAY.points(triangles), float(length(item.extents))
        start = time.process_time()
        estimate(surface_of(moved), surface_of(triangles), diagonal)
        runs.append(time.process_time() - start)
    print("icp, CPU s per object: one search tree, median, largest")
    print(f"  {'':<20}{np.median(floors):>8.3f}{np.median(runs):>8.2f}{max(runs):>9.2f}")


if __name__ == "__main__":
    main()
