# SPDX-License-Identifier: Apache-2.0
"""Luggage: a standing trolley suitcase with a pull-up handle, or a lying briefcase with latches.

Suitcases: 0.36-0.46 m wide, 0.22-0.28 m deep, 0.5-0.7 m tall on four spinning wheels, lid of 100
degrees, handle of two tubes that rises by 0.35-0.45 m. Briefcases: 0.4-0.46 m wide, 0.3-0.34 m
deep, 80-110 mm thick, lid of 95-110 degrees, two latches and a handle.
"""

from pipeline.generate.fittings import add_dial, bar_pull, wheel
from pipeline.generate.vocabulary import (
    Assembly,
    Draw,
    Shape,
    box,
    cylinder,
    rounded_path,
    rounded_rectangle,
    sweep,
    vessel,
    word,
)

CATEGORIES = {"suitcase": "Containers", "briefcase": "Containers"}


def _shell(size: tuple[float, float], depth: float, skin: str) -> Shape:
    """Return a shallow rounded tray of (x, y) size, open on top."""
    outer = rounded_rectangle(*size, radius=0.035)
    inner = rounded_rectangle(size[0] - 0.008, size[1] - 0.008, radius=0.031)
    return vessel(outer, inner, skin, height=depth, floor=0.004)


def _add_handle(assembly: Assembly, *, height: float, half: float, z: float) -> str:
    """Add the handle."""
    bow = [
        (0, -0.1, -0.42 * height),
        (0, -0.1, height / 2 + 0.02),
        (0, 0.1, height / 2 + 0.02),
        (0, 0.1, -0.42 * height),
    ]
    tubes = sweep(rounded_path(bow, radius=0.03), "aluminum", radius=0.006).at(-half - 0.019, 0, z)
    grip = (
        cylinder((0.011, 0.12), "black_plastic")
        .along("y")
        .at(-half - 0.019, 0, z + height / 2 + 0.02)
    )
    return assembly.part("handle", tubes, grip, label="pull_handle")


def _add_forks_and_wheels(
    assembly: Assembly, *, half: float, width: float, low: float, back: str, lid: str
) -> None:
    """Add the forks and wheels."""
    for k, (sx, sy) in enumerate(((-1, 1), (-1, -1), (1, 1), (1, -1)), start=1):
        x, y = sx * (half - 0.04), sy * (width / 2 - 0.06)
        fork = assembly.part(
            f"fork_{k}",
            cylinder((0.016, 0.01), "black_plastic").on(x, y, low - 0.0125 - 0.01),
            label="caster_fork",
        )
        assembly.spin(back if sx < 0 else lid, fork, origin=(x, y, low - 0.012), axis="z")
        roll = assembly.part(
            f"wheel_{k}",
            *(s.at(x, y, 0.018) for s in wheel((0.018, 0.014), "rubber", hub="gray_plastic")),
            label="wheel",
        )
        assembly.spin(fork, roll, origin=(x, y, 0.018), axis="y")


def _add_shell(
    assembly: Assembly,
    *,
    height: float,
    skin: str,
    half: float,
    width: float,
    z: float,
    shell: Shape,
    low: float,
) -> str:
    """Add the shell."""
    ribs = [
        box((0.006, 0.03, height - 0.1), skin).at(-half - 0.002, width * t, z)
        for t in (-0.36, 0.36)
    ]
    rails = [
        box((0.012, 0.03, height - 0.06), "black_plastic").at(-half - 0.006, s * 0.1, z)
        for s in (-1, 1)
    ]
    return assembly.part(
        "shell",
        shell.along("x").at(-half / 2, 0, z),
        *ribs,
        *rails,
        *(
            cylinder((0.012, 0.012), "black_plastic").on(
                sx * (half - 0.03) - 0.0 - (0.03 if sx > 0 else 0),
                sy * (width / 2 - 0.05),
                low - 0.012,
            )
            for sx in (-1,)
            for sy in (-1, 1)
        ),
    )


def _suitcase(draw: Draw, assembly: Assembly) -> str:
    """Add a standing case: rear half, front lid, wheels and a telescoping handle."""
    width = draw.number("width", 0.36, 0.46)
    depth = draw.number("depth", 0.22, 0.28)
    height = draw.number("height", 0.5, 0.66)
    rise = draw.number("handle_rise", 0.35, 0.45)
    skin = draw.pick(
        "material",
        ("red_plastic", "blue_plastic", "gray_plastic", "green_plastic", "yellow_plastic"),
    )
    low, half = 0.06, depth / 2
    z = low + height / 2
    shell = _shell((width, height), half - 0.001, skin)
    back = _add_shell(
        assembly, height=height, skin=skin, half=half, width=width, z=z, shell=shell, low=low
    )
    front = [
        shell.along("x").mirrored("x").at(half / 2, 0, z),
        *(
            box((0.006, 0.02, height - 0.1), skin).at(half + 0.002, width * t, z)
            for t in (-0.3, -0.1, 0.1, 0.3)
        ),
    ]
    lid = assembly.part("lid", *front)
    assembly.hinge(back, lid, origin=(0, width / 2, z), axis="z", lower=0, upper=100)
    _add_forks_and_wheels(assembly, half=half, width=width, low=low, back=back, lid=lid)
    handle = _add_handle(assembly, height=height, half=half, z=z)
    assembly.slide(back, handle, axis="z", lower=0, upper=min(rise, round(0.8 * height, 3)))
    return skin


def _briefcase(draw: Draw, assembly: Assembly) -> str:
    """Add a lying case with two latches, a combination dial each and a folding handle."""
    width = draw.number("width", 0.4, 0.46)
    depth = draw.number("depth", 0.3, 0.34)
    thick = draw.number("thickness", 0.08, 0.11)
    skin = draw.pick("material", ("leather", "black_plastic", "aluminum", "walnut"))
    half = thick / 2
    shell = _shell((depth, width), half - 0.0005, skin)
    base = assembly.part("shell", shell.on(0, 0, 0))
    lid = assembly.part("lid", shell.turned("x", 180).on(0, 0, half + 0.0005))
    opening = draw.number("opening_deg", 95, 110, digits=1)
    assembly.hinge(base, lid, origin=(-depth / 2, 0, half), axis="-y", lower=0, upper=opening)
    face = depth / 2 + 0.001
    for k, s in enumerate((-1, 1), start=1):
        plate = box((0.005, 0.04, 0.024), "brass").at(face + 0.0025, s * 0.3 * width, half + 0.004)
        latch = assembly.part(f"latch_{k}", plate)
        assembly.hinge(
            lid, latch, origin=(face, s * 0.3 * width, half + 0.016), axis="-y", lower=0, upper=90
        )
        at = (face - 0.001, s * 0.3 * width, half - 0.02)
        add_dial(
            assembly,
            base,
            f"lock_dial_{k}",
            at=at,
            axis="x",
            size=(0.008, 0.006),
            material="brass",
            turn=0,
        )
    grip = bar_pull(0.13, "black_plastic", reach=0.045, radius=0.008).at(face, 0, half - 0.02)
    handle = assembly.part("handle", grip)
    assembly.hinge(
        base, handle, origin=(face + 0.008, 0, half - 0.02), axis="y", lower=-15, upper=60
    )
    return skin


def build(draw: Draw) -> Assembly:
    """Build one suitcase or briefcase."""
    category = draw.take("category", CATEGORIES)
    rolling = category == "suitcase"
    phrase = (
        "rolls on four casters and has a pull-up handle" if rolling else "has latches and a lid"
    )
    assembly = Assembly("", category, f"A {category} that {phrase}.")
    skin = (_suitcase if rolling else _briefcase)(draw, assembly)
    assembly.name = f"{word(skin).capitalize()} {category}"
    return assembly
