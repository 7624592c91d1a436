# SPDX-License-Identifier: Apache-2.0
"""A drawing is well-formed, complete, readable, and holds nothing but shapes and escaped text."""

from __future__ import annotations

import math
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from aa_dataset.draw import Color, Marks, draw_tree, joint_colors, link_colors
from aa_dataset.draw.glyphs import GLYPHS
from aa_dataset.draw.palette import tree_style
from aa_dataset.draw.sheet import RADIUS
from aa_dataset.draw.trees import MOST_DRAWN
from aa_dataset.draw.values import mimic_text, motion_text, range_text, short_number
from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.kinematics.joints import Mimic

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    '" onload="alert(1)',
    "]]><svg onload=alert(1)>",
    "\u202egnp.exe\x00\x1b[2J",
    "漢字" * 40,
)


def joint(
    name: str,
    kind: str = "revolute",
    parent: str = "base",
    *,
    mimic: Mimic | None = None,
    **options: float,
) -> Joint:
    limits = {"lower": 0.0, "upper": 1.0} | options
    child = f"{name}_link"
    return Joint(
        name, kind, [0, 0, 1], [0, 0, 0], parent=parent, child=child, mimic=mimic, **limits
    )


def tree(*joints: Joint) -> KinematicTree:
    return KinematicTree("t", ("base", *(one.child for one in joints)), joints)


EVERY_TYPE = tree(
    joint("hinge", upper=math.pi / 2),
    joint("wheel", "continuous", "hinge_link"),
    joint("drawer", "prismatic", upper=0.35),
    joint("lid", "helical", upper=math.tau, pitch=0.005 / math.tau),
    joint("weld", "fixed", "lid_link"),
)
STAR = tree(*(joint(f"a rather long name of joint number {k}") for k in range(122)))
CHAIN = tree(joint("j0"), *(joint(f"j{k}", parent=f"j{k - 1}_link") for k in range(1, 122)))
BUSH = tree(joint("j0"), *(joint(f"j{k}", parent=f"j{(k - 1) // 3}_link") for k in range(1, 122)))


def links(text: str) -> list[ElementTree.Element]:
    """Return the groups of a drawing, one per link, the root and repeated ones first."""
    return [group for group in ElementTree.fromstring(text).iter(f"{SVG}g") if len(group)]


def edges(text: str) -> dict[str, ElementTree.Element]:
    """Return the groups of links with a joint by the name of the joint, as it is shown."""
    found = {}
    for group in links(text):
        names = [node.text or "" for node in group.iter(f"{SVG}text") if styles(node) == ["joint"]]
        if names:
            found[names[0]] = group
    return found


def texts(group: ElementTree.Element) -> list[str]:
    return [node.text or "" for node in group.iter(f"{SVG}text")]


def styles(node: ElementTree.Element) -> list[str]:
    return (node.get("class") or "").split()


def box(node: ElementTree.Element) -> tuple[int, ...]:
    """Return the left, upper, right and lower end of a rectangle."""
    x, y, width, height = (int(node.get(key) or 0) for key in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def card(group: ElementTree.Element) -> ElementTree.Element:
    return next(node for node in group.iter(f"{SVG}rect") if "card" in styles(node))


def test_every_link_has_its_name_and_every_joint_name_type_range_and_icon() -> None:
    text = draw_tree(EVERY_TYPE)
    assert texts(links(text)[0]) == ["base"]
    shown = {name: texts(group) for name, group in edges(text).items()}
    assert shown == {
        "hinge": ["hinge_link", "hinge", "revolute 0 to 90°"],
        "wheel": ["wheel_link", "wheel", "continuous"],
        "drawer": ["drawer_link", "drawer", "prismatic 0 to 350 mm"],
        "lid": ["lid_link", "lid", "helical 0 to 360°", "5 mm/turn"],
        "weld": ["weld_link", "weld", "fixed"],
    }
    for name, group in edges(text).items():
        kind = EVERY_TYPE.joint(name).type
        assert [path.get("d") for path in group.iter(f"{SVG}path")] == [GLYPHS[kind]]
    assert len({*GLYPHS.values()}) == len(JointType)


def test_a_joint_and_the_links_that_it_moves_have_the_colors_of_the_pictures() -> None:
    frames, icons = link_colors(EVERY_TYPE), joint_colors(EVERY_TYPE)
    for name, group in edges(draw_tree(EVERY_TYPE)).items():
        assert frames[f"{name}_link"] in styles(card(group))
        assert icons[name] in styles(next(group.iter(f"{SVG}circle")))
        fills = [styles(node) for node in group.iter(f"{SVG}rect")][1:]
        assert fills == [[f"fill-{frames[f'{name}_link']}"]]


def test_what_a_link_is_stands_below_its_name() -> None:
    text = draw_tree(EVERY_TYPE, Marks(semantics={"base": "carcass", "lid_link": "screw cap"}))
    assert texts(links(text)[0]) == ["base", "carcass"]
    assert texts(edges(text)["lid"])[:2] == ["lid_link", "screw cap"]
    assert texts(edges(text)["hinge"])[:2] == ["hinge_link", "hinge"]


def test_labels_colors_and_notes_are_those_of_the_caller() -> None:
    marks = Marks(
        labels={"hinge": "12", "drawer": "+"},
        colors={"hinge": Color.GRAY, "no such joint": Color.BLUE},
        notes={"drawer": "contract, 0.5"},
    )
    groups = edges(draw_tree(EVERY_TYPE, marks))
    assert "12" in texts(groups["hinge"]) and "+" in texts(groups["drawer"])
    assert texts(groups["drawer"])[-1] == "contract, 0.5"
    assert "gray" in styles(card(groups["hinge"]))
    assert [name for name, group in groups.items() if "dashed" in styles(card(group))] == ["drawer"]


def test_a_dashed_line_runs_from_a_joint_to_the_one_that_it_follows() -> None:
    pair = tree(
        joint("crank", "continuous"),
        joint("rack", "prismatic", mimic=Mimic("crank", 0.01, 0.005)),
        joint("lost", mimic=Mimic("not drawn", 1.0, 0.0)),
    )
    text = draw_tree(pair)
    found = ElementTree.fromstring(text).iter(f"{SVG}path")
    lines = [node.get("d") or "" for node in found if "mimic" in styles(node)]
    spots = {
        name: tuple(int(next(group.iter(f"{SVG}circle")).get(key) or 0) for key in ("cx", "cy"))
        for name, group in edges(text).items()
    }
    ends = [re.findall(r"-?\d+", line) for line in lines]
    assert [(tuple(map(int, end[:2])), tuple(map(int, end[-2:]))) for end in ends] == [
        (spots["rack"], spots["crank"])
    ]
    assert texts(edges(text)["rack"])[-1] == "follows crank \u00d7 0.01 + 5 mm"
    assert ".aa-tree .mimic{stroke-dasharray" in tree_style()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_text(name: str) -> None:
    hostile = tree(joint(name), joint("b", parent=f"{name}_link", mimic=Mimic(name, 2.0, 0.0)))
    every = {name: name}
    text = draw_tree(hostile, Marks(labels=every, notes=every, semantics={f"{name}_link": name}))
    found = ElementTree.fromstring(text)
    kinds = {node.tag.removeprefix(SVG) for node in found.iter()}
    assert kinds == {"svg", "style", "g", "title", "rect", "text", "path", "circle"}
    names = {"xmlns", "class", "role", "width", "height", "viewBox", "aria-label", "x", "y", "rx",
             "d", "transform", "text-anchor", "cx", "cy", "r"}  # fmt: skip
    assert {key for node in found.iter() for key in node.attrib} <= names
    assert not re.search("[\x00-\x1f\u202e]", text)
    titles = [node.text or "" for node in found.iter(f"{SVG}title")]
    clean = "".join("?" if char in "\u202e\x00\x1b" else char for char in name)
    assert any(title.startswith(f"{clean}: revolute") for title in titles)


@pytest.mark.parametrize("one", [EVERY_TYPE, STAR, CHAIN, BUSH, tree()])
def test_nothing_overlaps_and_everything_is_inside(one: KinematicTree) -> None:
    text = draw_tree(one)
    width, height = (int(ElementTree.fromstring(text).get(k) or 0) for k in ("width", "height"))
    taken = []
    for group in links(text):
        taken.append(box(card(group)))
        for node in group.iter(f"{SVG}text"):
            if "joint" in styles(node) or "small" in styles(node):
                x, y = int(node.get("x") or 0), int(node.get("y") or 0)
                taken.append((x, y - 8, x + math.ceil(6.02 * len(node.text or "")), y + 2))
    assert sum("joint" in styles(n) for n in ElementTree.fromstring(text).iter()) == len(one.joints)
    for left, top, right, bottom in taken:
        assert left >= 0 and top >= 0 and right <= width and bottom <= height
    for a, b in combinations(taken, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


@pytest.mark.parametrize("one", [STAR, CHAIN, BUSH])
def test_over_a_hundred_joints_fill_a_page_of_common_shape(one: KinematicTree) -> None:
    root = ElementTree.fromstring(draw_tree(one))
    width, height = (int(root.get(key) or 0) for key in ("width", "height"))
    assert 0.9 <= width / height <= 2


@pytest.mark.parametrize("one", [EVERY_TYPE, STAR, CHAIN, BUSH])
def test_every_edge_runs_from_the_parent_to_the_icon_of_the_child(one: KinematicTree) -> None:
    text = draw_tree(one)
    paths = [n for n in ElementTree.fromstring(text).iter(f"{SVG}path") if "edge" in styles(n)]
    assert len(paths) == len(one.joints)
    boxes: dict[str, list[tuple[int, ...]]] = {}
    for group in links(text):
        title = next(group.iter(f"{SVG}title")).text or ""
        name = re.sub(r".* to link |^root link |^link |, continued$", "", title)
        boxes.setdefault(name, []).append(box(card(group)))
    icons = [next(group.iter(f"{SVG}circle")) for group in edges(text).values()]
    ends = {(int(icon.get("cx") or 0), int(icon.get("cy") or 0)) for icon in icons}
    starts = [re.match(r"M(\d+) (\d+)", path.get("d") or "") for path in paths]
    found = {tuple(map(int, re.findall(r"\d+", path.get("d") or "")[-2:][::-1])) for path in paths}
    assert found == ends and all(icon.get("r") == str(RADIUS) for icon in icons)
    every = [one_box for several in boxes.values() for one_box in several]
    for start in starts:
        assert start is not None
        x, y = int(start[1]), int(start[2])
        assert any(a <= x <= c and b <= y <= d for a, b, c, d in every)


def test_the_name_of_a_link_fits_into_its_box_in_a_font_of_fixed_width() -> None:
    group = edges(draw_tree(tree(joint("W" * 80, lower=-1234.5, upper=98765.4)))).popitem()[1]
    node = next(node for node in group.iter(f"{SVG}text") if not styles(node))
    assert int(node.get("x") or 0) + 0.61 * 12 * len(node.text or "") <= box(card(group))[2]


def test_a_huge_tree_is_cut_with_a_count() -> None:
    many = tree(*(joint(f"j{k}") for k in range(MOST_DRAWN + 123)))
    text = draw_tree(many)
    assert len(edges(text)) == MOST_DRAWN
    assert "123 more joints are not drawn" in text


def test_the_bytes_are_the_same_and_need_nothing_from_outside() -> None:
    text = draw_tree(EVERY_TYPE)
    assert text == draw_tree(EVERY_TYPE)
    assert re.findall(r"https?:[^\"' ]*", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"url\(|@import|<script|<image|href", text)
    coordinates = re.findall(r' (?:c?x|c?y|width|height|rx?)="([^"]*)"', text)
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


@pytest.mark.parametrize(
    ("kind", "mimic", "told"),
    [
        ("revolute", None, ""),
        ("revolute", Mimic("lid", 1.0, 0.0), "follows lid"),
        ("revolute", Mimic("lid", -0.5, math.pi / 6), "follows lid \u00d7 -0.5 + 30°"),
        ("prismatic", Mimic("lid", 0.01, -0.002), "follows lid \u00d7 0.01 - 2 mm"),
    ],
)
def test_what_a_joint_follows_has_its_factor_and_offset(
    kind: str, mimic: Mimic | None, told: str
) -> None:
    assert mimic_text(joint("a", kind, mimic=mimic)) == told
