# SPDX-License-Identifier: Apache-2.0
"""Fixtures that the tests of the pipeline share; plain helpers are in `tests/kit`."""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipeline.engine.runner import Outcome
from pipeline.generate.emit import emit, object_files
from pipeline.raw.taxonomy import load_taxonomy
from tests.kit.bench import box_text, joint_text, mesh_link, normal, robot, unpacked, write_object
from tests.kit.places import REPOSITORY
from tests.kit.shared import made_once
from tests.kit.small_build import OBJECTS, build


@pytest.fixture
def door(tmp_path: Path) -> Path:
    """Return a raw object: a frame, a hinged leaf, and a sliding bolt on it."""
    return write_object(
        tmp_path / "door",
        robot(
            mesh_link("frame", "meshes/frame.obj"),
            mesh_link("leaf", "meshes/leaf.obj"),
            mesh_link("bolt", "meshes/bolt.obj"),
            joint_text("hinge", "revolute", "frame", "leaf", xyz="0.4 0 0.1"),
            joint_text("slide", "prismatic", "leaf", "bolt", xyz="-0.7 0 0", axis="1 0 0"),
        ),
        {
            "meshes/frame.obj": box_text((1.0, 0.1, 2.0)),
            "meshes/leaf.obj": box_text((0.8, 0.05, 1.8), (-0.4, 0, 0)),
            "meshes/bolt.obj": box_text((0.1, 0.02, 0.02)),
            "meta.json": '{"name": "Door", "category": "Door", "license": "CC0-1.0"}',
        },
    )


@pytest.fixture(scope="session")
def normalized(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], tuple[Path, Outcome, Path]]:
    """Return a maker, once per family, of raw folder, outcome and unpacked files of an object."""
    raw, out = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("out")

    @functools.cache
    def made(family: str) -> tuple[Path, Outcome, Path]:
        emit(raw, family, files=object_files(family, 0, seed=5))
        outcome = normal(raw / family)
        return raw / family, outcome, unpacked(outcome, out / family)

    return made


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, where the relative paths of a build lead."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def _copy_data(path: Path) -> None:
    place = path.relative_to(REPOSITORY)
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, place)


@pytest.fixture
def workspace(elsewhere: Path) -> Path:
    """Work in a folder with the repository's configuration and data, and no build."""
    for name in ("config.yaml", "constraints.txt", "LICENSE"):
        shutil.copy(REPOSITORY / name, name)
    shutil.copytree(REPOSITORY / "taxonomy", "taxonomy")
    for path in (REPOSITORY / "pipeline").rglob("*.[jyt]s*"):  # JSON and TSV
        _copy_data(path)
    for kind in ("yaml", "bib"):
        for path in (REPOSITORY / "pipeline").rglob(f"*.{kind}"):
            _copy_data(path)
    return elsewhere


@pytest.fixture
def shipped(workspace: Path) -> Iterator[None]:
    """Work with the repository's taxonomy."""
    load_taxonomy.cache_clear()
    yield
    load_taxonomy.cache_clear()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with `library/` and `release/` of thirteen good objects and two bad."""
    return made_once(tmp_path_factory, "small_build", _make_small_build)


@pytest.fixture(scope="session")
def built_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the same raw objects were built a second time."""
    return made_once(tmp_path_factory, "second_small_build", _make_small_build)


def _make_small_build(folder: Path) -> None:
    home, ignore = Path.cwd(), shutil.ignore_patterns("__pycache__")
    for name in ("pipeline", "aa_dataset", "taxonomy"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=ignore)
    for name in ("config.yaml", "constraints.txt", "LICENSE"):
        shutil.copy(REPOSITORY / name, folder / name)
    os.chdir(folder)
    load_taxonomy.cache_clear()
    try:
        build()
    finally:
        os.chdir(home)
        load_taxonomy.cache_clear()


@pytest.fixture
def copied(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a copy of the little build."""
    folder = tmp_path / "copy"
    shutil.copytree(built, folder)
    monkeypatch.chdir(folder)
    load_taxonomy.cache_clear()
    return folder


@pytest.fixture
def stored_objects() -> dict[str, dict[str, tuple[float, str]]]:
    """Return what the raw sources hold."""
    return OBJECTS
