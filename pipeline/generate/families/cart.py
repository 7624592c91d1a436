# SPDX-License-Identifier: Apache-2.0
"""A utility cart: two or three trays between posts, push bar, swivel casters under each corner.

Sizes after service carts: 0.6-0.95 m long, 0.4-0.55 m wide, 0.8-0.95 m tall; casters 75-125 mm
turn without end about z and their wheels about the axle; the rear pair may be rigid.
"""

from pipeline.generate.fittings import legs, wheel
from pipeline.generate.vocabulary import Assembly, Draw, box, cylinder, rounded_path, sweep, tray

CATEGORIES = {"cart": "Mobility"}


def _add_forks_and_wheels(
    assembly: Assembly,
    *,
    r: float,
    length: float,
    width: float,
    low: float,
    rigid_rear: bool,
    body: str,
) -> None:
    """Add the forks and wheels."""
    wide = 0.5 * r
    for name, sx, sy in (("fl", 1, 1), ("fr", 1, -1), ("rl", -1, 1), ("rr", -1, -1)):
        x, y = sx * (length / 2 - 0.07), sy * (width / 2 - 0.07)
        trail = 0.45 * r
        fork = assembly.part(
            f"fork_{name}",
            cylinder((0.022, 0.02), "dark_steel").on(x, y, low - 0.02),
            box((1.5 * r, wide * 1.9, 0.006), "steel").on(x - trail / 2, y, low - 0.026),
            *(
                box((0.5 * r, 0.003, low - 0.024 - 0.8 * r), "steel").on(
                    x - trail, y + s * wide * 0.8, 0.8 * r
                )
                for s in (-1, 1)
            ),
            label="caster_fork",
        )
        if rigid_rear and sx < 0:
            assembly.weld(body, fork, origin=(x, y, low))
        else:
            assembly.spin(body, fork, origin=(x, y, low), axis="z")
        axle = (x - trail, y, r)
        shapes = wheel((r, wide), "rubber", hub="gray_plastic")
        rolling = assembly.part(f"wheel_{name}", *(s.at(*axle) for s in shapes), label="wheel")
        assembly.spin(fork, rolling, origin=axle, axis="y")


def build(draw: Draw) -> Assembly:
    """Build one cart; it is pushed from the rear."""
    length = draw.number("length", 0.6, 0.95)
    width = draw.number("width", 0.4, 0.55)
    height = draw.number("height", 0.72, 0.85)
    decks = draw.count("decks", 2, 3)
    r = draw.number("wheel_radius", 0.0375, 0.0625)
    rigid_rear = draw.chance("rigid_rear", 0.4)
    color = draw.pick(
        "tray_material", ("steel", "gray_plastic", "blue_plastic", "red_paint", "oak")
    )
    frame = draw.pick("frame_material", ("chrome", "dark_steel", "black_paint"))
    assembly = Assembly(
        f"{decks}-deck {color.split('_')[0]} utility cart",
        "cart",
        f"A utility cart with {decks} trays on four casters and a push bar.",
    )
    low = 2 * r + 0.05
    trays = [
        tray((length, width, 0.06), color, wall=0.008).on(
            0, 0, low + (height - 0.06 - low) * k / (decks - 1)
        )
        for k in range(decks)
    ]
    posts = legs((length - 0.06, width - 0.06), frame, size=(0.025, height - low), z=low)
    half = width / 2 - 0.05
    bar = [(-length / 2, -half, 0), (-length / 2 - 0.09, -half, 0.06)]
    bar += [(-length / 2 - 0.09, half, 0.06), (-length / 2, half, 0)]
    grip = sweep(rounded_path(bar, radius=0.04), frame, radius=0.012).at(0, 0, height - 0.03)
    body = assembly.part("body", *trays, *posts, grip, label="cart_body")
    _add_forks_and_wheels(
        assembly, r=r, length=length, width=width, low=low, rigid_rear=rigid_rear, body=body
    )
    return assembly
