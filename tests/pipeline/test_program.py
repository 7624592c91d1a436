# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline` without a command: a list of commands, or one line of usage."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pipeline.__main__ import COMMANDS
from pipeline.engine.stages import STAGES
from tests.kit.places import REPOSITORY


def pipeline(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the program in the repository."""
    command = [sys.executable, "-m", "pipeline", *words]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help_lists_every_command_and_stage(word: str) -> None:
    done = pipeline(word)
    assert (done.returncode, done.stderr) == (0, "")
    listed = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")]
    assert listed == [*COMMANDS, *STAGES]


@pytest.mark.parametrize("words", [(), ("nothing",), ("--halp",)])
def test_an_unknown_command_is_an_error_with_a_next_step(words: tuple[str, ...]) -> None:
    done = pipeline(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "`python -m pipeline --help` lists the commands" in done.stderr
