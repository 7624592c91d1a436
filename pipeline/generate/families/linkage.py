# SPDX-License-Identifier: Apache-2.0
"""Mechanisms as such: a branching tree of joints, a train of gears, a telescoping mast.

Branching trees: a trunk that splits 2-3 times into 2-3 links of 0.1-0.2 m, hinges and sliders
mixed. Gear trains: 4-7 meshing gears of 20-60 mm on a plate, one with a crank. Telescoping masts:
4-6 nested tubes of 0.3-0.45 m, each sliding by 70 %, pan head on top.
"""

import math

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    circle,
    cylinder,
    extrude,
    gear,
    plate,
    rounded_box,
    sphere,
    sweep,
    tube,
    word,
)

CATEGORIES = {
    "branching_tree": "Mechanisms",
    "gear_train": "Mechanisms",
    "telescoping_mast": "Mechanisms",
}
TINTS = ("orange_paint", "yellow_paint", "mint_paint", "sky_paint")


def _tree(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a base with a trunk and let it branch."""
    long = draw.number("link", 0.13, 0.18)
    levels = draw.count("levels", 2, 3)
    fork = draw.count("fork", 2, 3) if levels == 2 else 2
    base = assembly.part(
        "base",
        plate((0.3, 0.3, 0.02), "dark_steel", radius=0.03).on(0, 0, 0),
        cylinder((0.03, 0.03), "dark_steel").on(0, 0, 0.02),
    )
    trunk = assembly.part(
        "trunk",
        cylinder((0.016, 1.6 * long), skin).on(0, 0, 0.051),
        sphere(0.026, "dark_steel").at(0, 0, 0.051 + 1.6 * long),
    )
    assembly.spin(base, trunk, origin=(0, 0, 0.05), axis="z")
    _branches(
        assembly,
        trunk,
        at=(0, 0, 0.051 + 1.6 * long),
        long=long,
        levels=levels,
        fork=fork,
        spread=70.0,
        lean=0.0,
    )


def _fan_out(
    assembly: Assembly,
    *,
    fork: int,
    lean: float,
    spread: float,
    at: tuple[float, float, float],
    long: float,
    levels: int,
    parent: str,
) -> None:
    """Add the links of one fork and branch on from the end of each."""
    for k in range(fork):
        angle = lean + spread * (k / (fork - 1) - 0.5)
        x = 0.028 * (k - (fork - 1) / 2)
        a = math.radians(angle)
        start = (at[0] + x, at[1], at[2])
        direction = (0.0, -math.sin(a), math.cos(a))
        end = tuple(p + long * d for p, d in zip(start, direction, strict=True))
        near = tuple(p + 0.034 * d for p, d in zip(start, direction, strict=True))
        rod = sweep([near, end], TINTS[levels % len(TINTS)], radius=0.009)
        name = assembly.part(
            f"{parent}_{k + 1}" if parent != "trunk" else f"branch_{k + 1}",
            rod,
            sphere(0.015, "dark_steel").at(*end),
            sphere(0.012, "dark_steel").at(*near),
            label="branch",
        )
        assembly.hinge(parent, name, origin=start, axis="x", lower=-10, upper=10)
        _branches(
            assembly,
            name,
            at=(end[0], end[1], end[2]),
            long=0.72 * long,
            levels=levels - 1,
            fork=fork,
            spread=0.45 * spread,
            lean=angle,
        )


def _branches(
    assembly: Assembly,
    parent: str,
    *,
    at: tuple[float, float, float],
    long: float,
    levels: int,
    fork: int,
    spread: float,
    lean: float,
) -> None:
    """Add `fork` links in the plane of y and z that fan out from a point, and go on from each."""
    if levels == 0:
        tip = sphere(0.016, "red_paint").at(
            at[0],
            at[1] - 0.032 * math.sin(math.radians(lean)),
            at[2] + 0.032 * math.cos(math.radians(lean)),
        )
        part = assembly.part(f"{parent}_tip", tip, label="tip")
        axis = (0.0, -math.sin(math.radians(lean)), math.cos(math.radians(lean)))
        assembly.slide(parent, part, axis=axis, lower=0, upper=0.04)
        return
    _fan_out(
        assembly,
        fork=fork,
        lean=lean,
        spread=spread,
        at=at,
        long=long,
        levels=levels,
        parent=parent,
    )


def _add_plate(
    assembly: Assembly, *, spots: list[tuple[float, float]], low: float, middle: float
) -> str:
    """Add the plate."""
    tall = max(y for _, y in spots) + 0.06 - low
    pins = [
        cylinder((0.0046, 0.03), "steel", segments=12)
        .along("x")
        .at(0.02, y - middle, z - low + 0.02)
        for y, z in spots
    ]
    back = (
        plate((tall, spots[-1][0] + 0.14, 0.012), "aluminum", radius=0.02)
        .turned("y", 90)
        .at(0, 0, tall / 2 + 0.02)
    )
    foot = box((0.12, 0.3, 0.02), "dark_steel").on(0, 0, 0)
    return assembly.part("plate", back, foot, *pins, label="base_plate")


def _add_gears(
    assembly: Assembly, *, k: float, shapes: list[Shape], at: tuple[float, float, float], body: str
) -> None:
    """Add the gears."""
    if k == 0:
        shapes += [
            box((0.008, 0.012, 0.07), "dark_steel").on(at[0] + 0.012, at[1], at[2] + 0.01),
            cylinder((0.008, 0.04), "black_plastic")
            .along("x")
            .at(at[0] + 0.034, at[1], at[2] + 0.07),
        ]
    part = assembly.part(f"gear_{k + 1}", *shapes)
    assembly.spin(body, part, origin=at, axis="x")


def _train(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a base plate with gears in mesh along a zigzag."""
    count = draw.count("gears", 4, 7)
    module = draw.number("module", 0.003, 0.004)
    spots, teeth = [(0.0, 0.0)], [draw.count("teeth_1", 12, 24)]
    for k in range(1, count):
        teeth.append(draw.count(f"teeth_{k + 1}", 10, 26))
        reach = module * (teeth[k - 1] + teeth[k]) / 2 * 1.02
        a = math.radians(35 if k % 2 else -35)
        spots.append((spots[-1][0] + reach * math.cos(a), spots[-1][1] + reach * math.sin(a)))
    middle = spots[-1][0] / 2
    low = min(y for _, y in spots) - 0.1
    body = _add_plate(assembly, spots=spots, low=low, middle=middle)
    for k, (y, z) in enumerate(spots):
        r = module * teeth[k] / 2
        holes = [
            circle(0.005, segments=14),
            *(
                circle(
                    0.14 * r,
                    segments=10,
                    center=(
                        0.6 * r * math.cos(j * math.pi / 2.5),
                        0.6 * r * math.sin(j * math.pi / 2.5),
                    ),
                )
                for j in range(5)
            ),
        ]
        # Half a tooth of turn on every other gear lets the teeth mesh instead of meet.
        wheel = extrude(
            gear(teeth[k], r, depth=0.8 * module),
            ("brass", "steel", skin)[k % 3],
            height=0.012,
            holes=holes if r > 0.018 else holes[:1],
        ).along("x")
        at = (0.016, y - middle, z - low + 0.02)
        shapes = [wheel.turned("x", _phase(spots, teeth, k)).at(*at)]
        _add_gears(assembly, k=k, shapes=shapes, at=at, body=body)


def _phase(spots: list[tuple[float, float]], teeth: list[int], k: int) -> float:
    """Return the turn in degrees by which gear k meshes with the one before it."""
    phase = 0.0
    for j in range(1, k + 1):
        dy, dz = spots[j][0] - spots[j - 1][0], spots[j][1] - spots[j - 1][1]
        line = math.degrees(math.atan2(dz, dy))
        there = ((line - phase) * teeth[j - 1] / 360.0) % 1.0
        phase = line + 180.0 - (0.5 - there) * 360.0 / teeth[j]
    return phase


def _add_pan_head_and_head(assembly: Assembly, *, count: int, long: float, parent: str) -> None:
    """Add the pan head and head."""
    z = 0.0605 + 0.012 * count + long
    pan = assembly.part(
        "pan_head",
        cylinder((0.03, 0.02), "dark_steel").on(0, 0, z),
        *(box((0.03, 0.008, 0.05), "dark_steel").on(0, s * 0.034, z + 0.02) for s in (-1, 1)),
        box((0.03, 0.076, 0.008), "dark_steel").on(0, 0, z + 0.018),
    )
    assembly.spin(parent, pan, origin=(0, 0, z), axis="z")
    lamp = assembly.part(
        "head",
        rounded_box((0.09, 0.058, 0.05), "black_plastic", radius=0.01).at(0.01, 0, z + 0.056),
        cylinder((0.018, 0.02), "smoked_glass").along("x").at(0.06, 0, z + 0.056),
        label="camera_head",
    )
    assembly.hinge(pan, lamp, origin=(0, 0, z + 0.056), axis="y", lower=-12, upper=12)


def _mast(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a tripod, nested tubes and a pan head."""
    count, long = draw.count("sections", 4, 6), draw.number("section", 0.3, 0.45)
    r = 0.008 * count + 0.012
    legs = [
        sweep([(0.9 * r, 0, 0.16), (0.25, 0, 0.012)], "dark_steel", radius=0.012).turned(
            "z", 120 * k
        )
        for k in range(3)
    ]
    parent = assembly.part(
        "base",
        tube((r + 0.01, r + 0.0006, 0.2), "dark_steel").on(0, 0, 0.06),
        *legs,
        cylinder((r + 0.01, 0.01), "dark_steel").on(0, 0, 0.05),
        label="tripod_base",
    )
    for k in range(count):
        outer = r - 0.008 * k
        shapes = [
            tube((outer, outer - 0.0072, long), skin).on(0, 0, 0.0605 + 0.012 * k),
            tube((outer + 0.003, outer - 0.0072, 0.01), "dark_steel").on(
                0, 0, 0.0605 + 0.012 * k + long
            ),
        ]
        part = assembly.part(f"section_{k + 1}", *shapes)
        if k == 0:
            assembly.weld(parent, part, origin=(0, 0, 0.06))
        else:
            assembly.slide(parent, part, axis="z", lower=0, upper=round(0.7 * long, 3))
        parent = part
    _add_pan_head_and_head(assembly, count=count, long=long, parent=parent)


def build(draw: Draw) -> Assembly:
    """Build one branching tree, gear train or telescoping mast."""
    category = draw.take("category", CATEGORIES)
    skin = draw.pick(
        "material",
        ("aluminum", "steel", "red_paint", "blue_paint")
        if category != "gear_train"
        else ("red_paint", "blue_paint", "green_paint"),
    )
    noun = category.replace("_", " ")
    phrase = {
        "branching_tree": "of hinged links that split again and again",
        "gear_train": "of meshing gears on a plate",
        "telescoping_mast": "of nested tubes under a pan head",
    }
    assembly = Assembly(
        f"{word(skin).capitalize()} {noun}", category, f"A {noun} {phrase[category]}."
    )
    {"branching_tree": _tree, "gear_train": _train, "telescoping_mast": _mast}[category](
        draw, assembly, skin
    )
    return assembly
