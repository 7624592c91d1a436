# SPDX-License-Identifier: Apache-2.0
"""Things in a handbag: lipstick, flip-top lighter, ballpoint pen, folding mirror.

Lipsticks: 18-22 mm across, 70-80 mm tall, bullet rising by 20-25 mm over 1.5-2 turns, cap pulled
off by 45-55 mm. Lighters: 36-40 mm wide, 55-60 mm tall, lid of 110-130 degrees, wheel without end.
Pens: 0.13-0.15 m long, clicking by 4-5 mm, clip, tip screwed on. Mirrors: 0.15-0.2 m across,
tilting by +-60 degrees, stand turning without end.
"""

from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    box,
    cone,
    cylinder,
    lathe,
    plate,
    rounded_path,
    rounded_rectangle,
    sweep,
    torus,
    tube,
    vessel,
    word,
)

CATEGORIES = {
    "lipstick": "Personal & Household Items",
    "lighter": "Personal & Household Items",
    "pen": "Personal & Household Items",
    "makeup_mirror": "Personal & Household Items",
}


def _lipstick(draw: Draw, assembly: Assembly) -> str:
    """Add a base, a sleeve, a bullet that screws up and a cap."""
    r = draw.number("radius", 0.009, 0.011)
    turns = draw.number("turns", 1.5, 2.0, digits=2)
    rise = draw.number("rise", 0.02, 0.024)
    shade = draw.pick("color", ("red_paint", "purple_paint", "orange_paint", "red_plastic"))
    skin = draw.pick("material", ("black_plastic", "brass", "chrome", "white_plastic"))
    base = assembly.part(
        "base",
        cylinder((r, 0.026), skin).on(0, 0, 0),
        tube((r - 0.002, r - 0.0032, 0.026), "brass").on(0, 0, 0.0255),
    )
    stick = lathe([(0.62 * r, 0), (0.62 * r, 0.022), (0.5 * r, 0.027), (0.1 * r, 0.031)], shade)
    bullet = assembly.part(
        "bullet", stick.at(0, 0, 0.0265), cylinder((0.64 * r, 0.003), "brass").on(0, 0, 0.0262)
    )
    lead = round(rise / turns, 5)
    assembly.screw(
        base, bullet, origin=(0, 0, 0.026), axis="z", turns=(0, turns), travel_per_turn=lead
    )
    shell = [(r, 0), (r, 0.062), (0.0, 0.062), (0.0, 0.0605), (r - 0.0015, 0.0605), (r - 0.0015, 0)]
    cap = assembly.part("cap", lathe(shell, skin, ring=True).at(0, 0, 0.0265))
    assembly.slide(base, cap, axis="z", lower=0, upper=draw.number("pull", 0.065, 0.08))
    return skin


def _lighter(draw: Draw, assembly: Assembly) -> str:
    """Add a case, a chimney with a wheel and a hinged lid."""
    wide, deep = draw.number("width", 0.036, 0.04), draw.number("depth", 0.012, 0.014)
    low = draw.number("case_height", 0.034, 0.037)
    skin = draw.pick("material", ("chrome", "brass", "black_paint", "red_paint"))
    case = plate((deep, wide, low), skin, radius=0.003).on(0, 0, 0)
    chimney = (
        tube((0.0052, 0.0042, 0.014), "steel", segments=16).scaled(1, 1.2, 1).on(0, 0.004, low)
    )
    posts = [box((0.0015, 0.006, 0.01), "steel").on(s * 0.003, -0.009, low) for s in (-1, 1)]
    body = assembly.part("case", case, chimney, *posts)
    wheel = assembly.part(
        "wheel",
        cylinder((0.0035, 0.004), "dark_steel", segments=16).along("x").at(0, -0.009, low + 0.009),
        label="flint_wheel",
    )
    assembly.spin(body, wheel, origin=(0, -0.009, low + 0.009), axis="x")
    outer, inner = (
        rounded_rectangle(deep, wide, radius=0.003),
        rounded_rectangle(deep - 0.0016, wide - 0.0016, radius=0.0022),
    )
    hood = (
        vessel(outer, inner, skin, height=0.02, floor=0.0012)
        .turned("x", 180)
        .on(0, 0, low + 0.0004)
    )
    lid = assembly.part("lid", hood)
    assembly.hinge(
        body,
        lid,
        origin=(0, wide / 2, low + 0.0002),
        axis="-x",
        lower=0,
        upper=draw.number("lid_deg", 110, 130, digits=1),
    )
    return skin


def _pen(draw: Draw, assembly: Assembly) -> str:
    """Add a lying ballpoint pen: barrel, tip on a thread, push button and refill."""
    long, r = draw.number("length", 0.1, 0.115), draw.number("radius", 0.0045, 0.0058)
    skin = draw.pick(
        "material", ("blue_plastic", "red_plastic", "black_plastic", "chrome", "green_plastic")
    )
    barrel = tube((r, r - 0.0012, long), skin, segments=20).along("x").at(0, 0, r)
    clip = [
        box((0.04, 0.003, 0.001), "chrome").at(-long / 2 + 0.028, 0, 2 * r + 0.0022),
        box((0.006, 0.003, 0.0022), "chrome").at(-long / 2 + 0.009, 0, 2 * r + 0.001),
    ]
    body = assembly.part("barrel", barrel, *clip, label="pen_barrel")
    cap = lathe(
        [(0.0012, 0.022), (0.0018, 0.022), (r, 0.004), (r, 0), (r - 0.0012, 0), (0.0014, 0.018)],
        "chrome",
        ring=True,
        segments=20,
    )
    tip = assembly.part("tip", cap.along("x").at(long / 2 + 0.0002, 0, r), label="pen_tip")
    assembly.screw(
        body,
        tip,
        origin=(long / 2, 0, r),
        axis="x",
        turns=(0, 6),
        travel_per_turn=draw.number("travel_per_turn", 0.0007, 0.001),
    )
    click = draw.number("click", 0.004, 0.005)
    core = [
        cylinder((0.6 * (r - 0.0012), 0.014), "chrome", segments=16)
        .along("x")
        .at(-long / 2 - 0.003, 0, r),
        cylinder((0.0011, long + 0.016), "steel", segments=10).along("x").at(0.008, 0, r),
    ]
    refill = assembly.part("button", *core, label="push_button")
    assembly.slide(body, refill, axis="x", lower=0, upper=click)
    return skin


def _mirror(draw: Draw, assembly: Assembly) -> str:
    """Add a foot, a fork that turns and a round mirror that tilts."""
    r, high = draw.number("radius", 0.075, 0.1), draw.number("stem", 0.09, 0.15)
    skin = draw.pick("material", ("chrome", "brass", "white_paint", "copper"))
    foot = lathe([(0.065, 0), (0.065, 0.008), (0.015, 0.02), (0.008, 0.03), (0.008, high)], skin)
    base = assembly.part("foot", foot)
    z = high + r + 0.025
    arc = [
        (0, -r - 0.012, z),
        (0, -r - 0.012, high + 0.02),
        (0, 0, high + 0.006),
        (0, r + 0.012, high + 0.02),
        (0, r + 0.012, z),
    ]
    fork = assembly.part(
        "fork",
        sweep(rounded_path(arc, radius=0.06), skin, radius=0.004),
        cylinder((0.01, 0.01), skin).on(0, 0, high + 0.0006),
    )
    assembly.spin(base, fork, origin=(0, 0, high), axis="z")
    disk = [
        cylinder((r - 0.003, 0.006), "sky_paint", segments=40).along("x").at(0, 0, z),
        torus((r, 0.006), skin, segments=40).along("x").at(0, 0, z),
    ]
    pins = [
        cone((0.004, 0.003, 0.005), skin, segments=10)
        .turned("x", -90 * s)
        .at(0, s * (r + 0.0065), z)
        for s in (-1, 1)
    ]
    glass = assembly.part("mirror", *disk, *pins)
    assembly.hinge(fork, glass, origin=(0, 0, z), axis="y", lower=-60, upper=60)
    return skin


def build(draw: Draw) -> Assembly:
    """Build one lipstick, lighter, pen or mirror."""
    category = draw.take("category", CATEGORIES)
    noun = category.replace("_", " ")
    phrase = {
        "lipstick": "whose bullet screws up",
        "lighter": "with a flip-top lid",
        "pen": "that clicks",
        "makeup_mirror": "that turns and tilts",
    }
    assembly = Assembly("", category, f"A {noun} {phrase[category]}.")
    skin = {"lipstick": _lipstick, "lighter": _lighter, "pen": _pen, "makeup_mirror": _mirror}[
        category
    ](draw, assembly)
    assembly.name = f"{word(skin).capitalize()} {noun}"
    return assembly
