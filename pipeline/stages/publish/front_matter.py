# SPDX-License-Identifier: Apache-2.0
"""The front matter of the card: what the Hub and `datasets` read."""

from __future__ import annotations

from collections.abc import Iterator

from aa_dataset.untrusted.foreign_text import yaml_text
from pipeline.stages.publish.facts import Facts
from pipeline.stages.publish.views import DEFAULT, View

TAGS = ("3d", "articulated-objects", "croissant", "kinematics", "robotics", "simulation", "urdf")
# The Hub's classes of size, by the number of rows below which each ends.
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def front_matter(facts: Facts) -> list[str]:
    """Return the lines of the YAML block with which the card begins."""
    lines = ["---", *_license_lines(facts), "pretty_name: ArticulateArena"]
    lines += ["annotations_creators:", "- machine-generated", "language:", "- en"]
    lines += ["size_categories:", f"- {yaml_text(size_category(facts.seal.objects))}"]
    lines += ["task_categories:", "- robotics", "- image-to-3d", "tags:"]
    lines += [f"- {yaml_text(tag)}" for tag in TAGS]
    if facts.views:
        lines += ["configs:", *(line for view in facts.views for line in _config_lines(view))]
    return [*lines, "---"]


def size_category(objects: int) -> str:
    """Return the Hub's class of a number of objects."""
    return next(name for most, name in SIZES if objects < most)


def _license_lines(facts: Facts) -> list[str]:
    kinds = sorted({license.lower() for _, license, _, _ in facts.terms})
    if len(kinds) == 1:
        return [f"license: {yaml_text(kinds[0])}"]
    return ["license: other", "license_name: per-object", "license_link: LICENSE"]


def _config_lines(view: View) -> Iterator[str]:
    yield f"- config_name: {view.config}"
    if view.config == DEFAULT:
        yield "  default: true"
    yield "  data_files:"
    for split, files in view.splits.items():
        yield f"  - split: {split}"
        yield "    path:"
        yield from (f"    - {yaml_text(file)}" for file in files)
