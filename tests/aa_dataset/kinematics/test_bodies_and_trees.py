# SPDX-License-Identifier: Apache-2.0
"""Moments of bodies, validation of trees, chains of mimics."""

import math
from dataclasses import replace

import numpy as np
import pytest

from aa_dataset.errors import JointError, TreeError
from aa_dataset.kinematics import Joint, KinematicTree, Mimic, RigidBody, exp_twist, merge_bodies
from aa_dataset.kinematics.bodies import BodyError
from aa_dataset.kinematics.urdf_tree import read_tree


def box(sides, center, density=1.0):
    """Return a solid box by its textbook moments."""
    square = np.array(sides) ** 2
    mass = density * np.prod(sides)
    return RigidBody(mass, np.array(center), mass * np.diag(square.sum() - square) / 12)


def test_two_half_boxes_are_the_whole_box():
    left, right = box([1, 2, 3], [-0.5, 0, 0]), box([1, 2, 3], [0.5, 0, 0])
    whole, merged = box([2, 2, 3], [0, 0, 0]), merge_bodies([left, right])
    assert merged.mass == pytest.approx(whole.mass)
    assert np.allclose(merged.center, whole.center)
    assert np.allclose(merged.inertia, whole.inertia)


def test_merged_bodies_equal_the_body_of_all_points():
    rng = np.random.default_rng(0)
    clouds = [rng.normal(size=(50, 3)) + shift for shift in (0.0, 2.0)]

    def moments(points):
        center = points.mean(axis=0)
        arms = points - center
        return RigidBody(len(points), center, sum(y @ y * np.eye(3) - np.outer(y, y) for y in arms))

    merged, whole = merge_bodies([moments(c) for c in clouds]), moments(np.concatenate(clouds))
    assert np.allclose(merged.center, whole.center)
    assert np.allclose(merged.inertia, whole.inertia)


def test_moving_and_scaling_a_body():
    rng = np.random.default_rng(1)
    body, placement = box([1, 2, 3], [1, 0, 0]), exp_twist(rng.normal(size=6))
    moved = body.moved(placement)
    assert np.allclose(np.linalg.eigvalsh(moved.inertia), np.linalg.eigvalsh(body.inertia))
    assert np.allclose(moved.center, placement[:3, :3] @ body.center + placement[:3, 3])
    scaled = body.scaled(2.0)
    direct = box([2, 4, 6], [2, 0, 0])
    assert scaled.mass == pytest.approx(direct.mass)
    assert np.allclose(scaled.inertia, direct.inertia)


@pytest.mark.parametrize(
    ("mass", "center", "inertia"),
    [
        (0.0, np.zeros(3), np.eye(3)),
        (-1.0, np.zeros(3), np.eye(3)),
        (math.nan, np.zeros(3), np.eye(3)),
        (1.0, np.array([0, math.inf, 0]), np.eye(3)),
        (1.0, np.zeros(2), np.eye(3)),
        (1.0, np.zeros(3), np.full((3, 3), math.nan)),
    ],
)
def test_unreal_bodies_raise(mass, center, inertia):
    with pytest.raises(BodyError):
        RigidBody(mass, center, inertia)
    with pytest.raises(BodyError):
        merge_bodies([])


def slide(name, parent, child, **changes):
    return Joint(
        name, "prismatic", [1, 0, 0], [0, 0, 0], 0, 1, parent=parent, child=child, **changes
    )


@pytest.mark.parametrize(
    ("code", "links", "joints"),
    [
        ("link_none", (), ()),
        ("link_duplicate", ("a", "a"), ()),
        ("joint_duplicate", ("a", "b", "c"), (slide("j", "a", "b"), slide("j", "a", "c"))),
        ("link_unknown", ("a",), (slide("j", "a", "x"),)),
        ("link_two_parents", ("a", "b", "c"), (slide("j", "a", "c"), slide("k", "b", "c"))),
        ("root_several", ("a", "b"), ()),
        ("joint_cycle", ("a", "b"), (slide("j", "a", "b"), slide("k", "b", "a"))),
        ("joint_cycle", ("r", "a", "b"), (slide("j", "a", "b"), slide("k", "b", "a"))),
        ("joint_cycle", ("a",), (slide("j", "a", "a"),)),
    ],
)
def test_every_broken_tree_has_its_code(code, links, joints):
    with pytest.raises(TreeError) as caught:
        KinematicTree("t", links, joints)
    assert caught.value.code == code
    assert str(caught.value).endswith(".")


def test_joints_come_parents_first_and_welds_are_found():
    weld = Joint("w", "fixed", [0, 0, 1], [0, 0, 0], parent="b", child="d")
    tree = KinematicTree(
        "t", ("d", "c", "b", "a"), (weld, slide("k", "d", "c"), slide("j", "a", "b"))
    )
    assert tree.root == "a"
    assert tree.links == ("a", "b", "d", "c")
    assert tree.welded("b") == ("b", "d")
    assert tree.depth == 2
    assert [j.name for j in tree.movable] == ["j", "k"]


def test_placements_compose_down_the_tree():
    hinge = Joint("h", "revolute", [0, 0, 1], [0, 0, 0], -4, 4, parent="a", child="b")
    tree = KinematicTree("t", ("a", "b", "c"), (hinge, slide("s", "b", "c")))
    placed = tree.placements({"h": math.pi / 2, "s": 0.5})
    assert np.allclose(placed["c"][:3, 3], [0, 0.5, 0])
    with pytest.raises(JointError, match=r"joint 'x', field `name`"):
        tree.placements({"x": 1.0})


def test_mimic_chains_are_followed_and_loops_refused():
    lead = slide("lead", "a", "b")
    twice = slide("twice", "a", "c", mimic=Mimic("lead", 2.0, 0.1))
    third = slide("third", "a", "d", mimic=Mimic("twice", -1.0, 0.5))
    tree = KinematicTree("t", ("a", "b", "c", "d"), (third, twice, lead))
    placed = tree.placements({"lead": 0.3})
    assert placed["c"][0, 3] == pytest.approx(2 * 0.3 + 0.1)
    assert placed["d"][0, 3] == pytest.approx(-(2 * 0.3 + 0.1) + 0.5)
    given = tree.placements({"lead": 0.3, "twice": 1.0})
    assert given["d"][0, 3] == pytest.approx(-0.5)
    loop = replace(lead, mimic=Mimic("twice"))
    with pytest.raises(JointError, match=r"field `mimic`.*returns to itself"):
        KinematicTree("t", ("a", "b", "c"), (twice, loop)).placements({})


def test_a_joint_rebuilt_from_itself_is_the_same_to_the_bit():
    rng = np.random.default_rng(0)
    for _ in range(200):
        joint = Joint("a", "revolute", rng.normal(size=3), rng.normal(size=3), 0, 1)
        assert (replace(joint).axis == joint.axis).all()
        assert (joint.reversed().reversed().axis == joint.axis).all()


@pytest.mark.parametrize("length", [1e-200, 1e-9, 1.0, 1e200])
def test_axes_of_any_length_are_normalized(length):
    joint = Joint("a", "prismatic", np.array([3.0, 0, 4.0]) * length, [0, 0, 0], 0, 1)
    assert np.allclose(joint.axis, [0.6, 0, 0.8], rtol=1e-15)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("axis", {"axis": "up"}),
        ("axis", {"axis": [0, [1], 2]}),
        ("origin", {"origin": None}),
        ("limits", {"lower": None}),
        ("limits", {"upper": "far"}),
        ("pitch", {"pitch": None}),
    ],
)
def test_values_that_are_no_numbers_name_joint_and_field(field, values):
    good = {"axis": [0, 0, 1], "origin": [0, 0, 0], "lower": 0.0, "upper": 1.0}
    with pytest.raises(JointError, match=f"'door', field `{field}`"):
        Joint("door", "revolute", **{**good, **values})


def test_negative_principal_moments_are_refused_and_rods_are_not():
    rng = np.random.default_rng(0)
    for _ in range(200):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        moments = rng.random(3) * 10.0 ** rng.integers(-6, 6)
        real = turn @ np.diag(moments) @ turn.T
        rod = turn @ np.diag([0, moments[1], moments[1]]) @ turn.T
        for inertia in (real, rod, rod.astype(np.float32).astype(float), np.zeros((3, 3))):
            RigidBody(1.0, np.zeros(3), inertia)
        wrong = turn @ np.diag([-1e-3 * moments.max(), moments[1], moments[2]]) @ turn.T
        with pytest.raises(BodyError, match=f"moment of {-1e-3 * moments.max():.3g} kg m"):
            RigidBody(1.0, np.zeros(3), wrong)
    for inertia in (-np.eye(3), np.eye(3) - 0.9 * np.ones((3, 3)), np.diag([1e200, 1, -1e200])):
        with pytest.raises(BodyError, match="principal moment"):
            RigidBody(1.0, np.zeros(3), inertia)


def wire(radius, rng):
    """Return the moments of a wire of 0.1 kg and 1 m that points anywhere, with six decimals."""
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    across = 0.1 / 12
    return np.round(turn @ np.diag([0.05 * radius**2, across, across]) @ turn.T, 6)


@pytest.mark.parametrize("radius", [1e-4, 5e-4])
def test_a_thin_wire_written_with_six_decimals_is_a_body_in_every_frame(radius):
    rng, negative = np.random.default_rng(0), 0
    for _ in range(300):
        inertia = wire(radius, rng)
        negative += np.linalg.eigvalsh(inertia)[0] < 0
        body = RigidBody(0.1, np.zeros(3), inertia)
        for _ in range(3):
            body = body.moved(exp_twist(rng.normal(size=6)))
        body.scaled(0.01)
    assert negative > 20  # the case that the tolerance is for


def test_the_tolerance_of_bodies_does_not_hang_on_the_frame():
    """A moment just within or beyond 1e-4 of the trace is judged alike in every rotation."""
    rng = np.random.default_rng(1)
    for share in (0.999, 1.001):
        moments = np.array([-share * 1e-4, 0.5, 0.5 + share * 1e-4])  # trace 1
        for _ in range(100):
            turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
            inertia = turn @ np.diag(moments) @ turn.T
            if share < 1:
                RigidBody(1.0, np.zeros(3), inertia)
                continue
            with pytest.raises(BodyError, match="principal moment"):
                RigidBody(1.0, np.zeros(3), inertia)


@pytest.mark.parametrize("place", [(0, 1), (1, 0), (2, 0), (2, 1)])
def test_an_inertia_that_is_not_symmetric_is_refused(place):
    inertia = np.eye(3)
    inertia[place] = 1e-12  # what a rotation leaves
    RigidBody(1.0, np.zeros(3), inertia)
    inertia[place] = 0.25
    with pytest.raises(BodyError, match="not symmetric"):
        RigidBody(1.0, np.zeros(3), inertia)


def test_a_link_with_a_welded_wire_keeps_its_body(tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "r.urdf"
    for _ in range(50):
        (a, d, e), (_, b, f), (_, _, c) = wire(1e-4, rng).tolist()
        path.write_text(
            f"""<robot name="r"><link name="a"/><link name="b"><inertial><mass value="5"/>
            <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
            <link name="c"><inertial><mass value="0.1"/><inertia ixx="{a:.6f}" iyy="{b:.6f}"
            izz="{c:.6f}" ixy="{d:.6f}" ixz="{e:.6f}" iyz="{f:.6f}"/></inertial></link>
            <joint name="j" type="revolute"><parent link="a"/><child link="b"/>
            <axis xyz="0 0 1"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>
            <joint name="w" type="fixed"><parent link="b"/><child link="c"/></joint></robot>"""
        )
        body = read_tree(path).joint("j").body
        assert body is not None
        assert body.mass == pytest.approx(5.1)


def test_the_quick_test_of_bodies_is_that_of_the_eigenvalues():
    """Any symmetric matrix, on a third of them positive: accepted iff no eigenvalue is negative."""
    rng = np.random.default_rng(2)
    accepted = 0
    for _ in range(500):
        root = rng.normal(size=(3, 3))
        tensor = root + root.T + rng.choice([0, 4, 8]) * np.eye(3)
        real = np.linalg.eigvalsh(tensor)[0] > 0
        try:
            RigidBody(1.0, np.zeros(3), tensor)
        except BodyError:
            assert not real
        else:
            assert real
            accepted += 1
    assert 100 < accepted < 400


def test_a_link_with_an_unreal_inertia_is_read_without_a_body(tmp_path):
    """Files of real objects have such inertials; the joints must still be readable."""
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="3" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>"""
    path = tmp_path / "r.urdf"
    path.write_text(text)
    (joint,) = read_tree(path).joints
    assert joint.body is None
    assert joint.limits == (0, 1)


def test_a_tree_prints_as_an_indented_list():
    tree = KinematicTree(
        "press",
        ("base", "screw", "plate", "door", "knob"),
        (
            Joint("turn", "helical", [0, 0, 1], [0, 0, 0], 0, 12.5, 0.01, "base", "screw"),
            Joint("hinge", "revolute", [0, 0, 1], [0, 0, 0], 0, 1.5708, 0, "base", "door"),
            Joint("weld", "fixed", [0, 0, 1], [0, 0, 0], parent="screw", child="plate"),
            Joint("spin", "continuous", [0, 0, 1], [0, 0, 0], parent="door", child="knob"),
        ),
    )
    assert str(tree).splitlines() == [
        "press: 5 links, 4 joints, 3 of them movable",
        "  base",
        "    screw  (turn: helical, 0 to 12.5 rad, 0.01 m/rad)",
        "      plate  (weld: fixed)",
        "    door  (hinge: revolute, 0 to 1.571 rad)",
        "      knob  (spin: continuous)",
    ]


def test_a_deep_tree_prints_without_recursion():
    links = tuple(f"l{k}" for k in range(3000))
    joints = tuple(
        Joint(f"j{k}", "fixed", [0, 0, 1], [0, 0, 0], parent=links[k], child=links[k + 1])
        for k in range(2999)
    )
    assert len(str(KinematicTree("deep", links, joints)).splitlines()) == 3001
