# SPDX-License-Identifier: Apache-2.0
"""SRDF: round trips, other tools' documents, hostile ones, and pinocchio's own reader."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.errors import UrdfError
from aa_dataset.kinematics.srdf import REASON, SrdfError, format_srdf, read_srdf

names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Co", "Cn"]),
                min_size=1, max_size=8)  # fmt: skip


@given(st.sets(st.tuples(names, names).filter(lambda pair: pair[0] < pair[1]), max_size=6))
def test_what_is_written_is_read_again(pairs: set[tuple[str, str]]) -> None:
    data = format_srdf("thing", sorted(pairs))
    links = {name for pair in pairs for name in pair}
    assert read_srdf(data, links) == tuple(sorted(pairs))
    assert format_srdf("thing", sorted(pairs)) == data


def test_a_document_is_what_other_tools_expect() -> None:
    root = ElementTree.fromstring(format_srdf("thing", [("a", "b")]))
    assert (root.tag, root.attrib) == ("robot", {"name": "thing"})
    (only,) = root
    assert only.tag == "disable_collisions"
    assert only.attrib == {"link1": "a", "link2": "b", "reason": REASON}


def test_a_document_of_another_tool_is_read() -> None:
    data = b"""<?xml version="1.0"?><!-- by a person --><robot name="thing">
    <group name="arm"><link name="a"/><chain base_link="a" tip_link="c"/></group>
    <group_state name="home" group="arm"><joint name="j" value="0"/></group_state>
    <disable_collisions link1="c" link2="a" reason="Adjacent"/>
    <disable_collisions link1="a" link2="c"/>
    <disable_collisions link1="b" link2="a" reason="Never"/>
    </robot>"""
    assert read_srdf(data, ["a", "b", "c"]) == (("a", "b"), ("a", "c"))
    assert read_srdf(b'<robot name="thing"/>', []) == ()


@pytest.mark.parametrize("ends", ['link1="a" link2="nobody"', 'link1="a"', 'link2="a"', ""])
def test_an_unknown_link_is_a_sentence(ends: str) -> None:
    data = f'<robot name="thing"><disable_collisions {ends}/></robot>'.encode()
    with pytest.raises(SrdfError, match=r"which the URDF does not have\. Correct the name"):
        read_srdf(data, ["a", "b"])


def test_a_link_without_contacts_with_itself_is_a_sentence() -> None:
    data = b'<robot name="thing"><disable_collisions link1="a" link2="a"/></robot>'
    with pytest.raises(SrdfError, match="names the link 'a' twice"):
        read_srdf(data, ["a", "b"])


BOMB = (
    b'<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
    b'<robot name="&b;"><disable_collisions link1="a" link2="b"/></robot>'
)
OUTSIDE = (
    b'<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    b'<robot><disable_collisions link1="&x;" link2="b"/></robot>'
)


@pytest.mark.parametrize(
    "data",
    [BOMB, OUTSIDE, b"", b"<robot", b"\x00\xff", b"<robot>" * 200, b"<a><b></a></b>"],
)
def test_a_hostile_document_is_refused(data: bytes) -> None:
    with pytest.raises(UrdfError):
        read_srdf(data, ["a", "b"])


def test_pinocchio_removes_the_pairs(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio")
    shape = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    links = "".join(f'<link name="{name}">{shape}</link>' for name in ("base", "a", "b"))
    joints = "".join(
        f'<joint name="{name}_joint" type="prismatic"><parent link="base"/><child link="{name}"/>'
        '<axis xyz="1 0 0"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>'
        for name in ("a", "b")
    )
    urdf = f'<robot name="thing">{links}{joints}</robot>'
    (tmp_path / "object.urdf").write_text(urdf)
    (tmp_path / "object.srdf").write_bytes(format_srdf("thing", [("a", "b")]))
    path = str(tmp_path / "object.urdf")
    model = pin.buildModelFromUrdf(path)
    shapes = pin.buildGeomFromUrdf(model, path, pin.GeometryType.COLLISION)
    shapes.addAllCollisionPairs()
    before = colliding(shapes)
    pin.removeCollisionPairs(model, shapes, str(tmp_path / "object.srdf"))
    assert before - colliding(shapes) == {("a_0", "b_0")}


def colliding(shapes: object) -> set[tuple[str, str]]:
    """Return the names of the shapes that pinocchio tests against each other."""
    objects, pairs = shapes.geometryObjects, shapes.collisionPairs  # type: ignore[attr-defined]
    found = [sorted((objects[p.first].name, objects[p.second].name)) for p in pairs]
    return {(first, second) for first, second in found}
