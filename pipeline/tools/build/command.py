# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline build`: generate objects, plan, run Snakemake, print a summary.

The kernel releases the lock of a killed build. Snakemake's own stale lock is removed while ours is
held. Two builds started at the same time run one after the other.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from aa_dataset.files import refused_as_sentence
from pipeline.base import layout
from pipeline.base.errors import PipelineError
from pipeline.base.locks import locked
from pipeline.base.trouble import logged_sentence, require_writable
from pipeline.engine.config import load_config
from pipeline.engine.inventory.dates import NOTICE
from pipeline.engine.inventory.refresh import LOCK_HELD, build_lock
from pipeline.engine.processes import end_group, end_with_parent, require_memory
from pipeline.engine.settings import Config
from pipeline.tools.build.events import ARGUMENTS, Events, plugin_environment
from pipeline.tools.build.progress import Progress
from pipeline.tools.build.repair import discard_damaged, discard_folders, discard_leftovers
from pipeline.tools.build.summary import print_summary
from pipeline.tools.generate import generate

FAILURE_LINES = 15


def main(arguments: list[str]) -> int:
    """Build the library that `config.yaml` describes."""
    parser = argparse.ArgumentParser(prog="python -m pipeline build")
    parser.add_argument("--count", type=int, help="generated objects, instead of generated.count")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args(arguments)
    if given.count is not None and given.count < 0:
        raise PipelineError(f"--count {given.count}: the number of objects must not be negative.")
    if given.cores < 1:
        raise PipelineError(f"--cores {given.cores}: it must be at least 1.")
    config = load_config()
    require_memory(config.budgets.memory_gb)
    require_writable()
    _print_removed_folders(discard_folders())  # first, because the lock is a file as well
    with waiting_lock():
        wait_for_orphans()
        discard_leftovers()
        _print_damage(discard_damaged())
        if "generated" in config.sources:
            generate(config, count=given.count)
        _print_absent_sources(config)
        shutil.rmtree(layout.SNAKEMAKE_LOCKS, ignore_errors=True)
        shutil.rmtree(layout.progress(), ignore_errors=True)
        run_snakemake(given.cores)
    print_summary()
    return 0


@contextmanager
def waiting_lock() -> Iterator[None]:
    """Hold the build lock; print a message while another build holds it."""
    with build_lock(wait=False) as obtained:
        if obtained:
            yield
            return
    _print_message("Another build is running in this folder; waiting for it to end.")
    with build_lock(wait=True):
        yield


def wait_for_orphans() -> None:
    """Wait for jobs that outlived a killed build: they hold a shared lock while they run."""
    with locked(layout.JOBS_LOCK, wait=False) as obtained:
        if obtained:
            return
    _print_message("Jobs of a killed build are still running; waiting for them to end.")
    with locked(layout.JOBS_LOCK):
        return


def run_snakemake(cores: int) -> None:
    """Run the workflow with a progress bar; raise with the end of the log if it fails."""
    layout.SNAKEMAKE_LOG.parent.mkdir(parents=True, exist_ok=True)
    layout.SNAKEMAKE_EVENTS.unlink(missing_ok=True)
    events = Events(layout.SNAKEMAKE_EVENTS)
    with layout.SNAKEMAKE_LOG.open("wb", buffering=0) as log, Progress(events):
        process = None
        try:
            process = start_snakemake(cores)
            for line in process.stdout or ():
                with refused_as_sentence(layout.SNAKEMAKE_LOG, partial(len, line)):
                    log.write(line.encode())
                if line.startswith(NOTICE):
                    _print_message(line.rstrip())
        except BaseException:
            if process is not None:  # first, because writing to a closed terminal fails
                end_group(process)
            raise
    if process.wait():
        log_text = layout.SNAKEMAKE_LOG.read_text(errors="replace")
        raise PipelineError(_failure_message(log_text, events.failed_logs))


def start_snakemake(cores: int) -> subprocess.Popen[str]:
    """Start the workflow in a process group of its own, which can be ended as a whole."""
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--cores", str(cores), *ARGUMENTS],
        env={**os.environ, LOCK_HELD: "1", **plugin_environment(layout.SNAKEMAKE_EVENTS)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        process_group=0,
        # Its child processes continue if this process is killed; see `wait_for_orphans`.
        preexec_fn=partial(end_with_parent, os.getpid()),
    )


def _failure_message(log: str, failed_logs: list[str]) -> str:
    """Return the error message of a failed build: the last lines of the failed jobs' logs."""
    jobs = list(dict.fromkeys(failed_logs))
    if not jobs:  # the workflow itself failed, before its first job
        trouble = logged_sentence(log)
        return "\n".join([*([trouble] if trouble else _last_lines(log)), "", _next_step()])
    shown = []
    for name in jobs[:2]:
        text = Path(name).read_text(errors="replace") if Path(name).is_file() else ""
        trouble = logged_sentence(text if text.strip() else log)
        shown += [
            f"{name}:",
            *(f"  {line}" for line in ([trouble] if trouble else _last_lines(text))),
        ]
    return "\n".join([*shown, "", _next_step()])


def _last_lines(log: str) -> list[str]:
    return log.splitlines()[-FAILURE_LINES:]


def _next_step() -> str:
    return (
        f"The build failed; the full log is {layout.SNAKEMAKE_LOG}. Finished work is kept: run "
        "`make library` again to continue."
    )


def _print_removed_folders(paths: list[Path]) -> None:
    for path in paths:
        _print_message(f"{path} was a folder, but a file is expected there; it was removed.")


def _print_damage(paths: list[Path]) -> None:
    if paths:
        what = "1 built file differs" if len(paths) == 1 else f"{len(paths)} built files differ"
        _print_message(
            f"{what} from library.json, such as {paths[0]} (edited by hand, or a failing disk). "
            f"{'It is' if len(paths) == 1 else 'They are'} built again."
        )


def _print_absent_sources(config: Config) -> None:
    """Print one line that names the sources without files."""
    folders = {name: source.facts.folder for name, source in config.sources.items()}
    absent = [f"{name} ({path})" for name, path in folders.items() if _has_no_files(Path(path))]
    if absent:
        _print_message(
            f"Skipped, no files: {', '.join(absent)}. `aa sources` shows how to get them."
        )


def _has_no_files(folder: Path) -> bool:
    """Return whether a folder is absent or contains only hidden files."""
    return not folder.is_dir() or all(path.name.startswith(".") for path in folder.iterdir())


def _print_message(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
