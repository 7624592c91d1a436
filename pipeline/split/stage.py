# SPDX-License-Identifier: Apache-2.0
"""The stage: the table of splits, then the seal that makes the library loadable.

A split sampled here carries a digest in its name, because another library gives another sample.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aa_dataset.layout import LibraryLayout
from aa_dataset.schema import TABLES
from pipeline import layout
from pipeline.runner import ShardJob
from pipeline.seal import write_seal
from pipeline.split.sample import sample_split
from pipeline.tables import read_rows, write_table


def run(job: ShardJob) -> None:
    """Write the splits and seal the library."""
    objects = read_rows(job.inputs["objects"])
    rows = list(split_rows(objects, job.settings["split"]))
    write_table(job.outputs["splits"], rows, TABLES["splits"])
    write_seal(
        LibraryLayout(layout.LIBRARY),
        name=job.settings["name"],
        expected=job.settings["expected_objects"],
    )


def split_rows(
    objects: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the memberships: `library`, the sampled evaluation split, and `train`, the rest."""
    count = min(settings["size"], int(settings["share"] * len(objects)))
    chosen = set(sample_split(objects, seed=settings["seed"], count=count))
    name = split_name([row for row in objects if row["object_id"] in chosen])
    categories = Counter(row["category"] for row in objects if row["object_id"] in chosen)
    reasons = {
        name: lambda row: f"sampled as one of {categories[row['category']]} of {row['category']}",
        "library": lambda row: "all objects",
        "train": lambda row: f"not in {name}",
    }
    members = {
        name: [row for row in objects if row["object_id"] in chosen],
        "library": objects,
        "train": [row for row in objects if row["object_id"] not in chosen],
    }
    for split in sorted(members):
        for row in members[split]:
            yield {
                "split": split,
                "object_id": row["object_id"],
                "content_sha256": row["content_sha256"],
                "reason": reasons[split](row),
            }


def split_name(members: Sequence[Mapping[str, Any]]) -> str:
    """Return `eval200_<digest>` of the members' ids and contents."""
    lines = sorted(f"{row['object_id']} {row['content_sha256']}" for row in members)
    return f"eval200_{hashlib.sha256(chr(10).join(lines).encode()).hexdigest()[:8]}"
