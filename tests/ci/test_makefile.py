# SPDX-License-Identifier: Apache-2.0
"""What `make library` says at its end."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.kit.places import REPOSITORY


def test_the_last_lines_put_the_command_on_the_path() -> None:
    """They are lines for a shell, so a shell runs what they print."""
    if not shutil.which("make") or not shutil.which("bash"):
        pytest.skip("no make or no bash on this machine")
    # Below `make test`, which names its folder.
    plan = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "library"],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    after = plan[plan.index("-m pipeline build") :].splitlines()[1:]
    assert after and all(line.startswith("echo ") for line in after)
    told = subprocess.run(
        ["bash", "-c", "\n".join(after)], capture_output=True, text=True, check=True
    ).stdout
    (export,) = (line for line in told.splitlines() if line.startswith("  export "))
    done = subprocess.run(
        ["bash", "-c", f'{export}\nprintf %s "$PATH"'],
        capture_output=True, text=True, check=True, env={"PATH": "/bin"},
    )  # fmt: skip
    assert done.stdout == f"{REPOSITORY / '.venv/bin'}:/bin"
    assert "`aa info`" in told
