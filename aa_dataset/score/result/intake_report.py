# SPDX-License-Identifier: Apache-2.0
"""Lines of a report about readers and registrations."""

from __future__ import annotations

import math

from aa_dataset.score.parameters import Parameters
from aa_dataset.score.result.intake import Intake, StatedMeans

MOST_NOTES = 5
SOURCES = {
    "identity": "taken as they are",
    "saved": "by what the method saved",
    "inputs": "by inputs.json",
    "file": "by registration.json",
    "bbox": "estimated by bbox",
    "icp": "estimated by icp",
}
Named = tuple[str, str]


def intake_lines(intake: Intake, how: Parameters) -> list[Named]:
    """Return names and texts: which reader read how many predictions, and where they were put."""
    read = [f"{one['reader']} {one['objects']} ({one['reason']})" for one in intake.readers]
    lines = [("readers", "; ".join(read) or "none"), ("frame", how.frame)]
    lines.append(("", f"registration {how.registration}: {_placed_text(intake)}"))
    lines.append(("", f"anchor {how.anchor} (q = 0 on both sides)"))
    lines += [("", _stated_text(one)) for one in intake.stated]
    shown = [f"{one['note']} ({one['objects']})" for one in intake.notes[:MOST_NOTES]]
    if more := len(intake.notes) - len(shown):
        shown.append(f"and {more} more notes, in per_object")
    return lines + [("notes" if k == 0 else "", text) for k, text in enumerate(shown)]


def _placed_text(intake: Intake) -> str:
    parts = [f"{count} {SOURCES[name]}" for name, count in intake.registrations.items()]
    for count, text in (
        (intake.reanchored, "brought from another state"),
        (intake.ambiguous, "ambiguous"),
        (intake.uses_truth, "with the help of the truth (dagger)"),
    ):
        if count:
            parts.append(f"{count} {text}")
    return ", ".join(parts) or "no prediction"


def _stated_text(one: StatedMeans) -> str:
    """Say what `--registration stated` would give, beside what was scored."""
    return (
        f"{one.objects} predictions of {one.scale} objects state another frame, unit or state, "
        "which is not applied. With --registration stated: E_alpha^phi "
        f"{_number(one.joints_stated)} instead of {_number(one.joints)}, tree "
        f"{_number(one.trees_stated)} instead of {_number(one.trees)}"
    )


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4g}"
