# SPDX-License-Identifier: Apache-2.0
"""Programs that share the import of large packages, which takes longer than most of them run.

As a program it imports the packages once and then forks a process for every run, which enters a
folder and does what ``python -m <module> <words>`` or ``python -c <text>`` does there. Nothing of
the project is imported before, so every run has the code of its own folder.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
import types
from collections.abc import Mapping
from pathlib import Path

# What commands of the project import of others, without what reads the environment at its import.
NEEDED = ("jsonschema", "numpy", "pyarrow.compute", "pyarrow.parquet", "scipy.cluster.hierarchy",
          "scipy.spatial", "tqdm", "trimesh", "xml.etree.ElementTree", "yaml")  # fmt: skip
# What Snakemake imports only when it reads a Snakefile.
LATE = ("smart_open", "snakemake.benchmark", "snakemake.storage")
# As the pipeline has it, and threads do not survive a fork.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Warm:
    """The program, started at the first run.

    Parameters
    ----------
    environment : mapping
        The environment of every run.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._process: subprocess.Popen[str] | None = None

    def run(
        self, root: Path, module: str, *words: str, **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a module (or `-c` and a text) in a folder, with more environment variables."""
        with tempfile.TemporaryDirectory() as folder:
            out, errors = Path(folder, "out"), Path(folder, "errors")
            places = [str(root), str(out), str(errors)]
            code = self._ask([places, {**self._environment, **more}, [module, *words]])
            texts = (path.read_text() for path in (out, errors))
            return subprocess.CompletedProcess([module, *words], code, *texts)

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process.communicate()
            self._process = None

    def _ask(self, request: list[object]) -> int:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                text=True, env=self._environment | ONE_THREAD | {"PYTHONPATH": ""},
            )  # fmt: skip
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def main() -> None:
    """Answer every request with the exit code of its run."""
    sys.path.pop(0)  # the folder of this file, which `-m` would not have put there
    for name in NEEDED:
        importlib.import_module(name)
    gc.freeze()  # what all runs share is never visited, which would copy it
    for line in sys.stdin:
        places, environment, command = json.loads(line)
        if command[0] == "snakemake":  # imported for its runs alone
            importlib.import_module("snakemake.cli").get_argument_parser()  # with its plugins
            for name in LATE:
                importlib.import_module(name)
        pid = os.fork()
        if pid == 0:
            run(places, environment, *command)
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def run(places: list[str], environment: dict[str, str], module: str, *words: str) -> None:
    """Become `python -m <module> <words>` in a folder; its outputs go to two files."""
    root, out, errors = places
    for path, descriptor in ((os.devnull, 0), (out, 1), (errors, 2)):
        flags = os.O_RDONLY if descriptor == 0 else os.O_WRONLY | os.O_CREAT
        os.dup2(os.open(path, flags), descriptor)
    os.chdir(root)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [root, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    sys.argv = [module, *words]
    if module == "-c":
        sys.modules["__main__"] = main = types.ModuleType("__main__")
        exec(words[0], vars(main))
    else:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    raise SystemExit(0)


if __name__ == "__main__":
    main()
