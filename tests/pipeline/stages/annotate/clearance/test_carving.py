# SPDX-License-Identifier: Apache-2.0
"""Cuts that part two parts, against the volumes of boxes, and a linear program."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from pipeline.stages.annotate.clearance.carving import (
    DEEPEST,
    GAP,
    LARGEST_SHARE,
    REMNANT,
    SLACK,
    Cut,
    Meeting,
    carved,
    shared_region,
    slack_of,
    touch_of,
    trimmed,
)
from pipeline.stages.annotate.clearance.material import TOUCH, Material
from pipeline.stages.annotate.clearance.parts import Part
from tests.pipeline.stages.annotate.clearance.shapes import (
    STILL,
    box,
    is_separate,
    material,
    part,
    shifts,
    slide,
    solid,
)

LARGE = box([0, 0, 0], [0.4, 0.4, 0.4])
SMALL = box([0, 0, 0], [0.1, 0.1, 0.1])
DEPTH = 0.4 * DEEPEST
UNIT = box([0, 0, 0], [1, 1, 1])


def meeting(moving: Part, still: Part, maps: np.ndarray) -> Meeting:
    """Return a meeting of shifts, whose reverses shift back."""
    back = maps.copy()
    back[..., 3] *= -1
    return Meeting(moving, still, maps, back)


def made(cut: Cut | None) -> tuple[Part, Part]:
    """Return the moving and the still part that a trim leaves."""
    assert cut is not None
    [moving], [still] = cut.moving, cut.still
    return moving, still


def test_the_part_that_loses_the_smaller_share_is_trimmed_down_to_the_gap() -> None:
    maps = shifts([0.4 - DEPTH, 0.1, 0.1])
    moving, still = made(trimmed(meeting(SMALL, LARGE, maps)))
    assert moving is SMALL
    assert still.volume == pytest.approx((0.4 - DEPTH - GAP) * 0.4**2)
    assert still.box[1, 0] == pytest.approx(0.4 - DEPTH - GAP)
    # The large one moves, so that it is the one to lose again.
    moving, still = made(trimmed(meeting(LARGE, SMALL, shifts([DEPTH - 0.4, -0.1, -0.1]))))
    assert still is SMALL
    assert moving.volume == pytest.approx((0.4 - DEPTH - GAP) * 0.4**2)


def test_two_pieces_of_a_motion_trim_two_sides() -> None:
    first, second = DEPTH, DEPTH / 2
    maps = shifts([0.4 - first, 0.1, 0.1], [0.1, 0.4 - second, 0.1])
    moving, still = made(trimmed(meeting(SMALL, LARGE, maps)))
    assert moving is SMALL
    assert still.volume == pytest.approx((0.4 - first - GAP) * (0.4 - second - GAP) * 0.4)


def test_a_slide_trims_all_of_its_way() -> None:
    """The way leads from one end of the large box to the other, deeper and deeper."""
    start, end = [0.4, 0, 0.1], [0.4 - DEPTH, 0.3, 0.1]
    moving, still = made(trimmed(meeting(SMALL, LARGE, slide(start, end))))
    for share in np.linspace(0, 1, 41):
        offset = np.array(start) + share * (np.array(end) - np.array(start))
        assert is_separate(moving.vertices + offset, still.vertices)


@pytest.mark.parametrize(("excess", "is_cut"), [(-1e-5, True), (1e-5, False)])
def test_a_plane_takes_no_more_than_the_deepest_depth(excess: float, is_cut: bool) -> None:
    maps = shifts([0.4 - DEEPEST - excess, 0.1, 0.1])
    assert (trimmed(meeting(SMALL, LARGE, maps)) is not None) is is_cut


@pytest.mark.parametrize(("excess", "is_cut"), [(-1e-5, True), (1e-5, False)])
def test_a_plane_takes_no_more_than_the_largest_share(excess: float, is_cut: bool) -> None:
    """Two equal sheets of half the deepest depth lie on each other; one loses overlap and gap."""
    thick = DEEPEST / 2
    sheet = box([0, 0, 0], [0.4, 0.4, thick])
    overlap = LARGEST_SHARE * thick - GAP + excess
    cut = trimmed(meeting(sheet, sheet, shifts([0, 0, thick - overlap])))
    assert (cut is not None) is is_cut


def turn_maps(turns: Rotation) -> np.ndarray:
    """Return the three maps (1, 3, 3, 4) of a turn, by its start, its end and its middle."""
    start, end, middle = (one.as_matrix() for one in turns)
    maps = np.zeros((1, 3, 3, 4))
    maps[0, :, :, :3] = [start, end, 2 * middle - (start + end) / 2]
    return maps


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_turn_is_trimmed_from_either_view(is_reversed: bool) -> None:
    """A bar turns about z past a post; its far corner dives 0.005 into it."""
    angle = math.radians(7)
    bar = box([0.1, -0.02, 0], [0.3, 0.02, 0.1])
    reach = math.hypot(0.3, 0.02)
    post = box([reach - 0.005, -0.1, 0], [reach + 0.1, 0.1, 0.1])
    turns = Rotation.from_euler("z", [[-angle], [angle], [0]])
    whole = Meeting(bar, post, turn_maps(turns), turn_maps(turns.inv()))
    states = [Rotation.from_euler("z", t) for t in np.linspace(-angle, angle, 81)]
    assert not all(is_separate(s.apply(bar.vertices), post.vertices) for s in states)
    cut = trimmed(whole.reversed if is_reversed else whole)
    assert cut is not None
    moving, still = made(cut.reversed if is_reversed else cut)
    assert all(is_separate(s.apply(moving.vertices), still.vertices) for s in states)
    # Neither lost more than the overlap, the gap and what the triangle adds to the arc.
    most = 0.005 + GAP + reach * (1 / math.cos(angle) - 1)
    lost = bar.volume - moving.volume + post.volume - still.volume
    assert 0 < lost <= most * 0.2 * 0.1


def test_the_shared_region_of_boxes_is_a_box() -> None:
    region = shared_region(meeting(SMALL, LARGE, shifts([0.35, 0.36, 0.1], [5, 5, 5])))
    assert region is not None
    assert region.box == pytest.approx(np.array([[0.35, 0.36, 0.1], [0.4, 0.4, 0.2]]))
    assert region.volume == pytest.approx(0.05 * 0.04 * 0.1)
    assert shared_region(meeting(SMALL, LARGE, shifts([0.5, 0, 0]))) is None


def test_the_shared_region_of_a_turned_square_is_an_octagon() -> None:
    cube = box([-0.1, -0.1, -0.1], [0.1, 0.1, 0.1])
    maps = STILL.copy()
    maps[0, 0, :, :3] = Rotation.from_euler("z", 45, degrees=True).as_matrix()
    region = shared_region(Meeting(cube, cube, maps, maps))
    assert region is not None
    # A regular octagon of inner radius r has the area 8 (sqrt(2) - 1) r^2.
    assert region.volume == pytest.approx(8 * (math.sqrt(2) - 1) * 0.1**2 * 0.2, rel=1e-5)


def test_a_shared_region_may_exceed_both_parts_by_the_slack() -> None:
    almost = box([0, 0, 0], [0.4, 0.4, 0.4 - 0.9 * SLACK])
    assert shared_region(meeting(almost, LARGE, STILL)) is LARGE
    smaller = box([0, 0, 0], [0.4, 0.4, 0.4 - 1.1 * SLACK])
    region = shared_region(meeting(smaller, LARGE, STILL))
    assert region is not None
    assert region.volume == pytest.approx(0.4**2 * (0.4 - 1.1 * SLACK))


def test_sheets_have_less_slack_and_touch_than_bodies() -> None:
    sheet = box([0, 0, 0], [0.4, 0.4, SLACK])
    assert (slack_of(LARGE), touch_of(LARGE)) == (SLACK, TOUCH + SLACK)
    assert slack_of(sheet) == pytest.approx(SLACK / 8)
    assert touch_of(sheet) == pytest.approx(SLACK / 4)


def walls(*more: trimesh.Trimesh) -> Material:
    """Return the six walls of the unit cube, 0.02 thick, and what else is in it."""
    some, thick = list(more), 0.02
    for axis, side in itertools.product(range(3), (0, 1)):
        ends = np.array([[0.0, 0, 0], [1, 1, 1]])
        ends[:, axis] = [0, thick] if side == 0 else [1 - thick, 1]
        some.append(solid(*ends.tolist()))
    return material(*some)


corners = st.tuples(*[st.tuples(st.floats(0.05, 0.45), st.floats(0.55, 0.95))] * 3)


@settings(max_examples=25)
@given(corners)
def test_a_room_in_a_hollow_cube_leaves_the_cube_but_for_the_room(
    ends: tuple[tuple[float, float], ...],
) -> None:
    visitor = box(*np.array(ends).T)
    left = carved(UNIT, walls(), visitor.vertices[None])
    assert left is not None
    assert len(left) == 6
    room = math.prod(high - low + 2 * GAP for low, high in ends)
    assert sum(one.volume for one in left) == pytest.approx(1 - room)
    assert all(is_separate(one.vertices, visitor.vertices) for one in left)


def test_a_room_with_material_is_not_carved() -> None:
    visitor = box([0.3, 0.3, 0.3], [0.7, 0.7, 0.7])
    post = solid([0.45, 0.45, 0], [0.55, 0.55, 1])
    assert carved(UNIT, material(post), visitor.vertices[None]) is None
    beside = solid([0.1, 0.1, 0], [0.2, 0.2, 1])
    assert carved(UNIT, material(beside), visitor.vertices[None]) is not None


@pytest.mark.parametrize(("most", "is_carved"), [(5, False), (6, True)])
def test_no_more_pieces_are_left_than_there_is_room_for(most: int, is_carved: bool) -> None:
    """A room in the middle leaves six walls."""
    visitor = box([0.3, 0.3, 0.3], [0.7, 0.7, 0.7])
    assert (carved(UNIT, walls(), visitor.vertices[None], most) is not None) is is_carved


def test_pieces_without_material_are_left_out() -> None:
    """Only the floor is there; below the room is most space, so that it is cut off first."""
    visitor = box([0.1, 0.1, 0.3], [0.9, 0.9, 0.9])
    floor = material(solid([0, 0, 0], [1, 1, 0.1]))
    left = carved(UNIT, floor, visitor.vertices[None])
    assert left is not None
    [kept] = left
    assert kept.box == pytest.approx(np.array([[0, 0, 0], [1, 1, 0.3 - GAP]]))
    assert kept.volume == pytest.approx(0.3 - GAP)


@pytest.mark.parametrize("stays", [False, True])
def test_what_sticks_out_of_a_room_by_less_than_a_remnant_is_left_out(stays: bool) -> None:
    """The room is wider than the cube, so that it leaves a floor and a lid."""
    lid = (1.1 if stays else 0.9) * REMNANT + GAP
    visitor = box([-0.1, -0.1, 0.3], [1.1, 1.1, 1 - lid])
    both = material(solid([0, 0, 0], [1, 1, 0.1]), solid([0, 0, 1 - lid / 4], [1, 1, 1]))
    left = carved(UNIT, both, visitor.vertices[None])
    assert left is not None
    heights = sorted(one.volume for one in left)
    expected = [lid - GAP] * stays + [0.3 - GAP]
    assert heights == pytest.approx(expected)


def test_a_way_around_a_post_is_carved_room_by_room() -> None:
    """The hull of both visitors holds the post, each of them alone does not."""
    first, second = box([0.1, 0.2, 0.2], [0.3, 0.8, 0.8]), box([0.7, 0.2, 0.2], [0.9, 0.8, 0.8])
    post = solid([0.4, 0.4, 0], [0.6, 0.6, 1])
    visitors = np.stack([first.vertices, second.vertices])
    left = carved(UNIT, walls(post), visitors)
    assert left is not None
    room = (0.2 + 2 * GAP) * (0.6 + 2 * GAP) ** 2
    assert sum(one.volume for one in left) == pytest.approx(1 - 2 * room)
    for one, visitor in itertools.product(left, visitors):
        assert is_separate(one.vertices, visitor)
    # Without the post, one room for all is enough.
    hollow = carved(UNIT, walls(), visitors)
    assert hollow is not None
    assert sum(one.volume for one in hollow) == pytest.approx(
        1 - (0.8 + 2 * GAP) * (0.6 + 2 * GAP) ** 2
    )


def test_a_wedge_that_visits_a_hollow_is_given_a_wedge() -> None:
    """The room of a right triangle is wider by the gap on all of its sides."""
    leg = 0.5
    visitor = part(
        np.array([[x, y, z] for x, y in ((0, 0), (leg, 0), (0, leg)) for z in (0, 0.4)]) + 0.2
    )
    left = carved(UNIT, walls(), visitor.vertices[None])
    assert left is not None
    wider = leg + 2 * GAP + math.sqrt(2) * GAP
    room = wider**2 / 2 * (0.4 + 2 * GAP)
    assert sum(one.volume for one in left) == pytest.approx(1 - room)
    assert all(is_separate(one.vertices, visitor.vertices) for one in left)
