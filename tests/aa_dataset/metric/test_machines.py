# SPDX-License-Identifier: Apache-2.0
"""Another processor gives the same digits, the same matching and the same work.

OpenBLAS and numpy pick their kernels by the processor; both can be told to take those of an older
one, in a process of its own.
"""

import ast
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
KERNELS = {"dot", "vecdot", "einsum", "inner", "linalg", "tanh", "exp", "expm1", "hypot", "power"}


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


def test_what_decides_a_matching_calls_no_kernel_of_a_processor():
    """No matrix product, no `np.linalg`, no dispatched function; counts of zeros and ones may."""
    import aa_dataset.metric.tree as package

    metric = Path(package.__file__).parents[1]
    files = [*metric.glob("tree/*.py"), metric / "_pairs.py", metric / "_arithmetic.py"]
    assert len(files) > 10
    found = [
        f"{path.name}:{function}"
        for path in files
        for function, node in _nodes(ast.parse(path.read_text()))
        if _is_kernel(node)
    ]
    assert set(found) == {"problem.py:_xor_counts"}


def _nodes(tree):
    """Yield every node with the name of the function that it stands in."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            yield from ((function.name, node) for node in ast.walk(function))


def _is_kernel(node):
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.MatMult)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id == "np" and node.attr in KERNELS
    return False
