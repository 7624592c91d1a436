# SPDX-License-Identifier: Apache-2.0
"""The version of the benchmark, stated by every library and every result."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from aa_dataset.format.validation import brief

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
        Name of the version, ``eval200-v1``; version 0 is provisional.
    split : str
        Name of the split in the library.
    objects : int
        Objects of the split.
    digest : str
        16 hex digits of the frozen list, the same on every machine.
    by_bytes, by_numbers : int
        Objects of the library whose files equal those of the list byte for byte, and those that
        agree only in every number that scoring uses.
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
        """The number of objects that agree with the list, by bytes and by numbers."""
        return f"{self.by_bytes:,} objects agree by bytes and {self.by_numbers:,} by numbers"

    @property
    def is_provisional(self) -> bool:
        """Whether a later version will replace it."""
        return is_provisional(self.version)


def read_benchmark(facts: Any) -> Benchmark:
    """Return the benchmark that a seal names, or raise `ValueError` if it is not valid."""
    if not isinstance(facts, dict) or set(facts) != {*_TEXTS, *_COUNTS}:
        raise ValueError(f"benchmark is not an object with {', '.join((*_TEXTS, *_COUNTS))}")
    for name in _TEXTS:
        if not isinstance(facts[name], str):
            raise ValueError(f"benchmark.{name} is {brief(facts[name])}, not a string")
    for name in _COUNTS:
        if type(facts[name]) is not int or facts[name] < 0:
            raise ValueError(
                f"benchmark.{name} is {brief(facts[name])}, not a non-negative integer"
            )
    benchmark = Benchmark(**facts)
    _require_consistent(benchmark)
    return benchmark


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
    """Return whether a later version will replace this one; true only of version 0."""
    return version.endswith("-v0")


def members_digest(members: Iterable[tuple[str, str]]) -> str:
    """Return the digest of a selection of objects, 16 hex digits.

    Parameters
    ----------
    members : iterable of (str, str)
        Id and content digest of every object. For an object of a benchmark, whose bytes may differ
        between machines, it is the digest of the frozen list, else that of the object's files.
    """
    lines = sorted(f"{object_id} {proof}\n" for object_id, proof in members)
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]
