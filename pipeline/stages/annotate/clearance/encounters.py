# SPDX-License-Identifier: Apache-2.0
"""Finds the parts of different links that overlap during a motion."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pipeline.stages.annotate.clearance.carving import APART
from pipeline.stages.annotate.clearance.motions import Motion, piece_maps, relative
from pipeline.stages.annotate.clearance.parts import Part
from pipeline.stages.annotate.clearance.separation import images, overlap

# Two parts that overlap: of the moving link, of the still one, and the pieces in which they do.
Pairs = list[tuple[int, int, np.ndarray]]
# Makes a box (2, 3) wider by the gap that parts need.
_WIDER = np.array([[-APART], [APART]])
# The corners of a box: which of its ends to take of every axis.
_CORNERS = np.array([[n >> 2 & 1, n >> 1 & 1, n & 1] for n in range(8)])


@dataclass(frozen=True, slots=True, eq=False)
class Encounter:
    """Two links during the pieces of a motion in which their parts may meet.

    Attributes
    ----------
    moving, still : str
        The links; the second is the one that the first is seen from.
    states, back : (n, 4, 4) float
        Displacements of the moving link seen from the still one, and the reverse.
    pairs : list of (int, int, (f, k) int)
        Parts of both links that overlap, by number, and the pieces in which they do.
    numbers : set of (int, int)
        The parts alone.
    """

    moving: str
    still: str
    states: np.ndarray
    back: np.ndarray
    pairs: Pairs
    numbers: frozenset[tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        """Collect the numbers, for which a link of many parts is asked often."""
        object.__setattr__(self, "numbers", frozenset((p, q) for p, q, _ in self.pairs))


def encounters(
    motion: Motion, parts: Mapping[str, Sequence[Part]], ignored: Container[tuple[str, str]] = ()
) -> Iterator[Encounter]:
    """Yield the pairs of links whose parts overlap on a motion, apart from ignored pairs."""
    links = [link for link in parts if parts[link]]
    boxes = {link: _joint_box([part.box for part in parts[link]]) for link in links}
    for moving, still in _near_links(motion, links, boxes):
        if (min(moving, still), max(moving, still)) in ignored:
            continue
        placed = motion.placements[moving], motion.placements[still]
        ways = relative(*placed), relative(*reversed(placed))
        pairs = list(_overlapping(motion, ways, parts[moving], parts[still]))
        if pairs:
            yield Encounter(moving, still, *ways, pairs)


def _near_links(
    motion: Motion, links: Sequence[str], boxes: Mapping[str, np.ndarray]
) -> Iterator[tuple[str, str]]:
    """Yield the links that move against each other and whose swept boxes meet."""
    swept = np.stack([_swept_boxes(boxes[k], piece_maps(motion.placements[k], motion.coarse))
                      for k in links])  # (l, c, 2, 3)  # fmt: skip
    for number, link in enumerate(links):
        mine, others = swept[number], swept[number + 1 :]
        meets = ((mine[:, 0] <= others[:, :, 1]) & (mine[:, 1] >= others[:, :, 0])).all(axis=2)
        for at in np.flatnonzero(meets.any(axis=1)):
            other = links[number + 1 + int(at)]
            if motion.groups[other] != motion.groups[link]:
                yield other, link


def _joint_box(boxes: Sequence[np.ndarray]) -> np.ndarray:
    stacked = np.stack(boxes)
    ends = np.stack([stacked[:, 0].min(axis=0), stacked[:, 1].max(axis=0)])
    return np.asarray(ends + _WIDER)


def _swept_boxes(box: np.ndarray, maps: np.ndarray) -> np.ndarray:
    """Return the box (c, 2, 3) around a box (2, 3) under maps (c, k, 3, 4)."""
    corners = np.where(_CORNERS, box[1], box[0])
    visited = images(corners, maps)
    return np.stack([visited.min(axis=1), visited.max(axis=1)], axis=1)


def _overlapping(
    motion: Motion,
    ways: tuple[np.ndarray, np.ndarray],
    moving: Sequence[Part],
    still: Sequence[Part],
) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yield the parts that overlap, coarse pieces of the motion first, then fine ones."""
    fixed = np.stack([part.box for part in still]) + _WIDER
    for p, part in enumerate(moving):
        swept = _swept_boxes(part.box, piece_maps(ways[0], motion.coarse))
        meets = (swept[:, None, 0] <= fixed[:, 1]) & (swept[:, None, 1] >= fixed[:, 0])
        near = np.asarray(meets.all(axis=2))
        for q in np.flatnonzero(near.any(axis=0)).tolist():
            pieces, fine = motion.coarse[near[:, q]], motion.fine[near[:, q]]
            meets = overlaps(part, still[q], ways, pieces, is_exact=fine.shape[1] == 1)
            if fine.shape[1] > 1:
                pieces = fine[meets].reshape(-1, fine.shape[-1])
                meets = overlaps(part, still[q], ways, pieces)
            if meets.any():
                yield p, q, pieces[meets]


def overlaps(
    moving: Part,
    still: Part,
    ways: tuple[np.ndarray, np.ndarray],
    pieces: np.ndarray,
    *,
    is_exact: bool = True,
) -> np.ndarray:
    """Return whether two parts overlap in pieces (f, k) of a motion, (f,) bool.

    Both views are asked: the images of the part that is nearer to the axis fit more closely.
    """
    maps = piece_maps(ways[0], pieces)
    found = overlap(moving, still, maps, APART, is_exact=is_exact)
    unsure = np.flatnonzero(found)
    if len(unsure) and pieces.shape[1] == 3:
        maps = piece_maps(ways[1], pieces[unsure])
        found[unsure] = overlap(still, moving, maps, APART, is_exact=is_exact)
    return np.asarray(found)
