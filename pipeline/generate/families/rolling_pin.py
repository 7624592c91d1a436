# SPDX-License-Identifier: Apache-2.0
"""A roller with grips: a rolling pin that spins between its handles, lying on the table.

Sizes after kitchenware: barrel 0.22-0.32 m long, 45-70 mm across, handles 80-100 mm long.
"""

from pipeline.generate.vocabulary import WOODS, Assembly, Draw, cylinder, lathe, tube, word

CATEGORIES = {"rolling_pin": "Kitchen & Cooking"}


def build(draw: Draw) -> Assembly:
    """Build one rolling pin along y."""
    length = draw.number("barrel_length", 0.22, 0.32)
    r = draw.number("barrel_radius", 0.022, 0.035)
    grip = draw.number("handle_length", 0.08, 0.1)
    wood = draw.pick("barrel_material", (*WOODS, "stone"))
    handle = draw.pick("handle_material", (*WOODS, "red_paint"))
    assembly = Assembly(
        f"{word(wood).capitalize()} rolling pin",
        "rolling_pin",
        "A rolling pin whose barrel spins on an axle between two handles.",
    )
    shape = [(0.009, 0), (0.012, 0.004), (0.016, 0.5 * grip), (0.011, 0.85 * grip), (0.006, grip)]
    stick = lathe(shape, handle, segments=20).along("y").at(0, length / 2 + 0.002, r)
    axle = cylinder((0.005, length + 0.008), "steel", segments=14).along("y").at(0, 0, r)
    core = assembly.part("handles", axle, stick, stick.mirrored("y"), label="handle")
    barrel = tube((r, 0.0056, length), wood, segments=32).along("y").at(0, 0, r)
    rings = [
        tube((r + 0.0003, r - 0.001, 0.003), "dark_steel")
        .along("y")
        .at(0, s * (length / 2 - 0.01), r)
        for s in (-1, 1)
    ]
    roll = assembly.part("barrel", barrel, *rings)
    assembly.spin(core, roll, origin=(0, 0, r), axis="y")
    return assembly
