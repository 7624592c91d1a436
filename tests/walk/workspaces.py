# SPDX-License-Identifier: Apache-2.0
"""Copies of the repository in which real builds are run."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.kit.places import REPOSITORY
from tests.kit.warm import Warm

PARTS = ("Snakefile", "config.yaml", "constraints.txt", "LICENSE", "pipeline", "aa_dataset",
         "taxonomy", "profiles")  # fmt: skip
COUNT, SHARDS = 10, 2  # fewer leave a shard without objects
FEW = 2  # objects of the smallest build
Ignore = Callable[[str, list[str]], set[str]]
BUILD = ("pipeline", "build", "--count")
ABSENT = Path(__file__).with_name("absent")  # instead of packages that a build does without


@dataclass(frozen=True)
class Plan:
    """The output of `snakemake -n`: jobs per rule, and the shards they work on."""

    jobs: dict[str, int]
    shards: set[str]
    text: str


@dataclass(frozen=True)
class Workspace:
    """A copy of the repository in which builds of `count` generated objects are run."""

    root: Path
    warm: Warm
    count: int = COUNT

    def run(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = self.warm.run(self.root, *words)
        if check and done.returncode:
            raise AssertionError(done.stdout[-2000:] + done.stderr[-4000:])
        return done

    def start(self, errors: Path = Path(os.devnull)) -> subprocess.Popen[bytes]:
        """Start a build in a process group of its own, to be killed as a whole."""
        with errors.open("wb") as stream:
            return subprocess.Popen(
                [sys.executable, "-m", *self.build_words],
                cwd=self.root, stdout=subprocess.DEVNULL, stderr=stream,
                env=environment(), start_new_session=True,
            )  # fmt: skip

    @property
    def build_words(self) -> tuple[str, ...]:
        return (*BUILD, str(self.count))

    def build(self) -> subprocess.CompletedProcess[str]:
        return self.run(*self.build_words)

    def plan(self, *options: str) -> Plan:
        text = self.run("snakemake", "-n", *options).stdout
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
        copy_tree(self.root, target)
        return Workspace(target, self.warm, self.count)


def environment() -> dict[str, str]:
    """Return the environment of a user: nothing of the test run in it, and no pandas."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AA_", "PYTEST"))}
    return {**kept, "PYTHONPATH": str(ABSENT)}


def copy_tree(root: Path, target: Path, ignore: Ignore | None = None) -> None:
    """Copy a workspace with its time stamps; compiled modules, which are replaced, by links."""

    def copy(source: str, copied: str) -> None:
        if "__pycache__" in source:
            os.link(source, copied)
        else:
            shutil.copy2(source, copied)

    shutil.copytree(root, target, symlinks=True, ignore=ignore, copy_function=copy)


def copy_repository(root: Path, *, shards: int) -> None:
    """Copy what a build needs, compiled modules too, with settings for small builds.

    With a chosen backend of render no job has to try out in a process of its own what works here.
    """
    root.mkdir(parents=True)
    for name in PARTS:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, root / name)
        else:
            shutil.copy2(source, root / name)
    config = yaml.safe_load((root / "config.yaml").read_text())
    config["sources"] = {"generated": {"shards": shards}}
    config["render"] |= {"size": 64, "backend": "embree"}
    (root / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
