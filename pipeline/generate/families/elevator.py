# SPDX-License-Identifier: Apache-2.0
"""A passenger elevator in an open shaft: car on guide rails, sliding car doors, landing doors.

Sizes after EN 81-20: car 1.1-1.6 m wide, 1.2-1.5 m deep, 2.2 m tall, floors 2.8-3.2 m apart, 2 to
4 landings, two-panel center-opening doors 0.8-1.0 m wide.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    cylinder,
    extrude,
    rectangle,
)

CATEGORIES = {"elevator": "Infrastructure"}


def _add_car(
    assembly: Assembly,
    *,
    depth: float,
    width: float,
    metal: str,
    z: float,
    tall: float,
    door: float,
) -> str:
    """Add the car."""
    shell = [
        box((depth, width, 0.08), metal).on(0, 0, z + 0.001),
        box((depth, width, 0.08), metal).on(0, 0, z + tall),
        box((0.04, width, tall - 0.081), metal).on(-depth / 2 + 0.02, 0, z + 0.081),
        *(
            box((depth - 0.04, 0.04, tall - 0.081), metal).on(
                0.02, s * (width / 2 - 0.02), z + 0.081
            )
            for s in (-1, 1)
        ),
        *(
            box((0.05, 0.06, 0.2), "dark_steel").on(-0.1, s * (width / 2 + 0.03), z + h)
            for s in (-1, 1)
            for h in (0.2, 1.9)
        ),
        box((0.4, 0.4, 0.004), "lamp_glow").on(0, 0, z + tall - 0.004),
        cylinder((0.02, 0.3), "dark_steel").on(0, 0, z + tall + 0.08),
    ]
    sides = (width - door) / 2 - 0.04
    jambs = [
        box((0.04, sides, tall - 0.081), metal).on(
            depth / 2 - 0.02, s * (width / 2 - 0.04 - sides / 2), z + 0.081
        )
        for s in (-1, 1)
    ]
    return assembly.part("car", *shell, *jambs, label="elevator_car")


def _add_doors(
    assembly: Assembly,
    *,
    shaft: str,
    car: str,
    z: float,
    storey: float,
    floors: int,
    door: float,
    depth: float,
    front: float,
) -> None:
    """Let the car ride and add its doors and those of the landings."""
    assembly.slide(
        shaft, car, origin=(0, 0, z), axis="z", lower=0, upper=round(storey * (floors - 1), 4)
    )
    travel = round(door / 2 - 0.01, 3)

    def leaves(parent: str, prefix: str, x: float, low: float) -> None:
        """Add a pair of center-opening panels in front of an opening."""
        for name, s in (("left", 1), ("right", -1)):
            panel = assembly.part(
                f"{prefix}_{name}",
                box((0.03, door / 2 + 0.02, 2.08), "aluminum").on(x, s * (door / 4 + 0.011), low),
                label=prefix.rstrip("_0123456789"),
            )
            assembly.slide(parent, panel, axis="y" if s > 0 else "-y", lower=0, upper=travel)

    leaves(car, "car_door", depth / 2 + 0.018, z + 0.03)
    for k in range(floors):
        leaves(shaft, f"landing_door_{k + 1}", front - 0.12 - 0.018, k * storey + 0.101)


def _add_shaft(
    assembly: Assembly,
    *,
    depth: float,
    width: float,
    floors: int,
    door: float,
    storey: float,
    high: float,
    wall: str,
) -> tuple[float, str]:
    """Add the shaft."""
    outer = (depth + 0.5, width + 0.9)
    front = outer[0] / 2
    gates = [
        rectangle(door, 2.05, center=(0, k * storey + 1.125 - high / 2)) for k in range(floors)
    ]
    face = extrude(rectangle(outer[1], high), wall, height=0.12, holes=gates).along("x")
    rails = [
        box((0.06, 0.05, high), "dark_steel").on(-0.1, s * (width / 2 + 0.12), 0) for s in (-1, 1)
    ]
    posts = [
        box((0.12, 0.12, high), wall).on(-front + 0.06, s * (outer[1] / 2 - 0.06), 0)
        for s in (-1, 1)
    ]
    # The front beam of each floor stays clear of the car doors that pass behind it.
    back, clear = 0.12 - front, depth / 2 + 0.045
    pit = rectangle(clear - back, outer[1] - 0.24, center=((clear + back) / 2, 0))
    slab = rectangle(outer[0] - 0.121, outer[1], center=(-0.0605, 0))
    rings = [
        extrude(slab, wall, height=0.1, holes=[pit]).on(0, 0, k * storey - 0.1 * (k == floors))
        for k in range(floors + 1)
    ]
    shaft = assembly.part("shaft", face.at(front - 0.06, 0, high / 2), *rails, *posts, *rings)
    return front, shaft


def build(draw: Draw) -> Assembly:
    """Build one elevator, its car on the lowest floor at rest."""
    width = draw.number("car_width", 1.1, 1.6)
    depth = draw.number("car_depth", 1.2, 1.5)
    storey = draw.number("storey", 2.8, 3.2)
    floors = draw.count("floors", 2, 4)
    door = draw.number("door_width", 0.8, min(1.0, width - 0.24))
    metal = draw.pick("car_material", ("steel", "brass", "gray_paint"))
    wall = draw.pick("shaft_material", ("concrete", "brick", "white_paint"))
    assembly = Assembly(
        f"Elevator with {floors} landings",
        "elevator",
        f"An elevator whose car serves {floors} landings, with sliding car and landing doors.",
    )
    tall, high = 2.2, storey * floors
    front, shaft = _add_shaft(
        assembly,
        depth=depth,
        width=width,
        floors=floors,
        door=door,
        storey=storey,
        high=high,
        wall=wall,
    )
    z = 0.1
    car = _add_car(assembly, depth=depth, width=width, metal=metal, z=z, tall=tall, door=door)
    _add_doors(
        assembly,
        shaft=shaft,
        car=car,
        z=z,
        storey=storey,
        floors=floors,
        door=door,
        depth=depth,
        front=front,
    )
    return assembly
