# SPDX-License-Identifier: Apache-2.0
"""Which objects hand-written MJCF scenes have, and what is left of a scene for one of them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from pipeline.base.errors import Rejection
from pipeline.raw.mjcf_objects import keep_object, scene_objects

HINGE = '<joint name="{0}_hinge" type="hinge"/>'
GEOM = '<geom type="box" size=".1 .1 .1"/>'


def furniture(name: str, inner: str = "", door: str = "") -> str:
    """Return a root body with a door."""
    door = door or f"{name}_door"
    child = f'<body name="{door}">{HINGE.format(door)}{GEOM}</body>'
    return f'<body name="{name}">{inner}{GEOM}{child}</body>'


def scene(world: str, tail: str = "") -> ElementTree.Element:
    return ElementTree.fromstring(f"<mujoco><worldbody>{world}</worldbody>{tail}</mujoco>")


def equality(element: str) -> str:
    return f"<equality>{element}</equality>"


TWO = furniture("oven") + furniture("fridge")


@pytest.mark.parametrize(
    ("world", "expected"),
    [
        (furniture("oven"), []),
        (TWO, ["oven", "fridge"]),
        (f'<frame pos="1 0 0">{furniture("oven")}</frame>{furniture("fridge")}',
         ["oven", "fridge"]),
        (furniture("robot", "<freejoint/>") + furniture("oven"), ["robot", "oven"]),
        (furniture("robot", '<joint type="free"/>') + furniture("oven"), ["robot", "oven"]),
        # What cannot move, or is loose without joints of its own, is no object.
        (furniture("oven") + f'<body name="table">{GEOM}</body>', []),
        (furniture("oven") + f'<body name="cup"><freejoint/>{GEOM}</body>', []),
        # The world is the base of what its joints hold.
        (furniture("left", '<joint type="slide"/>') + furniture("right", "<joint/>"), []),
        (furniture("door", "<joint/>") + furniture("oven"), ["oven", "world"]),
    ],
)  # fmt: skip
def test_objects_of_a_scene(world: str, expected: list[str]) -> None:
    assert scene_objects(scene(world)) == expected


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        ('<joint joint1="oven_door_hinge" joint2="fridge_door_hinge"/>', []),
        ('<weld body1="oven" body2="fridge"/>', []),
        ('<connect body1="oven_door" body2="fridge_door" anchor="0 0 0"/>', []),
        ('<weld body1="oven" body2="fridge" active="false"/>', ["oven", "fridge"]),
        ('<weld body1="oven"/>', ["oven", "fridge"]),
        ('<weld body1="oven" body2="nobody"/>', ["oven", "fridge"]),
    ],
)
def test_what_an_active_constraint_connects_is_one_object(
    constraint: str, expected: list[str]
) -> None:
    assert scene_objects(scene(TWO, equality(constraint))) == expected


def test_three_bodies_of_which_two_are_connected() -> None:
    world = TWO + furniture("sink")
    root = scene(world, equality('<weld body1="sink" body2="oven"/>'))
    assert scene_objects(root) == ["oven", "fridge"]
    assert keep_object(root, "oven") == ["fridge"]
    assert [body.get("name") for body in root.findall("worldbody/body")] == ["oven", "sink"]


def test_the_rest_of_the_scene_is_removed_with_its_constraints() -> None:
    world = GEOM + f'<frame pos="0 0 1">{GEOM}{TWO}</frame>' + furniture("door", "<joint/>")
    tail = equality(
        '<joint joint1="oven_door_hinge"/><joint joint1="fridge_door_hinge"/><weld body1="oven"/>'
    )
    root = scene(world, tail)
    assert keep_object(root, "fridge") == ["oven", "world"]
    kept = [element.get("name") for element in root.iter("body")]
    assert kept == ["fridge", "fridge_door"]
    assert len(list(root.iter("geom"))) == 2
    assert [one.get("joint1") for one in root.iter("equality") for one in one] == [
        "fridge_door_hinge"
    ]


def test_the_world_keeps_what_does_not_move() -> None:
    world = GEOM + furniture("oven") + furniture("door", "<joint/>") + f"<body>{GEOM}</body>"
    root = scene(world)
    assert keep_object(root, "world") == ["oven"]
    assert [body.get("name") for body in root.findall("worldbody/body")] == ["door", None]
    assert len(root.findall("worldbody/geom")) == 1


def test_keys_are_plain_and_unique() -> None:
    strange = furniture("a b/c", door="d1") + furniture("a_b_c", door="d2")
    nameless = furniture("x", door="d3").replace('name="x"', "", 1)
    named = furniture("world", door="d4") + furniture("é" * 200, door="d5")
    keys = scene_objects(scene(strange + nameless + named))
    assert keys == ["a_b_c", "a_b_c_2", "body", "world_2", "body_2"]


def test_an_unknown_object_is_refused() -> None:
    with pytest.raises(Rejection, match="no object 'sink'"):
        keep_object(scene(TWO), "sink")
