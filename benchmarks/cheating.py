# SPDX-License-Identifier: Apache-2.0
"""Measures what tricks in a submission gain: the table of docs/scoring.md.

``PYTHONPATH=. python benchmarks/cheating.py [--objects 200] [--only KEY ...]``. The truth is that
of the newest frozen benchmark, as tables without meshes, so that nothing needs to be built.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aa_dataset import load_dataset
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import TABLES
from aa_dataset.format.truth import Truth
from aa_dataset.format.validation import BLOCK
from benchmarks.all_pairs_library import NOWHERE, filled
from benchmarks.cheating_submissions import Case, headlines, noisy, urdf_text, write_submissions
from pipeline.base.seal import seal_folder
from pipeline.base.tables import write_table
from pipeline.stages.split.frozen import FrozenList, frozen_versions, read_frozen

LIMIT_S = 600
REPOSITORY = Path(__file__).resolve().parents[1]
COLUMNS = {
    "E_alpha^phi": "e_alpha_phi mean_over_joints",
    "E_alpha": "e_alpha mean_over_joints",
    "E_B [m]": "e_b mean_over_joints",
    "tree": "e_alpha_phi_tree mean_of_objects",
}
Row = dict[str, Any]


def main() -> None:
    """Write library and submissions, score them all, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=200, help="objects of the split")
    parser.add_argument("--only", nargs="+", metavar="KEY", help="submissions to score")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        frozen = read_frozen(frozen_versions()[-1])
        write_frozen_library(root / "library", frozen, arguments.objects)
        show_header()
        for key, text, folder in write_submissions(frozen_case(root), root / "submissions"):
            if not arguments.only or key in arguments.only:
                show_row(key, text, scored(folder, root))


def write_frozen_library(root: Path, frozen: FrozenList, count: int) -> None:
    """Write the truth of a frozen list as a library with only tables."""
    layout = LibraryLayout(root)
    layout.assets.mkdir(parents=True)
    rows: dict[str, list[Row]] = {name: [] for name in TABLES}
    names = sorted(frozen.truths)
    for object_id in names[:: max(1, len(names) // count)][:count]:
        truth = frozen.truths[object_id]
        digest = frozen.contents[object_id]
        facts: Row = {**NOWHERE, "source": "generated", "content_sha256": digest}
        facts |= {"is_metric": truth.is_metric, "extents": list(truth.extents)}
        rows["objects"].append(filled("objects", object_id=object_id, **facts))
        rows["joints"] += joint_rows(object_id, truth)
        for split in ("library", "eval200_00000000"):
            member = {"object_id": object_id, "content_sha256": digest}
            rows["splits"].append(filled("splits", split=split, **member))
    rows["splits"].sort(key=lambda row: (row["split"], row["object_id"]))
    layout.asset(str(NOWHERE["shard"])).write_bytes(bytes(BLOCK))
    for name, schema in TABLES.items():
        write_table(layout.table(name), rows[name], schema)
    seal_folder(layout, name="articulatearena-20k", expected=19977, benchmark=None, marks={})


def joint_rows(object_id: str, truth: Truth) -> list[Row]:
    """Return the rows of the joints table of one object."""
    rows = []
    for joint in truth.joints:
        known: Row = {name: plain(name, value) for name, value in joint.items()}
        mimic = known.pop("mimic_joint")
        if mimic is not None:
            names = ("multiplier", "offset")
            numbers = {name: joint[f"mimic_{name}"][0] for name in names}  # type: ignore[index]
            known["mimic"] = {"joint": mimic, **numbers}
        rows.append(filled("joints", object_id=object_id, **known))
    return rows


def plain(name: str, value: Any) -> Any:
    """Return a value of a frozen list as the tables have it."""
    if not isinstance(value, tuple):
        return value
    return list(value) if name in ("axis", "origin", "body_com", "body_inertia") else value[0]


def frozen_case(root: Path) -> Case:
    """Return the truth of the library, its noise, and the truth as files to link to."""
    dataset = load_dataset(root / "library", split="eval200", verbose=False)
    truth = {item.object_id: item.tree for item in dataset}
    sizes = {item.object_id: math.hypot(*item.extents) for item in dataset}
    files = {}
    for name, tree in truth.items():
        files[name] = root / "truth" / name / "object.urdf"
        files[name].parent.mkdir(parents=True)
        files[name].write_text(urdf_text(tree))
    return Case(truth, noisy(truth, sizes), files)


def scored(folder: Path, root: Path) -> Mapping[str, Any] | str:
    """Return the result that `aa score` prints, or what went wrong."""
    words = ["score", str(folder), "--split", "eval200", "--json", "--library"]
    command = [sys.executable, "-m", "aa_dataset.cli", *words, str(root / "library")]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "AA_HOME": str(root / "home")}
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no end in {LIMIT_S} s"
    if done.returncode not in (0, 1):
        return done.stderr.decode().strip().splitlines()[-1][:60]
    return dict(json.loads(done.stdout))


def show_header() -> None:
    """Print the head of the table."""
    names = ("Gen %", *COLUMNS)
    print(f"| submission | {' | '.join(names)} |")
    print("|---|" + "---:|" * len(names), flush=True)


def show_row(key: str, text: str, result: Mapping[str, Any] | str) -> None:
    """Print one submission."""
    print(f"| `{key}`: {text} | {' | '.join(row_cells(result))} |", flush=True)


def row_cells(result: Mapping[str, Any] | str) -> list[str]:
    """Return Gen and the headlines of one result."""
    if isinstance(result, str):
        return [result, *("" for _ in COLUMNS)]
    numbers = headlines(result)
    shown = [f"{numbers[key]:.4g}" if key in numbers else "none" for key in COLUMNS.values()]
    return [f"{generated_percent(result):.4g}", *shown]


def generated_percent(result: Mapping[str, Any]) -> float:
    """Return Gen from a result of the old form or the new."""
    if "generated_percent" in result:
        return float(result["generated_percent"])
    return 100.0 * result["counts"]["scored"] / result["counts"]["objects"]


if __name__ == "__main__":
    main()
