# SPDX-License-Identifier: Apache-2.0
"""The dataset card: contents of the release, its terms, how to load it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from aa_dataset.format.benchmark import SPLIT, Benchmark
from aa_dataset.format.layout import TABLES, LibraryLayout
from aa_dataset.format.seal import Seal
from aa_dataset.untrusted.foreign_text import markdown_cell, plain_line, yaml_text
from pipeline.base.tables import read_rows


def dataset_card(
    seal: Seal, folder: LibraryLayout, *, version: str, whole: Mapping[str, int]
) -> str:
    """Return the card of a release as Markdown with the front matter that the Hub reads.

    `whole` has the splits of the library and their numbers of objects, of which a release lacks
    those that may not be passed on.
    """
    objects = read_rows(folder.table("objects"), ["source", "license", "attribution"])
    licenses = Counter((row["source"], row["license"], row["attribution"]) for row in objects)
    joints = Counter(row["type"] for row in read_rows(folder.table("joints"), ["type"]))
    return "\n".join(
        [
            *_front_matter(objects),
            f"# {seal.name} {version}",
            "",
            f"{seal.objects:,} of the {seal.expected_objects:,} objects of "
            f"ArticulateArena-20K, revision `{seal.revision}`. The objects here are those "
            "whose licenses allow redistribution; the others are rebuilt from their sources with "
            "`make library`.",
            "",
            "```python",
            "from aa_dataset import load_dataset",
            f'dataset = load_dataset("{seal.name}")',
            "```",
            "",
            "| source | license | attribution | objects |",
            "|---|---|---|---:|",
            *(_terms_row(terms, count) for terms, count in sorted(licenses.items())),
            "",
            "| joint type | joints |",
            "|---|---:|",
            *(f"| {kind} | {count:,} |" for kind, count in sorted(joints.items())),
            "",
            "| split | objects |",
            "|---|---:|",
            *(f"| {markdown_cell(n)} | {count:,} |" for n, count in sorted(seal.splits.items())),
            "",
            *_benchmark_lines(seal.benchmark),
            *_sample_lines(seal, whole),
            "Every asset tar is uncompressed; `shard`, `offset` and `size` in `objects.parquet` "
            "give an object's bytes. `sha256sum --check SHA256SUMS` proves the download.",
            "",
        ]
    )


def _terms_row(terms: Sequence[str], count: int) -> str:
    """Return a row of the table of terms; all of its texts are untrusted."""
    return f"| {' | '.join(map(markdown_cell, terms))} | {count:,} |"


def _benchmark_lines(held: Benchmark | None) -> list[str]:
    """Return which version of the benchmark a release contains."""
    if held is None:
        return ["This release holds no version of the benchmark.", ""]
    return [f"`{held.split}` is the benchmark {held}.", ""]


def _sample_lines(seal: Seal, whole: Mapping[str, int]) -> list[str]:
    """Return how much of every sampled evaluation split a release contains."""
    return [
        f"`{name}` was sampled from all sources of the library and is no version. "
        f"{seal.splits.get(name, 0):,} of its {count:,} objects are here; the others may not be "
        "passed on. Rebuild them, or check your own library with `aa split import`.\n"
        for name, count in sorted(whole.items())
        if name.startswith(f"{SPLIT}_") and seal.splits.get(name, 0) < count
    ]


def license_text(folder: LibraryLayout) -> str:
    """Return the terms of the release: every object keeps those of its source."""
    objects = read_rows(folder.table("objects"), ["license", "attribution"])
    terms = Counter((row["license"], row["attribution"]) for row in objects)
    return "\n".join(
        [
            "Every object keeps the terms of its source: the columns `license` (SPDX identifier,",
            "text at https://spdx.org/licenses) and `attribution` of objects.parquet. Here:",
            "",
            *(
                f"  {count} objects: {plain_line(kind)}, {plain_line(who)}"
                for (kind, who), count in sorted(terms.items())
            ),
            "",
            "Tables and previews that ArticulateArena computed are CC0-1.0.",
            "",
        ]
    )


def _front_matter(objects: list[dict[str, Any]]) -> list[str]:
    kinds = {row["license"].lower() for row in objects}
    label = kinds.pop() if len(kinds) == 1 else "other"
    configs = []
    for name in TABLES:
        configs += [f"- config_name: {name}", f"  data_files: {name}.parquet"]
    return [
        "---",
        f"license: {yaml_text(label)}",
        "pretty_name: ArticulateArena",
        "configs:",
        *configs,
        "---",
    ]
