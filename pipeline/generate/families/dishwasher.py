# SPDX-License-Identifier: Apache-2.0
"""A dishwasher: cabinet with a drop-down door, two racks that pull out, two spray arms.

Sizes after EU appliances: 0.45 or 0.6 m wide, 0.56-0.62 m deep, 0.81-0.86 m tall; the door opens
by 88-90 degrees, the racks slide out by 0.35-0.45 m, the spray arms turn without end.
"""

from pipeline.generate.fittings import add_button, bar_pull, carcass
from pipeline.generate.vocabulary import Assembly, Draw, Shape, box, cylinder, plate, word

CATEGORIES = {"dishwasher": "Kitchen & Cooking"}


def _rack(size: tuple[float, float, float], color: str) -> list[Shape]:
    """Return a wire basket of extents (x, y, z), standing on z = 0."""
    depth, width, height = size
    wire = 0.004
    along = [
        box((depth, wire, wire), color).on(0, width * (k / 8 - 0.5) * 0.98, 0) for k in range(9)
    ]
    across = [
        box((wire, width, wire), color).on(depth * (k / 6 - 0.5) * 0.98, 0, wire) for k in range(7)
    ]
    rims = [box((depth, wire, wire), color).on(0, s * width * 0.49, height) for s in (-1, 1)]
    rims += [box((wire, width, wire), color).on(s * depth * 0.49, 0, height) for s in (-1, 1)]
    posts = [
        box((wire, wire, height - wire), color).on(sx * depth * 0.49 * t, sy * width * 0.49, wire)
        for sx in (-1, 1)
        for sy in (-1, 1)
        for t in (1.0, 0.5)
    ]
    tines = [
        box((wire, wire, 0.06), color).on(depth * (k / 10 - 0.4), width * 0.2, 2 * wire)
        for k in range(9)
    ]
    return [*along, *across, *rims, *posts, *tines]


def _spray_arm(assembly: Assembly, body: str, name: str, z: float, reach: float) -> None:
    """Add a flat arm that turns about z."""
    blade = plate((0.04, 2 * reach, 0.012), "gray_plastic", radius=0.018).on(0, 0, z)
    hub = cylinder((0.02, 0.03), "gray_plastic").on(0, 0, z - 0.01)
    arm = assembly.part(name, blade, hub, label="spray_arm")
    assembly.spin(body, arm, origin=(0, 0, z), axis="z")


def _door(draw: Draw, assembly: Assembly, body: str, size: tuple[float, float, float]) -> None:
    """Add the door with handle and buttons on its upper edge."""
    depth, width, height = size
    skin = draw.pick("front_material", ("white_paint", "steel", "black_paint", "oak"))
    metal = draw.pick("handle_material", ("chrome", "dark_steel"))
    low, face = 0.1, depth / 2 + 0.002
    tall = height - low - 0.01
    door = assembly.part(
        "door",
        box((0.04, width - 0.004, tall), skin).on(face + 0.02, 0, low),
        box((0.002, width - 0.02, 0.08), "black_plastic").on(face + 0.041, 0, height - 0.1),
        bar_pull(width * 0.6, metal, reach=0.04, radius=0.008).at(face + 0.04, 0, height - 0.15),
    )
    opening = draw.number("door_opening_deg", 88, 90, digits=1)
    assembly.hinge(body, door, origin=(face, 0, low), axis="y", lower=0, upper=opening)
    for k in range(4):
        cap = cylinder((0.008, 0.004), "chrome", segments=14).along("x")
        cap = cap.at(face + 0.044, -width * 0.3 + 0.03 * k, height - 0.06)
        add_button(assembly, door, f"button_{k + 1}", cap, axis="-x", travel=0.0015)


def build(draw: Draw) -> Assembly:
    """Build one dishwasher."""
    width = float(draw.pick("width_class", ("0.45", "0.6"))) - 0.002
    depth = draw.number("depth", 0.56, 0.62)
    height = draw.number("height", 0.81, 0.86)
    skin = draw.pick("body_material", ("white_paint", "gray_paint", "black_paint"))
    assembly = Assembly(
        f"{word(skin).capitalize()} dishwasher",
        "dishwasher",
        "A dishwasher with a drop-down door, two sliding racks and two spray arms.",
    )
    inner = (depth - 0.03, width - 0.06, height - 0.16)
    opening = (0.0, 0.11 + inner[2] / 2, inner[1], inner[2])
    body = assembly.part(
        "body",
        *carcass((depth, width, height), skin, openings=[opening], back=0.02),
        *(
            box((inner[0], 0.012, 0.01), "steel").on(0, s * (inner[1] / 2 - 0.006), z)
            for s in (-1, 1)
            for z in (0.19, 0.49)
        ),
    )
    _door(draw, assembly, body, (depth, width, height))
    travel = draw.number("rack_travel", 0.35, 0.45)
    for name, z, tall in (("lower_rack", 0.2005, 0.15), ("upper_rack", 0.5005, 0.12)):
        basket = _rack((inner[0] - 0.08, inner[1] - 0.01, tall), "gray_plastic")
        rack = assembly.part(name, *(s.at(0, 0, z) for s in basket), label="rack")
        assembly.slide(body, rack, axis="x", lower=0, upper=travel)
    for name, z in (("lower_arm", 0.14), ("upper_arm", 0.45)):
        _spray_arm(assembly, body, name, z, 0.4 * inner[1])
    return assembly
