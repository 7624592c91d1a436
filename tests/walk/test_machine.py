# SPDX-License-Identifier: Apache-2.0
"""What the machine refuses is a sentence with the folder and the bytes; with room, a run heals."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.walk.workspaces import Workspace, environment


def build(
    workspace: Workspace, kind: int | None = None, limit: int = 0
) -> subprocess.CompletedProcess[str]:
    """Build, with one of the limits that a shell can set."""

    def bound() -> None:
        if kind is not None:
            resource.setrlimit(kind, (limit, limit))

    return subprocess.run(
        [sys.executable, "-m", *workspace.build_words],
        cwd=workspace.root, capture_output=True, text=True, env=environment(), check=False,
        preexec_fn=bound,
    )  # fmt: skip


@contextmanager
def mounted(*words: str, folder: Path) -> Iterator[None]:
    """Mount something on a folder; skip the test where that is not permitted."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(["mount", *words, str(folder)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"mount is not permitted here: {done.stderr.decode()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def assert_sentence(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    for part in parts:
        assert part in done.stderr


def test_a_full_disk_is_an_error_message_and_the_next_run_continues(copied: Workspace) -> None:
    library = copied.root / "library"
    shutil.rmtree(library)
    with mounted("-t", "tmpfs", "-o", "size=64k", "none", folder=library):
        done = build(copied)
        assert_sentence(done, "cannot be written (No space left on device)", "library/assets")
        assert "bytes, of which" in done.stderr
    assert copied.plan().jobs == {"manifest": 1, "split": 1, "publish": 1, "report": 1}


def test_a_limit_on_file_sizes_is_a_sentence_and_room_heals(
    built: Workspace, copied: Workspace
) -> None:
    shutil.rmtree(copied.root / "library")
    done = build(copied, resource.RLIMIT_FSIZE, 100_000)
    assert_sentence(done, "cannot be written (File too large)", "library/assets", "ulimit -f")
    copied.build()
    assert copied.digests() == built.digests()


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Take the right to write away, also from root, whom permissions do not stop."""
    if os.getuid():
        mode = folder.stat().st_mode
        folder.chmod(0o555)
        try:
            yield
        finally:
            folder.chmod(mode)
        return
    with mounted("--bind", str(folder), folder=folder):
        again = ["mount", "-o", "remount,ro,bind", str(folder)]
        if subprocess.run(again, capture_output=True, check=False).returncode:
            pytest.skip("mount -o ro is not permitted here")
        yield


@pytest.mark.parametrize("name", ["library", "work/verify/local"])
def test_a_folder_that_may_not_be_written_is_a_sentence(copied: Workspace, name: str) -> None:
    before = copied.digests()
    with read_only(copied.root / name):
        done = build(copied)
    assert_sentence(done, f"{copied.root / name} cannot be written by this user")
    assert copied.digests() == before
    assert copied.plan().jobs == {}


@pytest.mark.parametrize(("gigabytes", "needed"), [(0.5, "2,147,483,648"), (4, "8,589,934,592")])
def test_a_shell_with_little_memory_is_a_sentence(
    built: Workspace, gigabytes: float, needed: str
) -> None:
    limit = int(gigabytes * 2**30)
    done = build(built, resource.RLIMIT_AS, limit)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert f"`ulimit -v` allows a process {limit:,} bytes" in done.stderr
    assert needed in done.stderr
