# SPDX-License-Identifier: Apache-2.0
"""What a user gets from the wheel."""

import shutil
import subprocess
import sys
import zipfile

import pytest

from tests.kit.places import REPOSITORY

BUILD = "import sys, setuptools.build_meta as b; b.build_wheel(sys.argv[1])"


def test_the_wheel_contains_every_module_and_the_marker_of_types(tmp_path):
    """Built from a copy, so that nothing is left in the checkout."""
    pytest.importorskip("setuptools", minversion="77", reason="the build backend")
    source, out = tmp_path / "source", tmp_path / "wheel"
    source.mkdir()
    out.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, source)
    shutil.copytree(
        REPOSITORY / "aa_dataset",
        source / "aa_dataset",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(out)],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = out.glob("aa_dataset-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    schemas = {f"aa_dataset/format/{name}.schema.json" for name in ("joints", "registration")}
    assert {"aa_dataset/py.typed", *schemas} <= names
    assert {f"aa_dataset/score/explain/page.{kind}" for kind in ("css", "js")} <= names
    modules = {
        str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "aa_dataset").rglob("*.py")
    }
    assert modules <= names
    data = {
        str(path.relative_to(REPOSITORY))
        for folder in ("published", "comparison/page")
        for path in (REPOSITORY / "aa_dataset/score" / folder).iterdir()
    }
    assert len(data) == 6
    assert data <= names
