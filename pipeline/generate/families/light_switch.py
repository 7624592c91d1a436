# SPDX-License-Identifier: Apache-2.0
"""A wall switch: cover plate with one to four rockers or toggles, in some a dimmer knob.

Sizes after installation standards: plate 78 to 90 mm high, as wide plus 71 mm per further module,
9 mm deep; rockers tip by 10 degrees, toggles by 50, the dimmer turns by 270.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    capsule,
    cylinder,
    extrude,
    rectangle,
    rounded_rectangle,
)

CATEGORIES = {"switch": "Electronics"}


def _add_dimmer_and_rockers(
    assembly: Assembly,
    *,
    centers: list[float],
    dimmer: bool,
    modules: int,
    key: str,
    z: float,
    body: str,
    kind: str,
    size: tuple[float, float],
) -> None:
    """Add the dimmer, rockers and toggles."""
    for k, y in enumerate(-c for c in centers):
        if dimmer and k == modules - 1:
            shapes = [
                cylinder((0.02, 0.022), key).along("x").at(0.015),
                box((0.001, 0.002, 0.012), "gray_plastic").at(0.0262, 0, 0.012),
            ]
            knob = assembly.part("dimmer", *(s.at(0, y, z) for s in shapes), label="dimmer_knob")
            assembly.hinge(body, knob, origin=(0.004, y, z), axis="x", lower=0, upper=270)
        elif kind == "rocker":
            w, h = size[0] - 0.0012, size[1] / 2 - 0.0006
            wedge = [(-h, 0.008), (0, 0.0086), (h, 0.0125), (h, 0.0105), (0, 0.0062), (-h, 0.006)]
            profile = [(x, v) for v, x in wedge]
            rocker = extrude(profile, key, height=w).along("-y").at(0, y, z)
            part = assembly.part(f"rocker_{k + 1}", rocker)
            assembly.hinge(body, part, origin=(0.0075, y, z), axis="y", lower=0, upper=4.5)
        else:
            stick = capsule((0.004, 0.016), key).at(0, 0, 0.012).along("x").turned("y", 25)
            drum = cylinder((0.0042, 0.0116), key).along("y")
            part = assembly.part(f"toggle_{k + 1}", *(s.at(0.0075, y, z) for s in (stick, drum)))
            assembly.hinge(body, part, origin=(0.0075, y, z), axis="-y", lower=0, upper=50)


def build(draw: Draw) -> Assembly:
    """Build one switch whose plate stands against a wall at x = 0."""
    modules = draw.count("modules", 1, 4)
    kind = draw.pick("kind", ("rocker", "toggle"))
    dimmer = draw.chance("dimmer", 0.3)
    plate = draw.pick("plate_material", ("white_plastic", "black_plastic", "brass", "steel", "oak"))
    key = draw.pick("key_material", ("white_plastic", "black_plastic", "gray_plastic"))
    assembly = Assembly(
        f"{modules}-gang {kind} wall switch",
        "switch",
        f"A wall switch plate with {modules} {kind} module{'s'[: modules > 1]}"
        f"{', the last one a dimmer knob' if dimmer else ''}.",
    )
    pitch, side = 0.071, draw.number("side", 0.078, 0.09)
    width = side + pitch * (modules - 1)
    size = (0.052, 0.052) if kind == "rocker" else (0.012, 0.026)
    centers = [(k - (modules - 1) / 2) * pitch for k in range(modules)]
    z = side / 2
    holes = [
        rectangle(*((0.044, 0.044) if dimmer and k == modules - 1 else size), center=(-y, 0))
        for k, y in enumerate(centers)
    ]
    outline = rounded_rectangle(width, side, radius=0.008)
    cover = extrude(outline, plate, height=0.007, holes=holes).along("x").at(0.0065, 0, z)
    body = assembly.part(
        "plate",
        cover,
        box((0.003, width - 0.004, side - 0.004), plate).at(0.0015, 0, z),
        label="cover_plate",
    )
    _add_dimmer_and_rockers(
        assembly,
        centers=centers,
        dimmer=dimmer,
        modules=modules,
        key=key,
        z=z,
        body=body,
        kind=kind,
        size=size,
    )
    return assembly
