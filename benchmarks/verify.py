# SPDX-License-Identifier: Apache-2.0
"""CPU time of verify per object of the generated collection, beside reading the object's GLB."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aa_dataset.format.layout import GLB, URDF
from aa_dataset.kinematics.urdf import parse_urdf
from pipeline.base.assets import AssetRange, pack
from pipeline.engine.config import load_config
from pipeline.engine.runner import Task
from pipeline.engine.settings import Config, NormalizeSettings, VerifySettings, select
from pipeline.generate.emit import emit, object_files
from pipeline.generate.registry import family_names
from pipeline.handover.ingested import IngestedRecord
from pipeline.raw.records import Frame
from pipeline.shapes.glb import read_links
from pipeline.stages.normalize.stage import NormalizeInput, normalize
from pipeline.stages.verify.stage import VerifyInput, verify

RAW = IngestedRecord("x", "x", (".",), "model.urdf", "urdf", Frame("z", "x"), "metric", 1.0)


def main() -> None:
    """Measure one object per family and print one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="take every n-th family")
    names = family_names()[:: parser.parse_args().every]
    config, spent = load_config(), {"normalize": 0.0, "verify": 0.0, "reading the GLB": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            measure(Path(folder), name, config, spent)
    print(f"verify, CPU per object, mean of {len(names)} families")
    for what, seconds in spent.items():
        print(f"  {what:<40}{1000 * seconds / len(names):10.1f} ms")
    print(f"  verify over reading the GLB {spent['verify'] / spent['reading the GLB']:22.1f}")


def measure(folder: Path, name: str, config: Config, spent: dict[str, float]) -> None:
    """Add the CPU times of one object."""
    emit(folder, name, files=object_files(name, 0, seed=1))
    task = Task("x", NormalizeInput(folder / name, RAW))
    settings = select(config, NormalizeSettings)
    made = timed(spent, "normalize", lambda: normalize(task, settings))
    fragment = pack("x", made.files)
    tar = folder / "object.tar"
    tar.write_bytes(fragment + bytes(1024))
    where = AssetRange(tar, 0, len(fragment))
    order = Task("x", VerifyInput(made.record, where, ""))
    timed(spent, "verify", lambda: verify(order, select(config, VerifySettings)))
    links = tuple(link.name for link in parse_urdf(made.files[URDF]).links)
    timed(spent, "reading the GLB", lambda: read_links(made.files[GLB], links, looks=False))


def timed(spent: dict[str, float], what: str, work: Callable[[], Any]) -> Any:
    """Run something and add its CPU time."""
    start = time.process_time()
    answer = work()
    spent[what] += time.process_time() - start
    return answer


if __name__ == "__main__":
    main()
