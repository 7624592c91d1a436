# SPDX-License-Identifier: Apache-2.0
"""Another processor gives the same digits, the same matching and the same work.

OpenBLAS and numpy pick their kernels by the processor; both can be told to take those of an older
one, in a process of its own.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
CORES = {"Prescott": (), "Nehalem": (), "Haswell": ("AVX2", "FMA3"), "SkylakeX": ("AVX512_SKX",)}
OFTEN = ("Prescott", "Haswell")


def cpu_features():
    from numpy._core import _multiarray_umath as core

    return core.__cpu_features__, core.__cpu_dispatch__


def digits(**variables):
    """Return what `tree_digits` prints under some environment variables."""
    root = HERE.parents[2]
    paths = [str(root), str(HERE), str(root / "benchmarks")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables}
    command = [sys.executable, "-W", "ignore", str(HERE / "tree_digits.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture(scope="module")
def here():
    return digits()


def has(name):
    features, _ = cpu_features()
    level = {"AVX2": "X86_V3", "FMA3": "X86_V3", "AVX512_SKX": "X86_V4"}
    return all(features.get(need) or features.get(level[need]) for need in CORES[name])


@pytest.mark.parametrize(
    "core",
    [c if c in OFTEN else pytest.param(c, marks=pytest.mark.slow) for c in CORES],
)
def test_kernels_of_openblas_change_nothing(here, core):
    if platform.machine().lower() not in ("x86_64", "amd64"):
        pytest.skip("the names of the kernels are those of x86")
    if not has(core):
        pytest.skip(f"this processor lacks the instructions of {core}")
    assert digits(OPENBLAS_CORETYPE=core) == here


def test_dispatch_of_numpy_changes_nothing(here):
    features, dispatched = cpu_features()
    names = [name for name in dispatched if features.get(name)]
    if not names:
        pytest.skip("numpy dispatches nothing on this processor")
    assert digits(NPY_DISABLE_CPU_FEATURES=" ".join(names)) == here


def test_the_digits_hold_what_they_should(here):
    """The comparison above would be empty without ties, proofs and searches that were stopped."""
    import json

    single, batch = json.loads(here)
    stages = {row[6] for row in single}
    assert {"relaxation", "filter", "branch and bound"} <= stages
    assert {row[4] for row in single} == {True, False}
    assert len(single) > 100 and len(batch) >= 4
    assert np.isfinite([float.fromhex(row[0]) for row in single]).all()
