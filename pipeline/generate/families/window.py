# SPDX-License-Identifier: Apache-2.0
"""A window: casement sashes with turning handles, or sliding sashes in two tracks.

Sizes after dwelling windows: 0.8-1.6 m wide, 0.9-1.5 m tall, frame 60 mm, sash 50 mm; casements
open by 80-95 degrees after the handle turned by 90; sliding sashes cover half the width.
"""

from pipeline.generate.vocabulary import Assembly, Draw, Shape, box, cylinder, extrude, rectangle

CATEGORIES = {"window": "Architectural Fixtures"}

FRAME = 0.06
SASH = 0.055
GAP = 0.003


def _sash(width: float, height: float, depth: float, material: str) -> list[Shape]:
    """Return a glazed sash in the plane x = 0, centered on the origin."""
    pane = (width - 2 * SASH, height - 2 * SASH)
    ring = extrude(rectangle(width, height), material, height=depth, holes=[rectangle(*pane)])
    return [ring.along("x"), box((0.012, *pane), "glass")]


def _casement(
    draw: Draw,
    assembly: Assembly,
    *,
    inner: tuple[float, float],
    name: str,
    side: int,
    z: float,
    looks: tuple[str, str],
) -> None:
    """Add a sash hinged on one side and the handle that locks it."""
    skin, metal = looks
    size = (inner[0] / 2 - 2 * GAP, inner[1] - 2 * GAP)
    y, x = side * inner[0] / 4, 0.015
    sash = assembly.part(name, *(p.at(x, y, z) for p in _sash(*size, 0.045, skin)), label="sash")
    hinge_at = (x + 0.0225, side * (inner[0] / 2 - GAP), z)
    opening = draw.number(f"{name}_opening_deg", 80, 95, digits=1)
    axis = "z" if side > 0 else "-z"
    assembly.hinge("frame", sash, origin=hinge_at, axis=axis, lower=0, upper=opening)
    at = (x + 0.0225, y - side * (size[0] / 2 - SASH / 2), z - 0.1)
    rose = cylinder((0.014, 0.02), metal).along("x").at(0.01)
    lever = box((0.012, 0.018, 0.12), metal).at(0.024, 0, -0.05)
    shapes = [p.at(*at) for p in (rose, lever)]
    handle = assembly.part(f"handle_{name[5:]}", *shapes, label="handle")
    lower, upper = (0, 90) if side > 0 else (-90, 0)
    assembly.hinge(sash, handle, origin=at, axis="x", lower=lower, upper=upper)


def _sliding(
    assembly: Assembly,
    *,
    inner: tuple[float, float],
    name: str,
    side: int,
    z: float,
    looks: tuple[str, str],
) -> None:
    """Add a sash that slides behind or before the other one."""
    skin, metal = looks
    size = (inner[0] / 2 + SASH / 2, inner[1] - 2 * GAP)
    x = side * 0.024
    y = side * (inner[0] / 2 - size[0] / 2 - GAP)
    shapes = [p.at(x, y, z) for p in _sash(*size, 0.04, skin)]
    if side > 0:
        grip = box((0.012, 0.02, 0.16), metal)
        shapes.append(grip.at(x + 0.02 + 0.006, y + side * (size[0] / 2 - 0.028), z))
    sash = assembly.part(name, *shapes, label="sash")
    travel = round(inner[0] - size[0] - 2 * GAP, 3)
    assembly.slide("frame", sash, axis="-y" if side > 0 else "y", lower=0, upper=travel)


def build(draw: Draw) -> Assembly:
    """Build one window."""
    kind = draw.pick("kind", ("casement", "sliding"))
    width = draw.number("width", 0.8, 1.6)
    height = draw.number("height", 0.9, 1.5)
    skin = draw.pick("frame_material", ("white_paint", "walnut", "green_paint", "aluminum", "oak"))
    metal = draw.pick("handle_material", ("steel", "brass", "white_plastic"))
    deep = 0.07 if kind == "casement" else 0.11
    assembly = Assembly(
        f"{kind.capitalize()} window in {skin.replace('_', ' ')}",
        "window",
        f"A window with two {'hinged' if kind == 'casement' else 'sliding'} glazed sashes.",
    )
    inner = (width - 2 * FRAME, height - 2 * FRAME)
    ring = extrude(rectangle(width, height), skin, height=deep, holes=[rectangle(*inner)])
    z = height / 2
    sill = box((0.06, width + 0.06, 0.02), skin).on(deep / 2 + 0.03, 0, 0)
    assembly.part("frame", ring.along("x").at(0, 0, z), sill, label="window_frame")
    for name, side in (("sash_left", 1), ("sash_right", -1)):
        looks = (skin, metal)
        if kind == "casement":
            _casement(draw, assembly, inner=inner, name=name, side=side, z=z, looks=looks)
        else:
            _sliding(assembly, inner=inner, name=name, side=side, z=z, looks=looks)
    return assembly
