# SPDX-License-Identifier: Apache-2.0
"""Every joint has a color, links take that of the joint that moves them, and readers tell them."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from aa_dataset.draw import Color, joint_colors, link_colors
from aa_dataset.draw.palette import IN_TURN, light_rgb, tree_style
from aa_dataset.kinematics import Joint, KinematicTree

# Machado, Oliveira and Fernandes (2009), severity 1: linear RGB as these readers see it.
SIGHT = {
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                 [-0.011820, 0.042940, 0.968881]],
    "all": np.eye(3),
}  # fmt: skip
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                   [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip
APART = 18  # CIELAB distance; about 2 is the least that one notices side by side


def tree(*edges: tuple[str, str, str]) -> KinematicTree:
    """Return a tree of joints (type, parent, child); each has the name of its child."""
    joints = [
        Joint(child, kind, [0, 0, 1], [0, 0, 0], -1, 1, parent=parent, child=child)
        for kind, parent, child in edges
    ]
    links = dict.fromkeys(name for _, *both in edges for name in both)
    return KinematicTree("thing", tuple(links), tuple(joints))


def test_movable_joints_take_the_colors_in_turn_depth_first() -> None:
    found = joint_colors(
        tree(("revolute", "base", "a"), ("prismatic", "base", "b"), ("revolute", "a", "a1"),
             ("fixed", "b", "plate"), ("revolute", "plate", "knob"))
    )  # fmt: skip
    first, second, third, fourth = IN_TURN[:4]
    assert found == {"a": first, "a1": second, "b": third, "plate": Color.GRAY, "knob": fourth}
    assert list(found) == ["a", "a1", "b", "plate", "knob"]


def test_a_link_has_the_color_of_the_joint_that_moves_it() -> None:
    found = link_colors(
        tree(("fixed", "base", "foot"), ("revolute", "foot", "door"), ("fixed", "door", "handle"),
             ("fixed", "handle", "screw"), ("revolute", "handle", "key"))
    )  # fmt: skip
    door, key = IN_TURN[:2]
    assert found == {
        "base": Color.GRAY, "foot": Color.GRAY, "door": door, "handle": door, "screw": door,
        "key": key,
    }  # fmt: skip


def test_more_joints_than_colors_begin_again_and_none_is_gray() -> None:
    count = 2 * len(IN_TURN) + 1
    found = joint_colors(tree(*(("revolute", "base", f"arm{k}") for k in range(count))))
    assert list(found.values()) == [*IN_TURN, *IN_TURN, IN_TURN[0]]
    assert Color.GRAY not in found.values()
    assert joint_colors(KinematicTree("stone", ("stone",), ())) == {}


@pytest.mark.parametrize("shade", ["light", "dark"])
@pytest.mark.parametrize("sight", SIGHT)
def test_color_blind_readers_tell_the_colors_apart(sight: str, shade: str) -> None:
    seen = {color: lab(rgb(color, shade), np.array(SIGHT[sight])) for color in (*IN_TURN, "gray")}
    near = {
        (str(a), str(b)): distance
        for a, b in itertools.combinations(seen, 2)
        if (distance := float(np.linalg.norm(seen[a] - seen[b]))) < APART
    }
    assert not near


def test_a_picture_has_the_color_of_the_drawing_on_light_ground() -> None:
    for color in Color:
        assert light_rgb(color) == pytest.approx(tuple(rgb(color, "light")), abs=1e-12)


def rgb(color: str, shade: str) -> np.ndarray:
    """Return the display color (3,) that the style sheet gives to a stroke."""
    codes = re.findall(rf"\.aa-tree \.{color}{{stroke:#(\w{{6}})}}", tree_style())
    assert len(codes) == 2
    return np.frombuffer(bytes.fromhex(codes[shade == "dark"]), np.uint8) / 255


def lab(color: np.ndarray, sight: np.ndarray) -> np.ndarray:
    """Return CIELAB (3,) under D65 of a display color as some readers see it."""
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(TO_XYZ @ np.clip(sight @ linear, 1e-4, 1) / [0.95047, 1, 1.08883])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
