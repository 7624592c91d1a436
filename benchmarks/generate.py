# SPDX-License-Identifier: Apache-2.0
"""The generated collection at full size: objects per second and core.

The floor of the same run is writing as many files of the same size without computing anything.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from pipeline.generate.collection import generate_collection


def main() -> None:
    """Generate the collection and print one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20_000)
    count = parser.parse_args().count
    workers = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "generated"
        root.mkdir()
        start, cpu = time.perf_counter(), cpu_seconds()
        generate_collection(root, seed=1, count=count, workers=workers)
        wall, cpu = time.perf_counter() - start, cpu_seconds() - cpu
        files = [path for path in root.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        floor = write_floor(Path(folder) / "floor", len(files), size)
    print(f"generating {count:,} objects, {len(files):,} files, {size / 1e6:,.0f} MB")
    print(f"  objects per CPU second (goal 20)        {count / cpu:10.1f}")
    print(f"  objects per second, {workers} workers           {count / wall:10.1f}")
    print(f"  CPU seconds                             {cpu:10.1f}")
    print(f"  CPU seconds of writing alone (floor)    {floor:10.1f}")


def cpu_seconds() -> float:
    """Return the CPU time of this process and of the children that have ended."""
    return sum(os.times()[:4])


def write_floor(root: Path, count: int, size: int) -> float:
    """Write `count` equal files of `size` bytes in total; return the CPU seconds."""
    data = os.urandom(size // max(count, 1))
    start = cpu_seconds()
    for number in range(count):
        path = root / f"{number // 20:06d}"
        if number % 20 == 0:
            path.mkdir(parents=True)
        (path / f"{number:08d}").write_bytes(data)
    return cpu_seconds() - start


if __name__ == "__main__":
    main()
