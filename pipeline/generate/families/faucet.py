# SPDX-License-Identifier: Apache-2.0
"""A basin or kitchen tap: swivel spout, with one mixing lever or two turning handles.

Sizes after sanitary taps: spout reach 0.11-0.24 m, height 0.12-0.34 m, body 40-52 mm across; the
spout swivels by +-60 degrees, the lever lifts by 25 degrees and turns by +-45, valves by 180-360.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    capsule,
    cylinder,
    lathe,
    rounded_path,
    sphere,
    sweep,
)

CATEGORIES = {"faucet": "Architectural Fixtures"}


def _add_valves(draw: Draw, assembly: Assembly, *, metal: str, r: float, body: str) -> None:
    """Add the valves."""
    turn = draw.number("valve_turn_deg", 180, 360, digits=1)
    for name, s, color in (("hot", 1, "red_plastic"), ("cold", -1, "blue_plastic")):
        arms = [capsule((0.006, 0.045), metal).along("x").turned("z", 90 * k) for k in range(2)]
        cap = sphere(0.009, color).at(0, 0, 0.004)
        stem = cylinder((0.5 * r, 0.03), metal).at(0, 0, -0.015)
        z = 0.055 + 0.03
        valve = assembly.part(
            f"{name}_valve",
            *(p.at(0, s * 0.09, z) for p in (*arms, cap, stem)),
            label="valve_handle",
        )
        axis = "z" if s < 0 else "-z"
        assembly.hinge(body, valve, origin=(0, s * 0.09, z), axis=axis, lower=0, upper=turn)


def _add_body_and_spout(
    assembly: Assembly,
    *,
    r: float,
    metal: str,
    kind: str,
    arched: bool,
    height: float,
    reach: float,
) -> str:
    """Add the body and spout."""
    column = 0.07
    foot = lathe([(1.5 * r, 0), (1.5 * r, 0.006), (r, 0.014), (r, column)], metal)
    shapes = [foot]
    if kind == "two_handles":
        arm = sweep([(0, -0.09, 0), (0, 0.09, 0)], metal, radius=0.6 * r).at(0, 0, 0.035)
        posts = [cylinder((0.75 * r, 0.055), metal).on(0, s * 0.09, 0) for s in (-1, 1)]
        shapes += [arm, *posts]
    body = assembly.part("body", *shapes)

    tip = 0.06 if arched else 0.02
    path = [(0, 0, 0), (0, 0, height - column), (reach, 0, height - column)]
    path.append((reach, 0, height - column - tip))
    pipe = sweep(
        rounded_path(path, radius=0.5 * reach if arched else 0.03, steps=8), metal, radius=0.55 * r
    )
    spout = assembly.part(
        "spout",
        cylinder((r, 0.016), metal).on(0, 0, column),
        pipe.at(0, 0, column),
        cylinder((0.65 * r, 0.014), "dark_steel").on(reach, 0, height - tip - 0.008),
    )
    assembly.hinge(body, spout, origin=(0, 0, column), axis="z", lower=-60, upper=60)
    return body


def build(draw: Draw) -> Assembly:
    """Build one faucet; water falls on the front side."""
    kind = draw.pick("kind", ("lever", "two_handles"))
    reach = draw.number("reach", 0.11, 0.24)
    height = draw.number("height", 0.14, 0.34)
    r = draw.number("body_radius", 0.02, 0.026)
    metal = draw.pick("material", ("chrome", "brass", "copper", "steel", "black_paint"))
    arched = draw.chance("arched_spout", 0.6)
    assembly = Assembly(
        f"{metal.split('_')[0].capitalize()} {kind.replace('_', ' ')} faucet",
        "faucet",
        f"A tap with a swivel spout and {'a mixing lever' if kind == 'lever' else 'two valves'}.",
    )
    body = _add_body_and_spout(
        assembly, r=r, metal=metal, kind=kind, arched=arched, height=height, reach=reach
    )

    if kind == "lever":
        z = 0.042
        side = r + 0.012
        hub = assembly.part(
            "lever_hub",
            cylinder((0.8 * r, 0.024), metal).along("y").at(0, -side, z),
        )
        assembly.hinge(body, hub, origin=(0, -side, z), axis="-y", lower=-45, upper=45)
        stick = capsule((0.006, 0.07), metal).at(0, 0, 0.05).turned("x", 20)
        lever = assembly.part("lever", stick.at(0, -side - 0.018, z), label="lever_handle")
        assembly.hinge(hub, lever, origin=(0, -side - 0.012, z), axis="x", lower=0, upper=25)
        return assembly
    _add_valves(draw, assembly, metal=metal, r=r, body=body)
    return assembly
