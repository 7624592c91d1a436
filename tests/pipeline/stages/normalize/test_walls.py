# SPDX-License-Identifier: Apache-2.0
"""Walls drawn once per side are distinguished from walls drawn once."""

from __future__ import annotations

import json
import struct
from collections import Counter
from pathlib import Path

import numpy as np
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from pipeline.shapes.pieces import Look, Piece
from pipeline.stages.normalize.walls import has_reverse, one_sided_looks
from tests.kit import bench
from tests.kit.places import SAMPLES, skip_without_samples

RED, BLUE = Look((1.0, 0.0, 0.0, 1.0)), Look((0.0, 0.0, 1.0, 1.0))


@given(st.lists(st.permutations(range(5)).map(lambda p: p[:3]), min_size=1, max_size=12))
def test_reversed_faces_are_found_as_by_comparing_all_pairs(faces: list[list[int]]) -> None:
    points = np.random.default_rng(3).normal(size=(5, 3)).round(3)

    def turned(face: list[int]) -> tuple[int, ...]:
        start = face.index(min(face))
        return (*face[start:], *face[:start])

    there = Counter(turned(face) for face in faces)
    expected = [turned(face[::-1]) in there for face in faces]
    assert has_reverse(Piece(points, np.array(faces))).tolist() == expected


def test_a_look_is_one_sided_if_all_its_faces_have_twins_in_their_link() -> None:
    box = trimesh.creation.box()
    vertices, faces = np.asarray(box.vertices), np.asarray(box.faces)
    outside, inside = Piece(vertices, faces, RED), Piece(vertices, faces[:, ::-1], BLUE)
    assert one_sided_looks([[outside, inside]]) == {RED, BLUE}
    assert one_sided_looks([[outside], [inside]]) == set()
    assert one_sided_looks([[outside, inside], [outside]]) == {BLUE}
    assert one_sided_looks([[outside, outside]]) == set()
    assert one_sided_looks([[]]) == set()


def sides(glb: bytes) -> set[bool]:
    """Return the values of `doubleSided` in a GLB."""
    length = struct.unpack_from("<I", glb, 12)[0]
    return {m["doubleSided"] for m in json.loads(glb[20 : 20 + length])["materials"]}


def test_a_plain_object_is_drawn_from_both_sides(door: Path) -> None:
    assert sides(bench.normal(door).files["object.glb"]) == {True}


def test_partnet_draws_its_walls_twice() -> None:
    folder = SAMPLES / "partnet_mobility/40147"
    if not folder.is_dir():
        skip_without_samples()
    outcome = bench.normal(folder, urdf="mobility.urdf")
    assert sides(outcome.files["object.glb"]) == {False}
