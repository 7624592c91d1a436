# SPDX-License-Identifier: Apache-2.0
"""From a folder to a training loop: tables, states, objects and batches, each beside its goal.

Tables of 20,000 objects with 150,000 joints are made first (`training_tables.py`) and opened in a
process of their own; Hugging Face `datasets`, if it is installed, opens the same files in another.
Objects and batches come from `library` in this folder. Times are of the processor, so that other
work on the machine counts little, and the best of some rounds where a step can be repeated. Only
the loaders with workers are timed by the clock, in turns.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from aa_dataset import load_dataset
from aa_dataset.dataset import Dataset
from aa_dataset.format.layout import GLB, URDF
from aa_dataset.kinematics import Joint, KinematicTree
from aa_dataset.kinematics.states import posed
from aa_dataset.objects import ArticulatedObject
from aa_dataset.render.glb import read_glb
from benchmarks.training_tables import write_tables

STATES, LINKS, POINTS, WORKERS, ROUNDS = 10_000, 20, 2048, 2, 5
READS = 300  # objects that are read one by one
GOALS_S = {"open": 0.3, "rows": 0.2, "arrays": 0.05, "trees": 20.0}
GOAL_MB = 250
# Run with the folder of the tables as argument; prints seconds and the largest memory. pyarrow
# would import pandas, if it is installed, in the first call that makes an array, so it is hidden.
OURS = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "pandas":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hidden())
import time, numpy, pyarrow.parquet, pyarrow.compute, scipy, json
import aa_dataset.load
from pathlib import Path
def timed(work):
    start = time.process_time(); work(); return time.process_time() - start
start = time.process_time()
dataset = aa_dataset.load.load_dataset(Path(sys.argv[1]), verbose=False)
found = {"open": time.process_time() - start}
if len(sys.argv) > 2:
    sys.exit(print(json.dumps(found)))
found["rows"] = timed(lambda: [(i.object_id, i.category, i.license) for i in dataset])
found["first arrays"] = timed(dataset.joint_arrays)
found["arrays"] = min(timed(dataset.joint_arrays) for _ in range(5))
found["trees"] = timed(lambda: sum(item.tree.depth for item in dataset))
lines = Path("/proc/self/status").read_text().splitlines()
peak = [line.split()[1] for line in lines if line.startswith("VmHWM")]
print(json.dumps({**found, "MB": int(peak[0]) / 1024 if peak else None}))
"""
THEIRS = """
import sys, time, datasets, json
datasets.disable_progress_bars()
times = []
for _ in range(2):
    start = time.process_time()
    made = datasets.load_dataset("parquet", data_files=sys.argv[1:2], cache_dir=sys.argv[2])
    times.append(time.process_time() - start)
start = time.process_time()
names = ("object_id", "category", "license")
rows = [tuple(row[name] for name in names) for row in made["train"].select_columns(list(names))]
print(json.dumps({"first": times[0], "again": times[1], "rows": time.process_time() - start}))
"""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, default=Path("library"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print_tables(Path(folder))
    print_states()
    if not given.library.is_dir():
        sys.stderr.write(f"{given.library} does not exist; `make library` builds it.\n")
        return
    dataset = load_dataset(given.library, verbose=False)
    print_objects(dataset)
    print_batches(given.library)


def print_tables(folder: Path) -> None:
    """Open the tables in processes of their own."""
    root = write_tables(folder / "library")
    found = child(OURS, str(root))
    again = (child(OURS, str(root), "open alone")["open"] for _ in range(ROUNDS))
    found["open"] = min(found["open"], *again)
    print("tables of 20,000 objects and 150,000 joints, s")
    names = {
        "open": "open, beyond imports",
        "rows": "id, category and license of every object",
        "first arrays": "all joint arrays, reading and checking the table",
        "arrays": "all joint arrays, from then on",
        "trees": "all trees",
    }
    for key, name in names.items():
        goal = f"  (goal {GOALS_S[key]:g})" if key in GOALS_S else ""
        print(f"  {name:<50}{found[key]:>8.3f}{goal}")
    if found["MB"] is not None:
        print(f"  {'largest memory, MB':<50}{found['MB']:>8.0f}  (goal {GOAL_MB})")
    plain = str(objects_without_maps(root))
    others = [child(THEIRS, plain, str(folder / f"cache{k}")) for k in range(ROUNDS)]
    if None in others:
        print("  Hugging Face `datasets` is not installed")
        return
    other = {key: min(one[key] for one in others) for key in others[0]}
    print(f"  {'datasets.load_dataset, the first time':<50}{other['first']:>8.3f}")
    print(f"  {'datasets.load_dataset, from its cache':<50}{other['again']:>8.3f}")
    print(f"  {'the same three columns of its rows':<50}{other['rows']:>8.3f}")


def objects_without_maps(root: Path) -> Path:
    """Return a copy of the objects table without maps, which `datasets` does not open."""
    import pyarrow.parquet as pq
    import pyarrow.types as kinds

    table = pq.read_table(root / "objects.parquet")
    maps = [field.name for field in table.schema if kinds.is_map(field.type)]
    pq.write_table(table.drop_columns(maps), root / "plain.parquet", compression="zstd")
    return root / "plain.parquet"


def child(code: str, *words: str) -> Any:
    """Run Python code in a process of its own and parse what it prints; None without `datasets`."""
    command = [sys.executable, "-c", code, *words]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode and "No module named 'datasets'" in done.stderr:
        return None
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def print_states() -> None:
    """Pose an object of 20 joints in 10,000 states."""
    rng = np.random.default_rng(0)
    print(f"{STATES:,} states of an object with {LINKS} joints, ms")
    for name, parent in (("one chain", lambda k: k), ("all at the base", lambda k: 0)):
        joints = tuple(
            Joint(
                f"j{k}", "prismatic" if k % 3 == 2 else "revolute", rng.normal(size=3),
                rng.normal(size=3), -1.0, 1.0, parent=f"l{parent(k)}", child=f"l{k + 1}",
            )
            for k in range(LINKS)
        )  # fmt: skip
        tree = KinematicTree("made", tuple(f"l{k}" for k in range(LINKS + 1)), joints)
        states = rng.uniform(-1, 1, (STATES, LINKS))
        seconds = min(cpu(lambda t=tree, q=states: posed(t, q)) for _ in range(9))
        print(f"  {name:<50}{1e3 * seconds:>8.1f}  (goal 50)")


def print_objects(dataset: Dataset) -> None:
    """Read random objects from the tars of a library, each for the first time."""
    order = random.Random(0).sample(range(len(dataset)), min(READS, len(dataset)))
    dataset[order[0]].read(URDF)

    def read(item: ArticulatedObject) -> None:
        item.read(URDF)
        item.tree  # noqa: B018
        item.read(GLB)

    times = [cpu(lambda k=k: read(dataset[k])) for k in order[1:]]
    print(f"a random object of {len(dataset):,} from a tar: URDF, tree and GLB, checked, ms")
    print(f"  {'median':<50}{1e3 * statistics.median(times):>8.2f}  (goal 10)")
    print(f"  {'95 % are below':<50}{1e3 * float(np.quantile(times, 0.95)):>8.2f}")


def print_batches(root: Path) -> None:
    """Compare a loader of joints and points with loaders that only read the GLBs."""
    try:
        kinds = loaders(root)
    except ImportError:
        print("torch is not installed")
        return
    print(f"a torch DataLoader with {WORKERS} workers")
    kept = [(name, made()) for name, made in kinds]
    print_rates("the first epoch, in which all files of every object are checked", kinds)
    print_rates("later epochs", [(name, lambda one=one: one) for name, one in kept])


def loaders(root: Path) -> list[tuple[str, Callable[[], Any]]]:
    """Return functions that open the library and make a loader; the last has joints and points."""
    from torch.utils.data import DataLoader

    from aa_dataset.adapters.torch import ObjectDataset, padded

    def loader(transform: Callable[..., Any] | None, points: int = 0) -> Any:
        dataset = load_dataset(root, verbose=False)
        samples = ObjectDataset(dataset, points=points, transform=transform)
        samples[0]  # workers begin with the modules that this process has imported
        collate = padded if transform is None else len
        return DataLoader(samples, 16, num_workers=WORKERS, collate_fn=collate)

    transforms: dict[str, Callable[..., Any]] = {
        "GLBs as bytes": lambda item, _: len(item.read(GLB)),
        "GLBs as arrays": lambda item, _: len(read_glb(item.read(GLB)).pieces),
        "GLBs by trimesh": lambda item, _: len(with_trimesh(item.read(GLB)).geometry),
    }
    kinds = [(name, lambda one=one: loader(one)) for name, one in transforms.items()]
    return [*kinds, (f"joints and {POINTS:,} points", lambda: loader(None, POINTS))]


def with_trimesh(data: bytes) -> Any:
    """Return the scene of a GLB."""
    import trimesh

    return trimesh.load(io.BytesIO(data), file_type="glb")


def print_rates(title: str, kinds: list[tuple[str, Callable[[], Any]]]) -> None:
    """Print the best of some rounds of every loader, and what share the last has of the others."""
    rates: dict[str, list[float]] = {name: [] for name, _ in kinds}
    costs: dict[str, list[float]] = {name: [] for name, _ in kinds}
    for _ in range(ROUNDS):
        for name, made in kinds:
            batches = made()
            used, start, count = workers_cpu(), time.perf_counter(), len(batches.dataset)
            for _batch in batches:
                pass
            rates[name].append(count / (time.perf_counter() - start))
            costs[name].append(1e3 * (workers_cpu() - used) / count)
    print(f"  {title:<64}  objects per s   CPU ms per object")
    for name, _ in kinds:
        print(f"    {name:<62}{max(rates[name]):>15.0f}{min(costs[name]):>20.2f}")
    *raw, ours = (name for name, _ in kinds)
    for name in raw:
        rate, cost = max(rates[ours]) / max(rates[name]), min(costs[name]) / min(costs[ours])
        print(f"    {100 * rate:.0f} % of {name} by the clock, {100 * cost:.0f} % by CPU (goal 80)")


def workers_cpu() -> float:
    """Return the CPU seconds of all finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
