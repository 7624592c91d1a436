# SPDX-License-Identifier: Apache-2.0
"""A drawing is well-formed, complete, readable, and holds nothing but shapes and escaped text."""

from __future__ import annotations

import math
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from aa_dataset.draw import Color, draw_tree
from aa_dataset.draw.glyphs import GLYPHS
from aa_dataset.draw.palette import BY_TYPE, tree_style
from aa_dataset.draw.trees import MOST_DRAWN
from aa_dataset.draw.values import motion_text, range_text, short_number
from aa_dataset.kinematics import Joint, JointType, KinematicTree

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    '" onload="alert(1)',
    "]]><svg onload=alert(1)>",
    "\u202egnp.exe\x00\x1b[2J",
    "漢字" * 40,
)


def joint(name: str, kind: str = "revolute", parent: str = "base", **options: float) -> Joint:
    limits = {"lower": 0.0, "upper": 1.0} | options
    return Joint(name, kind, [0, 0, 1], [0, 0, 0], parent=parent, child=f"{name}_link", **limits)


def tree(*joints: Joint) -> KinematicTree:
    return KinematicTree("t", ("base", *(one.child for one in joints)), joints)


EVERY_TYPE = tree(
    joint("hinge", upper=math.pi / 2),
    joint("wheel", "continuous", "hinge_link"),
    joint("drawer", "prismatic", upper=0.35),
    joint("lid", "helical", upper=math.tau, pitch=0.005 / math.tau),
    joint("weld", "fixed", "lid_link"),
)


def cards(text: str) -> list[ElementTree.Element]:
    """Return the groups of a drawing with a joint, the root link first."""
    return [group for group in ElementTree.fromstring(text).iter(f"{SVG}g") if len(group)]


def texts(group: ElementTree.Element) -> list[str]:
    return [node.text or "" for node in group.iter(f"{SVG}text")]


def test_every_joint_has_its_name_type_range_and_glyph() -> None:
    root, *found = cards(draw_tree(EVERY_TYPE))
    assert texts(root) == ["base"]
    shown = {texts(group)[0]: texts(group)[1:] for group in found}
    assert shown == {
        "hinge": ["revolute 0 to 90°"],
        "wheel": ["continuous"],
        "drawer": ["prismatic 0 to 350 mm"],
        "lid": ["helical 0 to 360°", "5 mm/turn"],
        "weld": ["fixed"],
    }
    for group in found:
        kind = JointType(texts(group)[1].split()[0])
        assert [path.get("d") for path in group.iter(f"{SVG}path")] == [GLYPHS[kind]]
        assert any(BY_TYPE[kind] in (node.get("class") or "").split() for node in group)
    assert len({*GLYPHS.values()}) == len(JointType)


def test_labels_and_colors_are_those_of_the_caller() -> None:
    text = draw_tree(
        EVERY_TYPE, labels={"hinge": "12", "drawer": "+"}, colors={"hinge": Color.GRAY}
    )
    groups = {texts(group)[0]: group for group in cards(text)}
    assert texts(groups["hinge"])[-1] == "12" and texts(groups["drawer"])[-1] == "+"
    assert "fill-gray" in ElementTree.tostring(groups["hinge"], "unicode")
    dashed = [
        name for name, group in groups.items() if "dashed" in ElementTree.tostring(group, "unicode")
    ]
    assert dashed == ["drawer"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_text(name: str) -> None:
    text = draw_tree(tree(joint(name), joint("b", parent=f"{name}_link")), labels={name: name})
    found = ElementTree.fromstring(text)
    kinds = {node.tag.removeprefix(SVG) for node in found.iter()}
    assert kinds == {"svg", "style", "g", "title", "rect", "text", "path"}
    names = {"xmlns", "class", "role", "width", "height", "viewBox", "aria-label", "x", "y", "rx",
             "d", "transform", "text-anchor"}  # fmt: skip
    assert {key for node in found.iter() for key in node.attrib} <= names
    assert not re.search("[\x00-\x1f\u202e]", text)
    titles = [node.text or "" for node in found.iter(f"{SVG}title")]
    clean = "".join("?" if char in "\u202e\x00\x1b" else char for char in name)
    assert any(title.startswith(f"{clean}: revolute") for title in titles)


def test_nothing_overlaps_and_everything_is_inside() -> None:
    star = tree(*(joint(f"a rather long name of joint number {k}") for k in range(120)))
    chain = [joint("j0")] + [joint(f"j{k}", parent=f"j{k - 1}_link") for k in range(1, 60)]
    for one in (EVERY_TYPE, star, tree(*chain)):
        text = draw_tree(one)
        width, height = (
            int(ElementTree.fromstring(text).get(key) or 0) for key in ("width", "height")
        )
        boxes = []
        for group in cards(text):
            node = next(group.iter(f"{SVG}rect"))
            x, y, w, h = (int(node.get(key) or 0) for key in ("x", "y", "width", "height"))
            assert x >= 0 and y >= 0 and x + w <= width and y + h <= height
            boxes.append((x, y, x + w, y + h))
        assert len(boxes) == len(one.joints) + 1
        for a, b in combinations(boxes, 2):
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_the_text_of_a_card_fits_into_it_in_a_font_of_fixed_width() -> None:
    group = cards(draw_tree(tree(joint("W" * 80, lower=-1234.5, upper=98765.4))))[1]
    card = next(group.iter(f"{SVG}rect"))
    for node in group.iter(f"{SVG}text"):
        size = 10 if node.get("class") == "small" else 12
        end = int(node.get("x") or 0) + 0.61 * size * len(node.text or "")
        assert end <= int(card.get("x") or 0) + int(card.get("width") or 0)


def test_a_huge_tree_is_cut_with_a_count() -> None:
    many = tree(*(joint(f"j{k}") for k in range(MOST_DRAWN + 123)))
    text = draw_tree(many)
    assert len(cards(text)) == MOST_DRAWN + 1
    assert "123 more joints are not drawn" in text


def test_the_bytes_are_the_same_and_need_nothing_from_outside() -> None:
    text = draw_tree(EVERY_TYPE)
    assert text == draw_tree(EVERY_TYPE)
    assert re.findall(r"https?:[^\"' ]*", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"url\(|@import|<script|<image|href", text)
    coordinates = re.findall(r' (?:x|y|width|height|rx)="([^"]*)"', text)
    assert coordinates and all(number.isdecimal() for number in coordinates)


def luminance(color: str) -> float:
    """Return the relative luminance of ``#rrggbb`` (WCAG 2)."""
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_color_stands_out_from_its_ground(mode: str) -> None:
    light, dark = tree_style().split("@media(prefers-color-scheme:dark)")
    style = light if mode == "light" else dark
    paper = re.search(r"\.paper,[^{]*\{fill:(#\w{6})\}", style)
    inks = re.findall(r"(?:stroke|\btext\{fill|small\{fill):(#\w{6})", style)
    assert paper is not None and len(inks) >= len(Color) + 1
    for ink in inks:
        low, high = sorted((luminance(ink), luminance(paper[1])))
        assert (high + 0.05) / (low + 0.05) >= 3, ink  # WCAG 2.1, graphical objects


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (joint("a", lower=-math.pi, upper=math.pi), "-180 to 180°"),
        (joint("a", upper=math.inf), "from 0°"),
        (joint("a", "prismatic", lower=-math.inf, upper=0.01), "up to 10 mm"),
        (joint("a", "prismatic", lower=-math.inf, upper=math.inf), "without limits"),
        (joint("a", "fixed"), ""),
    ],
)
def test_ranges_are_in_degrees_and_millimeters(one: Joint, told: str) -> None:
    assert range_text(one) == told
    assert motion_text(one) == range_text(one)


def test_short_numbers() -> None:
    numbers = (0.0, -0.0, 1e-4, 0.012345, 91.673, 1548.2, 2.5e6, math.nan, math.inf, -math.inf)
    told = ["0", "0", "0.0001", "0.0123", "91.7", "1548", "2.5e+06", "undefined", "inf", "-inf"]
    assert [short_number(number) for number in numbers] == told
