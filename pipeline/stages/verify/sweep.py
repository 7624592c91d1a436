# SPDX-License-Identifier: Apache-2.0
"""Drives every joint through its range and measures how far parts penetrate each other.

Points just below the surface of one link follow the joint's motion. Each step is a ray; if it hits
the other link's surface, the point penetrates it. The result is the share of the link's surface
that does. This needs no volume, so open, doubled and inside-out meshes work as well, and a thin
wall is found even between two states.

Overlap at the start does not count. If parts overlap from the start, as a rod in a weight without a
bore, the result is the increase of the share that is inside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeGuard

import numpy as np

from aa_dataset.kinematics import Joint, JointType
from aa_dataset.portable import length
from pipeline.base.reasons import Code, Finding, Severity
from pipeline.stages.verify.evidence import Evidence
from pipeline.stages.verify.motion import Way, displaced_points, relative_displacements, ways
from pipeline.stages.verify.rays import TOUCH, VOTERS, Skin

# Coordinates at which another joint is tried, to see whether it makes room.
QUARTERS = (math.pi / 2, math.pi, -math.pi / 2)
OVERLAPS = 0.01  # share of points inside at the start from which parts count as overlapping
STATES = 8  # on the path, at which the share inside is measured
POINTS = 256  # of a link's surface that are moved: a share is known to about 3 %
DEPTH = 0.005  # of the diagonal, their depth: touching parts overlap by less
STEP = 0.131  # rad, largest turn between two states (7.5 deg)
SLIDES = 8  # states of a slide: a ray passes between two of them, so that no wall is missed
SHARE = 0.05  # of a link's surface that must penetrate another link to be reported
# A warning needs a large share of the link and a large distance [of the diagonal]: a button may
# dip in, but a door must not pass through a wall.
SEVERE_SHARE, SEVERE_REACH = 0.25, 0.02


@dataclass(frozen=True, slots=True)
class Entry:
    """One link that penetrates another.

    Attributes
    ----------
    joint, link, other : str
        The driven joint, the link whose surface is counted, and the one that it penetrates.
    share : float
        Of the link's surface.
    reach : float
        How far the median of these points moves on, in units of the object's size.
    coordinate : float [rad or m]
        Where half of them have penetrated.
    """

    joint: str
    link: str
    other: str
    share: float
    reach: float
    coordinate: float


def check_sweep(evidence: Evidence) -> Iterator[Finding]:
    """Find links that penetrate each other when a joint is driven from rest to its limits.

    A large share of the link over a large distance is a warning each. The rest, like a button that
    dips into a solid housing, is one finding per object.
    """
    sweep = Sweep(evidence)
    drivers = [joint for joint in evidence.tree.movable if joint.mimic is None]
    small = []
    for number, joint in enumerate(drivers):
        worst = max(sweep.entries(joint), key=lambda entry: entry.share, default=None)
        if sweep.steps_left <= 0:
            yield _partial([one.name for one in drivers[number:]], evidence.options.sweep_steps)
            break
        if worst is None:
            continue
        if worst.share >= SEVERE_SHARE and worst.reach >= SEVERE_REACH:
            yield Finding(Code.SWEEP_PENETRATION, f"joint {joint.name}: {_sentence(joint, worst)}")
        else:
            small.append((worst.share, _sentence(joint, worst), joint.name))
    if small:
        _, sentence, name = max(small, key=lambda one: one[0])
        more = f" and {len(small) - 1} more (the largest)" if len(small) > 1 else ""
        yield Finding(Code.SWEEP_PENETRATION, f"joint {name}{more}: {sentence}", Severity.INFO)


def _partial(names: list[str], budget: int) -> Finding:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    detail = (
        f"the budget of {budget} steps of points ended; not driven to the end: joint "
        f"{', '.join(names[:3])}{more}."
    )
    return Finding(Code.SWEEP_PARTIAL, detail, Severity.INFO)


def _sentence(joint: Joint, entry: Entry) -> str:
    unit = "m" if joint.type is JointType.PRISMATIC else "rad"
    return (
        f"{entry.share:.0%} of the surface of {entry.link} passes into {entry.other}, half of it "
        f"before {entry.coordinate:.3g} {unit}."
    )


class Sweep:
    """The surfaces and points of one object's links, and the remaining budget of steps."""

    def __init__(self, evidence: Evidence):
        self._evidence = evidence
        size = max(evidence.diagonal, 1e-12)
        self._size, self.steps_left = size, evidence.options.sweep_steps
        self._skins = evidence.skins
        self._points: dict[str, np.ndarray] = {}

    def points(self, link: str) -> np.ndarray:
        """Return the points (p, 3) of a link, just below its surface."""
        if link not in self._points:
            self._points[link] = self._skins[link].points(POINTS, DEPTH)
        return self._points[link]

    def entries(self, joint: Joint) -> Iterator[Entry]:
        """Yield the pairs of links that penetrate each other and that no other joint separates."""
        for way in self._ways(joint, {}):
            for one, other in self._near_pairs(way):
                if self.steps_left <= 0:
                    return
                entry = self._worse_entry(joint, way, one, other)
                if self._is_large_enough(entry) and not self._is_avoidable(joint, way, one, other):
                    yield entry

    def _is_large_enough(self, entry: Entry | None) -> TypeGuard[Entry]:
        return entry is not None and entry.share >= SHARE

    def _ways(self, joint: Joint, others: Mapping[str, float]) -> list[Way]:
        return ways(
            self._evidence.tree,
            joint,
            size=self._size,
            step=STEP,
            slides=SLIDES,
            others=others,
        )

    def _near_pairs(self, way: Way) -> list[tuple[str, str]]:
        """Return the pairs that move relative to each other and whose swept boxes meet."""
        links = list(self._skins)
        still = way.placements[self._evidence.tree.root]
        moved = [k for k, link in enumerate(links) if way.placements[link] is not still]
        boxes = np.array([self._skins[link].bounds for link in links])
        for k in moved:
            boxes[k] = _swept_box(boxes[k], way.placements[links[k]])
        groups = np.array([id(way.placements[link]) for link in links])
        self.steps_left -= 8 * len(moved) * len(way.coordinates)  # the corners
        is_moved = np.isin(np.arange(len(links)), moved)
        pairs = []
        for k in moved:
            meets = ((boxes[k, 0] < boxes[:, 1]) & (boxes[k, 1] > boxes[:, 0])).all(axis=1)
            apart = (groups != groups[k]) & (~is_moved | (np.arange(len(links)) > k))
            pairs += [(links[k], links[other]) for other in np.flatnonzero(meets & apart)]
        return pairs

    def _worse_entry(self, joint: Joint, way: Way, one: str, other: str) -> Entry | None:
        found = [
            self._penetration(joint, way, one, other),
            self._penetration(joint, way, other, one),
        ]
        return max(filter(None, found), key=lambda entry: entry.share, default=None)

    def _penetration(self, joint: Joint, way: Way, link: str, other: str) -> Entry | None:
        """Return how much of `link` penetrates `other`; None if nothing does."""
        skin, points = self._skins[other], self.points(link)
        path = displaced_points(
            points, relative_displacements(way.placements[link], way.placements[other])
        )
        self.steps_left -= path.shape[0] * path.shape[1]
        inside = skin.contains(path[0])
        steps, entered = self._crossings(skin, path, ~inside)
        if not len(steps):
            return None
        share = len(steps) / len(points)
        if inside.mean() >= OVERLAPS:
            share = min(share, self._growth(skin, path, float(inside.mean())))
        lengths = length(np.diff(path[:, entered], axis=0))
        onward = np.where(np.arange(len(lengths))[:, None] >= steps, lengths, 0.0).sum(axis=0)
        middle = float(way.coordinates[int(np.median(steps)) + 1])
        return Entry(joint.name, link, other, share, float(np.median(onward)), middle)

    def _growth(self, skin: Skin, path: np.ndarray, start: float) -> float:
        """Return the increase of the share of points inside on the path, from the start."""
        states = np.unique(np.linspace(1, len(path) - 1, STATES).astype(int))
        self.steps_left -= len(states) * path.shape[1] * len(VOTERS)
        inside = skin.contains(path[states].reshape(-1, 3)).reshape(len(states), -1)
        return float(inside.mean(axis=1).max()) - start

    def _crossings(
        self, skin: Skin, path: np.ndarray, counted: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the steps (k,) at which points first hit the surface, and which points (k,).

        Parameters
        ----------
        skin : Skin
            In its own frame.
        path : (n + 1, p, 3) float
            States of the points in the frame of the skin.
        counted : (p,) bool
            The points that are outside at the start.
        """
        low, high = skin.bounds
        lower, upper = np.minimum(path[:-1], path[1:]), np.maximum(path[:-1], path[1:])
        step, point = np.nonzero(((upper >= low) & (lower <= high)).all(axis=2) & counted)
        ways = path[step + 1, point] - path[step, point]
        lengths = length(ways)
        moving = lengths > TOUCH
        step, point, ways, lengths = step[moving], point[moving], ways[moving], lengths[moving]
        distance, behind = skin.hits(path[step, point], ways / lengths[:, None], lengths)
        hit = (distance < np.inf) & ~(behind & skin.is_closed)
        entered, first = np.unique(point[hit], return_index=True)
        return step[hit][first], entered

    def _is_avoidable(self, joint: Joint, way: Way, one: str, other: str) -> bool:
        """Return whether another joint makes room: a rack slides out once the door is open."""
        end = float(way.coordinates[-1])
        for name, value in self._alternatives(joint, one, other):
            for tried in self._ways(joint, {name: value}):
                if float(tried.coordinates[-1]) == end:
                    entry = self._worse_entry(joint, tried, one, other)
                    if entry is None or entry.share < SHARE / 2:
                        return True
        return False

    def _alternatives(self, joint: Joint, one: str, other: str) -> Iterator[tuple[str, float]]:
        """Yield other joints that move one of the two links, with their ends."""
        mine, others = (self._evidence.carriers(link) for link in (one, other))
        names = {j.name for j in mine} ^ {j.name for j in others}
        for carrier in chain(mine, others):
            if carrier.name in names and carrier.name != joint.name and carrier.mimic is None:
                for value in _driven_ends(carrier):
                    yield carrier.name, value


def _swept_box(bounds: np.ndarray, placements: np.ndarray) -> np.ndarray:
    """Return the box (2, 3) of a box's corners in all states."""
    corners = np.array(np.meshgrid(*bounds.T)).reshape(3, -1).T
    visited = displaced_points(corners, placements).reshape(-1, 3)
    return np.stack([visited.min(axis=0), visited.max(axis=0)])


def _driven_ends(joint: Joint) -> Sequence[float]:
    if joint.type is JointType.CONTINUOUS:
        return QUARTERS
    return [end for end in (joint.lower, joint.upper) if end != 0.0]
