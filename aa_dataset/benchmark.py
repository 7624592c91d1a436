# SPDX-License-Identifier: Apache-2.0
"""The version of the benchmark that a library holds, named by every library and every result."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from aa_dataset.trust import brief

SPLIT = "eval200"
VERSION = re.compile(rf"{SPLIT}-v(0|[1-9][0-9]*)")
_DIGEST = re.compile(r"[0-9a-f]{16}")
_TEXTS, _COUNTS = ("version", "split", "digest"), ("objects", "by_bytes", "by_numbers")


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A frozen evaluation split, and how it was recognized in a library.

    Attributes
    ----------
    version : str
        Name of the version, ``eval200-v0``; version 0 is provisional.
    split : str
        Name of the split in the library.
    objects : int
        Objects of the split.
    digest : str
        16 hex digits of the frozen list, the same on every machine.
    by_bytes, by_numbers : int
        Objects of the library whose files are those of the list to the byte, and those that agree
        in every number that scoring uses alone.
    """

    version: str
    split: str
    objects: int
    digest: str
    by_bytes: int
    by_numbers: int

    def __str__(self) -> str:
        """Return the version and how well the library agrees with it."""
        return f"{self.title}: {self.agreement}"

    @property
    def title(self) -> str:
        """The version and its list."""
        return (
            f"{self.version}{' (provisional)' if self.is_provisional else ''}, list {self.digest}"
        )

    @property
    def agreement(self) -> str:
        """How many objects of the library are those of the list, by which proof."""
        return f"{self.by_bytes:,} objects agree by bytes and {self.by_numbers:,} by numbers"

    @property
    def is_provisional(self) -> bool:
        """Whether a later version takes its place."""
        return is_provisional(self.version)


def read_benchmark(facts: Any) -> Benchmark:
    """Return the benchmark that a seal names, or raise `ValueError` if no build writes it so."""
    if not isinstance(facts, dict) or set(facts) != {*_TEXTS, *_COUNTS}:
        raise ValueError(f"benchmark is not a table of {', '.join((*_TEXTS, *_COUNTS))}")
    for name in _TEXTS:
        if not isinstance(facts[name], str):
            raise ValueError(f"benchmark.{name} is {brief(facts[name])}, not a text")
    for name in _COUNTS:
        if type(facts[name]) is not int or facts[name] < 0:
            raise ValueError(f"benchmark.{name} is {brief(facts[name])}, not a whole number >= 0")
    found = Benchmark(**facts)
    _require_consistent(found)
    return found


def _require_consistent(found: Benchmark) -> None:
    if not VERSION.fullmatch(found.version):
        raise ValueError(f"benchmark.version is {brief(found.version)}, not {SPLIT}-v and a number")
    if found.split != SPLIT:
        raise ValueError(f"benchmark.split is {brief(found.split)}, not {SPLIT!r}")
    if not _DIGEST.fullmatch(found.digest):
        raise ValueError(f"benchmark.digest is {brief(found.digest)}, not 16 hex digits")
    if found.by_bytes + found.by_numbers != found.objects:
        raise ValueError(
            f"benchmark.by_bytes and by_numbers, {found.by_bytes} and {found.by_numbers}, do not "
            f"add up to the {found.objects} objects"
        )


def is_provisional(version: str) -> bool:
    """Return whether a later version takes the place of this one; version 0 alone is such."""
    return version.endswith("-v0")


def members_digest(members: Iterable[tuple[str, str]]) -> str:
    """Return 16 hex digits of a selection of objects.

    Parameters
    ----------
    members : iterable of (str, str)
        Id of every object, and what vouches for its contents: the digest of the frozen list for an
        object of a benchmark, which may differ in bytes from machine to machine, else that of the
        object's files.
    """
    lines = sorted(f"{object_id} {proof}\n" for object_id, proof in members)
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]
