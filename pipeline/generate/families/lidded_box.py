# SPDX-License-Identifier: Apache-2.0
"""A box with a hinged lid: plain storage box, round-topped chest, or cool box with a carrying bow.

Storage boxes: 0.3-0.6 m wide, 0.2-0.35 m tall. Chests: 0.5-0.9 m wide, 0.4-0.6 m tall with a
barrel lid, straps and a lock flap. Cool boxes: 0.35-0.55 m wide, thick walls, bow of +-90 degrees.
Lids open by 90-110 degrees.
"""

import math

from pipeline.generate.fittings import bar_pull
from pipeline.generate.vocabulary import (
    WOODS,
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    extrude,
    rounded_path,
    sweep,
    tray,
    word,
)

CATEGORIES = {
    "storage_box": "Containers",
    "storage_chest": "Containers",
    "cool_box": "Containers",
}
Size = tuple[float, float, float]
RANGES = {
    "storage_box": ((0.2, 0.4), (0.3, 0.6), (0.2, 0.35)),
    "storage_chest": ((0.35, 0.5), (0.55, 0.9), (0.28, 0.4)),
    "cool_box": ((0.25, 0.35), (0.35, 0.55), (0.26, 0.38)),
}
SKINS = {
    "storage_box": (*WOODS, "cardboard", "white_paint", "gray_fabric"),
    "storage_chest": WOODS,
    "cool_box": ("blue_plastic", "red_plastic", "green_plastic"),
}


def _barrel(depth: float, width: float, skin: str) -> list[Shape]:
    """Return a half-round lid on z = 0 with two metal straps."""
    arc = [
        (0.5 * depth * math.cos(a), 0.32 * depth * math.sin(a))
        for a in (math.pi * k / 12 for k in range(13))
    ]
    lid = extrude([*arc, (-depth / 2, -0.001)], skin, height=width).along("-y")
    bow = [(1.012 * x, 1.012 * z + 0.001) for x, z in arc]
    strap = extrude([*bow, *arc[::-1]], "dark_steel", height=0.04).along("-y")
    return [lid, *(strap.at(0, s * 0.32 * width) for s in (-1, 1))]


def _chest_details(assembly: Assembly, lid: str, size: Size) -> list[Shape]:
    """Return straps and handles of a chest's body and add its lock flap to the lid."""
    depth, width, height = size
    straps = [
        box((0.004, 0.04, height), "dark_steel").on(depth / 2 + 0.002, s * 0.32 * width, 0)
        for s in (-1, 1)
    ]
    grips = [
        bar_pull(0.12, "dark_steel", reach=0.03)
        .turned("z", 90 * s)
        .at(0, s * width / 2, 0.6 * height)
        for s in (-1, 1)
    ]
    flap = assembly.part(
        "lock_flap", box((0.006, 0.06, 0.1), "brass").at(depth / 2 + 0.004, 0, height), label="lock"
    )
    assembly.hinge(
        lid, flap, origin=(depth / 2 + 0.004, 0, height + 0.04), axis="-y", lower=0, upper=80
    )
    return [*straps, *grips]


def _carrying_bow(assembly: Assembly, body: str, size: Size) -> None:
    """Add the bow of a cool box, which stands up at rest."""
    depth, width, height = size
    bend, z = 0.03, height - 0.03
    # The bends begin beyond the lid's corner, so that the bow passes over it to either side.
    corner = math.hypot(depth / 2 + 0.006, height + 0.0412 - z)
    side, reach = width / 2 + 0.016, corner + bend
    path = [(0, -side, 0), (0, -side, reach), (0, side, reach), (0, side, 0)]
    bow = sweep(rounded_path(path, radius=bend), "white_plastic", radius=0.009)
    bosses = [
        cylinder((0.014, 0.022), "white_plastic").along("y").at(0, s * (width / 2 + 0.012))
        for s in (-1, 1)
    ]
    part = assembly.part("bow", *(s.at(0, 0, z) for s in (bow, *bosses)), label="bail_handle")
    assembly.hinge(body, part, origin=(0, 0, z), axis="y", lower=-90, upper=90)


def build(draw: Draw) -> Assembly:
    """Build one box, hinge at the rear."""
    category = draw.take("category", CATEGORIES)
    depth, width, height = (
        draw.number(n, *r)
        for n, r in zip(("depth", "width", "height"), RANGES[category], strict=True)
    )
    size = (depth, width, height)
    skin = draw.pick("material", SKINS[category])
    opening = draw.number("opening_deg", 90, 110, digits=1)
    noun = category.replace("_", " ")
    assembly = Assembly(
        f"{word(skin).capitalize()} {noun}", category, f"A {noun} with a hinged lid."
    )
    wall = {"storage_box": 0.01, "storage_chest": 0.018, "cool_box": 0.035}[category]
    shell = tray(size, skin, wall=wall).on(0, 0, 0)
    if category == "storage_chest":
        cover = _barrel(depth, width, skin)
    else:
        lid_skin = "white_plastic" if category == "cool_box" else skin
        cover = [
            box(
                (depth + 0.006, width + 0.006, 0.04 if category == "cool_box" else 0.015), lid_skin
            ).on(0.003, 0, 0)
        ]
    lid = assembly.part("lid", *(s.at(0, 0, height + 0.0012) for s in cover))
    extra = _chest_details(assembly, lid, size) if category == "storage_chest" else []
    if category == "storage_box":
        extra = [bar_pull(0.2 * width, "dark_steel").at(depth / 2, 0, 0.55 * height)]
    body = assembly.part("body", shell, *extra, label="box_body")
    assembly.hinge(
        body, lid, origin=(-depth / 2, 0, height + 0.0006), axis="-y", lower=0, upper=opening
    )
    if category == "cool_box":
        _carrying_bow(assembly, body, size)
    return assembly
