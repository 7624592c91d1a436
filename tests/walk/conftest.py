# SPDX-License-Identifier: Apache-2.0
"""Real builds in folders of their own: the repository's files, a small config, raw objects."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.kit.places import REPOSITORY

PARTS = ("Snakefile", "config.yaml", "constraints.txt", "LICENSE", "pipeline", "aa_dataset",
         "taxonomy", "profiles")  # fmt: skip
COUNT = 10
SHARDS = 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the builds, which take longest, start first."""
    items.sort(key=lambda item: Path(__file__).parent not in item.path.parents)


@dataclass(frozen=True)
class Plan:
    """What `snakemake -n` says: jobs per rule, and the shards they work on."""

    jobs: dict[str, int]
    shards: set[str]
    text: str


@dataclass(frozen=True)
class Workspace:
    """A copy of the repository in which builds are run."""

    root: Path

    def run(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=self.root, capture_output=True, text=True, env=environment(), check=False,
        )  # fmt: skip
        if check and done.returncode:
            raise AssertionError(done.stdout[-2000:] + done.stderr[-4000:])
        return done

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a command in a process group of its own, to be killed as a whole."""
        return subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=self.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=environment(), start_new_session=True,
        )  # fmt: skip

    def build(self, count: int = COUNT) -> subprocess.CompletedProcess[str]:
        return self.run("pipeline", "build", "--count", str(count))

    def plan(self) -> Plan:
        text = self.run("snakemake", "-n").stdout
        jobs = {m[1]: int(m[2]) for m in re.finditer(r"^(\w+)\s+(\d+)$", text, re.M)}
        shards = set(re.findall(r"wildcards: source=\w+, shard=(\d+)", text))
        jobs.pop("total", None)
        jobs.pop("all", None)
        return Plan(jobs, shards, text)

    def digests(self) -> dict[str, str]:
        """Return the digest of every file of library and release."""
        return {
            path.relative_to(self.root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for folder in ("library", "release")
            for path in sorted((self.root / folder).rglob("*"))
            if path.is_file()
        }

    def copy(self, target: Path) -> Workspace:
        """Return a copy with the same time stamps."""
        shutil.copytree(self.root, target, symlinks=True)
        return Workspace(target)


def environment() -> dict[str, str]:
    """Return the environment of a user: nothing of the test run in it."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("AA_", "PYTEST"))}


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Copy the repository once, so that edits during a test run do not matter."""
    root = tmp_path_factory.mktemp("walk") / "snapshot"
    root.mkdir()
    for name in PARTS:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, root / name)
    config = yaml.safe_load((root / "config.yaml").read_text())
    config["sources"] = {"generated": {"shards": SHARDS}}
    config["render"]["size"] = 64
    (root / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    write_local_objects(root / "raw" / "local")
    return Workspace(root)


BOX = """v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7
f 4 1 5\nf 4 5 8\n"""

LID = """<robot name="chest">
<link name="body"><visual><geometry><mesh filename="box.obj" scale="{s} {s} {s}"/></geometry></visual></link>
<link name="lid"><visual><geometry><mesh filename="box.obj" scale="{s} {s} 0.02"/></geometry></visual></link>
<joint name="hinge" type="revolute"><parent link="body"/><child link="lid"/>
<origin xyz="0 0 {s}"/><axis xyz="0 1 0"/><limit lower="-1.5" upper="0" effort="5" velocity="2"/></joint>
</robot>"""  # noqa: E501

BOMB = """<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<robot name="&b;"/>"""

# Folder, URDF text and reason of every raw object that must not stop the build.
BROKEN = {
    "bomb": (BOMB, "xml_entity"),
    "cut_off": (LID.format(s=0.3)[:200], "xml_invalid"),
    "missing_mesh": (LID.format(s=0.3).replace("box.obj", "absent.obj"), "mesh_missing"),
    "escape": (LID.format(s=0.3).replace("box.obj", "../../secret.obj"), "mesh_outside"),
    "not_a_number": (LID.format(s=0.3).replace("-1.5", "nan"), "number_invalid"),
    "reversed": (LID.format(s=0.3).replace("-1.5", "1.5"), "limits_reversed"),
    "welded": (LID.format(s=0.3).replace('"revolute"', '"fixed"'), "movable_none"),
}


def write_local_objects(root: Path) -> None:
    """Write two good objects, a copy of one, and one folder for every kind of damage."""
    write_object(root / "chest", LID.format(s=0.3))
    write_object(root / "chest_again", LID.format(s=0.3))
    write_object(root / "large_chest", LID.format(s=0.5))
    for name, (urdf, _) in BROKEN.items():
        write_object(root / name, urdf)
    (root / "empty").mkdir()
    (root / "two\nlines").mkdir()
    (root / "linked").symlink_to("chest")


def write_object(folder: Path, urdf: str) -> None:
    folder.mkdir(parents=True)
    meta = {"name": folder.name, "category": "treasure chest", "parts": {"lid": "lid"}}
    (folder / "meta.json").write_text(json.dumps(meta))
    (folder / "model.urdf").write_text(urdf)
    (folder / "box.obj").write_text(BOX)


@pytest.fixture
def fresh(snapshot: Workspace, tmp_path: Path) -> Workspace:
    """Return a workspace in which nothing was built yet."""
    return snapshot.copy(tmp_path / "fresh")


@pytest.fixture(scope="session")
def built(snapshot: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Build once; tests that change something work on a copy."""
    workspace = snapshot.copy(tmp_path_factory.mktemp("walk") / "built")
    workspace.build()
    return workspace


@pytest.fixture
def copied(built: Workspace, tmp_path: Path) -> Workspace:
    """Return a copy of the built workspace that a test may change."""
    return built.copy(tmp_path / "copy")
