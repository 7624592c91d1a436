# SPDX-License-Identifier: Apache-2.0
"""A tree as text: aligned, within the width, for terminals with and without box drawing."""

from __future__ import annotations

import pytest

from aa_dataset.draw import tree_lines
from aa_dataset.draw.names import columns, shortened
from aa_dataset.kinematics import Joint, KinematicTree


def joint(name: str, parent: str, child: str, kind: str = "revolute") -> Joint:
    return Joint(name, kind, [0, 0, 1], [0, 0, 0], 0, 0.5, parent=parent, child=child)


CABINET = KinematicTree(
    "cabinet",
    ("body", "door", "knob", "drawer"),
    (
        joint("door", "body", "door"),
        joint("turn", "door", "knob", "continuous"),
        joint("slide", "body", "drawer", "prismatic"),
    ),
)


def test_branches_labels_and_columns() -> None:
    assert tree_lines(CABINET, labels={"door": "12", "slide": "-"}) == [
        "   body",
        "12 ├─ door     revolute    0 to 28.6 deg",
        "   │  └─ turn  continuous",
        "-  └─ slide    prismatic   0 to 500 mm",
    ]
    assert tree_lines(CABINET, ascii_only=True) == [
        "body",
        "|- door     revolute    0 to 28.6 deg",
        "|  `- turn  continuous",
        "`- slide    prismatic   0 to 500 mm",
    ]


@pytest.mark.parametrize(
    "name", ["x" * 300, "漢" * 200, "\x1b]0;owned\x07\n\u202e", "e\u0301" * 90]
)
def test_lines_fit_whatever_the_names_are(name: str) -> None:
    links = [f"{name}{k}" for k in range(40)]
    chain = tuple(joint(f"{name}j{k}", links[k], links[k + 1]) for k in range(39))
    tree = KinematicTree("chain", tuple(links), chain)
    for ascii_only in (False, True):
        lines = tree_lines(tree, labels={one.name: "123" for one in chain}, ascii_only=ascii_only)
        assert len(lines) == 40
        assert max(map(columns, lines)) <= 80
        assert not any(char in "\x1b\x07\n\u202e" for line in lines for char in line)
    plain = KinematicTree("chain", CABINET.links, CABINET.joints)
    assert "".join(tree_lines(plain, ascii_only=True)).isascii()


def test_thousands_of_joints_end_with_a_count() -> None:
    links = [f"l{k}" for k in range(2001)]
    star = tuple(joint(f"j{k}", "l0", links[k + 1]) for k in range(2000))
    assert tree_lines(KinematicTree("star", tuple(links), star))[-1] == "and 1,000 more joints"


@pytest.mark.parametrize("most", range(3, 12))
def test_a_shortened_name_keeps_both_ends(most: int) -> None:
    short = shortened("abcdefghijklmnop", most)
    head, tail = short.split("…")
    assert columns(short) == most and "abcdefghijklmnop".startswith(head) and len(head) >= len(tail)
    assert "abcdefghijklmnop".endswith(tail)
