# SPDX-License-Identifier: Apache-2.0
"""What a user gets from the wheel."""

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import numpy
import pytest

from tests.kit.places import REPOSITORY

BUILD = "import sys, setuptools.build_meta as b; b.build_wheel(sys.argv[1])"
DEMO = """
import json, sys
def refuse_sockets(event, words):
    if event.startswith("socket."):
        raise AssertionError("a socket was opened")
sys.addaudithook(refuse_sockets)
import aa_dataset
dataset = aa_dataset.load_dataset("articulatearena-demo")
item = dataset[0]
counts = {name: len(dataset.split(name)) for name in ("train", "eval200")}
print(json.dumps([aa_dataset.__file__, len(dataset), counts, item.urdf_path.read_text()[:5]]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy, so that nothing is left in the checkout."""
    pytest.importorskip("setuptools", minversion="77", reason="the build backend")
    folder = tmp_path_factory.mktemp("packaging")
    source, out = folder / "source", folder / "wheel"
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
    (found,) = out.glob("aa_dataset-*.whl")
    return found


def paths_of(folder: str) -> set[str]:
    """Return every file below a folder of the package, as a wheel names it."""
    return {
        str(path.relative_to(REPOSITORY))
        for path in (REPOSITORY / "aa_dataset" / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_contains_every_module_and_all_data(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    schemas = {f"aa_dataset/format/{name}.schema.json" for name in ("joints", "registration")}
    assert {"aa_dataset/py.typed", *schemas} <= names
    assert {f"aa_dataset/score/explain/page.{kind}" for kind in ("css", "js")} <= names
    assert {path for path in paths_of("") if path.endswith(".py")} <= names
    data = paths_of("score/published") | paths_of("score/comparison/page")
    assert len(data) == 6
    assert data <= names
    demo = paths_of("demo/library")
    assert "aa_dataset/demo/library/library.json" in demo and demo <= names


def test_an_empty_environment_loads_the_demo_without_network(wheel, tmp_path):
    """The dependencies come from this one; `aa_dataset` and `aa` from the wheel alone."""
    place = tmp_path / "venv"
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    (packages,) = place.glob("lib/python*/site-packages")
    # A path file of a path file is not read, so the editable checkout here stays out of reach.
    (packages / "dependencies.pth").write_text(f"{Path(numpy.__file__).parents[1]}\n")
    install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-cache-dir"]
    environment = {"PATH": os.defpath, "AA_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    for words in ([*install, "--disable-pip-version-check", str(wheel)], ["-c", DEMO]):
        done = subprocess.run(
            [python, *words], cwd=tmp_path, capture_output=True, text=True, env=environment,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    module, objects, counts, head = json.loads(done.stdout)
    assert Path(module).is_relative_to(packages)
    assert (objects, counts, head) == (12, {"train": 8, "eval200": 4}, "<?xml")
    assert "articulatearena-demo revision" in done.stderr
    done = subprocess.run(
        [place / "bin" / "aa", "demo"], cwd=tmp_path, capture_output=True, text=True,
        env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "aa-demo" / "scores.html").is_file()
