# SPDX-License-Identifier: Apache-2.0
"""Cuts parts apart: a plane off one of them, or room for the other one out of its air."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from aa_dataset.portable import dot
from pipeline.stages.annotate.clearance.material import TOUCH, Material
from pipeline.stages.annotate.clearance.parts import Part, part_of
from pipeline.stages.annotate.clearance.separation import Gaps, gaps, images

# All lengths are shares of the diagonal. Parts end with this gap, because MuJoCo's friction holds
# parts that only touch.
GAP = 1e-4
# Parts with at least this gap are apart; less than `GAP`, because cuts are rounded.
APART = 0.5e-4
# A plane is not cut if only this is above it, so that a screw is not cut in every piece of a turn.
SPARED = 0.4e-4
# How much a plane may cut off a part, in depth and as a share of its volume.
DEEPEST, LARGEST_SHARE = 0.01, 0.5
# Shares of two parts that differ by more than this differ without rounding, too.
CLEAR_SHARE = 1e-3
# Rounds of planes, one for every piece of the motion, that are cut off.
MOST_TRIMS = 4
# What is left around carved room and sticks out of it less than this, or than this share of the
# part's length, is left out.
REMNANT, REMNANT_SHARE = 0.004, 0.1
# Surface this far outside a piece is on its border.
ON_BORDER = 1e-5
# How far a region in which material is looked for may exceed what both parts share.
SLACK = 5e-4
# Pieces that a carved part may leave.
MOST_PIECES = 12


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """A moving and a still part that overlap in pieces of a motion.

    Attributes
    ----------
    moving, still : Part
        The parts.
    maps : (f, k, 3, 4) float
        Of the moving part, seen from the still one.
    back : (f, k, 3, 4) float
        Of the still part, seen from the moving one.
    """

    moving: Part
    still: Part
    maps: np.ndarray
    back: np.ndarray

    @property
    def reversed(self) -> Meeting:
        """The same meeting seen from the moving part."""
        return Meeting(self.still, self.moving, self.back, self.maps)

    @property
    def depth(self) -> float:
        """Largest depth of the overlap."""
        return -float(gaps(self.moving, self.still, self.maps, APART).widths.min())


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """What replaces the moving and the still part; a part that is whole replaces itself."""

    moving: tuple[Part, ...]
    still: tuple[Part, ...]

    @property
    def reversed(self) -> Cut:
        """The same cut, seen from the moving part."""
        return Cut(self.still, self.moving)


def trimmed(meeting: Meeting) -> Cut | None:
    """Cut planes off either part until they are apart; None if that takes too much.

    The view with the smaller depth counts: the images of a part near the axis fit more closely.
    """
    if meeting.maps.shape[1] == 3 and meeting.reversed.depth < meeting.depth - 1e-6:
        cut = _trimmed(meeting.reversed)
        return None if cut is None else cut.reversed
    return _trimmed(meeting)


def _trimmed(meeting: Meeting) -> Cut | None:
    moving, still, maps = meeting.moving, meeting.still, meeting.maps
    found = gaps(moving, still, maps, APART)
    if found.widths.min() < -DEEPEST:
        return None
    for _ in range(MOST_TRIMS):
        best = _least_loss(moving, still, maps, found.directions)
        if best is None:
            return None
        moving, still = best
        if _is_eaten(moving, meeting.moving) or _is_eaten(still, meeting.still):
            return None
        # Parts only shrink, so pieces of the motion in which they are apart stay so.
        found = gaps(moving, still, maps, APART)
        meets = found.widths < APART
        if not meets.any():
            return Cut((moving,), (still,))
        maps, found = maps[meets], Gaps(found.widths[meets], found.directions[meets])
    return None


def _is_eaten(part: Part, before: Part) -> bool:
    return part.volume < (1 - LARGEST_SHARE) * before.volume


def _least_loss(
    moving: Part, still: Part, maps: np.ndarray, directions: np.ndarray
) -> tuple[Part, Part] | None:
    """Cut the part that loses the smaller share by planes across directions (f, 3), one a piece."""
    heights = dot(images(moving.vertices, maps), directions[:, None]).min(axis=1)
    floors = still.spans(directions)[1] + GAP  # (f,)
    # The plane under every map, seen from the moving part: normal . (turn x + shift) >= floor.
    turns, shifts = maps[..., :3], maps[..., 3]
    normals = -dot(np.swapaxes(turns, -1, -2), directions[:, None, None])  # (f, k, 3)
    offsets = dot(shifts, directions[:, None]) - floors[:, None]
    lower = still, directions, heights - GAP
    upper = moving, normals.reshape(-1, 3), offsets.ravel()
    best = _least_lost([lower, upper])
    if best is None:
        return None
    return (moving, best[1]) if best[0] == 0 else (best[1], still)


def _least_lost(
    cuts: Sequence[tuple[Part, np.ndarray, np.ndarray]],
) -> tuple[int, Part] | None:
    """Return which of two parts loses the smaller share below planes, and what is left of it."""
    # Mostly that is clear without the exact corners of both.
    shares = [_quick_share(*cut) for cut in cuts]
    for number, cut in enumerate(cuts):
        if shares[number] > shares[1 - number] + CLEAR_SHARE:
            left = cut[0].below_all(*cut[1:], SPARED)
            if left is not None:
                return number, left
    options = []
    for number, (part, normals, offsets) in enumerate(cuts):
        left = part.below_all(normals, offsets, SPARED)
        if left is not None:
            options.append((round(left.volume / part.volume, 6), number, left))
    if not options:
        return None
    return max(options, key=lambda one: one[:2])[1:]


def _quick_share(part: Part, normals: np.ndarray, offsets: np.ndarray) -> float:
    """Return about which share of a part is below planes; nan if none or too little is."""
    left = part.region_below(normals, offsets, SPARED)
    return math.nan if left is None else left.volume / part.volume


def shared_region(meeting: Meeting) -> Part | None:
    """Return what both parts share at the start of the first piece, seen from the still one.

    It may be larger by `SLACK`, so that the many faces of a ball are not all cut.
    """
    start = meeting.maps[0, 0]
    normals = images(meeting.moving.normals, (start * [1.0, 1.0, 1.0, 0.0])[None, None])[0]
    offsets = meeting.moving.offsets + dot(normals, start[:, 3])
    return meeting.still.region_below(normals, offsets, slack_of(meeting.still))


def carved(
    part: Part, material: Material, visitors: np.ndarray, most: int = MOST_PIECES
) -> tuple[Part, ...] | None:
    """Take the room of visitors out of a part, if there is only air.

    Parameters
    ----------
    part : Part
        One whose hull fills a hollow.
    material : Material
        Of its link.
    visitors : (f, n, 3) float
        Where the other part is, seen from this one, in successive pieces of the motion.
    most : int
        Pieces that may be left, within the budget of the link.

    Returns
    -------
    tuple of Part or None
        What is left; None if there is material in the room, or too many pieces.
    """
    if _is_solid_room(part, material, part_of(visitors[0])):
        return None  # quickly: no larger room is without material either
    rooms: list[Part] = []
    for room in _rooms(part, material, visitors):
        if room is None:
            return None
        rooms.append(room)
    pieces: tuple[Part, ...] = (part,)
    for number, room in enumerate(rooms, start=1):
        # Another room may take pieces away, the last one does not.
        found = _all_without(pieces, room, material, most if number == len(rooms) else MOST_PIECES)
        if found is None:
            return None
        pieces = found
    return pieces


def _all_without(
    parts: Sequence[Part], room: Part, material: Material, most: int
) -> tuple[Part, ...] | None:
    """Return the pieces of parts around a room; None as soon as they are too many."""
    pieces: list[Part] = []
    for part in parts:
        for piece in _without(part, room, material):
            pieces.append(piece)
            if len(pieces) > min(most, MOST_PIECES):
                return None
    return tuple(pieces)


def _rooms(part: Part, material: Material, visitors: np.ndarray) -> Iterator[Part | None]:
    """Yield convex rooms without material that contain all visitors; None if one has material.

    One room for all is tried first, then one for each half of them.
    """
    room = part_of(visitors.reshape(-1, 3))
    if not _is_solid_room(part, material, room):
        yield room
    elif len(visitors) == 1:
        yield None
    else:
        half = len(visitors) // 2
        yield from _rooms(part, material, visitors[:half])
        yield from _rooms(part, material, visitors[half:])


def _is_solid_room(part: Part, material: Material, room: Part | None) -> bool:
    """Return whether there is material in a room within a part."""
    if room is None:
        return False
    inner = part.region_below(room.normals, room.offsets, slack_of(part))
    return inner is not None and material.is_in(inner, touch_of(part))


def slack_of(part: Part) -> float:
    """Return by how much a region of a part may be too large; less for a sheet."""
    return min(SLACK, part.width / 8)


def touch_of(part: Part) -> float:
    """Return how near to the border of its region surface does not count; less for a sheet."""
    return min(TOUCH + slack_of(part), part.width / 4)


def _without(part: Part, room: Part, material: Material) -> Iterator[Part]:
    """Yield the pieces of a part around a room that hold material."""
    rest: Part | None = part
    normals, offsets = room.normals, room.offsets + GAP
    remnant = min(REMNANT, REMNANT_SHARE * float(np.ptp(part.box, axis=0).max()))
    for _ in range(len(normals)):
        if rest is None:
            break
        beyond = rest.spans(normals)[1] - offsets
        widest = int(np.round(beyond, 9).argmax())
        if beyond[widest] <= remnant:
            break
        normal, offset = normals[widest], float(offsets[widest])
        outer = rest.region_below(-normal[None], np.array([-offset]), 0.0)
        # Surface on the border belongs to the piece.
        if outer is not None and material.is_in(outer, touch=-ON_BORDER):
            piece = rest.below(-normal, -offset)
            if piece is not None:
                yield piece
        rest = rest.below(normal, offset)
