# SPDX-License-Identifier: Apache-2.0
"""Events of a real Snakemake run, through the plugin and back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from pipeline.tools.build.events import ARGUMENTS, Events, plugin_environment

SNAKEFILE = """
rule all:
    input: "one.txt", "two.txt", "broken.txt"

rule write:
    output: "{name}.txt"
    wildcard_constraints: name="one|two"
    shell: "echo {wildcards.name} > {output}"

rule fail:
    input: "one.txt", "two.txt"
    output: "broken.txt"
    log: "logs/fail.log"
    shell: "echo no such tool > {log}; exit 3"
"""


def run_snakemake(folder: Path) -> Events:
    """Run a small workflow that fails in its last rule."""
    (folder / "Snakefile").write_text(SNAKEFILE)
    events = Events(folder / "events.jsonl")
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", *ARGUMENTS],
        cwd=folder,
        env={**os.environ, **plugin_environment(events.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "Error in rule fail" in done.stderr  # Snakemake's own log stays
    return events


def test_planned_finished_and_failed_jobs_are_known(tmp_path: Path) -> None:
    events = run_snakemake(tmp_path)
    events.update()
    assert events.planned == {"write": 2, "fail": 1, "all": 1, "total": 4}
    assert events.finished == {"write": 2}
    assert events.running == "fail"
    assert dict.fromkeys(events.failed_logs) == {"logs/fail.log": None}
    events.update()
    assert events.finished == {"write": 2}  # nothing is counted twice


def test_a_line_that_is_being_written_waits(tmp_path: Path) -> None:
    events = Events(tmp_path / "events.jsonl")
    events.update()
    events.path.write_text('{"event": "job_info", "job": 1, "rule": "ver')
    events.update()
    assert events.running == ""
    with events.path.open("a") as stream:
        stream.write('ify"}\n')
    events.update()
    assert events.running == "verify"
