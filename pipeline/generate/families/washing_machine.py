# SPDX-License-Identifier: Apache-2.0
"""A front-loading washer: cabinet with a drum, round glass door, detergent drawer and dial.

Sizes after EU appliances: 0.595-0.6 m wide, 0.5-0.62 m deep, 0.84-0.86 m tall, porthole
0.3-0.36 m; the door opens by 120-160 degrees, the drum and the dial turn without end, the drawer
slides 0.2 m.
"""

from collections.abc import Sequence

from pipeline.generate.polygons import Outline
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    circle,
    cylinder,
    extrude,
    lathe,
    rectangle,
    tray,
    tube,
)

CATEGORIES = {"washing_machine": "Home Appliances"}


def _add_drum(assembly: Assembly, *, depth: float, r: float, axis_z: float, body: str) -> None:
    """Add the drum."""
    deep = depth - 0.16
    wall = [(r + 0.06, 0), (r + 0.06, deep), (r + 0.01, deep), (r + 0.01, deep - 0.004)]
    wall += [(r + 0.056, deep - 0.004), (r + 0.056, 0.004), (0, 0.004)]
    fins = [
        box((deep - 0.02, 0.03, 0.04), "steel").at(0, 0, r + 0.037).turned("x", 120 * k)
        for k in range(3)
    ]
    drum = lathe(wall, "steel", segments=36).along("x").at(-deep / 2)
    tub = assembly.part("drum", *(s.at(0.01, 0, axis_z) for s in (drum, *fins)))
    assembly.spin(body, tub, origin=(0, 0, axis_z), axis="x")


def _add_drawer(assembly: Assembly, *, height: float, face: float, skin: str, body: str) -> None:
    """Add the drawer."""
    drawer_z = height - 0.07 + 0.015
    drawer = assembly.part(
        "drawer",
        tray((0.24, 0.15, 0.055), "white_plastic", wall=0.003).on(
            face - 0.12, 0.19, drawer_z - 0.03
        ),
        box((0.018, 0.168, 0.078), skin).at(face + 0.009, 0.19, drawer_z),
        label="detergent_drawer",
    )
    assembly.slide(body, drawer, axis="x", lower=0, upper=0.2)


def _add_dial_and_buttons(
    assembly: Assembly, *, front: float, height: float, rim: str, body: str, buttons: int
) -> None:
    """Add the dial and buttons."""
    at = (front, -0.19, height - 0.07)
    dial = assembly.part(
        "dial",
        cylinder((0.032, 0.022), rim).along("x").at(at[0] + 0.011, at[1], at[2]),
        box((0.002, 0.004, 0.02), "black_plastic").at(at[0] + 0.023, at[1], at[2] + 0.018),
    )
    assembly.spin(body, dial, origin=at, axis="x")
    for k in range(buttons):
        y = -0.08 + 0.12 * k / max(buttons - 1, 1)
        button = assembly.part(
            f"button_{k + 1}",
            cylinder((0.006, 0.006), rim, segments=12)
            .along("x")
            .at(front + 0.005, y, height - 0.105),
        )
        assembly.slide(body, button, axis="-x", lower=0, upper=0.002)


def _cabinet(
    width: float, height: float, *, skin: str, depth: float, holes: Sequence[Outline], front: float
) -> list[Shape]:
    """Return the solids of the cabinet."""
    ring = extrude(
        rectangle(width, height - 0.03),
        skin,
        height=depth - 0.05,
        holes=[rectangle(width - 0.05, height - 0.08)],
    )
    return [
        extrude(rectangle(width, height - 0.03), skin, height=0.03, holes=holes)
        .along("x")
        .at(front - 0.015, 0, height / 2 + 0.015),
        ring.along("x").at(-0.005, 0, height / 2 + 0.015),
        box((0.02, width, height - 0.03), skin).on(-front + 0.01, 0, 0.03),
        box((0.002, width - 0.02, 0.1), "gray_plastic").on(front + 0.001, 0, 0.045),
        box((0.002, 0.14, 0.045), "screen").at(front + 0.001, -0.02, height - 0.07),
        *(
            cylinder((0.02, 0.03), "rubber", segments=16).on(
                sx * (front - 0.05), sy * (width / 2 - 0.05), 0
            )
            for sx in (-1, 1)
            for sy in (-1, 1)
        ),
    ]


def build(draw: Draw) -> Assembly:
    """Build one washing machine."""
    width = draw.number("width", 0.595, 0.6)
    depth = draw.number("depth", 0.5, 0.62)
    height = draw.number("height", 0.84, 0.86)
    r = draw.number("porthole_radius", 0.15, 0.18)
    skin = draw.pick("skin_material", ("white_paint", "gray_paint", "steel", "black_paint"))
    rim = draw.pick("rim_material", ("chrome", "white_plastic", "gray_plastic"))
    buttons = draw.count("buttons", 3, 6)
    assembly = Assembly(
        f"{skin.split('_')[0].capitalize()} front-loading washing machine",
        "washing_machine",
        "A front-loading washing machine with a round glass door and a detergent drawer.",
    )
    middle = 0.4
    front = depth / 2
    holes = [
        circle(r, center=(0, middle - height / 2)),
        rectangle(0.16, 0.07, center=(0.19, height / 2 - 0.07)),
    ]
    cabinet = _cabinet(width, height, skin=skin, depth=depth, holes=holes, front=front)
    axis_z = middle + 0.015
    bearing = cylinder((0.05, 0.05), "dark_steel").along("x").at(-front + 0.045, 0, axis_z)
    body = assembly.part("cabinet", *cabinet, bearing)
    _add_drum(assembly, depth=depth, r=r, axis_z=axis_z, body=body)
    face = front + 0.002
    pane = [(r - 0.02, 0), (r - 0.02, 0.012), (0.6 * r, 0.016), (0, 0.02), (0, 0)]
    door = assembly.part(
        "door",
        tube((r + 0.035, r - 0.025, 0.03), rim, segments=36).along("x").at(face + 0.015, 0, axis_z),
        lathe(pane, "smoked_glass").along("x").at(face + 0.004, 0, axis_z),
        box((0.02, 0.02, 0.09), rim).at(face + 0.036, -(r + 0.008), axis_z),
    )
    swing = draw.number("door_opening_deg", 120, 160, digits=1)
    assembly.hinge(
        body, door, origin=(face + 0.03, r + 0.042, axis_z), axis="z", lower=0, upper=swing
    )
    _add_drawer(assembly, height=height, face=face, skin=skin, body=body)
    _add_dial_and_buttons(assembly, front=front, height=height, rim=rim, body=body, buttons=buttons)
    return assembly
