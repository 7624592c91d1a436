# SPDX-License-Identifier: Apache-2.0
"""Law: parts do not cut into each other, at rest or while a joint moves through its range.

Volumes are exact (boolean intersections). At rest two parts may share 2 % of the smaller one's
volume, on the way 4 %: real hinges and threads interlock, and a turned solid is a polygon.
"""

import pytest

from pipeline.generate.clearance import rest_overlaps, sweep_overlaps
from pipeline.generate.draw import Draw
from pipeline.generate.registry import family, family_categories, family_names
from pipeline.generate.vocabulary import Assembly, box

pytest.importorskip("manifold3d")

SEED = 7
REST, ON_THE_WAY = 0.02, 0.04
CASES = [(name, k) for name in family_names() for k in range(len(family_categories(name)))]


def pair(reach: float) -> Assembly:
    """Return a cube and a door of one meter before it that swings by 90 degrees about z."""
    assembly = Assembly("pair", "pair", "A pair.")
    body = assembly.part("body", box((1, 1, 1), "oak"))
    door = assembly.part("door", box((0.1, 1, 1), "oak").at(0.56))
    assembly.hinge(body, door, origin=(0.5, reach, 0), axis="z", lower=0, upper=90)
    return assembly


def test_a_door_hinged_inside_its_body_is_found() -> None:
    assert not rest_overlaps(pair(0.5), above=REST)
    assert not sweep_overlaps(pair(0.5), above=ON_THE_WAY)
    assert {o.second for o in sweep_overlaps(pair(0.0), above=ON_THE_WAY)} == {"body"}


def test_a_part_behind_a_door_may_come_out_once_the_door_is_open() -> None:
    assembly = pair(0.5)
    tray = assembly.part("tray", box((0.05, 0.5, 0.5), "oak").at(0.48))
    assembly.weld("body", assembly.part("peg", box((0.01, 0.01, 0.01), "oak").at(0, 0, 0.6)))
    assembly.slide("body", tray, axis="x", lower=0, upper=0.5)
    found = sweep_overlaps(assembly, above=ON_THE_WAY)
    assert not [o for o in found if {o.first, o.second} == {"tray", "door"}]


@pytest.mark.parametrize("name", family_names())
def test_parts_hardly_overlap_at_rest(name: str) -> None:
    assert not rest_overlaps(family(name)(Draw(SEED, name, 0)), above=REST)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "index"), CASES)
def test_parts_hardly_overlap_on_the_way(name: str, index: int) -> None:
    for seed in (SEED, SEED + 1):
        assembly = family(name)(Draw(seed, name, index))
        assert not rest_overlaps(assembly, above=REST)
        assert not sweep_overlaps(assembly, above=ON_THE_WAY)
