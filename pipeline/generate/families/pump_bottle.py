# SPDX-License-Identifier: Apache-2.0
"""A bottle with a pump: soap dispenser with a push head, or spray bottle with a trigger.

Soap dispensers: 60-80 mm across, 0.15-0.2 m tall, head pressed by 12-18 mm and turning by 180.
Spray bottles: 70-95 mm across, 0.22-0.28 m tall, trigger of 18-25 degrees, nozzle of 90, head
screwed on a thread of 3-4 mm per turn.
"""

from pipeline.generate.vocabulary import (
    LABELS,
    Assembly,
    Draw,
    box,
    cylinder,
    extrude,
    lathe,
    rounded_path,
    sweep,
    tube,
    word,
)

CATEGORIES = {"soap_dispenser": "Containers", "spray_bottle": "Containers"}


def _soap(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a flask, a collar on a thread and a head that is pressed and turned."""
    r = draw.number("radius", 0.03, 0.04)
    height = draw.number("height", 0.11, 0.15)
    press = draw.number("press", 0.012, 0.018)
    shell = [
        (0.95 * r, 0),
        (r, 0.005),
        (r, 0.8 * height),
        (0.5 * r, 0.97 * height),
        (0.4 * r, height),
    ]
    label = tube((r + 0.0008, r - 0.0005, 0.45 * height), draw.pick("label", LABELS)).on(
        0, 0, 0.18 * height
    )
    body = assembly.part("flask", lathe(shell, skin), label)
    z = height + 0.0006
    metal = draw.pick("pump_material", ("chrome", "white_plastic", "black_plastic", "brass"))
    collar = assembly.part(
        "collar",
        lathe(
            [(0.0052, 0), (0.42 * r, 0), (0.42 * r, press + 0.002), (0.0052, press + 0.004)],
            metal,
            ring=True,
        ).at(0, 0, z),
    )
    assembly.screw(body, collar, origin=(0, 0, z), axis="z", turns=(0, 4), travel_per_turn=0.003)
    # The stem ends inside the collar, so that pressed down it stays above the closed flask.
    stem = cylinder((0.0048, 0.0294), metal, segments=16).on(0, 0, z + press + 0.0006)
    top = z + 0.03 + press
    nozzle = sweep(
        rounded_path([(0, 0, top), (0.045, 0, top), (0.052, 0, top - 0.01)], radius=0.01),
        metal,
        radius=0.005,
    )
    head = assembly.part(
        "pump_head", stem, nozzle, cylinder((0.013, 0.012), metal).on(0, 0, top - 0.004)
    )
    assembly.slide(collar, head, axis="-z", lower=0, upper=press)


def _add_trigger_and_nozzle(draw: Draw, assembly: Assembly, *, z: float, head: str) -> None:
    """Add the trigger and nozzle."""
    pivot = (0.034, 0, z + 0.038)
    lever = [
        (0.0, -0.001),
        (0.012, -0.001),
        (0.012, -0.03),
        (0.022, -0.062),
        (0.015, -0.064),
        (0.004, -0.032),
    ]
    trigger = assembly.part(
        "trigger",
        extrude(lever, "gray_plastic", height=0.014).along("-y").at(pivot[0], 0, pivot[2]),
    )
    squeeze = draw.number("squeeze_deg", 18, 25, digits=1)
    assembly.hinge(
        head, trigger, origin=(pivot[0], 0, pivot[2] - 0.001), axis="y", lower=0, upper=squeeze
    )
    tip = (0.0525, 0, z + 0.055)
    nozzle = assembly.part(
        "nozzle", box((0.014, 0.016, 0.016), "gray_plastic").at(tip[0] + 0.009, 0, tip[2])
    )
    assembly.hinge(head, nozzle, origin=tip, axis="x", lower=0, upper=90)


def _spray(draw: Draw, assembly: Assembly, skin: str) -> None:
    """Add a bottle, a screwed-on head with a trigger, and a nozzle that turns."""
    r = draw.number("radius", 0.035, 0.047)
    height = draw.number("height", 0.16, 0.2)
    color = draw.pick(
        "head_color", ("red_plastic", "blue_plastic", "white_plastic", "yellow_plastic")
    )
    shell = [
        (0.95 * r, 0),
        (r, 0.005),
        (r, 0.55 * height),
        (0.5 * r, 0.75 * height),
        (0.4 * r, 0.85 * height),
        (0.35 * r, height),
    ]
    label = tube((r + 0.0008, r - 0.0005, 0.3 * height), draw.pick("label", LABELS)).on(
        0, 0, 0.15 * height
    )
    body = assembly.part("bottle", lathe(shell, skin), label)
    z = height + 0.0006
    outline = [
        (-0.035, 0.03),
        (-0.03, 0.055),
        (0.05, 0.055),
        (0.055, 0.03),
        (0.012, 0.026),
        (0.012, 0.0),
        (-0.014, 0.0),
        (-0.016, 0.02),
    ]
    top = extrude(outline, color, height=0.024).along("-y").at(0, 0, z + 0.012)
    ring = cylinder((0.42 * r, 0.014), color).on(0, 0, z)
    head = assembly.part("head", top, ring, label="spray_head")
    lead = draw.number("travel_per_turn", 0.003, 0.004)
    assembly.screw(body, head, origin=(0, 0, z), axis="z", turns=(0, 4), travel_per_turn=lead)
    _add_trigger_and_nozzle(draw, assembly, z=z, head=head)


def build(draw: Draw) -> Assembly:
    """Build one soap dispenser or spray bottle."""
    category = draw.take("category", CATEGORIES)
    soap = category == "soap_dispenser"
    skins = (
        ("ceramic", "glass", "amber_glass", "mint_paint")
        if soap
        else ("clear_plastic", "white_plastic", "blue_plastic", "green_plastic")
    )
    skin = draw.pick("material", skins)
    noun = category.replace("_", " ")
    phrase = "whose head is pressed to pump" if soap else "with a trigger and a turning nozzle"
    assembly = Assembly(f"{word(skin).capitalize()} {noun}", category, f"A {noun} {phrase}.")
    (_soap if soap else _spray)(draw, assembly, skin)
    return assembly
