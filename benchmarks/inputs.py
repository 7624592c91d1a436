# SPDX-License-Identifier: Apache-2.0
"""Inputs of methods: CPU time and bytes per object, compared with bare rays (the floor).

The floor is Embree alone, in the same process right after: the triangles of both states, and one
ray for every pixel of every view. Objects are evenly spaced over `eval200` of the library in this
folder; `--count 200` takes all.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from aa_dataset import load_dataset
from aa_dataset.format.layout import GLB
from aa_dataset.inputs.folder import expected_bytes
from aa_dataset.inputs.layouts import LAYOUTS
from aa_dataset.inputs.make import Made, Settings, make
from aa_dataset.objects import ArticulatedObject
from aa_dataset.render.backend import embree_hits
from aa_dataset.render.glb import read_glb
from aa_dataset.render.hits import piece_poses
from aa_dataset.render.surface import place

OBJECTS, GOAL_S = 200, 1_200  # ten minutes on two cores


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, default=Path("library"))
    parser.add_argument("--count", type=int, default=20)
    given = parser.parse_args()
    if not given.library.is_dir():
        sys.stderr.write(f"{given.library} does not exist; `make library` builds it.\n")
        return
    dataset = load_dataset(given.library, split="eval200", verbose=False)
    chosen = [dataset[k * len(dataset) // given.count] for k in range(given.count)]
    make(chosen[0], "warm", Settings(views=1, size=64))
    rows = [measured(item) for item in chosen]
    made, written, floor, size = (np.array(column) for column in zip(*rows, strict=True))
    whole = made + written
    print(f"inputs of {len(rows)} objects, 2 states of 12 views with 512 pixels, CPU s per object")
    for name, values in (("made", made), ("encoded", written), ("bare rays", floor)):
        print(f"  {name:<12}mean {values.mean():6.2f}  largest {values.max():6.2f}")
    said = "measured on all" if len(rows) == OBJECTS else f"extrapolated from {len(rows)}"
    print(f"  {OBJECTS} objects take {OBJECTS * whole.mean():,.0f} CPU s, {said}; goal {GOAL_S:,}")
    print(f"  {whole.mean() / floor.mean():.1f} times the floor")
    told = expected_bytes(Settings(), dataset.select(one.object_id for one in chosen)) / len(rows)
    print(f"  {size.mean() / 1e6:.1f} MB per object, largest {size.max() / 1e6:.1f} MB", end="; ")
    print(f"`aa inputs` says {told / 1e6:.1f} MB")


def measured(item: ArticulatedObject) -> tuple[float, float, float, int]:
    """Return CPU seconds to make, to encode and of bare rays, and the bytes of one object."""
    found: list[Made] = []
    files: dict[str, bytes] = {}
    making = timed(lambda: found.append(make(item, item.object_id, Settings())))
    encoding = timed(lambda: files.update(LAYOUTS["plain"].files(found[0])))
    floor = timed(lambda: bare_rays(item, found[0]))
    return making, encoding, floor, sum(map(len, files.values()))


def bare_rays(item: ArticulatedObject, made: Made) -> None:
    """Cast one ray for every pixel of every view."""
    model = read_glb(item.read(GLB))
    y, x = np.mgrid[: made.settings.size, : made.settings.size] + 0.5
    for name, state in made.states.items():
        coordinates = {} if name == "rest" else made.coordinates
        poses = piece_poses(made.links, item.tree.placements(coordinates))
        hits = embree_hits(place(model.surface(), poses).corners.astype(np.float32))
        for one in state.pictures:
            rays = one.view.rays(x.ravel(), y.ravel()).astype(np.float32)
            hits(np.tile(one.view.eye.astype(np.float32), (len(rays), 1)), rays)


def timed(work: Callable[[], object]) -> float:
    """Return the CPU seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
