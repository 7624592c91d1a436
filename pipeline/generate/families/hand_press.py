# SPDX-License-Identifier: Apache-2.0
"""Two levers on a pin, for the kitchen: tongs, nutcracker or garlic press, lying flat.

Tongs: 0.22-0.32 m long with scalloped ends, opening by 14-20 degrees. Nutcrackers: 0.14-0.18 m,
opening by 35-50 degrees. Garlic presses: 0.15-0.18 m, chamber 24-28 mm across, the plunger lever
opens by 100-130 degrees.
"""

from pipeline.generate.vocabulary import (
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
    "kitchen_tongs": "Kitchen & Cooking",
    "nutcracker": "Kitchen & Cooking",
    "garlic_press": "Kitchen & Cooking",
}


def _tongs(draw: Draw, assembly: Assembly, metal: str) -> None:
    """Add two springy arms that meet at the front; they stand apart at rest."""
    length = draw.number("length", 0.22, 0.32)
    close = draw.number("close_deg", 7, 10, digits=1)
    tip = draw.pick("tip_material", ("red_plastic", "black_plastic", "green_plastic", metal))
    halves = []
    for s in (1, -1):
        strip = box((length, 0.003, 0.02), metal).at(length / 2 + 0.012, s * 0.011, 0)
        claw = [
            (0.9 * length, 0.004),
            (length + 0.03, 0.001),
            (length + 0.035, 0.014),
            (0.92 * length, 0.016),
        ]
        hand = extrude(claw, tip, height=0.036)
        end = cylinder((0.0095, 0.008), metal, segments=20).at(0, 0, s * 0.0045)
        link = box((0.02, 0.006, 0.006), metal).at(0.012, s * 0.0085, s * 0.0045)
        shapes = [strip, hand if s > 0 else hand.mirrored("y"), end, link]
        halves.append([p.turned("z", s * close).at(-length / 2, 0, 0.018) for p in shapes])
    first = assembly.part("arm_1", *halves[0], label="arm")
    second = assembly.part("arm_2", *halves[1], label="arm")
    assembly.hinge(
        first, second, origin=(-length / 2, 0, 0.018), axis="z", lower=0, upper=2 * close - 1
    )


def _lever(length: float, side: int, metal: str) -> Shape:
    """Return a bowed handle from the pin at the origin toward +x, on one side of y = 0."""
    path = [(0.016, side * 0.009, 0), (0.05, side * 0.024, 0), (length, side * 0.016, 0)]
    return sweep(rounded_path(path, radius=0.03), metal, radius=0.0055)


def _nutcracker(draw: Draw, assembly: Assembly, metal: str) -> None:
    """Add two bowed handles with toothed jaws near the pin."""
    length = draw.number("length", 0.14, 0.18)
    names = []
    for name, s in (("handle_1", 1), ("handle_2", -1)):
        teeth = [
            cylinder((0.002, 0.01), metal, segments=8).at(
                0.02 + 0.006 * k, s * (0.0085 + 0.0025 * k), 0
            )
            for k in range(4)
        ]
        eye = cylinder((0.009, 0.005), metal, segments=20).at(0.004, 0, s * 0.0027)
        link = box((0.018, 0.008, 0.005), metal).at(0.014, s * 0.007, s * 0.0027)
        names.append(
            assembly.part(
                name,
                *(
                    p.at(-length / 2, 0, 0.0056)
                    for p in (_lever(length, s, metal), eye, link, *teeth)
                ),
                label="handle",
            )
        )
    opening = draw.number("opening_deg", 35, 50, digits=1)
    assembly.hinge(
        names[0],
        names[1],
        origin=(-length / 2 + 0.004, 0, 0.0056),
        axis="-z",
        lower=0,
        upper=opening,
    )


def _garlic_press(draw: Draw, assembly: Assembly, metal: str) -> None:
    """Add a chamber on the lower handle and a plunger on the upper one, opening upward."""
    length = draw.number("length", 0.15, 0.18)
    side = draw.number("chamber", 0.024, 0.028)
    z = 0.012
    chamber = tray((side + 0.006, side + 0.006, 0.022), metal, wall=0.003)
    cup = chamber.at(0.03, 0, z)
    rail = box((length - 0.04, 0.014, 0.008), metal).at(0.03 + length / 2, 0, z - 0.004)
    cheeks = [box((0.02, 0.003, 0.016), metal).at(0.005, d, z + 0.012) for d in (-0.009, 0.009)]
    plate = box((0.012, 0.021, 0.006), metal).at(0.008, 0, z + 0.004)
    base = assembly.part("cup", cup, rail, *cheeks, plate, label="chamber_handle")
    axis_z = z + 0.016
    ram = box((side - 0.002, side - 0.002, 0.012), "dark_steel").at(0.03, 0, axis_z - 0.004)
    arm = box((length + 0.01, 0.013, 0.008), metal).at(length / 2 + 0.005, 0, axis_z + 0.004)
    tilt = draw.number("opening_deg", 100, 130, digits=1)
    top = assembly.part("plunger", arm, ram, label="plunger_handle")
    assembly.hinge(base, top, origin=(0.002, 0, axis_z + 0.004), axis="-y", lower=0, upper=tilt)


def build(draw: Draw) -> Assembly:
    """Build one pair of tongs, nutcracker or garlic press."""
    category = draw.take("category", CATEGORIES)
    metal = draw.pick(
        "metal",
        ("steel", "chrome", "brass")
        if category == "nutcracker"
        else ("steel", "chrome", "black_plastic"),
    )
    noun = category.replace("_", " ")
    article = "A pair of kitchen tongs" if noun == "kitchen tongs" else f"A {noun}"
    assembly = Assembly(
        f"{word(metal).capitalize()} {noun}",
        category,
        f"{article} made of two levers that turn about a pin.",
    )
    {"kitchen_tongs": _tongs, "nutcracker": _nutcracker, "garlic_press": _garlic_press}[category](
        draw, assembly, metal
    )
    return assembly
