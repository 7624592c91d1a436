# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline demo`: build the demo library that the wheel contains.

A dozen objects of the generated collection go through the real workflow in a temporary copy of this
checkout. The result replaces `aa_dataset/demo/library`, which is committed: who installs the wheel
has no pipeline, and a test builds it again and compares the bytes. Run this when that test asks for
it, for example after the tables of a library changed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from aa_dataset import load_dataset
from aa_dataset.format.benchmark import SPLIT
from aa_dataset.format.layout import DEMO_NAME, LibraryLayout, demo_folder
from aa_dataset.format.schema import TABLES
from aa_dataset.format.seal import read_seal
from aa_dataset.metric import contract
from pipeline.base import layout
from pipeline.base.errors import PipelineError
from pipeline.base.seal import seal_folder
from pipeline.base.tables import read_rows, write_bytes, write_table
from pipeline.engine.checked_yaml import read_yaml
from pipeline.engine.config import load_config
from pipeline.generate.emit import emit, object_files
from pipeline.generate.layout import object_name
from pipeline.stages.split.frozen import frozen_members
from pipeline.stages.split.near import near_duplicates
from pipeline.stages.split.stage import split_name

# Family and index of every object. Evaluation objects are members of the frozen split, so that a
# score on the demo means the same object as a score on the benchmark; all of them are small.
EVALUATION: tuple[tuple[str, int], ...] = (
    ("bottle", 4),
    ("safe", 10),
    ("sliding_door", 0),
    ("small_drawers", 1),
)
TRAIN: tuple[tuple[str, int], ...] = (
    ("cabinet", 0),
    ("lidded_box", 2),
    ("nightstand", 1),
    ("oven", 1),
    ("pointing_device", 3),
    ("safe", 0),
    ("sliding_door", 3),
    ("window", 5),
)
COPIED = ("Snakefile", "constraints.txt", "pipeline", "aa_dataset", "taxonomy")
PICTURE = {"backend": "embree", "size": 256}  # the renderer that every machine has
SOURCE = "generated"
CACHES = shutil.ignore_patterns("__pycache__")


def main(arguments: list[str]) -> int:
    """Build the demo library and put it in its place."""
    parser = argparse.ArgumentParser(prog="python -m pipeline demo", description=__doc__)
    parser.add_argument("--out", type=Path, help="folder to write instead, absent or empty")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args(arguments)
    target = given.out or demo_folder()
    if given.out and given.out.exists() and any(given.out.iterdir()):
        raise PipelineError(f"{given.out} is not empty. Choose another folder.")
    with tempfile.TemporaryDirectory(prefix="aa-demo-") as folder:
        built = build(Path(folder) / "checkout", given.cores)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(built.root, target)
    sizes = [path.stat().st_size for path in target.rglob("*") if path.is_file()]
    sys.stderr.write(f"{target}: {len(sizes)} files, {sum(sizes):,} bytes\n")
    return 0


def build(checkout: Path, cores: int) -> LibraryLayout:
    """Build the demo library in a copy of the checkout; return its folder."""
    config = load_config()
    _require_no_member(TRAIN)
    copy_checkout(checkout)
    for family, index in (*EVALUATION, *TRAIN):
        files = object_files(family, index, seed=config.generated.seed)
        emit(checkout / layout.RAW / SOURCE, object_name(family, index), files=files)
    _run_workflow(checkout, cores)
    library = LibraryLayout(checkout / layout.LIBRARY)
    _write_splits(library, config.split.near_duplicate)
    count = len(EVALUATION) + len(TRAIN)
    seal_folder(
        library,
        name=DEMO_NAME,
        expected=count,
        benchmark=None,
        marks={},
        credits=read_seal(library).credits,
    )
    return library


def _require_no_member(train: Iterable[tuple[str, int]]) -> None:
    for member in train:
        identifier = f"{SOURCE}-{object_name(*member)}"
        if identifier in frozen_members():
            raise PipelineError(f"{identifier} is a member of {SPLIT}: it cannot be in `train`.")


def copy_checkout(root: Path) -> None:
    """Copy what a build needs, with the settings of the demo."""
    root.mkdir(parents=True)
    for name in COPIED:
        if Path(name).is_dir():
            shutil.copytree(name, root / name, ignore=CACHES)
        else:
            shutil.copy2(name, root / name)
    content = read_yaml(layout.CONFIG)
    content |= {"name": DEMO_NAME, "sources": {SOURCE: {"shards": 1}}}
    content["render"] |= PICTURE
    write_bytes(root / layout.CONFIG, yaml.safe_dump(content, sort_keys=False).encode())


def _run_workflow(checkout: Path, cores: int) -> None:
    """Run Snakemake in the copy, up to the library; raise with the end of its output."""
    removed = ("PYTHONPATH", "PYTHONSAFEPATH")  # the modules of the copy are imported
    environment = {key: value for key, value in os.environ.items() if key not in removed}
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "library/library.json"]
    done = subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise PipelineError(f"The workflow failed:\n{(done.stdout + done.stderr)[-3000:]}")


def _write_splits(library: LibraryLayout, near_duplicate: float) -> None:
    """Replace the sampled split by the members of the frozen one, and what is far from them."""
    objects = read_rows(library.table("objects"))
    evaluation = {f"{SOURCE}-{object_name(*member)}" for member in EVALUATION}
    require_frozen(objects, evaluation)
    _require_apart(library, evaluation, near_duplicate)
    contents = {row["object_id"]: row["content_sha256"] for row in objects}
    reason = f"one of the {SPLIT} objects that the demo has"
    name = split_name({key: contents[key] for key in evaluation})
    members: dict[str, tuple[set[str], str]] = {
        name: (evaluation, reason),
        "library": ({*contents}, "all objects"),
        "train": ({*contents} - evaluation, f"neither in {name} nor a near-duplicate of it"),
    }
    rows = [
        {
            "split": split,
            "version": None,
            "object_id": identifier,
            "content_sha256": contents[identifier],
            "reason": why,
        }
        for split, (chosen, why) in sorted(members.items())
        for identifier in sorted(chosen)
    ]
    write_table(library.table("splits"), rows, TABLES["splits"])


def require_frozen(objects: list[dict[str, Any]], evaluation: set[str]) -> None:
    """Raise unless all objects are there, those of the frozen list with its contents."""
    frozen: Mapping[str, str] = frozen_members()
    wanted = {*evaluation, *(f"{SOURCE}-{object_name(*member)}" for member in TRAIN)}
    lost = wanted - {row["object_id"] for row in objects}
    if lost:
        raise PipelineError(f"{', '.join(sorted(lost))} did not come through the workflow.")
    for row in objects:
        identifier, content = row["object_id"], row["content_sha256"]
        if identifier in evaluation and frozen.get(identifier) != content:
            raise PipelineError(
                f"{identifier} is not the object of the frozen {SPLIT}. Find out why its bytes "
                "changed, or choose other objects."
            )


def _require_apart(library: LibraryLayout, evaluation: set[str], threshold: float) -> None:
    dataset = load_dataset(library.root, verbose=False)
    near = near_duplicates(
        evaluation,
        {item.object_id: item.category for item in dataset},
        {item.object_id: contract(item.tree) for item in dataset},
        threshold=threshold,
    )
    if near:
        raise PipelineError(
            f"{', '.join(sorted(near))}: near-duplicates of {SPLIT}. Choose others."
        )
