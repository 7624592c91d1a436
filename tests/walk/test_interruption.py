# SPDX-License-Identifier: Apache-2.0
"""Builds that are killed, and builds that are started twice, end in the same bytes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time

import pytest

from tests.walk.workspaces import Workspace

STAGES = ("ingest", "normalize", "categorize", "verify", "annotate", "render", "deduplicate",
          "manifest", "split", "publish", "report")  # fmt: skip
# One output of every step that works on the whole library; the other stages write a folder.
WHOLE = {"manifest": "library/objects.parquet", "split": "library/splits.parquet",
         "publish": "release/README.md", "report": "report/index.html"}  # fmt: skip
PATIENCE_S = 240


def stage_started(workspace: Workspace, stage: str) -> bool:
    """Return whether a job of the stage has opened its log, which is the first thing it does."""
    logs = workspace.root / "work/logs"
    return (logs / f"{stage}.log").exists() or any((logs / stage).rglob("*.log"))


def clear_logs(workspace: Workspace) -> None:
    for path in (workspace.root / "work/logs").rglob("*.log"):
        path.unlink()


def remove_outputs(workspace: Workspace, stage: str) -> None:
    """Make the next build run the stage, also if an earlier, killed build had finished it."""
    if stage in WHOLE:
        (workspace.root / WHOLE[stage]).unlink(missing_ok=True)
    else:
        shutil.rmtree(workspace.root / "work" / stage, ignore_errors=True)


def kill_in(workspace: Workspace, stage: str, delay_s: float) -> bool:
    """Start a build, kill its process group inside a stage; return whether that happened."""
    clear_logs(workspace)
    remove_outputs(workspace, stage)
    process = workspace.start()
    try:
        deadline = time.monotonic() + PATIENCE_S
        while process.poll() is None and time.monotonic() < deadline:
            if stage_started(workspace, stage):
                time.sleep(delay_s)
                break
            time.sleep(0.01)
        return process.poll() is None
    finally:
        kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def walk_with_kills(
    built: Workspace, workspace: Workspace, moments: list[tuple[str, float]]
) -> None:
    hits = []
    for stage, delay_s in moments:
        if kill_in(workspace, stage, delay_s):
            hits.append(stage)
    assert set(hits) == {stage for stage, _ in moments}
    workspace.build()
    assert workspace.digests() == built.digests()
    left = [p for p in workspace.root.rglob("*.tmp*") if "library" in p.parts]
    assert not left


def test_a_build_killed_in_two_stages_ends_in_the_same_bytes(
    tiny_built: Workspace, tiny_fresh: Workspace
) -> None:
    """In one that writes a shard and in one that writes a whole folder; a slow test takes all."""
    walk_with_kills(tiny_built, tiny_fresh, [("render", 0.5), ("publish", 0.0)])


@pytest.mark.parametrize("moment", ["generate", "normalize"])
@pytest.mark.slow
def test_a_build_of_which_only_the_main_process_is_killed_ends_in_the_same_bytes(
    tiny_built: Workspace, tiny_fresh: Workspace, moment: str
) -> None:
    """What it started must neither hold its lock for ever nor work beside the next build."""
    raw = tiny_fresh.root / "work/raw/generated"
    process = tiny_fresh.start()
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if any(raw.glob("*_0*")) if moment == "generate" else stage_started(tiny_fresh, moment):
            break
        time.sleep(0.01)
    process.kill()
    process.wait()
    second = tiny_fresh.start()
    try:
        assert second.wait(timeout=PATIENCE_S) == 0
    finally:
        kill_group(second)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert tiny_fresh.digests() == tiny_built.digests()


@pytest.mark.slow
def test_a_build_killed_at_twenty_moments_ends_in_the_same_bytes(
    tiny_built: Workspace, tiny_fresh: Workspace
) -> None:
    moments = [(stage, delay) for stage in STAGES for delay in (0.0, 0.7)]
    # The whole-library steps are short: a second kill must come at once to be inside them.
    quick = ("deduplicate", "manifest", "split", "publish", "report")
    moments = [(stage, 0.2 if stage in quick and delay else delay) for stage, delay in moments]
    walk_with_kills(tiny_built, tiny_fresh, moments)


def test_two_builds_at_once_from_scratch_end_in_the_same_bytes(
    tiny_built: Workspace, tiny_fresh: Workspace
) -> None:
    both = [tiny_fresh.start() for _ in range(2)]
    assert [process.wait(timeout=PATIENCE_S) for process in both] == [0, 0]
    assert tiny_fresh.digests() == tiny_built.digests()


@pytest.mark.slow
def test_planning_beside_a_running_build_changes_nothing(
    tiny_built: Workspace, tiny_fresh: Workspace
) -> None:
    process = tiny_fresh.start()
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not stage_started(tiny_fresh, "normalize") and time.monotonic() < deadline:
            time.sleep(0.05)
        beside = tiny_fresh.run("snakemake", "-n", check=False)
        assert beside.returncode == 0, beside.stdout
        assert "A build is running" in beside.stderr
        second = tiny_fresh.run("snakemake", check=False)
        assert second.returncode != 0
        assert "A build is running" in second.stdout + second.stderr
        refused = tiny_fresh.run("pipeline", "inventory", check=False)
        assert refused.returncode == 2
        assert process.wait(timeout=PATIENCE_S) == 0
    finally:
        kill_group(process)
    assert tiny_fresh.digests() == tiny_built.digests()
