# SPDX-License-Identifier: Apache-2.0
"""Planning for 20,000 objects: time and memory of `snakemake -n` with full inventories.

The reference of the same run is `snakemake --version`, what Snakemake costs before it plans.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
PARTS = ("Snakefile", "config.yaml", "constraints.txt", "LICENSE", "pipeline", "aa_dataset",
         "taxonomy", "profiles")  # fmt: skip
OBJECTS = 20_000
SHARDS = 80


def main() -> None:
    """Print one table."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_workspace(root)
        floor = measure(["--version"], root)
        first = measure(["-n", "--quiet"], root)
        again = measure(["-n", "--quiet"], root)
    print(f"planning {OBJECTS:,} objects in {SHARDS} shards (budget 15 s, 500 MB)")
    for name, (seconds, megabytes) in {
        "snakemake --version (floor)": floor,
        "snakemake -n, raw files digested for the first time": first,
        "snakemake -n, digests known": again,
    }.items():
        print(f"  {name:<54}{seconds:>7.1f} s {megabytes:>7.0f} MB")


def make_workspace(root: Path) -> None:
    """Copy the workflow and write 20,000 tiny raw objects, so that inventories are real."""
    for name in PARTS:
        source = REPOSITORY / name
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, root / name)
    config = (root / "config.yaml").read_text()
    (root / "config.yaml").write_text(
        config.replace("sources: {}", f"sources: {{generated: {{shards: {SHARDS}}}}}")
    )
    raw = root / "work/raw/generated"
    for number in range(OBJECTS):
        folder = raw / f"object_{number:05d}"
        folder.mkdir(parents=True)
        (folder / "meta.json").write_text(f'{{"name": "object {number}"}}')


def measure(words: list[str], root: Path) -> tuple[float, float]:
    """Return wall seconds and peak resident megabytes of one Snakemake call."""
    start = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "snakemake", *words],
        cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stderr is not None
    message = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(message.decode())
    return time.perf_counter() - start, usage.ru_maxrss / 1000


if __name__ == "__main__":
    main()
