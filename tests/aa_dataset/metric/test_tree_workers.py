# SPDX-License-Identifier: Apache-2.0
"""Workers end with their caller: on Ctrl-C at once, and also when the caller is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from aa_dataset.metric import SplitNorm, nearest_trees
from benchmarks.metric_trees import random_tree
from tests.kit.places import REPOSITORY

PROGRAM = f"""
import sys
sys.path.insert(0, {str(REPOSITORY)!r})
import numpy as np
from benchmarks.metric_trees import random_tree
from aa_dataset.metric import nearest_trees, tree_distances

if __name__ == "__main__":
    rng = np.random.default_rng(3)  # every search spends its whole budget, 20 s and more
    trees = [random_tree(rng, 60, shape="random", repeats=0.5) for _ in range(40)]
    if sys.argv[1] == "nearest":
        nearest_trees(trees, workers=2, compactify=3.0)
    else:
        tree_distances(trees, workers=2, compactify=3.0, exact=True)
"""
BUSY = 1.0  # CPU s of each worker: it has its imports behind it
PATIENCE = 30.0  # s; a second on an idle machine

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")


def session(leader):
    """Return CPU seconds and command of the living processes in a session, by their id."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, own, *rest = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_text()
        except OSError:  # it has ended meanwhile
            continue
        if int(own) == leader and state not in "ZX":
            ticks = int(rest[7]) + int(rest[8])
            found[int(folder.name)] = (ticks / os.sysconf("SC_CLK_TCK"), command)
    return found


def until(condition, seconds):
    """Wait for a condition and return whether it came."""
    end = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return bool(met)


def with_busy_workers(tmp_path, which, busy):
    """Start the program and return it once both workers have used so many CPU seconds."""
    (tmp_path / "program.py").write_text(PROGRAM)
    program = subprocess.Popen(
        [sys.executable, "program.py", which],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )

    def are_busy():
        used = [cpu for cpu, command in session(program.pid).values() if "spawn_main" in command]
        return len(used) >= 2 and min(used) >= busy

    assert until(are_busy, 180), program.poll()
    return program


def clean_up(program):
    for process in session(program.pid):
        os.kill(process, signal.SIGKILL)
    program.wait()
    program.stderr.close()


@needs_proc
@pytest.mark.parametrize(
    ("which", "busy"), [("nearest", BUSY), ("distances", BUSY), ("distances", 0.0)]
)
def test_an_interrupt_ends_the_call_and_its_workers(tmp_path, which, busy):
    program = with_busy_workers(tmp_path, which, busy)
    try:
        os.killpg(program.pid, signal.SIGINT)  # as a terminal sends it, to all of them
        assert until(lambda: program.poll() is not None, PATIENCE)
        assert program.returncode == -signal.SIGINT
        assert until(lambda: not session(program.pid), PATIENCE)
        said = program.stderr.read()
        # No worker has a traceback of its own. The thread of Python 3.11's pool can have one, if it
        # loses the race with the futures that the interrupt cancels.
        assert "Process Spawn" not in said
        assert said.rstrip().endswith("KeyboardInterrupt")
    finally:
        clean_up(program)


@needs_proc
@pytest.mark.parametrize("which", ["nearest", "distances"])
def test_no_worker_outlives_a_killed_caller(tmp_path, which):
    program = with_busy_workers(tmp_path, which, BUSY)
    try:
        program.kill()
        assert until(lambda: not session(program.pid), PATIENCE)
    finally:
        clean_up(program)


def test_a_function_as_norm_reaches_the_workers():
    rng = np.random.default_rng(0)
    trees = [random_tree(rng, 3, shape="chain") for _ in range(8)]
    found = nearest_trees(
        trees, k=2, norm=lambda z: float((z * z).sum()), compactify=3.0, workers=2
    )
    expected = nearest_trees(trees, k=2, norm=SplitNorm(), compactify=3.0)
    assert [[n.index for n in row] for row in found] == [[n.index for n in row] for row in expected]
