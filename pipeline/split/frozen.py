# SPDX-License-Identifier: Apache-2.0
"""The frozen `eval200`: a list of ids and contents that is checked, never resampled."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

FROZEN = Path(__file__).with_name("eval200.tsv")


def frozen_members() -> dict[str, str]:
    """Return the content digest of every object of the frozen split, by object id."""
    if not FROZEN.is_file():
        return {}
    with FROZEN.open(newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t")
        return {row["object_id"]: row["content_sha256"] for row in rows}


def check_frozen(frozen: Mapping[str, str], library: Mapping[str, str]) -> str:
    """Return why a library does not hold the frozen split, or an empty text if it does."""
    if not frozen:
        return "this repository has no frozen eval200"
    absent = sum(identifier not in library for identifier in frozen)
    changed = sum(library.get(i, content) != content for i, content in frozen.items())
    problems = [
        f"{number} of its {len(frozen)} objects are {what}"
        for number, what in ((absent, "not in this library"), (changed, "of another content"))
        if number
    ]
    return " and ".join(problems)


def format_frozen(members: Mapping[str, str]) -> str:
    """Return the text of the list."""
    lines = [f"{identifier}\t{members[identifier]}\n" for identifier in sorted(members)]
    return "object_id\tcontent_sha256\n" + "".join(lines)
