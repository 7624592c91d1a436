# SPDX-License-Identifier: Apache-2.0
"""``aa info``: what a library holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pyarrow.compute as pc

from aa_dataset.dataset import Dataset

_NO_VERSION = "none; a sampled split is no version of it"


def run_info(dataset: Dataset, *, as_json: bool) -> int:
    """Print the facts of a library."""
    from aa_dataset.cli import _say, _say_json

    facts = _facts(dataset)
    if as_json:
        _say_json(facts)
        return 0
    titles = ("categories", "supercategories", "sources", "licenses", "joints", "splits")
    plain = ("name", "revision", "schema_version", "objects", "links")
    lines = [f"{key:<16} {_plain(facts[key])}" for key in plain]
    lines[3] += f" of the {facts['expected_objects']:,} of the whole dataset"
    held = dataset.catalog.seal.benchmark
    lines.append(f"{'benchmark':<16} {held.title if held else _NO_VERSION}")
    lines += [f"{'':<16} {held.agreement}"] if held else []
    _say(lines + [f"{key:<16} {_counted(facts[key])}" for key in titles])
    return 0


def _facts(dataset: Dataset) -> dict[str, Any]:
    objects, benchmark = dataset.table("objects"), dataset.catalog.seal.benchmark
    return {
        "name": dataset.name,
        "revision": dataset.revision,
        "schema_version": dataset.catalog.seal.schema_version,
        "objects": len(dataset),
        "expected_objects": dataset.expected_objects,
        "links": int(pc.sum(objects["links"]).as_py() or 0),
        "joints": dataset.joint_counts(),
        "categories": dataset.categories,
        "supercategories": dataset.counts("supercategory"),
        "sources": dataset.sources,
        "licenses": dataset.licenses,
        "splits": dataset.splits,
        "benchmark": None if benchmark is None else asdict(benchmark),
    }


def _plain(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _counted(counts: dict[str, int], width: int = 68) -> str:
    """Return as many counts as fit into `width`, and how many there are beyond."""
    shown: list[str] = []
    for name, count in counts.items():
        word = f"{name} {count:,}"
        if shown and len(", ".join([*shown, word])) > width:
            break
        shown.append(word)
    rest = len(counts) - len(shown)
    return (", ".join(shown) or "none") + (f" and {rest:,} more" if rest else "")
