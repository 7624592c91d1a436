# SPDX-License-Identifier: Apache-2.0
"""What is found once per object: walls that are drawn once per side, copies, what nobody sees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from aa_dataset.errors import RenderError
from aa_dataset.render.prepared import ALWAYS, AT_REST, prepare
from aa_dataset.render.surface import Surface, read_surface
from tests.kit import scenes

CORNERS = [[0, 0, 0], [0, 1, 0], [0, 0, 1]]


def sheet(*, back: bool = False, y: float = 0.0) -> trimesh.Trimesh:
    """Return one triangle in the plane x = 0."""
    faces = [[0, 2, 1] if back else [0, 1, 2]]
    return trimesh.Trimesh(np.add(CORNERS, [0, y, 0]), faces, process=False)


def joined(surface: Surface) -> Surface:
    """Return a surface whose parts move together."""
    return replace(surface, part=np.zeros_like(surface.part))


def test_a_wall_drawn_once_per_side_is_hidden_from_behind() -> None:
    surface = joined(read_surface([sheet(), sheet(back=True), sheet(y=5)]))
    assert prepare(surface).hidden.tolist() == [ALWAYS, ALWAYS, 0]


def test_walls_of_two_parts_hide_each_other_only_while_they_touch() -> None:
    prepared = prepare(read_surface([sheet(), sheet(back=True), sheet(y=5)]))
    assert prepared.hidden.tolist() == [AT_REST, AT_REST, 0]
    poses = np.tile(np.eye(4), (3, 1, 1))
    assert prepared.is_culled(poses).tolist() == [True, True, False]
    poses[1, 0, 3] = 0.1
    assert not prepared.is_culled(poses).any()


def test_equal_faces_are_drawn_once_and_other_looks_stay() -> None:
    plain, red = sheet(), scenes.colored(sheet(), (0.8, 0.2, 0.2, 1.0))
    assert len(prepare(joined(read_surface([plain, sheet(), red]))).hidden) == 2
    assert len(prepare(read_surface([plain, sheet()])).hidden) == 2  # they part when one moves
    glass = [scenes.colored(sheet(), (0.8, 0.2, 0.2, 0.5)) for _ in range(2)]
    assert len(prepare(joined(read_surface(glass))).hidden) == 2  # two panes are darker


def test_a_shape_without_doubled_walls_loses_nothing() -> None:
    surface = read_surface([trimesh.creation.box(), trimesh.creation.icosphere()])
    prepared = prepare(joined(surface))
    assert not prepared.hidden.any() and len(prepared.hidden) == len(surface.part)


def test_what_nobody_sees_is_left_out() -> None:
    ghost = scenes.colored(trimesh.creation.box(), (1.0, 1.0, 1.0, 0.0))
    kept = prepare(read_surface([ghost, sheet()])).surface.part
    assert kept.tolist() == [1]
    with pytest.raises(RenderError, match=r"every part is fully transparent"):
        prepare(read_surface([ghost]))


def test_parts_are_placed_by_their_poses() -> None:
    prepared = prepare(read_surface([sheet(), sheet(y=5)]))
    poses = np.stack([scenes.shift(1, 2, 3), np.eye(4)])
    poses[1, :2, :2] = [[0, -1], [1, 0]]  # x to y, y to -x
    first, second = prepared.placed(poses)
    np.testing.assert_allclose(first, np.add(CORNERS, [1, 2, 3]))
    np.testing.assert_allclose(second, [[-5, 0, 0], [-6, 0, 0], [-5, 0, 1]], atol=1e-15)
    poses[0, 0, 0] = np.nan
    with pytest.raises(RenderError, match="finite"):
        prepared.placed(poses)
