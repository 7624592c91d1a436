# SPDX-License-Identifier: Apache-2.0
"""Real builds in folders of their own: the repository's files, a small config, raw objects.

Finished builds are made once for all test processes; a test that changes one works on a copy.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.places import REPOSITORY
from tests.kit.shared import made_once
from tests.kit.warm import Warm
from tests.pipeline.machines.kernels import PROGRAM
from tests.walk.raw_objects import write_local_objects
from tests.walk.workspaces import (
    FEW,
    SHARDS,
    Workspace,
    copy_repository,
    copy_tree,
    environment,
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the builds, which take longest, start first."""
    items.sort(key=lambda item: Path(__file__).parent not in item.path.parents)


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    """Return what runs commands."""
    warm = Warm(environment())
    yield warm
    warm.close()


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let numba compile the loops of annotate once, in the repository, before it is copied.

    Else every copy of a fresh checkout would, in each of its jobs.
    """

    def make(root: Path) -> None:
        subprocess.run(
            [sys.executable, str(PROGRAM), "generated-barrow_00000"],
            cwd=REPOSITORY, env=environment() | {"PYTHONPATH": str(REPOSITORY)},
            stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip

    made_once(tmp_path_factory, "compiled", make)


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory: pytest.TempPathFactory, compiled: None, warm: Warm) -> Workspace:
    """Copy the repository once, so that edits during a test run do not matter."""

    def make(root: Path) -> None:
        copy_repository(root, shards=SHARDS)
        write_local_objects(root / "raw" / "local")

    return Workspace(made_once(tmp_path_factory, "snapshot", make), warm)


@pytest.fixture(scope="session")
def built(snapshot: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Build two sources in three shards."""

    def make(root: Path) -> None:
        workspace = snapshot.copy(root)
        workspace.build()
        workspace.plan()  # which notes the times that Snakemake gave the outputs after their jobs

    return Workspace(made_once(tmp_path_factory, "built", make), snapshot.warm)


@pytest.fixture
def fresh(snapshot: Workspace, tmp_path: Path) -> Workspace:
    """Return a workspace in which nothing was built yet."""
    return snapshot.copy(tmp_path / "fresh")


@pytest.fixture
def copied(built: Workspace, tmp_path: Path) -> Workspace:
    """Return a copy of the built workspace that a test may change."""
    return built.copy(tmp_path / "copy")


@pytest.fixture(scope="session")
def tiny_snapshot(
    tmp_path_factory: pytest.TempPathFactory, compiled: None, warm: Warm
) -> Workspace:
    """Copy the repository with one source in one shard: one job of every stage."""

    def make(root: Path) -> None:
        copy_repository(root, shards=1)

    return Workspace(made_once(tmp_path_factory, "tiny_snapshot", make), warm, FEW)


@pytest.fixture(scope="session")
def tiny_built(tiny_snapshot: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Build what builds from scratch are compared with."""

    def make(root: Path) -> None:
        tiny_snapshot.copy(root).build()

    return Workspace(made_once(tmp_path_factory, "tiny_built", make), tiny_snapshot.warm, FEW)


@pytest.fixture
def tiny_ingested(tiny_built: Workspace, tmp_path: Path) -> Workspace:
    """Return a copy of the smallest build in which normalize and all after it must run again."""
    workspace = tiny_built.copy(tmp_path / "tiny")
    for folder in ("work/normalize", "library", "release", "report"):
        shutil.rmtree(workspace.root / folder)
    return workspace


@pytest.fixture
def tiny_fresh(tiny_built: Workspace, tmp_path: Path) -> Workspace:
    """Return a workspace of the smallest build without outputs, but with compiled modules."""
    root = tmp_path / "tiny"
    copy_tree(tiny_built.root, root, _outputs)
    return Workspace(root, tiny_built.warm, FEW)


def _outputs(folder: str, names: list[str]) -> set[str]:
    """Return what a build made in a folder; the folders are at the top."""
    made = {"work", "library", "release", "report", ".snakemake"} & {*names}
    return made if "Snakefile" in names else set()
