# SPDX-License-Identifier: Apache-2.0
"""Makes room between the convex parts of links that move against each other.

Every joint is driven alone through its range, then all joints are put into random states. Parts
that overlap there are cut apart if the overlap is small or if one of the parts only fills air.
Otherwise the source itself interpenetrates, and the pair of links is excluded from contacts, unless
another joint makes room: a rack slides out once the door is open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from pipeline.stages.annotate.clearance.carving import (
    APART,
    DEEPEST,
    Cut,
    Meeting,
    carved,
    shared_region,
    touch_of,
    trimmed,
)
from pipeline.stages.annotate.clearance.encounters import Encounter, Pairs, encounters, overlaps
from pipeline.stages.annotate.clearance.material import Material
from pipeline.stages.annotate.clearance.motions import (
    Motion,
    driven_motion,
    driven_range,
    drivers,
    piece_maps,
    random_motion,
    relative,
    rest_motion,
)
from pipeline.stages.annotate.clearance.parts import Part
from pipeline.stages.annotate.clearance.separation import gaps, images

# Coordinates at which a joint without limits is tried, to see whether it makes room [rad].
_QUARTERS = (np.pi / 2, np.pi, 3 * np.pi / 2)


class Why(StrEnum):
    """Why a pair of links is excluded from contacts."""

    REST = "overlap_at_rest"
    MOTION = "overlap_in_motion"


@dataclass
class Clearance:
    """The parts of one object's links while room is made between them.

    Attributes
    ----------
    tree : KinematicTree
        The object.
    size : float [m]
        Its diagonal, the unit of all lengths here.
    parts : dict of link to list of Part
        Object frame at rest. A part that was cut is None, and its pieces follow at the end.
    materials : mapping of link to Material
        What is visible of each link.
    most : int
        Parts of one link.
    """

    tree: KinematicTree
    size: float
    parts: dict[str, list[Part | None]]
    materials: Mapping[str, Material]
    most: int
    exclusions: dict[tuple[str, str], Why] = field(default_factory=dict)
    _pieces: dict[tuple[str, int], list[int]] = field(default_factory=dict)

    def make(self) -> None:
        """Cut parts apart and find the pairs to exclude."""
        # What is cut at rest, in one state, is much less work on the way of the joints.
        self._clear(rest_motion(self.tree, size=self.size))
        for joint in drivers(self.tree):
            self._clear(driven_motion(self.tree, joint, size=self.size))
        if len(drivers(self.tree)) > 1:
            self._clear(random_motion(self.tree, size=self.size), is_random=True)

    def is_changed(self, link: str) -> bool:
        """Return whether a part of a link was cut."""
        return any(part is None for part in self.parts[link])

    def _clear(self, motion: Motion, *, is_random: bool = False) -> None:
        """Clear one motion; pairs of links that stay blocked in random states are ignored."""
        live = {
            link: [(n, part) for n, part in enumerate(some) if part is not None]
            for link, some in self.parts.items()
        }
        parts = {link: [p for _, p in some] for link, some in live.items()}
        for one in list(encounters(motion, parts, self.exclusions)):
            numbered = [
                (live[one.moving][p][0], live[one.still][q][0], pieces)
                for p, q, pieces in one.pairs
            ]
            self._clear_pair(motion, replace(one, pairs=numbered), is_random=is_random)

    def _clear_pair(self, motion: Motion, one: Encounter, *, is_random: bool) -> None:
        """Cut the parts of two links apart; where they really overlap, exclude the pair."""
        before = {link: list(self.parts[link]) for link in (one.moving, one.still)}
        real: Pairs = []
        failed: Pairs = []
        for item in one.pairs:
            if self._is_real(one, *item):
                real.append(item)
                if not is_random and not self._is_avoidable(motion, one, [item]):
                    break
        else:
            failed = self._separate_all(motion, one, real, is_random=is_random)
        if is_random or all(self._is_avoidable(motion, one, some) for some in (real, failed)):
            return
        at_rest = not motion.driver  # which was cleared first, so that motions meet nothing of it
        self.exclusions[_ordered(one.moving, one.still)] = Why.REST if at_rest else Why.MOTION
        self.parts.update(before)

    def _separate_all(
        self, motion: Motion, one: Encounter, real: Pairs, *, is_random: bool
    ) -> Pairs:
        """Cut the pairs of parts apart that do not really overlap; return those that stay.

        The first one that no other joint separates is the last one to be tried.
        """
        kept = {item[:2] for item in real}
        failed = []
        for item in one.pairs:
            if item[:2] in kept or self._separate(one, *item, trims=not is_random):
                continue
            failed.append(item)
            if not is_random and not self._is_avoidable(motion, one, [item]):
                break
        return failed

    def _is_real(self, one: Encounter, p: int, q: int, pieces: np.ndarray) -> bool:
        """Return whether there is material of both links in what two parts share somewhere."""
        for first in self._live(one.moving, p):
            for second in self._live(one.still, q):
                meeting = self._meeting(one, first, second, pieces)
                if meeting is not None and self._shares_material(one, meeting):
                    return True
        return False

    def _shares_material(self, one: Encounter, meeting: Meeting) -> bool:
        found = gaps(meeting.moving, meeting.still, meeting.maps[:, :1], APART)
        deepest = int(found.widths.argmin())
        if found.widths[deepest] >= -DEEPEST:
            return False
        maps, back = meeting.maps[deepest:], meeting.back[deepest:]
        region = shared_region(replace(meeting, maps=maps, back=back))
        if region is None or not self.materials[one.still].is_in(region, touch_of(meeting.still)):
            return False
        seen = Part(images(region.vertices, back[:1, :1])[0], region.faces)
        return self.materials[one.moving].is_in(seen, touch_of(meeting.moving))

    def _separate(self, one: Encounter, p: int, q: int, pieces: np.ndarray, *, trims: bool) -> bool:
        """Cut two parts, or what earlier cuts left of them, apart; return whether that worked."""
        done = True
        for first in self._live(one.moving, p):
            for second in self._live(one.still, q):
                if self.parts[one.moving][first] is None or self.parts[one.still][second] is None:
                    done &= self._separate(one, first, second, pieces, trims=trims)
                    continue
                meeting = self._meeting(one, first, second, pieces)
                cut = None if meeting is None else self._cut(meeting, one, trims=trims)
                done &= meeting is None or cut is not None
                if cut is not None:
                    self._replace(one.moving, first, cut.moving)
                    self._replace(one.still, second, cut.still)
        return done

    def _meeting(self, one: Encounter, p: int, q: int, pieces: np.ndarray) -> Meeting | None:
        """Return two parts and the pieces of the motion in which they overlap; None if in none."""
        moving, still = self.parts[one.moving][p], self.parts[one.still][q]
        if moving is None or still is None:
            return None
        left = pieces
        if (p, q) not in one.numbers:
            left = pieces[overlaps(moving, still, (one.states, one.back), pieces)]
        if not len(left):
            return None
        return Meeting(moving, still, piece_maps(one.states, left), piece_maps(one.back, left))

    def _live(self, link: str, number: int) -> list[int]:
        """Return the numbers of what is left of a part."""
        if self.parts[link][number] is not None:
            return [number]
        pieces = self._pieces.get((link, number), [])
        return [left for piece in pieces for left in self._live(link, piece)]

    def _cut(self, meeting: Meeting, one: Encounter, *, trims: bool) -> Cut | None:
        cut = trimmed(meeting) if trims else None
        if cut is not None:
            return cut
        visitors = images(meeting.moving.vertices, meeting.maps)
        left = self._carved(meeting.still, one.still, visitors)
        if left is not None:
            return Cut((meeting.moving,), left)
        visitors = images(meeting.still.vertices, meeting.back)
        left = self._carved(meeting.moving, one.moving, visitors)
        return None if left is None else Cut(left, (meeting.still,))

    def _carved(self, part: Part, link: str, visitors: np.ndarray) -> tuple[Part, ...] | None:
        """Return what is left of a part: its link keeps some parts, within its budget."""
        others = sum(one is not None for one in self.parts[link]) - 1
        left = carved(part, self.materials[link], visitors, self.most - others)
        return left if left is not None and others + len(left) else None

    def _replace(self, link: str, number: int, pieces: Sequence[Part]) -> None:
        parts = self.parts[link]
        if len(pieces) == 1 and pieces[0] is parts[number]:
            return
        parts[number] = None
        self._pieces[link, number] = list(range(len(parts), len(parts) + len(pieces)))
        parts += pieces

    def _is_avoidable(self, motion: Motion, one: Encounter, pairs: Pairs) -> bool:
        """Return whether another joint separates parts on the way of the driven joint."""
        if not pairs or not motion.driver:
            return not pairs
        driven = self.tree.joint(motion.driver)
        for joint in self._between(one.moving, one.still):
            if joint.name == motion.driver or joint.mimic is not None:
                continue
            for value in _driven_ends(joint):
                other = driven_motion(self.tree, driven, size=self.size, others={joint.name: value})
                if not self._meet(other, one, pairs):
                    return True
        return False

    def _between(self, first: str, second: str) -> list[Joint]:
        """Return the movable joints that move one of two links but not the other."""
        chains = [self.tree.above(link) for link in (first, second)]
        names = {joint.name for joint in chains[0]} ^ {joint.name for joint in chains[1]}
        return [j for chain in chains for j in chain if j.name in names and j.is_movable]

    def _meet(self, motion: Motion, one: Encounter, pairs: Pairs) -> bool:
        """Return whether parts that met in an encounter overlap on another motion too."""
        placed = motion.placements[one.moving], motion.placements[one.still]
        ways = relative(*placed), relative(*reversed(placed))
        pieces = motion.fine.reshape(-1, motion.fine.shape[-1])
        for p, q, _ in pairs:
            for a in self._live(one.moving, p):
                for b in self._live(one.still, q):
                    moving, still = self.parts[one.moving][a], self.parts[one.still][b]
                    if moving is None or still is None:
                        continue
                    if overlaps(moving, still, ways, pieces).any():
                        return True
        return False


def _ordered(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first < second else (second, first)


def _driven_ends(joint: Joint) -> Sequence[float]:
    if joint.type is JointType.CONTINUOUS:
        return _QUARTERS
    return [end for end in driven_range(joint) if end != 0.0]
