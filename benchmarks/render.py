# SPDX-License-Identifier: Apache-2.0
"""CPU time of the pictures of an object, compared with a plain pyrender script in the same run.

On generated objects of every kind, and on the PartNet-Mobility samples if present. The plain script
reads the same GLB with trimesh and draws two states with pyrender; like it, the column "pair" has
two views and no file. Then come all files, a frame of the animation, and the memory after many
objects.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from aa_dataset.format.layout import GLB, URDF
from aa_dataset.kinematics import KinematicTree
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.render.backend import BACKENDS, available, open_scene
from aa_dataset.render.camera import look_at
from aa_dataset.render.glb import read_glb
from pipeline.engine.config import load_config
from pipeline.engine.settings import Config, NormalizeSettings, select
from pipeline.generate.collection import generate_collection
from pipeline.handover.ingested import IngestedRecord
from pipeline.raw.files import open_raw
from pipeline.raw.records import Frame
from pipeline.shapes.glb import read_links
from pipeline.stages.normalize.stage import normalize_raw
from pipeline.stages.render.pictures import by_link, draw_pictures, link_poses
from pipeline.stages.render.states import open_state, strip_states

SAMPLES = Path("../shared/samples/partnet_mobility")
RAW = IngestedRecord("bench", "x", (".",), "", "urdf", Frame("z", "x"), "metric", 1.0)
HEAD = ("objects", "plain ms", "pair ms", "share", "all files ms", "a frame ms")

Object = tuple[bytes, KinematicTree]


def main() -> None:
    """Measure both sets with both backends, and the memory, and print two tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--objects", type=int, default=500, help="for the memory")
    parser.add_argument("--memory", choices=BACKENDS, help="measure the memory alone")
    given = parser.parse_args()
    config = load_config()
    if given.memory:
        print_memory(given.memory, given.objects, config)
        return
    print(f"{'pictures, CPU per object':<34}" + "".join(f"{h:>13}" for h in HEAD))
    with tempfile.TemporaryDirectory() as folder:
        report("generated", list(generated(Path(folder), given.count, config)), config)
    if SAMPLES.is_dir():
        report("PartNet-Mobility samples", list(samples(config)), config)
    else:
        print(f"PartNet-Mobility samples: skipped, {SAMPLES} does not exist")
    for backend in filter(available, BACKENDS):
        words = ("--memory", backend, "--objects", str(given.objects))
        subprocess.run([sys.executable, __file__, *words], check=True)


def generated(folder: Path, count: int, config: Config) -> Iterator[Object]:
    """Yield normalized objects of the generated collection."""
    generate_collection(folder, seed=config.generated.seed, count=count, workers=1)
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            yield normal(path, next(path.glob("*.urdf")).name, config)


def samples(config: Config) -> Iterator[Object]:
    """Yield the normalized samples."""
    for path in sorted(SAMPLES.iterdir()):
        yield normal(path, "mobility.urdf", config)


def normal(folder: Path, urdf: str, config: Config) -> Object:
    """Normalize one raw folder."""
    raw = open_raw(folder, ["."], most_bytes=config.budgets.raw_bytes)
    outcome = normalize_raw(raw, replace(RAW, model=urdf), select(config, NormalizeSettings))
    files = outcome.files or {}
    return files[GLB], urdf_tree(parse_urdf(files[URDF]))


def report(name: str, objects: Sequence[Object], config: Config) -> None:
    """Print one line per backend."""
    size, still = config.render.size, replace(config.render, strip_frames=0)
    floor = plain_seconds(objects, size) if available("egl") else float("nan")
    for backend in BACKENDS:
        if not available(backend):
            print(f"{name}, {backend}: does not work here")
            continue
        draw_pair(objects[0], size, backend)  # opens the context
        pair = spent(objects, lambda one, b=backend: draw_pair(one, size, b))
        triple = spent(objects, lambda one, b=backend: draw_pictures(*one, still, backend=b))
        whole = spent(objects, lambda one, b=backend: draw_pictures(*one, config.render, backend=b))
        drawn = sum(distinct_frames(tree, config) for _, tree in objects) / len(objects)
        cells = (f"{len(objects)}", *(f"{1e3 * t:.0f}" for t in (floor, pair)),
                 f"{pair / floor:.2f}", f"{1e3 * whole:.0f}",
                 f"{1e3 * (whole - triple) / drawn:.1f}")  # fmt: skip
        print(f"{name + ', ' + backend:<34}" + "".join(f"{cell:>13}" for cell in cells))


def spent(objects: Sequence[Object], work: Callable[[Object], object]) -> float:
    """Return the mean CPU time [s] of something that is done with every object."""
    start = time.process_time()
    for one in objects:
        work(one)
    return (time.process_time() - start) / len(objects)


def draw_pair(one: Object, size: int, backend: str) -> None:
    """Read an object and draw it at rest and opened."""
    glb, tree = one
    surface = by_link(read_glb(glb), tree.links)
    camera = look_at(surface.corners.reshape(-1, 3))
    with open_scene(surface, backend=backend) as scene:
        for poses in link_poses(tree, [{}, open_state(tree)]):
            scene.draw(poses, camera, size=size)


def distinct_frames(tree: KinematicTree, config: Config) -> int:
    """Return how many frames of an animation are drawn."""
    states = strip_states(tree, config.render.strip_frames)
    return len({tuple(sorted(state.items())) for state in states})


def plain_seconds(objects: Sequence[Object], size: int) -> float:
    """Return the mean CPU time [s] of a plain script: load, build, render twice in one context."""
    os.environ["PYOPENGL_PLATFORM"] = "egl"
    if not hasattr(np, "infty"):
        np.infty = np.inf  # type: ignore[attr-defined]
    import pyrender

    renderer = pyrender.OffscreenRenderer(size, size)
    try:
        plain(objects[0], renderer, pyrender)
        return spent(objects, lambda one: plain(one, renderer, pyrender))
    finally:
        renderer.delete()


def plain(one: Object, renderer: Any, pyrender: Any) -> None:
    """Draw an object as the examples of pyrender do."""
    glb, tree = one
    links = read_links(glb, tree.links)
    scene = pyrender.Scene(bg_color=[1.0, 1.0, 1.0, 1.0], ambient_light=[0.4] * 3)
    nodes = {
        link: scene.add(pyrender.Mesh.from_trimesh(meshes, smooth=False))
        for link, meshes in links.items()
        if meshes
    }
    camera = look_at(np.concatenate([m.vertices for some in links.values() for m in some]))
    lens = pyrender.PerspectiveCamera(camera.yfov_rad, znear=camera.near, zfar=camera.far)
    scene.add(lens, pose=camera.pose)
    scene.add(pyrender.DirectionalLight(intensity=3.0), pose=camera.pose)
    for state in ({}, open_state(tree)):
        placed = tree.placements(state)
        for link, node in nodes.items():
            scene.set_pose(node, placed[link])
        renderer.render(scene)


def print_memory(backend: str, count: int, config: Config) -> None:
    """Print the largest memory of this process after objects, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        objects = list(generated(Path(folder), min(count, 100), config))
    marks = {round(count * share) for share in (0.1, 0.5, 1.0)}
    found = []
    for number in range(1, count + 1):
        draw_pictures(*objects[number % len(objects)], config.render, backend=backend)
        if number in marks:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            found.append(f"{peak:.0f} MB after {number}")
    print(f"memory, {backend}: {', '.join(found)} objects")


if __name__ == "__main__":
    main()
