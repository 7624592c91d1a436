# SPDX-License-Identifier: Apache-2.0
"""`joints.json`: the schema and the validator agree, and hostile files are sentences."""

from __future__ import annotations

import copy
import json
import math
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from aa_dataset.errors import ArenaError, JointError, TreeError
from aa_dataset.kinematics import Joint, JointType, KinematicTree, LimitSource, Mimic, RigidBody
from aa_dataset.kinematics.joints_file import JointsBudget, parse_joints, write_joints
from aa_dataset.kinematics.joints_form import JointsFileError, require_form

SCHEMA = json.loads((files("aa_dataset.format") / "joints.schema.json").read_bytes())
VALIDATOR = Draft202012Validator(SCHEMA)


def lamp() -> dict[str, Any]:
    """Return a document with every field and every type."""
    line = {"axis": [0, 0, 1], "origin": [0.0, 0.1, -2]}
    body = {"mass": 1.5, "center": [0, 0, 0.5], "inertia": [[1, 0, 0], [0, 2, 0], [0, 0, 2.5]]}
    ends = [("base", "arm"), ("arm", "head"), ("head", "shade"), ("head", "cap"), ("base", "foot")]
    extra: list[dict[str, Any]] = [
        {"type": "revolute", **line, "limits": [-1, 2.5], "body": body, "limit_source": "imputed"},
        {"type": "prismatic", **line, "limits": None, "mimic": {"joint": "j0", "multiplier": 2}},
        {"type": "continuous", **line, "mimic": {"joint": "j0", "offset": -0.5}},
        {"type": "helical", **line, "limits": [None, 3], "pitch": 0.01, "limit_source": "given"},
        {"type": "fixed", "limits": None},
    ]
    joints = [
        {"name": f"j{k}", "parent": parent, "child": child, **extra[k]}
        for k, (parent, child) in enumerate(ends)
    ]
    head = {"format": "aa-joints", "version": 1, "frame": "object", "unit": "m", "state": "rest"}
    links = ["base", "arm", "head", "shade", "cap", "foot"]
    return {**head, "name": "lamp", "links": links, "joints": joints}


def parsed(document: Any) -> KinematicTree:
    return parse_joints(json.dumps(document).encode())


def changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    document = lamp()
    inner: Any = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return document


def without(path: tuple[Any, ...]) -> dict[str, Any]:
    document = lamp()
    inner: Any = document
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return document


def accepts(document: Any) -> bool:
    """Return whether the document has the form; schema and validator must agree on it."""
    try:
        require_form(document)
    except JointsFileError as error:
        assert str(error).endswith(".")
        found = False
    else:
        found = True
    assert VALIDATOR.is_valid(document) == found, document
    return found


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


def test_a_document_with_every_field_is_read():
    tree = parsed(lamp())
    assert accepts(lamp())
    assert {joint.type for joint in tree.joints} == set(JointType)
    arm, head, shade, cap = (tree.joint(f"j{k}") for k in range(4))
    assert arm.limits == (-1.0, 2.5) and arm.limit_source is LimitSource.IMPUTED
    assert arm.body is not None and arm.body.inertia[2, 2] == 2.5
    assert head.limits == (-math.inf, math.inf) and head.limit_source is LimitSource.ABSENT
    assert head.mimic == Mimic("j0", 2.0, 0.0) and shade.mimic == Mimic("j0", 1.0, -0.5)
    assert cap.limits == (-math.inf, 3.0) and cap.limit_source is LimitSource.GIVEN
    assert cap.pitch == 0.01 and shade.origin.tolist() == [0.0, 0.1, -2.0]
    assert tree.links == ("base", "arm", "foot", "head", "shade", "cap")  # breadth first


def test_links_may_be_left_out_if_joints_name_them():
    document = without(("links",))
    assert accepts(document) and parsed(document).links == parsed(lamp()).links
    with pytest.raises(TreeError, match="the object has no link"):
        parsed({**document, "joints": []})


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], "the file: it is []; it must be an object."),
        (changed(("format",), "urdf"), "the file, field `format`: it is 'urdf'; it must be 'aa-j"),
        (changed(("version",), 2), "field `version`: it is 2; it must be 1."),
        (changed(("version",), True), "field `version`: it is True; it must be 1."),
        (changed(("frame",), "camera"), "field `frame`: it is 'camera'; it must be 'object'."),
        (changed(("unit",), "cm"), "field `unit`: it is 'cm'; it must be 'm'."),
        (changed(("state",), "open"), "field `state`: it is 'open'; it must be 'rest'."),
        (changed(("name",), 3), "field `name`: it is 3; it must be a string."),
        (changed(("links",), {}), "field `links`: it is {}; it must be a list."),
        (changed(("links", 0), ""), "field `links`: it is an empty name."),
        (changed(("joints",), None), "field `joints`: it is None; it must be a list."),
        (changed(("joints", 1), 5), "joints[1]: it is 5; it must be an object."),
        (changed(("joints", 1, "name"), ""), "joints[1], field `name`: it is an empty name."),
        (changed(("joints", 1, "name"), "\ud800"), "half a character"),
        (changed(("joints", 0, "type"), "ball"), "joint 'j0', field `type`: it is 'ball'; it must"),
        (changed(("joints", 0, "axis"), [0, 1]), "'j0', field `axis`: [0, 1] is not a list of thr"),
        (changed(("joints", 0, "axis", 1), True), "field `axis`: True is not a finite number."),
        (changed(("joints", 0, "axis"), [0, 0, 0]), "field `axis`: it is zero; a movable"),
        (changed(("joints", 0, "origin", 2), "1"), "field `origin`: '1' is not a finite number."),
        (changed(("joints", 0, "limits"), [1]), "field `limits`: [1] is not [lower, upper], nor"),
        (changed(("joints", 0, "limits", 0), "a"), "field `limits`: 'a' is not a finite number."),
        (changed(("joints", 0, "limits"), None), "field `limit_source`: limits of null are not"),
        (changed(("joints", 0, "limit_source"), "absent"), "it must be given, imputed or table."),
        (changed(("joints", 2, "limits"), [0, 1]), "'j2', field `limits`: a continuous joint has"),
        (changed(("joints", 2, "limit_source"), "given"), "field 'limit_source' has no meaning"),
        (changed(("joints", 0, "pitch"), 0.1), "joint 'j0': the field 'pitch' has no meaning here"),
        (changed(("joints", 3, "pitch"), None), "field `pitch`: None is not a finite number."),
        (changed(("joints", 1, "mimic"), "j0"), "field `mimic`: it is 'j0'; it must be an object."),
        (changed(("joints", 1, "mimic"), {}), "field `mimic`, field `joint`: it is absent."),
        (changed(("joints", 1, "mimic", "offset"), None), "field `offset`: None is not a finite"),
        (changed(("joints", 0, "body", "mass"), 0), "field `mass`: 0 kg is not positive."),
        (changed(("joints", 0, "body", "inertia", 0), [1, 0]), "field `inertia`: [1, 0] is not"),
        (changed(("joints", 0, "body", "inertia"), [1, 0, 0]), "1 is not a list of three numbers"),
        (changed(("joints", 0, "body", "com"), 0), "field `body`: the field 'com' has no meaning"),
        (changed(("joints", 0, "damping"), 0), "the field 'damping' has no meaning here. Check"),
        (changed(("comment",), "x"), "the file: the field 'comment' has no meaning here."),
        (without(("joints", 0, "limits")), "joint 'j0', field `limits`: it is absent. Add it."),
        (without(("joints", 3, "pitch")), "joint 'j3', field `pitch`: it is absent. Add it."),
        (without(("joints", 2, "origin")), "joint 'j2', field `origin`: it is absent. Add it."),
        (without(("joints", 2, "type")), "joint 'j2', field `type`: it is absent; it must be one"),
        (without(("frame",)), "the file, field `frame`: it is absent. Add it."),
    ],
)
def test_what_is_not_of_the_form_is_a_sentence_with_joint_and_field(document, words):
    assert not accepts(document)
    with pytest.raises(JointsFileError) as caught:
        parsed(document)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("document", "kind", "words"),
    [
        (changed(("joints", 0, "limits"), [1, 0]), JointError, "lower 1.0 is greater than upper"),
        (changed(("joints", 1, "name"), "j0"), TreeError, "the joint name 'j0' is used twice"),
        (changed(("joints", 1, "child"), "nobody"), TreeError, "the link 'nobody', which does not"),
        (changed(("joints", 0, "parent"), "shade"), TreeError, "cycle of the joints"),
        (changed(("links", 0), "arm"), TreeError, "the link name 'arm' is used twice"),
        (changed(("joints", 1, "mimic", "joint"), "x"), JointsFileError, "no joint 'x' to follow"),
        (
            changed(("joints", 0, "body", "inertia", 0, 1), 5),
            JointsFileError,
            "joint 'j0', field `body`: the inertia tensor is not symmetric",
        ),
        (
            changed(("joints", 0, "body", "inertia", 0, 0), -5),
            JointsFileError,
            "joint 'j0', field `body`: inertia has a principal moment of -5",
        ),
    ],
)
def test_what_a_schema_cannot_say_is_a_sentence_too(document, kind, words):
    assert accepts(document)
    with pytest.raises(kind) as caught:
        parsed(document)
    assert words in str(caught.value)


# --- mutations: whatever happens to a document, both accept it or both refuse it -----------------

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "j0", "base", "fixed", "helical", "revolute", "given", "imputed"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
FIELDS = ("limits", "limit_source", "pitch", "mimic", "body", "axis", "origin", "type", "links")


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of everything inside a document."""
    if isinstance(value, dict):
        steps: list[Any] = list(value)
    else:
        steps = list(range(len(value))) if isinstance(value, list) else []
    return [found for s in steps for found in [(*path, s), *places(value[s], (*path, s))]]


@st.composite
def mutated(draw) -> Any:
    document: Any = lamp()
    for _ in range(draw(st.integers(1, 3))):
        paths = places(document)
        if not paths:
            return document
        path = draw(st.sampled_from(paths))
        inner = document
        for step in path[:-1]:
            inner = inner[step]
        action = draw(st.sampled_from(["replace", "remove", "add", "copy"]))
        if action == "remove":
            del inner[path[-1]]
        elif action == "add" and isinstance(inner, dict):
            inner[draw(st.sampled_from(FIELDS) | st.text(max_size=3))] = draw(values)
        elif action == "copy":
            other: Any = lamp()
            for step in draw(st.sampled_from(places(lamp()))):
                other = other[step]
            inner[path[-1]] = copy.deepcopy(other)
        else:
            inner[path[-1]] = draw(values)
    return document


@settings(max_examples=250)
@given(mutated())
def test_schema_and_validator_accept_the_same_documents(document):
    if accepts(document):
        try:
            tree = parsed(document)
        except ArenaError as error:  # what a schema cannot say
            assert str(error).endswith(".")
        else:
            assert write_joints(parse_joints(write_joints(tree))) == write_joints(tree)


@given(values)
def test_they_agree_on_anything(value):
    assert not accepts(value)


# --- bytes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"name": "lamp"', '"name": "a", "name": "b"', "the name 'name' twice in one place"),
        ('"multiplier": 2', '"multiplier": NaN', "NaN, which is not JSON"),
        ('"multiplier": 2', '"multiplier": -Infinity', "-Infinity, which is not JSON"),
        ('"multiplier": 2', '"multiplier": 1e400', "'1e400', which is not a finite number"),
        ('"multiplier": 2', f'"multiplier": {10**400}', "an integer of more than 39 digits"),
        ('"multiplier": 2', '"multiplier": 2,', "Expecting property name"),
        ('"multiplier": 2', f'"multiplier": {"[" * 101}{"]" * 101}', "nested too deeply"),
        ('"multiplier": 2', f'"multiplier": {"[" * 90_000}{"]" * 90_000}', "nested too deeply"),
        ('"name": "lamp"', '"name": "\\ud800"', "half a character"),
        ('"name": "lamp"', '"\\ud800": "lamp"', "field `name`: it is absent"),
    ],
)
def test_bytes_that_other_readers_would_read_differently_are_refused(old, new, words):
    text = json.dumps(lamp())
    assert old in text
    with pytest.raises(JointsFileError) as caught:
        parse_joints(text.replace(old, new).encode())
    assert words in str(caught.value) and str(caught.value).endswith(".")
    str(caught.value).encode()  # can be printed and written


@pytest.mark.parametrize("data", [b"", b"\xff\xfe{}", b"\x00" * 100, b"<robot/>", b"null", b'"a"'])
def test_other_bytes_are_a_sentence(data):
    with pytest.raises(JointsFileError, match=r"\.$"):
        parse_joints(data)


def test_budgets_are_counts():
    data = json.dumps(lamp()).encode()
    values = sum(data.count(mark) for mark in (b",", b"[", b"{"))
    exact = JointsBudget(max_bytes=len(data), max_values=values, max_links=6)
    assert parse_joints(data, budget=exact).name == "lamp"
    for budget, words in (
        (JointsBudget(max_bytes=len(data) - 1), f"more than {len(data) - 1:,} bytes"),
        (JointsBudget(max_values=values - 1), f"more than {values - 1:,} values"),
        (JointsBudget(max_links=5), "the file has 6 links; at most 5 are read."),
    ):
        with pytest.raises(JointsFileError, match=words):
            parse_joints(data, budget=budget)


def test_a_bomb_is_refused_before_it_is_parsed():
    with pytest.raises(JointsFileError, match=r"more than 400,000 values"):
        parse_joints(b"[" + b"[]," * 5_000_000 + b"[]]")


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=9, max_size=9))
def test_every_number_survives_to_the_last_bit(numbers):
    axis, origin = np.array([0.0, 0.6, 0.8]), np.array(numbers[:3])
    lower, upper = sorted(numbers[3:5])
    body = RigidBody(abs(numbers[5]) or 1.0, np.array(numbers[6:9]), np.eye(3) * 5e-324)
    joint = Joint("j", "helical", axis, origin, lower, upper, numbers[5], "a", "b", body)
    again = parse_joints(write_joints(KinematicTree("t", ("a", "b"), (joint,)))).joint("j")
    assert (again.limits, again.pitch, again.body.mass) == (joint.limits, joint.pitch, body.mass)
    for old, new in ((axis, again.axis), (origin, again.origin), (body.center, again.body.center)):
        assert old.tobytes() == new.tobytes()
    assert body.inertia.tobytes() == again.body.inertia.tobytes()


def test_the_bytes_are_those_that_the_page_shows():
    """One line per joint, whole numbers and floats as Python writes them, null for infinity."""
    joint = Joint("j", "revolute", [0, 0, 1], [0.1, 0, -0.0], 0, math.inf, parent="a", child="ä")
    text = write_joints(KinematicTree("t", ("a", "ä"), (joint,))).decode()
    assert text == (
        '{\n  "format": "aa-joints",\n  "version": 1,\n  "frame": "object",\n  "unit": "m",\n'
        '  "state": "rest",\n  "name": "t",\n  "links": ["a", "ä"],\n  "joints": [\n'
        '    {"name": "j", "type": "revolute", "parent": "a", "child": "ä", "axis": [0.0, 0.0, 1.0]'
        ', "origin": [0.1, 0.0, -0.0], "limits": [0.0, null]}\n  ]\n}\n'
    )
    empty = write_joints(KinematicTree("t", ("a",), ()))
    assert json.loads(empty)["joints"] == [] and parse_joints(empty).links == ("a",)
