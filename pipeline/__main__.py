# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline <stage>`: runs one stage, or one of the commands around the stages."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

# With less, not even the imports below succeed.
LEAST_BYTES = 2 << 30
ALLOWED_BYTES = resource.getrlimit(resource.RLIMIT_AS)[0]
if ALLOWED_BYTES != resource.RLIM_INFINITY and ALLOWED_BYTES < LEAST_BYTES:
    sys.exit(
        f"`ulimit -v` allows a process {ALLOWED_BYTES:,} bytes of memory; the pipeline needs at "
        f"least {LEAST_BYTES:,}. Raise the limit (`ulimit -v unlimited`) and run it again."
    )

# Linear algebra on one thread gives the same last digits whatever the number of cores.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "IGL_NUM_THREADS"):
    os.environ[variable] = "1"

from aa_dataset.errors import ArenaError  # noqa: E402
from aa_dataset.untrusted.foreign_text import terminal_text  # noqa: E402
from pipeline.base import layout  # noqa: E402
from pipeline.base.errors import PipelineError  # noqa: E402
from pipeline.base.locks import locked  # noqa: E402
from pipeline.base.trouble import machine_sentence  # noqa: E402
from pipeline.engine.inventory.code import require_planned_code  # noqa: E402
from pipeline.engine.inventory.made import recorded  # noqa: E402
from pipeline.engine.processes import end_like_ctrl_c  # noqa: E402
from pipeline.engine.runner import Job  # noqa: E402
from pipeline.engine.settings import read  # noqa: E402
from pipeline.engine.stages import STAGES  # noqa: E402

# Module and help of each command.
COMMANDS = {
    "build": ("pipeline.tools.build.command", "build the library, as `make library` does"),
    "compare": ("pipeline.tools.inspect.command", "draw raw and built objects side by side"),
    "demo": ("pipeline.tools.demo", "build the demo library that the wheel contains"),
    "fetch": ("pipeline.tools.fetch.command", "download a raw source"),
    "freeze": ("pipeline.tools.freeze", "freeze a version of the evaluation split"),
    "generate": ("pipeline.tools.generate", "write the generated collection"),
    "inventory": ("pipeline.engine.inventory.command", "digest the raw sources"),
    "previews": ("pipeline.tools.previews", "draw a sheet of previews of the library"),
    "propose": ("pipeline.tools.propose", "propose categories for objects without one"),
    "sources": ("pipeline.tools.fetch.sources", "list raw sources and how to get them"),
    "summary": ("pipeline.tools.build.summary", "print the summary of the library"),
    "version": (
        "pipeline.tools.release.command",
        "which part of the release's version must be raised",
    ),
}
USAGE = "usage: python -m pipeline COMMAND ..."


def main(arguments: list[str]) -> int:
    """Dispatch to a stage or a command; a known error prints one message and exits with 2."""
    if arguments and arguments[0] in ("-h", "--help"):
        sys.stdout.write(_help_text())
        return 0
    if not arguments or arguments[0] not in (*COMMANDS, *STAGES):
        sys.stderr.write(f"{USAGE}; `python -m pipeline --help` lists the commands.\n")
        return 2
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", stream=sys.stderr)
    name, rest = arguments[0], arguments[1:]
    try:
        if name in COMMANDS:
            return int(importlib.import_module(COMMANDS[name][0]).main(rest) or 0)
        with job_lock():
            stage = importlib.import_module(f"pipeline.stages.{name}.stage")
            job = parse_job(name, rest)
            require_planned_code(name, job.source)
            with recorded(name, job.source, job.shard):
                stage.run(job)
                require_planned_code(name, job.source)
    except (PipelineError, ArenaError) as error:
        _print_error(str(error))
        return 2
    except (OSError, MemoryError) as error:
        sentence = machine_sentence(error)
        if sentence is None:
            raise
        _print_error(sentence)
        return 2
    except KeyboardInterrupt as interrupt:
        _print_error("Interrupted. Finished work is kept; run the command again to continue.")
        return 128 + getattr(interrupt, "number", signal.SIGINT)
    return 0


def _help_text() -> str:
    """Return the list of commands and stages."""
    lines = [USAGE, "", "commands (`python -m pipeline COMMAND --help` explains one):"]
    lines += [f"  {name:<11} {text}" for name, (_, text) in COMMANDS.items()]
    lines += ["", "stages, which the build runs as jobs (pipeline/README.md):"]
    lines += [f"  {name}" for name in STAGES]
    return "".join(f"{line}\n" for line in lines)


def _print_error(sentence: str) -> None:
    with suppress(OSError):  # the terminal may be closed
        sys.stderr.write(f"{terminal_text(sentence)}\n")


@contextmanager
def job_lock() -> Iterator[None]:
    """Hold a shared lock, so that a new build can wait for the jobs of a killed one."""
    with locked(layout.JOBS_LOCK, shared=True):
        yield


def parse_job(stage: str, arguments: list[str]) -> Job[Any]:
    """Read a job from the command line that its rule wrote."""
    parser = argparse.ArgumentParser(prog=f"python -m pipeline {stage}")
    parser.add_argument("--source", default="")
    parser.add_argument("--shard", default="")
    parser.add_argument("--settings", type=Path, required=True)
    parser.add_argument("--input", nargs="+", default=[], metavar="NAME=PATH")
    parser.add_argument("--output", nargs="+", required=True, metavar="NAME=PATH")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args(arguments)
    return Job(
        stage=stage,
        source=given.source,
        shard=given.shard,
        inputs=_named_paths(given.input),
        outputs=_named_paths(given.output),
        settings=read(given.settings, STAGES[stage].settings),
        workers=given.workers,
    )


def _named_paths(words: list[str]) -> dict[str, Path]:
    return {name: Path(path) for name, path in (word.split("=", 1) for word in words)}


def start(arguments: list[str]) -> int:
    """Run as a program; the current folder must be the checkout that contains this code.

    A build executes the Snakefile of the current folder and what that imports.
    """
    checkout = Path(__file__).resolve().parents[1]
    if not Path.cwd().samefile(checkout):
        sys.stderr.write(
            f"This pipeline belongs to {checkout}: change to that folder. Code in the current "
            "folder is not executed.\n"
        )
        return 2
    return main(arguments)


if __name__ == "__main__":
    end_like_ctrl_c()
    sys.exit(start(sys.argv[1:]))
