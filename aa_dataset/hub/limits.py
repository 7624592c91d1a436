# SPDX-License-Identifier: Apache-2.0
"""Limits of the Hub for one repository (https://huggingface.co/docs/hub/storage-limits)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

MOST_FILES = 100_000
MOST_ENTRIES = 10_000  # of a folder: files and folders
LARGEST_FILE = 50_000_000_000  # [B]; what every storage of the Hub takes


def limit_problems(sizes: Mapping[str, int]) -> Iterator[str]:
    """Yield a sentence for every limit that files would break.

    Parameters
    ----------
    sizes : mapping of str to int
        Path in the repository and size [B] of every file.
    """
    if len(sizes) >= MOST_FILES:
        yield (
            f"a repository may have fewer than {MOST_FILES:,} files, these are {len(sizes):,}. "
            "Pack the objects into fewer tars."
        )
    entries: dict[str, set[str]] = defaultdict(set)
    for name in sizes:
        parts = name.split("/")
        for depth, part in enumerate(parts):
            entries["/".join(parts[:depth]) or "."].add(part)
    for folder, held in sorted(entries.items()):
        if len(held) >= MOST_ENTRIES:
            yield (
                f"a folder may have fewer than {MOST_ENTRIES:,} entries, {folder} has "
                f"{len(held):,}. Pack the objects into fewer tars."
            )
    for name, size in sorted(sizes.items()):
        if size > LARGEST_FILE:
            yield (
                f"a file may have {LARGEST_FILE:,} bytes, {name} has {size:,}. Pack the objects "
                "into more tars."
            )
