# SPDX-License-Identifier: Apache-2.0
"""Law: shapes are closed, outward solids with the volume that geometry gives."""

import math

import numpy as np
import pytest
import trimesh

from pipeline.generate.vocabulary import (
    AuthoringError,
    Shape,
    box,
    capsule,
    circle,
    cone,
    cylinder,
    extrude,
    gear,
    lathe,
    plate,
    rectangle,
    rounded_box,
    rounded_path,
    sphere,
    sweep,
    torus,
    tray,
    tube,
)


def polygon_area(segments: int, radius: float) -> float:
    """Area of the regular polygon that stands for a circle."""
    return segments / 2 * math.sin(2 * math.pi / segments) * radius**2


N = 24
EXACT = {
    "box": (box((2, 3, 4), "oak"), 24.0),
    "cylinder": (cylinder((2, 5), "oak", segments=N), 5 * polygon_area(N, 2)),
    "cone": (cone((2, 0, 6), "oak", segments=N), 6 / 3 * polygon_area(N, 2)),
    "frustum": (cone((2, 1, 3), "oak", segments=N), 3 / 3 * polygon_area(N, 1) * (4 + 2 + 1)),
    "tube": (tube((3, 2, 1), "oak", segments=N), polygon_area(N, 3) - polygon_area(N, 2)),
    "tray": (tray((4, 3, 2), "oak", wall=0.5, floor=0.25), 4 * 3 * 2 - 3 * 2 * 1.75),
    "plate": (
        plate((4, 3, 2), "oak", radius=0.5, steps=6),
        2 * (4 * 3 - 4 * 0.5**2 + polygon_area(24, 0.5)),
    ),
    "extrusion with a hole": (
        extrude(rectangle(4, 4), "oak", height=3, holes=[rectangle(1, 2, center=(0.5, 0))]),
        3 * (16 - 2),
    ),
    "panel with a grid of aligned holes": (
        extrude(
            rectangle(7, 7),
            "oak",
            height=2,
            holes=[rectangle(1, 1, center=(x, y)) for x in (-2, 0, 2) for y in (-2, 0, 2)],
        ),
        2 * (49 - 9),
    ),
    "lathed vessel": (
        lathe([(2, 0), (2, 3), (1, 3), (1, 1), (0, 1)], "oak", segments=N),
        3 * polygon_area(N, 2) - 2 * polygon_area(N, 1),
    ),
    "straight sweep": (sweep([(0, 0, 0), (1, 2, 2)], "oak", section=rectangle(0.5, 0.25)), 0.375),
    "mitered sweep": (
        sweep([(0, 0, 0), (2, 0, 0), (2, 3, 0)], "oak", section=rectangle(0.2, 0.2)),
        5 * 0.04,
    ),
}
SMOOTH = {
    "sphere": (sphere(1, "oak", segments=96), 4 / 3 * math.pi),
    "capsule": (capsule((1, 2), "oak", segments=96), 4 / 3 * math.pi + 2 * math.pi),
    "torus": (torus((3, 1), "oak", segments=96), 2 * math.pi * 3 * polygon_area(12, 1)),
    "rounded box": (
        rounded_box((3, 4, 5), "oak", radius=1, steps=24),
        1 * 2 * 3 + 2 * (1 * 2 + 2 * 3 + 3 * 1) + math.pi * (1 + 2 + 3) + 4 / 3 * math.pi,
    ),
}
OTHERS = {
    "bent pipe": sweep(
        rounded_path([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)], radius=0.3), "oak", radius=0.1
    ),
    "closed sweep": sweep(
        np.column_stack((circle(1), np.zeros(24))), "oak", section=circle(0.1), closed=True
    ),
    "gear": extrude(gear(11, 1, depth=0.2), "oak", height=0.3, holes=[circle(0.3)]),
}
ALL = {name: shape for name, (shape, _) in (EXACT | SMOOTH).items()} | OTHERS


@pytest.mark.parametrize("name", EXACT)
def test_polyhedral_volumes_are_exact(name: str) -> None:
    shape, volume = EXACT[name]
    assert shape.volume == pytest.approx(volume, rel=1e-12)


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_volumes_approach_the_closed_form_from_inside(name: str) -> None:
    shape, volume = SMOOTH[name]
    assert 0.995 * volume < shape.volume < volume


@pytest.mark.parametrize("name", ALL)
def test_shapes_are_closed_and_outward(name: str) -> None:
    shape = ALL[name]
    mesh = trimesh.Trimesh(shape.vertices, shape.faces, process=True)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.volume > 0


@pytest.mark.parametrize("move", ["x", "-x", "y", "-y", "z", "-z"])
def test_placing_keeps_volume(move: str) -> None:
    shape = cone((1, 0.5, 2), "oak").at(0.3, -0.2, 0.1)
    moved = [shape.along(move), shape.mirrored(move), shape.turned(move, 37, about=(1, 2, 3))]
    assert [m.volume for m in moved] == pytest.approx([shape.volume] * 3, rel=1e-12)


def test_along_sends_z_to_the_named_axis() -> None:
    tip = Shape(np.array([[0.0, 0.0, 1.0]]), np.empty((0, 3), dtype=np.int64), "oak")
    assert tip.along("x").vertices.tolist() == [[1, 0, 0]]
    assert tip.along("-y").vertices.tolist() == [[0, -1, 0]]


def test_on_puts_the_lowest_point_at_the_given_height() -> None:
    stood = sphere(0.5, "oak").on(1, 2, 3)
    assert stood.vertices[:, 2].min() == pytest.approx(3)
    assert stood.vertices.mean(axis=0)[:2] == pytest.approx([1, 2])


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: rounded_box((1, 1, 0.1), "oak", radius=0.1),
        lambda: tray((1, 1, 1), "oak", wall=0.5),
        lambda: lathe([(-1, 0), (1, 1)], "oak"),
        lambda: box((1, 1, 1), "oak").along("up"),
    ],
)
def test_impossible_shapes_are_refused(mistake: object) -> None:
    with pytest.raises(AuthoringError):
        mistake()
