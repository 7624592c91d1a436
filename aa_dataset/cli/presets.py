# SPDX-License-Identifier: Apache-2.0
"""``aa score --preset NAME``: what the evaluation code of another project would report."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aa_dataset.dataset import Dataset
    from aa_dataset.score.presets import Preset, PresetRow
    from aa_dataset.score.readers import PredictionReader
    from aa_dataset.score.result.record import Result

NAMES = (
    "ditto", "paris", "real2code", "articulate-anything-paper", "articulate-anything-code",
    "urdf-anything", "spark", "s2o",
)  # fmt: skip
Report = tuple["Preset", tuple["PresetRow", ...]]


def add_preset(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--preset",
        action="append",
        default=[],
        choices=NAMES,
        metavar="NAME",
        help=f"also print what a project would report; may be repeated: {', '.join(NAMES)}",
    )


def preset_reports(
    names: Sequence[str], result: Result, dataset: Dataset, predictions: PredictionReader
) -> list[Report]:
    """Return the numbers of every preset for the pairs of a run."""
    from aa_dataset.score.presets import by_name
    from aa_dataset.score.presets.pairs import scored_pairs

    reports = []
    for preset in map(by_name, dict.fromkeys(names)):
        pairs, spurious = scored_pairs(result.per_joint, dataset, predictions, preset.protocol)
        reports.append((preset, preset.compute(pairs, spurious=spurious)))
    return reports


def report_texts(reports: Sequence[Report]) -> list[str]:
    """Return the reports as lines."""
    from aa_dataset.score.presets.report import preset_lines

    return [line for report in reports for line in ("", *preset_lines(*report))]


def report_content(reports: Sequence[Report]) -> list[dict[str, Any]]:
    """Return the reports as JSON types."""
    from aa_dataset.score.presets.report import preset_content

    return [preset_content(*report) for report in reports]
