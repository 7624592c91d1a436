# SPDX-License-Identifier: Apache-2.0
"""A wing corkscrew: frame with a bell, worm that screws down through it, two rising arms.

Sizes after bar tools: 0.16-0.19 m tall, bell 30-36 mm across, arms 0.1-0.12 m; the worm advances
9-11 mm per turn over 4-5 turns, each arm rises by 100-120 degrees.
"""

import math

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    capsule,
    cylinder,
    extrude,
    gear,
    lathe,
    sweep,
    torus,
    tube,
    word,
)

CATEGORIES = {"corkscrew": "Kitchen & Cooking"}


def _worm(
    assembly: Assembly, frame: str, top: float, *, metal: str, lead: float, turns: float
) -> None:
    """Add the screw: crown handle, rack shaft and helix."""
    long = lead * turns + 0.008
    helix = [
        (0.0035 * math.cos(a), 0.0035 * math.sin(a), top - 0.055 - lead * a / (2 * math.pi))
        for a in (math.pi * k / 8 for k in range(int(16 * (turns - 1.2))))
    ]
    shaft = lathe([(0.0055, top - 0.06), (0.0055, top + long)], metal, segments=16)
    teeth = [
        torus((0.0055, 0.0012), metal, segments=14).at(0, 0, top + 0.004 + 0.005 * k)
        for k in range(int((long - 0.006) / 0.005))
    ]
    crown = [
        box((0.05, 0.012, 0.01), metal).at(0, 0, top + long),
        capsule((0.007, 0.05), metal).along("x").at(0, 0, top + long + 0.006),
    ]
    worm = assembly.part(
        "worm", shaft, *teeth, *crown, sweep(helix, "chrome", radius=0.0013), label="worm_screw"
    )
    assembly.screw(
        frame, worm, origin=(0, 0, top), axis="-z", turns=(0, turns), travel_per_turn=lead
    )


def build(draw: Draw) -> Assembly:
    """Build one corkscrew, worm up and arms down at rest."""
    bell = draw.number("bell_radius", 0.015, 0.018)
    height = draw.number("frame_height", 0.1, 0.12)
    reach = draw.number("arm_length", 0.08, 0.095)
    lead = draw.number("travel_per_turn", 0.009, 0.011)
    turns = draw.number("turns", 4, 5, digits=1)
    metal = draw.pick("material", ("chrome", "brass", "black_paint", "copper"))
    assembly = Assembly(
        f"{word(metal).capitalize()} corkscrew",
        "corkscrew",
        "A wing corkscrew whose worm screws down and whose arms pull the cork.",
    )
    z = height
    ring = tube((bell, bell - 0.003, 0.03), metal).on(0, 0, 0)
    posts = [
        box((0.006, 0.005, z - 0.028), metal).on(0, s * (bell - 0.002), 0.028) for s in (-1, 1)
    ]
    hub = tube((0.014, 0.0074, 0.02), metal).on(0, 0, z - 0.01)
    lugs = [
        box((0.012, 0.003, 0.014), metal).at(s * 0.016, d, z)
        for s in (-1, 1)
        for d in (-0.008, 0.008)
    ]
    frame = assembly.part("frame", ring, *posts, hub, *lugs)
    _worm(assembly, frame, z + 0.01, metal=metal, lead=lead, turns=turns)
    rise = draw.number("arm_rise_deg", 100, 120, digits=1)
    for name, s in (("arm_left", 1), ("arm_right", -1)):
        x = 0.022
        cog = extrude(gear(9, 0.006, depth=0.002), metal, height=0.011).along("y")
        rod = capsule((0.0045, reach - 0.014), metal).at(0, 0, -reach / 2 - 0.002)
        knob = cylinder((0.009, 0.007), metal).along("y").at(0, 0, -reach)
        shapes = [p.turned("y", -12).at(x, 0, z) for p in (cog, rod, knob)]
        arm = assembly.part(name, *(p if s > 0 else p.mirrored("x") for p in shapes), label="arm")
        axis = "-y" if s > 0 else "y"
        assembly.hinge(frame, arm, origin=(s * x, 0, z), axis=axis, lower=0, upper=rise)
    return assembly
