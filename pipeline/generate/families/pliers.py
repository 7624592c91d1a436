# SPDX-License-Identifier: Apache-2.0
"""Pliers lying flat: two crossing halves in a lap joint, with flat or long jaws.

Sizes after hand tools: 0.14-0.22 m long, jaws 30-65 mm, handles dipped in plastic; the jaws are
closed at rest and open by 30-55 degrees.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    cylinder,
    extrude,
    rounded_path,
    sweep,
)

CATEGORIES = {"pliers": "Tools"}


def _half(jaw: float, tip: float, handle: float, grip: str) -> list[Shape]:
    """Return the half whose jaw is at +y and whose handle is at -y, lap in the lower layer."""
    thick, r = 0.010, 0.011
    lap = cylinder((r, thick / 2 - 0.0002), "dark_steel", segments=24).at(0, 0, -thick / 4)
    web = [(0.004, 0.0006), (r + 0.003, 0.0006), (r + 0.003, r), (0.0, r)]
    bridge = extrude(web, "dark_steel", height=thick / 2 - 0.0002).at(0, 0, -thick / 4)
    outline = [
        (r + 0.001, 0.0006),
        (jaw, 0.0006),
        (jaw, tip),
        (r + 0.008, r * 0.95),
        (r + 0.001, r),
    ]
    nose = extrude(outline, "dark_steel", height=thick)
    tail = [(-0.004, -0.006), (-0.006, -0.0135), (-r - 0.010, -0.0155), (-r - 0.010, -0.0065)]
    root = extrude([*tail, (-r * 0.6, -0.0025)], "dark_steel", height=thick / 2 - 0.0002)
    start = (-r - 0.006, -0.011, 0)
    path = [start, (-handle * 0.4, -0.024, 0), (-handle, -0.02, 0)]
    sleeve = sweep(rounded_path(path, radius=0.05), grip, radius=0.0062)
    return [lap, bridge, nose, root.at(0, 0, -thick / 4), sleeve]


def build(draw: Draw) -> Assembly:
    """Build one pair of pliers."""
    kind = draw.pick("kind", ("combination", "long_nose"))
    long = kind == "long_nose"
    jaw = draw.number("jaw_length", 0.05, 0.068) if long else draw.number("jaw_length", 0.03, 0.042)
    tip = draw.number("tip_width", 0.002, 0.003) if long else draw.number("tip_width", 0.006, 0.009)
    handle = draw.number("handle_length", 0.10, 0.15)
    grip = draw.pick(
        "grip_material", ("red_plastic", "blue_plastic", "yellow_plastic", "green_plastic")
    )
    opening = draw.number("opening_deg", 30, 55, digits=1)
    assembly = Assembly(
        f"{kind.replace('_', ' ').capitalize()} pliers with {grip.split('_')[0]} grips",
        "pliers",
        "A pair of pliers whose jaws close when the handles are squeezed.",
    )
    z = 0.0062
    half = _half(jaw, tip, handle, grip)
    first = assembly.part("half_1", *(s.at(0, 0, z) for s in half), label="plier_half")
    # Turned over about the long axis, the same half becomes its own counterpart.
    other = [s.turned("x", 180).at(0, 0, z) for s in half]
    rivet = cylinder((0.0045, 0.001), "steel", segments=16).on(0, 0, z + 0.005)
    second = assembly.part("half_2", *other, rivet, label="plier_half")
    assembly.hinge(first, second, origin=(0, 0, z), axis="-z", lower=0, upper=opening)
    return assembly
