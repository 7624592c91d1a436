# SPDX-License-Identifier: Apache-2.0
"""Pieces that many families share: carcasses, drawers, pulls, wheels, all in meters."""

from collections.abc import Sequence

from pipeline.generate.polygons import rectangle, rounded_path
from pipeline.generate.shape import Shape
from pipeline.generate.shapes import box, cylinder, extrude, lathe, sweep, torus, tray

Opening = tuple[float, float, float, float]


def carcass(
    size: Sequence[float], material: str, *, openings: Sequence[Opening], back: float = 0.008
) -> list[Shape]:
    """Make a cabinet body, open to the front (+x), centered in x and y and standing on z = 0.

    Parameters
    ----------
    size : (3,) float [m]
        Extents (depth x, width y, height z).
    material : str
        A name of the palette.
    openings : sequence of (y, z, width, height) [m]
        Centers and sizes of the cavities in the front view, z above the floor.
    back : float [m]
        Thickness of the back panel.
    """
    depth, width, height = size
    holes = [rectangle(w, h, center=(y, z - height / 2)) for y, z, w, h in openings]
    frame = extrude(rectangle(width, height), material, height=depth - back, holes=holes)
    panel = box((back, width, height), material)
    return [
        frame.along("x").on(back / 2, 0, 0),
        panel.on((back - depth) / 2, 0, 0),
    ]


def drawer_box(size: Sequence[float], material: str, *, wall: float = 0.01) -> Shape:
    """Make an open-topped drawer body of extents (x, y, z), its front face in the plane x = 0."""
    return tray(size, material, wall=wall, floor=min(0.006, wall)).at(-size[0] / 2)


def bar_pull(length: float, material: str, *, reach: float = 0.03, radius: float = 0.005) -> Shape:
    """Make a bow handle of a given length along y that stands off the plane x = 0."""
    half = length / 2
    corners = [(0, -half, 0), (reach, -half, 0), (reach, half, 0), (0, half, 0)]
    return sweep(rounded_path(corners, radius=reach * 0.6), material, radius=radius)


def knob(radius: float, material: str) -> Shape:
    """Make a turned knob that stands off the plane x = 0."""
    stem, reach = 0.4 * radius, 1.6 * radius
    profile = [
        (stem, 0.0),
        (stem, 0.5 * reach),
        (radius, 0.65 * reach),
        (0.95 * radius, 0.85 * reach),
        (0.5 * radius, reach),
    ]
    return lathe(profile, material, segments=16).along("x")


def pull(style: str, size: float, material: str) -> Shape:
    """Make a knob, a bow or an edge strip of about the given length, off the plane x = 0."""
    if style == "knob":
        return knob(0.016, material)
    if style == "strip":
        return box((0.02, size, 0.012), material).at(0.01)
    return bar_pull(size, material)


def wheel(size: Sequence[float], material: str, *, hub: str) -> list[Shape]:
    """Make a tire and hub of (radius, width) whose axle is y, centered on the origin."""
    radius, width = size
    tire = torus((radius - width / 2, width / 2), material)
    disk = cylinder((radius - 0.6 * width, 0.55 * width), hub, segments=20)
    boss = cylinder((0.28 * radius, 1.05 * width), hub, segments=16)
    return [shape.along("y") for shape in (tire, disk, boss)]


def legs(
    span: Sequence[float], material: str, *, size: Sequence[float], z: float = 0.0
) -> list[Shape]:
    """Make four square legs of (side, height) at the corners of a (x, y) span, from z up."""
    side, height = size
    return [
        box((side, side, height), material).on(sx * span[0] / 2, sy * span[1] / 2, z)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
