# SPDX-License-Identifier: Apache-2.0
"""Law: a tree that is written and read again is the same tree, as URDF and as `joints.json`."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import yourdfpy
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset import load_dataset
from aa_dataset.errors import ArenaError, UrdfError
from aa_dataset.kinematics import Joint, JointType, KinematicTree, LimitSource, Mimic, RigidBody
from aa_dataset.kinematics.joints_file import parse_joints, write_joints
from aa_dataset.kinematics.joints_form import JointsFileError
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import read_tree, urdf_tree
from aa_dataset.kinematics.urdf_writer import write_urdf
from aa_dataset.metric import SplitNorm, joint_distance, tree_distance
from pipeline.generate.draw import Draw
from pipeline.generate.registry import family, family_names
from pipeline.generate.urdf import urdf_text
from tests.kit.places import SAMPLES, needs_samples

INF = math.inf


def from_urdf(tree: KinematicTree) -> KinematicTree:
    return urdf_tree(parse_urdf(write_urdf(tree)), absent="unbounded")


def from_joints(tree: KinematicTree) -> KinematicTree:
    return parse_joints(write_joints(tree))


def facts(joint: Joint) -> tuple[object, ...]:
    """Return everything of a joint that is written exactly in both formats."""
    return (
        joint.name, joint.type, joint.parent, joint.child, *joint.limits, joint.pitch, joint.mimic,
        joint.limit_source, *joint.axis.tolist(), joint.body is None,
    )  # fmt: skip


def require_same(tree: KinematicTree, again: KinematicTree, *, exactly: bool) -> None:
    assert (again.name, again.links) == (tree.name, tree.links)
    assert [facts(one) for one in again.joints] == [facts(one) for one in tree.joints]
    places = {tree.root: np.zeros(3)}
    for old, new in zip(tree.joints, again.joints, strict=True):
        places[old.child] = old.origin
        # The parent's frame is at most this ulp off as well.
        size = np.abs([old.origin, places[old.parent]]).max(axis=0)
        assert (np.abs(new.origin - old.origin) <= (0 if exactly else np.spacing(size))).all()
        if old.body is not None and new.body is not None:
            require_same_body(old.body, new.body, relative=0.0 if exactly else 1e-12)


def require_same_body(old: RigidBody, new: RigidBody, *, relative: float) -> None:
    assert abs(new.mass - old.mass) <= relative * old.mass
    # A point has no inertia of its own; what rounding leaves is small beside that about the frame.
    size = np.abs(old.inertia).max() + old.mass * float(old.center @ old.center)
    assert np.abs(new.inertia - old.inertia).max() <= relative * size
    assert np.abs(new.center - old.center).max() <= relative * max(1.0, np.abs(old.center).max())


def require_no_distance(tree: KinematicTree, again: KinematicTree, most: float) -> None:
    norm = SplitNorm()
    for old, new in zip(tree.joints, again.joints, strict=True):
        assert joint_distance(old, new, norm=norm, compactify=math.pi) <= most
        if all(map(math.isfinite, old.limits)):
            assert joint_distance(old, new, norm=norm) <= most
    assert tree_distance(tree, again, norm=norm, compactify=math.pi).value <= most


def require_round_trip(tree: KinematicTree, *, distances: bool = True) -> None:
    urdf, joints = from_urdf(tree), from_joints(tree)
    require_same(tree, urdf, exactly=False)
    require_same(tree, joints, exactly=True)
    assert write_joints(joints) == write_joints(tree)
    if distances:
        require_no_distance(tree, urdf, 1e-12)
        require_no_distance(tree, joints, 0.0)


def test_every_object_of_a_library(pristine_library):
    dataset = load_dataset(pristine_library, verbose=False)
    trees = [item.tree for item in dataset]
    kinds = {joint.type for tree in trees for joint in tree.joints}
    assert JointType.HELICAL in kinds and any(j.body for tree in trees for j in tree.movable)
    for tree in trees:
        require_round_trip(tree)


@pytest.mark.parametrize("name", family_names())
def test_every_family_of_the_generated_collection(name):
    document = urdf_text(family(name)(Draw(7, name, 0)), name).encode()
    require_round_trip(urdf_tree(parse_urdf(document)), distances=False)


@needs_samples
def test_real_objects_as_the_library_and_as_predictions_are_read():
    count = 0
    for path in sorted(SAMPLES.rglob("*.urdf")):
        for absent in ("urdf", "unbounded"):
            try:
                tree = read_tree(path, absent=absent)
            except ArenaError:
                continue  # a file that is no tree; the tests of the reader know them
            require_round_trip(tree, distances=False)
            count += 1
    assert count > 100


numbers = st.floats(-10, 10).map(lambda x: 0.0 if abs(x) < 1e-30 else x)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)
texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\ufffe\uffff"), max_size=5
)
names = texts.map(lambda text: "".join(c for c in text if c >= " " or c in "\t\n\r"))


@st.composite
def bodies(draw):
    points = np.array([draw(vectors) for _ in range(draw(st.integers(1, 4)))])
    center = points.mean(axis=0)
    arms = points - center
    inertia = (arms**2).sum() * np.eye(3) - arms.T @ arms
    return RigidBody(draw(st.floats(1e-6, 1e6)), center, (inertia + inertia.T) / 2)


@st.composite
def joints(draw, name: str, parent: str, child: str, leaders: list[str]):
    kind = draw(st.sampled_from(list(JointType)))
    source = LimitSource(draw(st.sampled_from(["given", "given", "absent"])))
    lower, upper = sorted(draw(st.tuples(numbers, numbers)))
    if kind in ("fixed", "continuous"):
        source = LimitSource.GIVEN
    lower = -INF if source == "absent" or draw(st.integers(0, 4)) == 0 else lower
    upper = INF if source == "absent" or draw(st.integers(0, 4)) == 0 else upper
    axis = draw(vectors)
    mimic = None
    if leaders and draw(st.booleans()):
        mimic = Mimic(draw(st.sampled_from(leaders)), draw(numbers), draw(numbers))
    return Joint(
        name,
        kind,
        axis if axis.any() else np.array([0.0, 0.0, 1.0]),
        draw(vectors),
        lower,
        upper,
        (draw(numbers) or 0.005) if kind == "helical" else 0.0,
        parent,
        child,
        draw(st.none() | bodies()) if kind != "fixed" else None,
        mimic,
        source,
    )


@st.composite
def trees(draw):
    """Trees of every type, with mimics and welds, and with names that need escaping."""
    count = draw(st.integers(0, 6))
    ends = [f"{draw(names)}l{k}" for k in range(count + 1)]
    found: list[Joint] = []
    for k in range(count):
        leaders = [joint.name for joint in found]
        parent = ends[draw(st.integers(0, k))]
        found.append(draw(joints(f"{draw(names)}j{k}", parent, ends[k + 1], leaders)))
    return KinematicTree(draw(names), tuple(ends), tuple(found))


@given(trees())
def test_any_tree(tree):
    require_round_trip(tree)


def turn_and_slide(**changes: object) -> KinematicTree:
    turn = Joint("turn", "revolute", [0, 0, 1], [1, 0, 0], 0, 1, parent="a", child="b")
    slide = Joint("slide", "prismatic", [0, 0, 1], [1, 0, 0], 0, 1, parent="b", child="c")
    slide = replace(slide, **{"mimic": Mimic("turn", 0.5), **changes})
    return KinematicTree("t", ("a", "b", "c"), (turn, slide))


def test_a_turn_with_a_coupled_slide_stays_two_joints():
    """The pair is that of a helical joint, except that its middle link has a shape."""
    require_round_trip(turn_and_slide())
    assert b"<visual>" in write_urdf(turn_and_slide())
    assert b"<visual>" not in write_urdf(turn_and_slide(mimic=None))


def test_a_helical_pair_is_that_of_the_convention(tmp_path):
    """An independent reader moves the pair like our helical joint."""
    screw = Joint("cap", "helical", [0, 0.6, 0.8], [1, 2, 3], -1, 5, 0.25, "a", "b")
    path = tmp_path / "cap.urdf"
    path.write_bytes(write_urdf(KinematicTree("t", ("a", "b"), (screw,))))
    judge = yourdfpy.URDF.load(str(path), load_meshes=False)
    names = ["a", "b", "b_carrier"]
    assert sorted(judge.link_map) == names and sorted(judge.joint_map) == ["cap", "cap_slide"]
    slide = judge.joint_map["cap_slide"]
    assert (slide.limit.lower, slide.limit.upper) == (-0.25, 1.25)
    assert (slide.mimic.joint, slide.mimic.multiplier) == ("cap", 0.25)
    tree = read_tree(path)
    for value in (-1.0, 0.5, 5.0):
        judge.update_cfg({"cap": value})
        found = judge.get_transform("b", "a")
        rest = np.eye(4)
        rest[:3, 3] = [1, 2, 3]
        assert found == pytest.approx(tree.placements({"cap": value})["b"] @ rest, abs=1e-13)


def test_names_of_carriers_and_slides_are_free():
    screw = Joint("s", "helical", [0, 0, 1], [0, 0, 0], 0, 1, 0.1, parent="a", child="b")
    other = Joint("s_slide", "continuous", [0, 0, 1], [0, 0, 0], parent="b", child="b_carrier")
    follower = Joint("f", "continuous", [0, 0, 1], [0, 0, 0], parent="a", child="c")
    follower = replace(follower, mimic=Mimic("s_slide_2", 2.0))  # a joint of nobody
    tree = KinematicTree("t", ("a", "b", "b_carrier", "c"), (screw, other, follower))
    require_same(tree, from_urdf(tree), exactly=True)
    assert b'"s_slide_3"' in write_urdf(tree) and b'"b_carrier_2"' in write_urdf(tree)


@pytest.mark.parametrize("limits", [(-INF, INF), (0.0, INF), (-INF, 0.0), (-INF, 2.0)])
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical"])
def test_infinite_ends_are_kept(kind, limits):
    pitch = -0.2 if kind == "helical" else 0.0
    joint = Joint("j", kind, [0, 0, 1], [0, 0, 0], *limits, pitch, "a", "b")
    require_round_trip(KinematicTree("t", ("a", "b"), (joint,)))


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical"])
def test_absent_limits_are_a_limit_without_bounds(kind):
    pitch = 0.2 if kind == "helical" else 0.0
    joint = Joint("j", kind, [0, 0, 1], [0, 0, 0], -INF, INF, pitch, "a", "b")
    joint = replace(joint, limit_source=LimitSource.ABSENT)
    tree = KinematicTree("t", ("a", "b"), (joint,))
    require_round_trip(tree)
    assert b'<limit effort="1" velocity="1"/>' in write_urdf(tree)
    assert b"lower" not in write_urdf(tree)


def test_imputed_limits_are_numbers_in_urdf_and_are_said_in_joints_json():
    joint = Joint("j", "revolute", [0, 0, 1], [0, 0, 0], 0, 1, parent="a", child="b")
    tree = KinematicTree("t", ("a", "b"), (replace(joint, limit_source=LimitSource.IMPUTED),))
    assert from_joints(tree).joint("j").limit_source is LimitSource.IMPUTED
    assert from_urdf(tree).joint("j").limit_source is LimitSource.GIVEN


def test_the_body_of_a_joint_includes_what_is_welded_to_it():
    body = RigidBody(2.0, np.array([1.0, 2.0, 3.0]), np.diag([3.0, 4.0, 5.0]))
    joint = Joint("j", "continuous", [0, 0, 1], [1, 1, 1], parent="a", child="b", body=body)
    weld = Joint("w", "fixed", [0, 0, 1], [2, 2, 2], parent="b", child="c")
    require_round_trip(KinematicTree("t", ("a", "b", "c"), (joint, weld)))


def chain(*origins: float) -> KinematicTree:
    found = [
        Joint(f"j{k}", "prismatic", [1, 0, 0], [x, -x, 0.0], 0, 1, 0.0, f"l{k}", f"l{k + 1}")
        for k, x in enumerate(origins)
    ]
    return KinematicTree("t", tuple(f"l{k}" for k in range(len(origins) + 1)), tuple(found))


@pytest.mark.parametrize(("first", "second"), [(1.68, -2.0), (-0.67, 1.0), (0.59, -1.0)])
def test_origins_are_equal_to_the_last_bit_where_some_float_makes_them_so(first, second):
    """The rounded difference misses by an ulp; a float beside it does not."""
    assert first + (second - first) != second
    tree = chain(first, second)
    require_same(tree, from_urdf(tree), exactly=True)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5))
def test_origins_are_within_an_ulp_of_the_larger_coordinate(origins):
    require_same(chain(*origins), from_urdf(chain(*origins)), exactly=False)


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        (chain(1e308, -1e308), "joint 'j1': its place relative to its parent overflows"),
        (
            KinematicTree("a\0b", ("a",), ()),
            r"the name 'a\x00b' of a tree has the character '\x00', which XML cannot hold.",
        ),
        (KinematicTree("t", ("",), ()), "a link has no name"),
        (turn_and_slide(mimic=Mimic("turn", INF)), "joint 'slide' has inf; URDF needs a finite"),
        (turn_and_slide(mimic=Mimic("", 1.0)), "a leader of joint 'slide' has no name"),
        (
            turn_and_slide(type="helical", mimic=None),
            "joint 'slide': a helical joint of pitch 0 has no form in URDF.",
        ),
    ],
)
def test_what_urdf_cannot_say_is_a_sentence(tree, words):
    with pytest.raises(UrdfError) as caught:
        write_urdf(tree)
    assert words in str(caught.value) and str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        (KinematicTree("t", ("",), ()), "the file, field `links`: it is an empty name."),
        (KinematicTree("\ud800", ("a",), ()), "half a character"),
        (turn_and_slide(mimic=Mimic("turn", INF)), "field `multiplier`: inf is not a finite"),
        (turn_and_slide(mimic=Mimic("other")), "field `mimic`: there is no joint 'other'"),
    ],
)
def test_what_joints_json_cannot_say_is_a_sentence(tree, words):
    with pytest.raises(JointsFileError) as caught:
        write_joints(tree)
    assert words in str(caught.value) and str(caught.value).endswith(".")


def test_a_helical_joint_without_pitch_is_kept_by_joints_json():
    tree = turn_and_slide(type="helical", mimic=None)
    require_same(tree, from_joints(tree), exactly=True)
