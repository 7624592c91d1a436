# SPDX-License-Identifier: Apache-2.0
"""Cost of getting one object from the Hub: requests, bytes and time, against a Hub on loopback.

The library is `AA_LIBRARY`, else one of made objects of 1.5 MB. The references of the same run are
the same range with the client's bare session, and the object from the tar on this disk. The server
counts the requests and the bytes that it sends.
"""

from __future__ import annotations

import hashlib
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from aa_dataset import load_dataset
from tests.hub_server import Hub
from tests.kit.hub_data import Repository
from tests.kit.library_folder import build_library
from tests.kit.library_objects import LIBRARY_OBJECTS
from tests.loopback import folder_files

REPO, OBJECTS, PADDING = "someone/arena", 40, 1_500_000


def main() -> None:
    """Serve a library and measure it in a process that has the Hub's address from its start."""
    if len(sys.argv) > 1:
        client(Path(sys.argv[1]), sys.argv[2])
        return
    with tempfile.TemporaryDirectory() as folder, Hub() as hub:
        given = os.environ.get("AA_LIBRARY")
        library = Path(given) if given else made_library(Path(folder) / "library")
        repository = hub.repositories[REPO] = Repository()
        repository.commit(folder_files(library))
        environment = os.environ | {
            "HF_ENDPOINT": hub.address,
            "HF_HOME": f"{folder}/hf",
            "AA_HOME": f"{folder}/home",
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        command = [sys.executable, __file__, str(library), f"{folder}/local"]
        subprocess.run(command, env=environment, check=True)
        report(hub)


def made_library(root: Path) -> Path:
    """Write objects with a file of random bytes each."""
    draw, base = random.Random(0), LIBRARY_OBJECTS[0]
    objects = tuple(
        replace(
            base,
            object_id=f"generated-{number}",
            extra_files={"meshes/texture.bin": draw.randbytes(PADDING)},
        )
        for number in range(OBJECTS)
    )
    return build_library(root, objects)


def client(library: Path, home: str) -> None:
    """Print the times of one object, median of some."""
    start = time.perf_counter()
    dataset = load_dataset(name_of(library), repo_id=REPO, verbose=False)
    print(
        f"{len(dataset):,} objects; opened with the tables in {time.perf_counter() - start:.2f} s"
    )
    local = load_dataset(library, cache_dir=home, verbose=False)
    chosen = dataset.shuffle(0)[:OBJECTS].object_ids
    dataset[chosen[0]].read("object.urdf")  # the first request also connects
    size = statistics.median(dataset[one].fact("size") for one in chosen)
    print(f"one object of {size:,.0f} bytes (median of {len(chosen) - 1}), ms")
    for what, work in (
        ("the range alone, bare client", lambda one: bare(dataset[one].row, dataset)),
        ("load_dataset, range and digest", lambda one: dataset[one].read("object.urdf")),
        ("from the tar on this disk", lambda one: local[one].read("object.urdf")),
    ):
        middle = statistics.median(timed(work, one) for one in chosen[1:])
        print(f"  {what:<34}{1e3 * middle:>8.1f}")


def name_of(library: Path) -> str:
    """Return the name of a library."""
    return load_dataset(library, verbose=False).name


def bare(row: int, dataset: object) -> bytes:
    """Get the range of an object with the client's session and nothing else."""
    from huggingface_hub import get_session, hf_hub_url

    place, origin = dataset.catalog.place(row), dataset.catalog.origin  # type: ignore[attr-defined]
    address = hf_hub_url(
        REPO, f"assets/{place.path.name}", repo_type="dataset", revision=origin.commit
    )
    span = {"Range": f"bytes={place.offset}-{place.offset + place.size - 1}", "X-Bare": "yes"}
    return bytes(get_session().get(address, headers=span, follow_redirects=True).content)


def timed(work: Callable[[str], object], one: str) -> float:
    """Return the seconds that something takes."""
    start = time.perf_counter()
    work(one)
    return time.perf_counter() - start


def report(hub: Hub) -> None:
    """Print what the server counted of the tars, without the bare client."""
    tars = {
        hashlib.sha256(data).hexdigest()
        for files in hub.repositories[REPO].commits.values()
        for name, data in files.items()
        if name.endswith(".tar")
    }
    large = [(path, h) for _, path, h in hub.requests if path.rpartition("/")[2] in tars]
    spans = [length(headers) for _, headers in large if "x-bare" not in headers]
    others = sum(length(headers) for _, headers in large if "x-bare" in headers)
    first = [path for _, path, h in hub.requests if path.endswith(".tar") and "x-bare" not in h]
    sent = sum(size for path, size in hub.sent if path.rpartition("/")[2] in tars) - others
    requests = (len(first) + len(spans)) / len(spans)
    print(f"the server saw {requests:.2f} requests per object (at most 2)")
    print(f"and sent {sent:,} bytes for {len(spans)} objects, which have {sum(spans):,}")


def length(headers: Mapping[str, str]) -> int:
    """Return the length [B] of the range that a request asks for."""
    first, last = map(int, headers["range"].removeprefix("bytes=").split("-"))
    return last - first + 1


if __name__ == "__main__":
    main()
