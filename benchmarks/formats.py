# SPDX-License-Identifier: Apache-2.0
"""Writes into docs/readers.md what each format costs before any method runs.

``PYTHONPATH=. python benchmarks/formats.py --library LIBRARY --out DIR``. The library must hold the
frozen benchmark. Every object is written in every format, read back, registered as stated, and
scored. It must cost exactly what the format forces: what the tree costs that the format keeps.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import numpy as np

from aa_dataset import load_dataset
from aa_dataset.dataset import Dataset
from aa_dataset.score.baselines.table import Number
from aa_dataset.score.evaluate import Plan, evaluate, evaluate_plan
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.registration.inputs import Inputs
from aa_dataset.score.registration.stated import Stated
from aa_dataset.score.result.record import Result
from aa_dataset.score.result.scores import ALL_JOINTS
from aa_dataset.score.result.statistics import HEADLINE, OF_OBJECTS, RATE
from aa_dataset.score.simulated.folder import inputs_beside, write_simulated
from aa_dataset.score.simulated.kept import KeptPredictions
from aa_dataset.score.simulated.registry import NAMES

PAGE = Path(__file__).resolve().parents[1] / "docs/readers.md"
BEGIN, END = "<!-- formats: begin, from benchmarks/formats.py -->", "<!-- formats: end -->"
HEAD = (
    "format", "objects fully expressed", "joints lost", "types changed", "without limits",
    "success %", "E_B [m]", "E_alpha^phi", "tree",
)  # fmt: skip
FORCED = 1e-5  # numbers of single precision, relative and per joint
FULLY = 1e-6  # of the tree distance: numbers of single precision are off by less
_MEANS = (
    ("parallel_safe_success", RATE, ALL_JOINTS, 100.0),
    ("e_b", HEADLINE, ALL_JOINTS, 1.0),
    ("e_alpha_phi", HEADLINE, ALL_JOINTS, 1.0),
    ("e_alpha_phi_tree", OF_OBJECTS, "", 1.0),
)


def main() -> None:
    """Score the truth in every format and replace what stands between the marks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="folder of a library")
    parser.add_argument("--out", required=True, type=Path, help="new folder for all files")
    arguments = parser.parse_args()
    dataset = load_dataset(arguments.library, split="eval200", verbose=False)
    if dataset.benchmark is None:
        raise SystemExit("This library has sampled its own split. Build the default library.")
    arguments.out.mkdir()
    table = table_of(dataset, arguments.out)
    PAGE.write_text(replaced(PAGE.read_text(), table))


def table_of(dataset: Dataset, folder: Path) -> str:
    """Return the table as Markdown; the files of every format go to a folder."""
    lines = [f"| {' | '.join(HEAD)} |", f"|---|{'---:|' * (len(HEAD) - 1)}"]
    for name in NAMES:
        sys.stderr.write(f"{name}\n")
        result = scored(name, dataset, folder / name)
        require_forced(result, evaluate(dataset, KeptPredictions(name, dataset), workers=None))
        cells = [f"`{name}`", *cells_of(result)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def scored(name: str, dataset: Dataset, folder: Path) -> Result:
    """Write the truth in a format and score it as anybody would."""
    write_simulated(name, dataset, folder)
    inputs = Inputs(inputs_beside(folder))
    predictions = open_predictions(folder, reader=name, registrar=Stated(inputs), inputs=inputs)
    return evaluate_plan(Plan(dataset, predictions, Parameters()))


def require_forced(found: Result, forced: Result) -> None:
    """Stop if an object costs anything else than what its format forces."""
    joints = np.maximum(1, found.per_object["joints"].to_numpy())  # a file rounds each of them
    for column in ("e_alpha_phi_tree_cost", "e_b_phi_tree_cost"):
        ours, theirs = (one.arrays.object_numbers(column) for one in (found, forced))
        off = np.abs(ours - theirs) > FORCED * np.maximum(joints, np.abs(theirs))
        if off.any() or (np.isnan(ours) != np.isnan(theirs)).any():
            names = found.per_object["object_id"].to_pylist()
            raise SystemExit(
                f"{found.method.name}: {names[int(off.argmax())]} costs more, {column}."
            )


def cells_of(result: Result) -> list[str]:
    """Return the numbers of one format."""
    costs = result.arrays.object_numbers("e_alpha_phi_tree_cost")
    counts = result.joint_counts()
    pairs = [row for row in result.rows() if row["role"] == "truth" and row["predicted"]]
    changed = sum(row["type"] != row["predicted_type"] for row in pairs)
    lost = counts["ground_truth"] - len(pairs)
    whole = [int((costs <= FULLY).sum()), lost, changed, counts["limits_absent"]]
    return [*map(str, whole), *(_mean(result, *words) for words in _MEANS)]


def _mean(result: Result, score: str, statistic: str, protocol: str, factor: float) -> str:
    """Return a mean over metric objects if there are some, to three digits."""
    found = result.summary.find(score, statistic, protocol=protocol)
    value = float("nan") if found is None else factor * found.estimate
    return str(Number(0.0, 0.0, 0.0) if abs(value) < FULLY else Number(value, value, value))


def between(text: str) -> str:
    """Return what stands between the marks."""
    found = re.search(f"{re.escape(BEGIN)}\n\n(.*?)\n{re.escape(END)}", text, re.S)
    assert found is not None, "docs/readers.md has lost its marks"
    return found[1]


def replaced(text: str, table: str) -> str:
    """Return the text with another table between the marks."""
    return text.replace(f"\n\n{between(text)}\n{END}", f"\n\n{table}\n{END}")


if __name__ == "__main__":
    main()
