# SPDX-License-Identifier: Apache-2.0
"""Runs of Snakemake that share its import, which takes longer than a plan of a small build.

As a program it imports Snakemake and other packages once and then forks a process for every run,
which enters the workspace and does what ``python -m snakemake`` does there. Nothing of the project
is imported before, so every run has the code of its own workspace.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

# What the project's plan imports of others; without, each of dozens of plans imports it itself.
NEEDED = ("jsonschema", "numpy", "pyarrow.parquet", "pyarrow.compute", "yaml")


class Planner:
    """The program, started at the first run."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None

    def run(self, root: Path, *words: str) -> str:
        """Return what `snakemake <words>` prints in a folder; it must succeed."""
        with tempfile.TemporaryDirectory() as folder:
            out, errors = Path(folder, "out"), Path(folder, "errors")
            code = self._ask([str(root), str(out), str(errors), *words])
            assert code == 0, out.read_text()[-2000:] + errors.read_text()[-4000:]
            return out.read_text()

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process.communicate()

    def _ask(self, request: list[str]) -> int:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                text=True, env=self._environment,
            )  # fmt: skip
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def main() -> None:
    """Answer every request with the exit code of its run."""
    sys.path.pop(0)  # the folder of this file, which `-m` would not have put there
    importlib.import_module("snakemake.cli").get_argument_parser()  # which imports its plugins
    for name in NEEDED:
        importlib.import_module(name)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            run(*json.loads(line))
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def run(root: str, out: str, errors: str, *words: str) -> None:
    """Become `python -m snakemake <words>` in a folder."""
    for path, descriptor in ((os.devnull, 0), (out, 1), (errors, 2)):
        flags = os.O_RDONLY if descriptor == 0 else os.O_WRONLY | os.O_CREAT
        os.dup2(os.open(path, flags), descriptor)
    os.chdir(root)
    sys.path.insert(0, root)
    sys.argv = ["snakemake", *words]
    runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
    raise SystemExit(0)


if __name__ == "__main__":
    main()
