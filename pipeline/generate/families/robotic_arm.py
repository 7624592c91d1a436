# SPDX-License-Identifier: Apache-2.0
"""A six-axis industrial arm with a parallel gripper: seven movable levels deep.

Sizes after small cobots: reach 0.5-0.95 m, base 0.12-0.18 m across; the base axis turns by
+-170 degrees, the shoulder by +-100, the elbow by +-140, the wrist by +-90, the flange without end.
"""

from pipeline.generate.vocabulary import Assembly, Draw, box, capsule, cylinder, lathe, rounded_box

CATEGORIES = {"robotic_arm": "Robotics"}

COLORS = ("white_plastic", "orange_paint", "gray_plastic", "blue_paint", "yellow_paint")


def _add_wrist_2_and_flange(
    assembly: Assembly, *, wrist_z: float, w: float, trim: str, side: float, skin: str, wrist_1: str
) -> None:
    """Add the wrist 2, flange and fingers."""
    top = wrist_z + 1.6 * w
    wrist_2 = assembly.part(
        "wrist_2",
        cylinder((0.95 * w, 1.6 * w), trim).on(0, side, top),
        cylinder((0.8 * w, 2.2 * w), skin).along("x").at(0.3 * w, side, top + 0.85 * w),
    )
    assembly.hinge(wrist_1, wrist_2, origin=(0, side, top), axis="z", lower=-170, upper=170)

    x = 1.4 * w
    mid = top + 0.85 * w
    flange = assembly.part(
        "flange",
        cylinder((0.7 * w, 0.02), "steel").along("x").at(x + 0.01, side, mid),
        rounded_box((0.04, 0.11, 0.04), trim, radius=0.006, steps=2).at(x + 0.04, side, mid),
    )
    assembly.spin(wrist_2, flange, origin=(x, side, mid), axis="x")
    for name, s in (("finger_left", 1), ("finger_right", -1)):
        finger = assembly.part(
            name,
            box((0.014, 0.018, 0.024), "dark_steel").at(x + 0.067, side + s * 0.035, mid),
            box((0.055, 0.008, 0.02), "aluminum").at(x + 0.1, side + s * 0.03, mid),
            label="finger",
        )
        axis = "-y" if s > 0 else "y"
        assembly.slide(flange, finger, axis=axis, lower=0, upper=0.024)


def _add_base(assembly: Assembly, *, r: float, trim: str) -> str:
    """Add the base."""
    return assembly.part(
        "base",
        lathe([(1.9 * r, 0), (1.9 * r, 0.02), (1.2 * r, 0.03), (1.1 * r, 0.09)], trim),
        *(
            cylinder((0.008, 0.006), "steel", segments=8).on(sx * 1.2 * r, sy * 1.2 * r, 0.0265)
            for sx in (-1, 1)
            for sy in (-1, 1)
        ),
    )


def _add_turret(assembly: Assembly, *, r: float, trim: str, skin: str) -> tuple[float, str]:
    """Add the turret."""
    base = _add_base(assembly, r=r, trim=trim)
    z = 0.09
    shoulder_z = z + 1.9 * r
    turret = assembly.part(
        "turret",
        cylinder((1.1 * r, 2.0 * r), skin).on(0, 0, z),
        cylinder((0.95 * r, 2.2 * r), trim).along("y").at(0, 0.3 * r, shoulder_z),
    )
    assembly.hinge(base, turret, origin=(0, 0, z), axis="z", lower=-170, upper=170)
    return shoulder_z, turret


def _add_arm(
    assembly: Assembly, *, r: float, trim: str, skin: str, upper: float, fore: float
) -> tuple[float, str, float]:
    """Add turret, upper arm and forearm; return the forearm's y, its name and the wrist's z."""
    shoulder_z, turret = _add_turret(assembly, r=r, trim=trim, skin=skin)

    def limb(name: str, y: float, low: float, length: float, scale: float) -> str:
        """Make a slim capsule between two joint housings that lie along y."""
        size = scale * r
        bone = capsule((0.62 * size, length), skin).at(0, y, low + length / 2)
        ends = [
            cylinder((size, 1.5 * size), skin).along("y").at(0, y, low + t * length) for t in (0, 1)
        ]
        caps = [
            cylinder((0.8 * size, 1.56 * size), trim).along("y").at(0, y, low + t * length)
            for t in (0, 1)
        ]
        return assembly.part(name, bone, *ends, *caps)

    offset = 0.3 * r + 1.1 * r + 0.78 * r + 0.001
    upper_arm = limb("upper_arm", offset, shoulder_z, upper, 1.0)
    assembly.hinge(
        turret, upper_arm, origin=(0, offset, shoulder_z), axis="y", lower=-100, upper=100
    )
    elbow_z = shoulder_z + upper
    inner = offset - 0.78 * r - 0.78 * 0.85 * r - 0.001
    forearm = limb("forearm", inner, elbow_z, fore, 0.85)
    assembly.hinge(upper_arm, forearm, origin=(0, inner, elbow_z), axis="y", lower=-140, upper=140)

    wrist_z = elbow_z + fore
    return inner, forearm, wrist_z


def build(draw: Draw) -> Assembly:
    """Build one robotic arm, upright at rest."""
    upper = draw.number("upper_arm", 0.22, 0.42)
    fore = draw.number("forearm", 0.20, 0.38)
    r = draw.number("radius", 0.045, 0.065)
    skin = draw.pick("arm_material", COLORS)
    trim = draw.pick("joint_material", ("dark_steel", "gray_plastic", "black_plastic"))
    assembly = Assembly(
        f"Six-axis {skin.split('_')[0]} robotic arm",
        "robotic_arm",
        "A six-axis robotic arm with a parallel-jaw gripper on its flange.",
    )
    inner, forearm, wrist_z = _add_arm(assembly, r=r, trim=trim, skin=skin, upper=upper, fore=fore)
    w = 0.62 * r
    side = inner + 0.78 * 0.85 * r + w + 0.001
    wrist_1 = assembly.part(
        "wrist_1",
        cylinder((w, 2 * w), skin).along("y").at(0, side, wrist_z),
        cylinder((w, 1.2 * w), skin).on(0, side, wrist_z + 0.4 * w),
    )
    assembly.hinge(forearm, wrist_1, origin=(0, side, wrist_z), axis="y", lower=-90, upper=90)
    _add_wrist_2_and_flange(
        assembly, wrist_z=wrist_z, w=w, trim=trim, side=side, skin=skin, wrist_1=wrist_1
    )
    return assembly
