# SPDX-License-Identifier: Apache-2.0
"""Points on objects: on the surface, by area, with their links, the same digits everywhere."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest
import trimesh

from aa_dataset.dataset import Dataset
from aa_dataset.errors import ArgumentError, JointError, RenderError, ShapeError
from aa_dataset.format.layout import GLB
from aa_dataset.geometry.sampling import PointSample, sample_surface
from aa_dataset.random_streams import Draws
from aa_dataset.render.glb import read_glb
from tests.kit.inputs_library import BARE, CABINET, JAR, LAMP, posed_truth


def on_surface(sample: PointSample, truth: dict[str, trimesh.Trimesh]) -> None:
    """Check that every point is on the mesh of its link, with the normal of a triangle there."""
    for number, link in enumerate(sample.links):
        chosen = sample.link == number
        if link not in truth:
            assert not chosen.any()
            continue
        corners = truth[link].triangles
        for point, normal in zip(sample.points[chosen], sample.normals[chosen], strict=True):
            close = trimesh.triangles.closest_point(corners, np.tile(point, (len(corners), 1)))
            near = np.linalg.norm(close - point, axis=1) < 1e-7
            assert near.any()
            assert (truth[link].face_normals[near] @ normal).max() > 1 - 1e-6


@pytest.mark.parametrize("object_id", [CABINET, LAMP, JAR])
def test_points_are_on_the_links_in_every_state(dataset: Dataset, object_id: str) -> None:
    item = dataset[object_id]
    for state in ({}, item.random_configuration(3)):
        truth = posed_truth(item.read(GLB), item.tree.placements(state))
        on_surface(item.sample_points(150, 5, state), truth)


@pytest.mark.parametrize("object_id", [CABINET, LAMP, JAR])
def test_every_link_has_the_share_of_its_area(dataset: Dataset, object_id: str) -> None:
    item, count = dataset[object_id], 5000
    truth = posed_truth(item.read(GLB), item.tree.placements({}))
    area = {link: mesh.area for link, mesh in truth.items()}
    sample = item.sample_points(count, 1)
    assert len(sample) == count and sample.links == item.tree.links
    for number, link in enumerate(sample.links):
        expected = count * area.get(link, 0.0) / sum(area.values())
        assert abs(int((sample.link == number).sum()) - expected) <= 2


def test_points_fill_a_sheet_evenly_and_the_first_half_does_so_alone(dataset: Dataset) -> None:
    sample = dataset[CABINET].sample_points(20_000, 2)
    door = sample.link == sample.links.index("secret_door")
    first_half = np.arange(len(door)) < len(door) // 2
    for chosen in (door, door & first_half):
        # A sheet of 0.3 m by 0.4 m, from its hinge at y = -0.2 + 0.05 on.
        y, z = sample.points[chosen, 1], sample.points[chosen, 2]
        cells = np.histogram2d(y, z, bins=(3, 4), range=((-0.15, 0.15), (-0.1, 0.3)))[0]
        expected = chosen.sum() / 12
        assert np.abs(cells - expected).max() < 5 * math.sqrt(expected)
    assert abs(int((door & first_half).sum()) - door.sum() / 2) < 5 * math.sqrt(door.sum() / 4)


def slow_uniform(raw: np.random.PCG64) -> float:
    return (int(raw.random_raw()) // 2**11) / 2**53


def test_the_digits_are_those_of_plain_python(dataset: Dataset) -> None:
    """Python's numbers follow IEEE 754 one at a time: no array function may differ from them."""
    item, count, seed = dataset[LAMP], 40, 9
    model = read_glb(item.read(GLB))
    text = "\x1f".join((str(seed), "points", LAMP)).encode()
    entropy = int.from_bytes(hashlib.sha256(text).digest())
    raw = np.random.PCG64(np.random.SeedSequence(entropy))
    faces, reach, total = [], [], 0.0
    for piece in model.pieces:
        for a, b, c in piece.points[piece.faces].tolist():
            u, v = ([q - p for p, q in zip(a, end, strict=True)] for end in (b, c))
            n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
            total += math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
            faces.append((a, u, v))
            reach.append(total)
    strata = [(k + slow_uniform(raw)) / count * total for k in range(count)]
    # 40 / 1.618 is 24.7; 24, 25 and 26 share a divisor with 40, 27 does not.
    start = int(slow_uniform(raw) * count)
    order = [(start + 27 * k) % count for k in range(count)]
    first, second = ([slow_uniform(raw) for _ in range(count)] for _ in range(2))
    expected = []
    for k, r, s in zip(order, first, second, strict=True):
        a, u, v = faces[next(n for n, end in enumerate(reach) if end > strata[k])]
        r, s = (1 - r, 1 - s) if r + s > 1 else (r, s)
        expected.append([x + (r * y + s * z) for x, y, z in zip(a, u, v, strict=True)])
    assert item.sample_points(count, seed).points.tolist() == expected


def test_a_state_moves_the_same_points(dataset: Dataset) -> None:
    item = dataset[CABINET]
    state = item.random_configuration(1)
    rest, moved = item.sample_points(64, 4), item.sample_points(64, 4, state)
    assert rest.link.tolist() == moved.link.tolist()
    again = rest.moved(item.pose(state))
    assert again.points.tolist() == moved.points.tolist() != rest.points.tolist()
    assert again.normals.tolist() == moved.normals.tolist()
    other = item.sample_points(64, 5)
    assert other.points.tolist() != rest.points.tolist()


def test_no_point_and_no_surface(dataset: Dataset) -> None:
    assert len(dataset[CABINET].sample_points(0)) == 0
    with pytest.raises(RenderError, match="nothing to sample"):
        dataset[BARE].sample_points(8)


@pytest.mark.parametrize("count", [-1, 2.5, "many", None])
def test_a_number_of_points_that_is_none_is_a_sentence(dataset: Dataset, count: object) -> None:
    with pytest.raises(ArgumentError, match="it must be a number from 0 on"):
        dataset[CABINET].sample_points(count)  # type: ignore[arg-type]


def test_a_glb_with_a_link_that_no_table_has_is_a_sentence(dataset: Dataset) -> None:
    model = read_glb(dataset[LAMP].read(GLB))
    with pytest.raises(RenderError, match=r"the link 'arm', which no table has"):
        sample_surface(model, ("base", "elbow", "head"), 8, 0)


def test_one_state_at_a_time(dataset: Dataset) -> None:
    item = dataset[CABINET]
    with pytest.raises(ShapeError, match=r"`q` has shape \(2,\)"):
        item.sample_points(8, 0, np.zeros((2, len(item.joints))))
    with pytest.raises(JointError, match="no such joint"):
        item.sample_points(8, 0, {"typo": 1.0})


def test_many_draws_are_those_one_at_a_time() -> None:
    one, many = Draws(3, "a"), Draws(3, "a")
    assert many.uniforms(7).tolist() == [one.uniform() for _ in range(7)]
    assert many.uniforms(0).tolist() == [] and many.uniform() == one.uniform()
