# SPDX-License-Identifier: Apache-2.0
"""The rule of `aa_dataset/portable.py`: what decides bytes calls nothing that picks its kernels.

Which modules that are is found, not listed: everything that the stages, the generated collection,
the metric and scoring import. What is allowed all the same stands below with its reason, and an
entry that is no longer needed fails.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.engine.inventory.code import Code
from pipeline.engine.stages import STAGES
from tests.kit.places import REPOSITORY

NUMPY = {"np", "numpy"}
# Of numpy: BLAS and LAPACK, functions that use them, and functions with kernels of their own.
PRODUCTS = {
    "convolve", "corrcoef", "correlate", "cov", "dot", "einsum", "inner", "kron", "linalg",
    "matmul", "matvec", "polyfit", "tensordot", "trapezoid", "vdot", "vecdot", "vecmat",
}  # fmt: skip
FUNCTIONS = {
    "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "exp", "exp2", "expm1",
    "float_power", "geomspace", "hypot", "interp", "log", "log10", "log1p", "log2", "logaddexp",
    "logspace", "pow", "power", "sin", "sinc", "sinh", "tan", "tanh", "unwrap",
}  # fmt: skip
# Methods of arrays and of trimesh that multiply matrices, whatever they are called on.
METHODS = {"__matmul__", "apply_transform", "dot", "matmul", "principal_inertia_components"}
MODULES = ("scipy.linalg", "numpy.linalg", "scipy.sparse.linalg", "scipy.spatial.transform")

ALLOWED = {
    "aa_dataset/metric/anchors.py": "reads the state of a prediction; no stage calls it",
    "aa_dataset/metric/pairwise.py": "matrices of over 2,048 pairs of joints; no stage, no score",
    "aa_dataset/metric/tree/problem.py": "counts of zeros and ones, which any order adds exactly",
    "aa_dataset/render/backend.py": "previews, which no digest of an object or a library covers",
    "aa_dataset/render/gl_scene.py": "previews, which no digest of an object or a library covers",
    "aa_dataset/render/prepared.py": "poses of previews",
    "aa_dataset/render/camera.py": "the camera of previews",
    "aa_dataset/render/look.py": "the light of previews",
    "aa_dataset/render/ray_state.py": "the rays of previews",
    "aa_dataset/render/raycast.py": "the rays of previews",
    "aa_dataset/render/surface.py": "poses of previews; lengths of three numbers call no kernel",
    "pipeline/stages/render/": "pictures, which no digest of an object or a library covers",
}


ROOMS = [
    *(Path("pipeline/stages") / stage for stage in STAGES),
    Path("pipeline/raw/adapters"),
    Path("pipeline/generate"),
    Path("aa_dataset/inputs"),
    Path("aa_dataset/metric"),
    Path("aa_dataset/score"),
]


def deciding_modules() -> list[Path]:
    """Return every first-party file of which a byte of an object or a digit of a score hangs."""
    files = [path for room in ROOMS for path in room.rglob("*.py")]
    return sorted(Code().closure(".".join(path.with_suffix("").parts) for path in files))


def broken_rules(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and name of everything in a source text that the rule forbids."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
            yield node.lineno, "@"
        elif isinstance(node, ast.Attribute) and _is_numpy(node.value):
            if node.attr in PRODUCTS | FUNCTIONS:
                yield node.lineno, f"np.{node.attr}"
        elif isinstance(node, ast.Attribute) and node.attr in METHODS:
            yield node.lineno, f".{node.attr}"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            if not (_is_constant(node.left) or _is_square(node.right)):
                yield node.lineno, "** of an array, unless squared"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((node.lineno, name) for name in _imported(node) if _is_forbidden(name))


def _is_constant(base: ast.expr) -> bool:
    return isinstance(base.operand if isinstance(base, ast.UnaryOp) else base, ast.Constant)


def _is_square(exponent: ast.expr) -> bool:
    return isinstance(exponent, ast.Constant) and exponent.value == 2


def _is_numpy(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in NUMPY


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return what an import names; numpy under a name that the rule does not know is `numpy.*`."""
    if isinstance(node, ast.Import):
        hidden = {a.name: a.asname for a in node.names if a.name == "numpy"}
        if hidden.get("numpy") not in (None, *NUMPY):
            return ["numpy.*"]
        return [alias.name for alias in node.names]
    return [f"{node.module}.{alias.name}" for alias in node.names]


def _is_forbidden(name: str) -> bool:
    package, _, last = name.rpartition(".")
    if package == "numpy":
        return last in PRODUCTS | FUNCTIONS | {"*"}
    return any(name == module or name.startswith(f"{module}.") for module in MODULES)


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)


def test_what_decides_bytes_calls_no_kernel_of_a_processor() -> None:
    broken = [
        f"{path.as_posix()}:{line}: {what}"
        for path in deciding_modules()
        if not path.as_posix().startswith(tuple(ALLOWED))
        for line, what in broken_rules(path.read_text())
    ]
    assert broken == [], "use aa_dataset.portable; its first lines say why"


def test_the_rule_covers_the_rooms_that_it_should() -> None:
    covered = {path.as_posix() for path in deciding_modules()}
    for name in (
        "pipeline/stages/annotate/collision/convex.py",
        "pipeline/generate/families/pliers.py",
        "pipeline/stages/normalize/frame.py",
        "pipeline/stages/verify/rays.py",
        "aa_dataset/kinematics/urdf_tree.py",
        "aa_dataset/portable.py",
    ):
        assert name in covered


@pytest.mark.parametrize("prefix", sorted(ALLOWED))
def test_every_exception_is_still_needed(prefix: str) -> None:
    files = [path for path in deciding_modules() if path.as_posix().startswith(prefix)]
    assert any(list(broken_rules(path.read_text())) for path in files)


@pytest.mark.parametrize(
    "line",
    [
        "a @ b", "a @= b", "np.dot(a, b)", "np.linalg.norm(a)", "numpy.einsum('i,i', a, b)",
        "a.dot(b)", "from numpy import sin", "from numpy.linalg import eigh", "np.tanh(a)",
        "a ** 3", "a ** b", "np.pow(a, b)", "from numpy import *", "import numpy as xp",
        "mesh.apply_transform(a)", "operator.matmul(a, b)", "import scipy.linalg",
        "from scipy.spatial.transform import Rotation",
    ],
)  # fmt: skip
def test_the_rule_sees(line: str) -> None:
    assert list(broken_rules(line))


@pytest.mark.parametrize(
    "line",
    ["np.cross(a, b)", "math.sin(a)", "np.sqrt(a)", "a ** 2", "10.0**a", "import numpy as np"],
)
def test_the_rule_allows(line: str) -> None:
    assert not list(broken_rules(line))
