# SPDX-License-Identifier: Apache-2.0
"""The sampled evaluation split: a seeded, stratified rule that reads only the manifest.

1. Every supercategory gets its quota, scaled to the size of the split. What a supercategory cannot
   fill goes to the others, one object at a time, in order of their quotas.
2. One object of every joint type is reserved first, so that no type is missing.
3. Then, slot by slot, the supercategory that is furthest behind its quota gives an object. It has
   a continuous main joint if possible while the split has fewer than the configured share of
   them, else another main joint if possible. Of these, the least used category is preferred.
4. Remaining ties are broken by a hash of the seed and the object's id.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aa_dataset.kinematics import JointType


@dataclass(frozen=True, slots=True)
class SplitCandidate:
    """What the rule reads about an object."""

    object_id: str
    category: str
    supercategory: str
    joint_types: frozenset[str]
    main_joint: str


@dataclass(slots=True)
class Sample:
    """The chosen objects with the reason of each, and the quotas that could not be filled."""

    reasons: dict[str, str] = field(default_factory=dict)
    shortfalls: dict[str, int] = field(default_factory=dict)
    quotas: dict[str, int] = field(default_factory=dict)


def sample_split(
    candidates: Sequence[SplitCandidate],
    *,
    seed: int,
    count: int,
    quotas: Mapping[str, int],
    continuous_share: float,
) -> Sample:
    """Choose `count` objects; the order of the candidates does not matter.

    Parameters
    ----------
    candidates : sequence of SplitCandidate
        The library.
    seed : int
        Breaks ties.
    count : int
        Size of the split; all candidates if there are fewer.
    quotas : mapping of supercategory to int
        Shares of the split; supercategories without a quota come last.
    continuous_share : float
        Share of objects whose main joint is continuous.
    """
    count = min(count, len(candidates))
    available = Counter(candidate.supercategory for candidate in candidates)
    wanted = scaled_quotas(quotas, count)
    targets = fill_quotas(wanted, available, count)
    picker = _Picker(candidates, seed, targets, continuous_share)
    for kind in JointType:
        if len(picker.chosen) < count:
            picker.reserve(kind)
    while len(picker.chosen) < count:
        picker.take()
    short = {
        name: want - available[name] for name, want in wanted.items() if want > available[name]
    }
    return Sample(picker.chosen, short, targets)


def scaled_quotas(quotas: Mapping[str, int], count: int) -> dict[str, int]:
    """Scale quotas to a split of `count` objects by the largest remainders, ties by name."""
    total = sum(quotas.values())
    exact = {name: quota * count / total for name, quota in quotas.items()}
    out = {name: math.floor(share) for name, share in exact.items()}
    order = sorted(exact, key=lambda name: (out[name] - exact[name], name))
    for name in order[: count - sum(out.values())]:
        out[name] += 1
    return out


def fill_quotas(
    wanted: Mapping[str, int], available: Mapping[str, int], count: int
) -> dict[str, int]:
    """Reduce quotas to what is available; give the rest to the others, in order of quotas."""
    targets = {name: min(wanted.get(name, 0), number) for name, number in sorted(available.items())}
    order = sorted(targets, key=lambda name: (-wanted.get(name, 0), name))
    while sum(targets.values()) < count:
        for name in order:
            if targets[name] < available[name] and sum(targets.values()) < count:
                targets[name] += 1
    return targets


class _Picker:
    """The state of the rule while it fills the split."""

    def __init__(
        self,
        candidates: Sequence[SplitCandidate],
        seed: int,
        targets: Mapping[str, int],
        continuous_share: float,
    ) -> None:
        self.chosen: dict[str, str] = {}
        self._targets, self._share = targets, continuous_share
        self._taken: Counter[str] = Counter()
        self._used: Counter[str] = Counter()
        self._continuous = 0
        self._waiting = sorted(candidates, key=lambda c: _hash_rank(seed, c.object_id))

    def reserve(self, kind: str) -> None:
        """Choose an object with a joint of this kind, unless one is chosen or none exists."""
        if any(kind in c.joint_types for c in self._waiting if c.object_id in self.chosen):
            return
        open_ones = [c for c in self._open_candidates() if kind in c.joint_types]
        if open_ones:
            self._choose_candidate(open_ones[0], f"reserved for a {kind} joint")

    def take(self) -> None:
        """Choose one object by the rule."""
        open_ones = self._open_candidates()
        behind = max(
            sorted({c.supercategory for c in open_ones}),
            key=lambda name: 1 - self._taken[name] / self._targets[name],
        )
        wants = self._continuous < self._share * (len(self.chosen) + 1)
        ranks = {c.object_id: number for number, c in enumerate(open_ones)}
        best = min(
            (c for c in open_ones if c.supercategory == behind),
            key=lambda c: (
                (c.main_joint == JointType.CONTINUOUS) != wants,
                self._used[c.category],
                ranks[c.object_id],
            ),
        )
        self._choose_candidate(best, f"number {self._used[best.category] + 1} of its category")

    def _open_candidates(self) -> list[SplitCandidate]:
        return [
            c
            for c in self._waiting
            if c.object_id not in self.chosen
            and self._taken[c.supercategory] < self._targets[c.supercategory]
        ]

    def _choose_candidate(self, candidate: SplitCandidate, why: str) -> None:
        self._taken[candidate.supercategory] += 1
        self._used[candidate.category] += 1
        self._continuous += candidate.main_joint == JointType.CONTINUOUS
        place = (
            f"{self._taken[candidate.supercategory]} of {self._targets[candidate.supercategory]}"
        )
        self.chosen[candidate.object_id] = (
            f"{candidate.supercategory}: {place}; {candidate.category}: {why}; "
            f"main joint {candidate.main_joint}"
        )


def _hash_rank(seed: int, identifier: str) -> str:
    return hashlib.sha256(f"{seed}/{identifier}".encode()).hexdigest()
