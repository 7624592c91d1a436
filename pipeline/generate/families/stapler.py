# SPDX-License-Identifier: Apache-2.0
"""A desk stapler: base with anvil, magazine and arm on one rear axle, follower in the magazine.

Sizes after office staplers: 0.11-0.19 m long, 30-38 mm wide, 50-70 mm tall; the arm stands 8
degrees up at rest, presses down by 5 and folds back by 70-100; the
magazine lifts it by 12-20 degrees.
"""

from pipeline.generate.vocabulary import Assembly, Draw, box, cylinder, extrude, plate, tray

CATEGORIES = {"stapler": "Tools"}


def _add_arm(
    assembly: Assembly,
    *,
    rear: float,
    front: float,
    color: str,
    width: float,
    inner: float,
    axle: tuple[float, float, float],
) -> str:
    """Add the arm."""
    profile = [(rear + 0.002, 0.044), (rear + 0.02, 0.05), (front - 0.03, 0.052), (front, 0.044)]
    profile += [(front + 0.002, 0.034), (rear + 0.03, 0.034)]
    cap = extrude(profile, color, height=width * 0.9).along("-y")
    arms = [
        extrude(
            [
                (rear + 0.008, 0.030),
                (rear + 0.022, 0.030),
                (rear + 0.03, 0.046),
                (rear + 0.004, 0.046),
            ],
            color,
            height=0.003,
        )
        .along("-y")
        .at(0, s * (inner / 2 + 0.0045), 0)
        for s in (-1, 1)
    ]
    tilted = [s.turned("y", -8, about=axle) for s in (cap, *arms)]
    return assembly.part("arm", *tilted)


def _add_base_and_magazine(
    assembly: Assembly, *, length: float, width: float, color: str, lift: float, fold: float
) -> None:
    """Add the base, magazine and follower."""
    rear, front = -length / 2, length / 2
    axle = (rear + 0.014, 0, 0.034)
    inner = width * 0.45
    cheek = extrude(
        [(rear + 0.004, 0.01), (rear + 0.032, 0.01), (rear + 0.024, 0.042), (rear + 0.006, 0.042)],
        "dark_steel",
        height=0.0015,
    ).along("-y")
    base = assembly.part(
        "base",
        plate((length, width, 0.010), color, radius=width * 0.3).on(0, 0, 0),
        plate((0.02, width * 0.5, 0.002), "steel", radius=0.003).on(front - 0.018, 0, 0.010),
        *(cheek.at(0, s * (inner / 2 + 0.0012), 0) for s in (-1, 1)),
        cylinder((0.003, inner + 0.008), "steel", segments=16).along("y").at(*axle),
    )
    low = 0.022
    magazine = assembly.part(
        "magazine",
        tray((length - 0.026, inner, 0.012), "steel", wall=0.0012).on(0.008, 0, low - 0.004),
        box((0.008, inner, 0.012), "steel").on(front - 0.009, 0, low - 0.004),
    )
    assembly.hinge(base, magazine, origin=axle, axis="-y", lower=0, upper=lift)
    follower = assembly.part(
        "follower",
        box((0.012, inner - 0.004, 0.008), "black_plastic").on(rear + 0.03, 0, low - 0.0024),
    )
    assembly.slide(magazine, follower, axis="x", lower=0, upper=round(length - 0.075, 3))
    arm = _add_arm(
        assembly, rear=rear, front=front, color=color, width=width, inner=inner, axle=axle
    )
    assembly.hinge(magazine, arm, origin=axle, axis="-y", lower=-5, upper=fold)


def build(draw: Draw) -> Assembly:
    """Build one stapler; the front end is where it staples."""
    length = draw.number("length", 0.11, 0.19)
    width = draw.number("width", 0.030, 0.038)
    color = draw.pick(
        "body_material", ("red_paint", "black_plastic", "blue_plastic", "gray_plastic")
    )
    fold = draw.number("arm_fold_deg", 70, 100, digits=1)
    lift = draw.number("magazine_lift_deg", 12, 20, digits=1)
    assembly = Assembly(
        f"{color.split('_')[0].capitalize()} desk stapler",
        "stapler",
        "A desk stapler with a hinged arm over a staple magazine.",
    )
    _add_base_and_magazine(assembly, length=length, width=width, color=color, lift=lift, fold=fold)
    return assembly
