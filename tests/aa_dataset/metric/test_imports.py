# SPDX-License-Identifier: Apache-2.0
"""The core imports quickly with numpy alone, and works with every extra blocked."""

import subprocess
import sys

BLOCKED = (
    "numba",
    "torch",
    "jax",
    "array_api_compat",
    "trimesh",
    "yourdfpy",
    "pyrender",
    "snakemake",
)

PROGRAM = f"""
import math, sys
for name in {BLOCKED!r}:
    sys.modules[name] = None
import numpy as np
import aa_dataset.metric as metric
from aa_dataset.kinematics import Joint, KinematicTree
assert "scipy.optimize" not in sys.modules, "half a second that joints alone do not need"
hinge = Joint("a", "revolute", [0, 0, 1], [0, 0, 0], 0, 1, parent="x", child="y")
assert metric.joint_distance(hinge, hinge.reversed()) == 0
big = metric.JointArray.of([hinge] * 1100)
assert not metric.pairwise_distance(big, big).any()
tree = KinematicTree("t", ("x", "y"), (hinge,))
assert metric.tree_distance(tree, tree, engine="auto").value == 0
from aa_dataset.metric.losses import soft_min_loss
assert soft_min_loss((hinge.screw, np.array([0, 1.0])), (hinge.screw, np.array([0, 1.0])),
                     temperature=0.1) < 0.07
"""


def run(program):
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_metric_works_with_every_extra_blocked():
    done = run(PROGRAM)
    assert done.returncode == 0, done.stderr


def test_importing_loads_no_optional_package():
    program = f"import sys, aa_dataset.metric; print([m for m in {BLOCKED!r} if m in sys.modules])"
    done = run(program)
    assert done.stdout.strip() == "[]", done.stderr
