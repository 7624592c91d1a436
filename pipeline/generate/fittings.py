# SPDX-License-Identifier: Apache-2.0
"""Pieces that many families share: carcasses, drawers, pulls, knobs, wheels, all in meters."""

from collections.abc import Sequence

from pipeline.generate.assembly import Assembly
from pipeline.generate.polygons import rectangle, rounded_path
from pipeline.generate.shape import Shape, direction
from pipeline.generate.shapes import box, cone, cylinder, extrude, lathe, sweep, torus, tray

Opening = tuple[float, float, float, float]

LIGHT = ("white_plastic", "chrome", "steel", "aluminum", "white_paint", "cream_paint")


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


def dial(size: Sequence[float], material: str, *, mark: str = "white_plastic") -> list[Shape]:
    """Make a round knob of (radius, height) on the plane z = 0, with a pointer toward +y."""
    radius, height = size
    grip = cone((radius, 0.88 * radius, height), material, segments=20).on(0, 0, 0)
    pointer = box((0.14 * radius, 0.7 * radius, 0.06 * height), mark)
    return [grip, pointer.on(0, 0.5 * radius, height)]


def add_dial(
    assembly: Assembly,
    parent: str,
    name: str,
    *,
    at: Sequence[float],
    axis: str,
    size: Sequence[float],
    material: str,
    turn: float = 270,
) -> str:
    """Add a knob of (radius, height) that turns clockwise by `turn` degrees; 0 means endless."""
    mark = "black_plastic" if material in LIGHT else "white_plastic"
    shapes = [s.along(axis).at(*at) for s in dial(size, material, mark=mark)]
    part = assembly.part(name, *shapes, label="knob")
    if turn == 0:
        assembly.spin(parent, part, origin=at, axis=axis)
    else:
        assembly.hinge(parent, part, origin=at, axis=axis, lower=-turn, upper=0)
    return part


def add_button(
    assembly: Assembly,
    parent: str,
    name: str,
    shape: Shape,
    *,
    axis: str,
    travel: float,
    label: str = "button",
) -> str:
    """Add a key that is pressed along an axis by `travel` meters.

    The shape is given as pressed, on the surface around it; at rest it stands off by the travel.
    """
    part = assembly.part(name, shape.at(*-direction(axis) * (travel + 0.0002)), label=label)
    assembly.slide(parent, part, axis=axis, lower=0, upper=travel)
    return part


def feet(span: Sequence[float], *, radius: float = 0.012, height: float = 0.01) -> list[Shape]:
    """Make four rubber feet under the corners of an (x, y) span, standing on z = 0."""
    return [
        cylinder((radius, height), "rubber", segments=12).on(sx * span[0] / 2, sy * span[1] / 2, 0)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]


def bowl(profile: Sequence[Sequence[float]], material: str, *, wall: float = 0.003) -> Shape:
    """Make a turned vessel from its outer (radius, z) profile, bottom to rim, and its wall."""
    (_, bottom), *_ = profile
    inside = [(max(r - wall, wall), max(z, bottom + wall)) for r, z in profile[::-1]]
    inside[0] = (inside[0][0], profile[-1][1])
    return lathe([*profile, *inside], material)
