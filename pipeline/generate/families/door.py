# SPDX-License-Identifier: Apache-2.0
"""A room door: frame, leaf on side hinges, and on both faces lever handles on one spindle.

Sizes after DIN 18101: leaf 0.61-0.99 m wide, 1.95-2.11 m tall, 40 mm thick; it opens by 90-120
degrees; the lever sits 1.05 m high and turns by 35-45 degrees.
"""

from pipeline.generate.vocabulary import (
    METALS,
    PAINTS,
    WOODS,
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    extrude,
    rectangle,
    rounded_path,
    sweep,
)

CATEGORIES = {"door": "Architectural Fixtures"}

LEAF = 0.04


def _add_handle(
    draw: Draw,
    assembly: Assembly,
    *,
    body: str,
    door: str,
    hinge_at: tuple[float, float, float],
    side: int,
    width: float,
    metal: str,
    x: float,
) -> None:
    """Add the handle."""
    assembly.hinge(
        body,
        door,
        origin=hinge_at,
        axis="z" if side > 0 else "-z",
        lower=0,
        upper=draw.number("door_opening_deg", 90, 120, digits=1),
    )

    y = -side * (width / 2 - 0.07)
    lever = [(0, 0, 0), (0.055, 0, 0), (0.055, side * 0.12, 0)]
    grip = sweep(rounded_path(lever, radius=0.02), metal, radius=0.009)
    rose = cylinder((0.025, 0.008), metal).along("x").at(0.004)
    faces = [s.at(LEAF / 2) for s in (grip, rose)]
    both = [*faces, *(s.mirrored("x") for s in faces)]
    handle = assembly.part("handle", *(s.at(x, y, 1.05) for s in both), label="lever_handle")
    turn = draw.number("lever_turn_deg", 35, 45, digits=1)
    axis = "-x" if side < 0 else "x"
    assembly.hinge(door, handle, origin=(x, y, 1.05), axis=axis, lower=-turn, upper=0)


def _leaf_and_panes(
    style: str, height: float, *, width: float, size: tuple[float, float], leaf_material: str
) -> tuple[Shape, list[Shape]]:
    """Return the solids of the leaf and the panes."""
    windows = []
    if style != "plain":
        tall = (height - 0.5) / 2
        windows = [
            rectangle(width - 0.28, tall, center=(0, s * (tall + 0.14) / 2)) for s in (-1, 1)
        ]
    leaf = extrude(rectangle(*size), leaf_material, height=LEAF, holes=windows).along("x")
    fill = "glass" if style == "glazed" else leaf_material
    panes = [
        box((0.016, width - 0.28, (height - 0.5) / 2), fill).at(
            0, 0, s * ((height - 0.5) / 2 + 0.14) / 2
        )
        for s in ((-1, 1) if windows else ())
    ]
    return leaf, panes


def _add_leaf(
    draw: Draw,
    assembly: Assembly,
    *,
    width: float,
    height: float,
    style: str,
    leaf_material: str,
    metal: str,
    side: int,
    body: str,
) -> None:
    """Add the leaf."""
    gap = 0.004
    size = (width - 2 * gap, height - 2 * gap)
    z = height / 2
    leaf, panes = _leaf_and_panes(
        style, height, width=width, size=size, leaf_material=leaf_material
    )
    hinges = [
        cylinder((0.008, 0.09), metal, segments=12).at(
            LEAF / 2 + 0.006, side * (width / 2 - gap), dz
        )
        for dz in (-0.38 * height, 0, 0.38 * height)
    ]
    x = -LEAF / 2 - 0.001
    door = assembly.part(
        "leaf", *(s.at(x, 0, z) for s in (leaf, *panes, *hinges)), label="door_leaf"
    )
    hinge_at = (x + LEAF / 2 + 0.006, side * (width / 2 - gap), z)
    _add_handle(
        draw,
        assembly,
        body=body,
        door=door,
        hinge_at=hinge_at,
        side=side,
        width=width,
        metal=metal,
        x=x,
    )


def build(draw: Draw) -> Assembly:
    """Build one door."""
    width = draw.number("width", 0.61, 0.99)
    height = draw.number("height", 1.95, 2.11)
    side = 1 if draw.chance("hinged_left", 0.5) else -1
    style = draw.pick("leaf_style", ("plain", "panels", "glazed"))
    leaf_material = draw.pick("leaf_material", WOODS + PAINTS)
    frame_material = draw.pick("frame_material", ("white_paint", leaf_material))
    metal = draw.pick("handle_material", METALS)

    post = 0.07
    outer = [(-width / 2 - post, 0), (width / 2 + post, 0), (width / 2 + post, height + post)]
    outer += [(-width / 2 - post, height + post), (-width / 2 - post, 0)]
    arch = [outer[0], (-width / 2, 0), (-width / 2, height), (width / 2, height), (width / 2, 0)]
    arch += outer[1:4]
    frame = extrude(arch, frame_material, height=0.12).along("x").at(-0.06)
    assembly = Assembly(
        f"{style.capitalize()} {leaf_material.split('_')[0]} room door",
        "door",
        "A room door in its frame, with a leaf on hinges and a lever handle.",
    )
    body = assembly.part("frame", frame, label="door_frame")

    _add_leaf(
        draw,
        assembly,
        width=width,
        height=height,
        style=style,
        leaf_material=leaf_material,
        metal=metal,
        side=side,
        body=body,
    )
    return assembly
