# SPDX-License-Identifier: Apache-2.0
"""The same bytes on every processor: objects rebuilt under other kernels, in other processes.

Everything that the stages write about an object is compared: its files, its rows of `links` and
`joints`, its fingerprint, its findings. Pictures are not, since no digest covers them.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from pipeline.generate.layout import object_name
from pipeline.generate.registry import family_names
from pipeline.stages.split.frozen import frozen_members
from tests.kit.places import skip_without_samples
from tests.pipeline.machines.kernels import REPOSITORY, Run, differences
from tests.pipeline.machines.rebuild import SAMPLES, SHORT, sample_names
from tests.processors import Environment, core_types, plain, strongest, without_dispatch

# Objects of the frozen split whose bytes once depended on the processor.
ONCE_DIFFERENT = [
    f"generated-{name}"
    for name in (
        "bench_vise_00004", "bench_vise_00005", "climate_00009", "elevator_00005", "pliers_00001",
        "pliers_00003", "sliding_door_00014", "tower_00007", "car_00011", "cycle_00000",
        "telephone_00001", "bulb_lamp_00010",
    )
]  # fmt: skip


def generated(per_family: int) -> list[str]:
    """Return the ids of the first objects of every family."""
    return [
        f"generated-{object_name(family, index)}"
        for family in family_names()
        for index in range(per_family)
    ]


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)


def test_two_processors_build_the_same_objects() -> None:
    """What once differed and every fortieth family to the end, every fourth up to verify.

    The slow test below repeats it with every family, frozen object and kind of kernel.
    """
    families = generated(per_family=1)[::4]
    whole = {*ONCE_DIFFERENT, *families[::10]}
    names = sorted([*whole, *(f"{SHORT}{name}" for name in families if name not in whole)])
    runs = [Run(names, plain()), Run(names, strongest())]
    one, other = (run.found() for run in runs)
    if len(core_types()) > 1 and one["kernel"]:
        assert one["kernel"] != other["kernel"], "the comparison would prove nothing"
    assert differences(one["objects"], other["objects"]) == []
    rejected = [name for name, results in one["objects"].items() if "rejected" in results]
    assert rejected == []


def test_the_kernels_that_are_compared_do_differ() -> None:
    """A matrix product changes its digits between them, so the comparison can fail."""
    if len(core_types()) < 2:
        pytest.skip("this processor has one kind of kernels only")
    program = (
        "import numpy as np; r = np.random.default_rng(0); "
        "print((r.random((50, 30)) @ r.random((30, 50))).tobytes().hex())"
    )
    outputs = {_printed(program, environment) for environment in (plain(), strongest())}
    assert len(outputs) == 2


NESTED_NODES = """
import hashlib
from types import SimpleNamespace
import numpy as np, trimesh
from pipeline.shapes.pieces import Look
from pipeline.shapes.scenes import scene_pieces
scene, above, digests = trimesh.Scene(), "world", []
for k in range(4):  # turns and shifts that no short decimal is
    x, y, z, w = np.array([[1, 2, 3, 5], [2, -1, 4, 1], [-3, 1, 1, 2], [1, 1, -2, 4]])[k]
    turn = np.array([[w*w+x*x-y*y-z*z, 2*(x*y-w*z), 2*(x*z+w*y)],
                     [2*(x*y+w*z), w*w-x*x+y*y-z*z, 2*(y*z-w*x)],
                     [2*(x*z-w*y), 2*(y*z+w*x), w*w-x*x-y*y+z*z]]) / (x*x+y*y+z*z+w*w)
    matrix = np.eye(4); matrix[:3, :3] = turn; matrix[:3, 3] = [k / 7, 1 / 3, k / 11]
    scene.graph.update(frame_from=above, frame_to=f"n{k}", matrix=matrix)
    above = f"n{k}"
ball = trimesh.creation.icosphere(subdivisions=3)
scene.add_geometry(ball, node_name="m", parent_node_name=above)
host = SimpleNamespace(most_faces=10**6, mean_look=lambda colors: Look())
pieces = scene_pieces(host, scene.export(file_type="glb"), "nested.glb")
print(hashlib.sha256(pieces[0].vertices.tobytes()).hexdigest())
"""


def test_nested_nodes_of_a_mesh_file_are_placed_alike() -> None:
    outputs = {_printed(NESTED_NODES, environment) for environment in (plain(), strongest())}
    assert len(outputs) == 1


def _printed(program: str, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout


def processors() -> dict[str, Environment]:
    """Return every environment of the slow comparison by name."""
    kernels = {name: {"OPENBLAS_CORETYPE": name} for name in core_types()}
    return {**kernels, "numpy and libm without dispatch": without_dispatch()}


@pytest.mark.slow
@pytest.mark.timeout(4 * 3600)
def test_every_processor_builds_the_same_objects() -> None:
    """All frozen objects, two of every family and every real sample: about two hours of work."""
    samples = sample_names()
    names = sorted({*frozen_members(), *generated(per_family=2), *samples})
    environments = processors()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = pool.map(lambda one: Run(names, one).found()["objects"], environments.values())
        found = dict(zip(environments, runs, strict=True))
    first, *others = environments
    assert {name: differences(found[first], found[name]) for name in others} == {
        name: [] for name in others
    }
    built = [name for name, results in found[first].items() if "content" in results]
    assert {*frozen_members()} <= {*built}
    if not SAMPLES.is_dir():
        skip_without_samples()
    assert len({*built} & {*samples}) > 150


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="apt-get install qemu-user")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="emulates a processor of this kind")
def test_a_whole_other_processor_builds_the_same_objects() -> None:
    """Emulated, every library chooses its kernels for it: OpenBLAS, numpy, libm and embree."""
    names = sorted({*ONCE_DIFFERENT, *generated(per_family=1)})
    emulated = Run(names, {}, emulator=("qemu-x86_64", "-cpu", "Nehalem"))
    native = Run(names, {})
    assert differences(native.found()["objects"], emulated.found()["objects"]) == []
