# SPDX-License-Identifier: Apache-2.0
"""Distances of joints, errors and intervals have the same digits under every kernel.

A separate process each, because OpenBLAS and numpy choose their kernels when they are loaded.
`pairwise_distance` makes matrices of more than 2,048 pairs by BLAS, which is not asked for here;
matchings of as many joints are.
"""

import ast
import math
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import aa_dataset.metric
from aa_dataset.metric import RiemannianNorm
from aa_dataset.metric._arithmetic import tanh
from aa_dataset.metric._pairs import apply
from tests.processors import plain, strongest, without_dispatch

PROGRAM = """
import math, numpy as np
from aa_dataset.kinematics import Joint, RigidBody
from aa_dataset.metric import *
from aa_dataset.metric.losses import smooth_loss

def many(seed):
    rng, kinds = np.random.default_rng(seed), ("revolute", "prismatic", "helical", "continuous")
    rows = [(kinds[k % 4], rng.normal(size=8)) for k in range(120)]
    return [Joint(f"{k}", kind, x[:3], x[3:6], *sorted(2 * x[6:]), 0.1 if k % 4 == 2 else 0.0)
            for k, (kind, x) in enumerate(rows)]

a, b = many(1), many(2)
fa, fb = ([j for j in side if j.type != "continuous"] for side in (a, b))
body = RigidBody(2.0, [0.1, 0.2, 0.3], np.array([[0.5, 0.1, 0], [0.1, 0.4, 0.05], [0, 0.05, 0.3]]))
found = []
for norm in (SplitNorm(1.3), KineticNorm(body), RiemannianNorm(np.diag(np.arange(1.0, 7)) + 0.5)):
    found += [joint_distance(fa, fb, norm=norm), joint_distance(a, b, norm=norm, compactify=3.0),
              motion_size(a, norm=norm, compactify=3.0), path_distance(fa, fb, norm=norm),
              pairwise_distance(a[:40], b[:40], norm=norm, compactify=3.0),
              compactified_endpoints(a, factor=norm.factor, scale=3.0), norm.factor]
found += [material_motion(fa, fb, body=body), joint_distance(fa, fb, wrap_turns=True)]
errors = [component_errors(x, y) for x, y in zip(fa, fb)]
found.append([[e.axis_error, e.origin_error, e.range_error, e.direction_error] for e in errors])
for method in ("percentile", "bca"):
    interval = bootstrap_mean([found[0][k:k + 3] for k in range(60)], method=method, resamples=500)
    found.append([interval.estimate, interval.low, interval.high])
arrays = [(np.array([j.screw for j in side]), np.array([j.limits for j in side]))
          for side in (fa, fb)]
found.append(smooth_loss(*arrays, norm=KineticNorm(body)))
from dataclasses import replace
from aa_dataset.score.pairing import pair_by_assignment
from aa_dataset.score.parameters import Parameters

# Sixty equal slats, some of them predicted twice: ties that the last digit breaks.
slats = [Joint(f"s{k}", "revolute", [0, 1, 0], [0.1 * (k % 10), 0, 0.03 * (k // 10)], -0.7, 0.9)
         for k in range(60)]
for seed in (5, 7):
    rng = np.random.default_rng(seed)
    moved = [replace(slat, name=f"{k}", origin=slats[rng.integers(60)].origin)
             for k, slat in enumerate(slats)]
    moved = [moved[k] for k in rng.permutation(60)]
    paired = pair_by_assignment(slats, moved, Parameters(pairing="assignment")).pairs
    found.append([float(predicted.name) for _, predicted in paired])
    found.append(skeleton_distance(slats, moved, penalty=1.0, norm=KineticNorm(body)))
for values in found:
    print(" ".join(x.hex() for x in np.ravel(values).tolist()))
"""


def digits(**settings):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def here():
    return digits()


@pytest.mark.parametrize(
    "settings", [plain(), strongest(), without_dispatch()], ids=["plain", "strong", "no dispatch"]
)
def test_digits_are_the_same(here, settings):
    other = digits(**settings)
    assert len(here) == 31
    assert [k for k, (one, two) in enumerate(zip(here, other, strict=True)) if one != two] == []


def test_few_numbers_have_the_digits_of_many():
    """Small arrays are done in plain numbers; a score must not depend on how many are asked for."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=5000) * 10.0 ** rng.integers(-12, 3, size=5000)
    values[:6] = [0.0, -0.0, math.inf, -math.inf, 400.0, -5e-324]
    whole = tanh(values)
    parts = np.concatenate([tanh(values[k : k + 7]) for k in range(0, 5000, 7)])
    assert (whole.view(np.int64) == parts.view(np.int64)).all()
    assert np.allclose(whole, np.tanh(values), rtol=1e-15, atol=0)
    vectors, factor = rng.normal(size=(500, 6)), rng.normal(size=(6, 6))
    rows = [apply(factor, vectors[k : k + 1])[0] for k in range(500)]
    assert (apply(factor, vectors) == np.array(rows)).all()


# Sums of whole numbers, which every version of Python adds alike.
WHOLE_SUMS = {"bootstrap.py": 4, "tree/rooted.py": 1}


def test_no_number_of_the_metric_comes_from_sum_or_from_a_power():
    """`sum` of floats compensates since Python 3.12; powers but squares ask the C library."""
    folder = Path(aa_dataset.metric.__file__).parent
    sums, powers = {}, []
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "sum":
                sums[name] = sums.get(name, 0) + 1
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
                whole = isinstance(node.left, ast.Constant) and isinstance(node.left.value, int)
                if ast.unparse(node.right) != "2" and not whole:
                    powers.append(f"{name}: {ast.unparse(node)}")
    assert sums == WHOLE_SUMS
    assert powers == []


def test_the_root_of_a_matrix_adds_exactly():
    """Redo it with sums in rational numbers, rounded once: not as a version of `sum` does."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        half = rng.normal(size=(6, 6))
        norm = RiemannianNorm(half @ half.T + np.eye(6))
        matrix, root = norm.matrix.tolist(), [[0.0] * 6 for _ in range(6)]
        for k in range(6):
            for j in range(k, 6):
                inner = float(sum(Fraction(root[r][k] * root[r][j]) for r in range(k)))
                left = matrix[k][j] - inner
                root[k][j] = math.sqrt(left) if j == k else left / root[k][k]
        assert norm.factor.tolist() == root
