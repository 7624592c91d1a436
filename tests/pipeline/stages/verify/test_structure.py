# SPDX-License-Identifier: Apache-2.0
"""Structure: what moves, where hinges lie, what floats; each figure by closed form."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import trimesh

from pipeline.stages.verify import structure
from pipeline.stages.verify.contact import Contact
from pipeline.stages.verify.structure import (
    axis_gap,
    check_counts,
    check_floating,
    check_joint_places,
    check_motion,
)
from tests.kit import evidence as make


def test_an_object_in_which_nothing_moves_is_found() -> None:
    cube = make.box((1, 1, 1))
    fixed = make.joint("weld", "fixed", "a", "b")
    (finding,) = check_motion(make.evidence({"a": cube, "b": cube}, fixed))
    assert (str(finding.code), finding.detail) == ("movable_none", "every joint is fixed.")


def test_a_joint_that_moves_no_geometry_is_found_and_alone_it_is_nothing_at_all() -> None:
    cube = make.box((1, 1, 1))
    real = make.joint("real", "revolute", "a", "b")
    idle = make.joint("idle", "revolute", "a", "c")
    found = list(check_motion(make.evidence({"a": cube, "b": cube, "c": []}, real, idle)))
    assert make.names(found) == ["joint_moves_nothing"]
    assert "joint idle" in found[0].detail
    alone = list(check_motion(make.evidence({"a": cube, "c": []}, idle)))
    assert make.names(alone) == ["movable_none"]
    carried = make.joint("weld", "fixed", "c", "b")
    assert not list(check_motion(make.evidence({"a": cube, "c": [], "b": cube}, idle, carried)))


@pytest.mark.parametrize(
    ("links", "usual", "expected"),
    [(5, (5, 4), []), (6, (5, 5), ["links_many"]), (6, (9, 4), ["tree_deep"])],
)
def test_unusual_counts_are_found(
    monkeypatch: pytest.MonkeyPatch,
    links: int,
    usual: tuple[int, int],
    expected: list[str],
) -> None:
    monkeypatch.setattr(structure, "USUAL_LINKS", usual[0])
    monkeypatch.setattr(structure, "USUAL_DEPTH", usual[1])
    cube = make.box((1, 1, 1))
    chain = [make.joint(f"j{n}", "revolute", f"l{n}", f"l{n + 1}") for n in range(links - 1)]
    evidence = make.evidence({f"l{n}": cube for n in range(links)}, *chain)
    assert make.names(list(check_counts(evidence))) == expected


@pytest.mark.parametrize(
    ("axis", "origin", "gap"),
    [
        ((0, 0, 1), (0, 0, 9), 0.0),  # through the box
        ((0, 0, 1), (3, 0, 0), 2.0),  # beside a face
        ((0, 0, 1), (4, 5, -7), 5.0),  # beside an edge: 3 and 4
        ((1, 0, 0), (50, 0, 1.5), 0.5),
        ((1, 1, 0), (2, -2, 0), math.sqrt(2)),  # x - y = 4, nearest the corner (1, -1): 2 / sqrt 2
        ((1, 1, 1), (2, 2, 2), 0.0),
    ],
)
def test_the_distance_of_an_axis_to_a_box(
    axis: Sequence[float],
    origin: Sequence[float],
    gap: float,
) -> None:
    hinge = make.joint("j", "revolute", "a", "b", axis=axis, origin=origin)
    assert axis_gap(hinge, np.array([[-1.0] * 3, [1.0] * 3])) == pytest.approx(gap, abs=1e-6)


@pytest.mark.parametrize(("share", "expected"), [(0.49, []), (0.51, ["joint_far"])])
@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
def test_a_hinge_far_from_what_it_turns_is_found(
    kind: str, share: float, expected: list[str]
) -> None:
    meshes = {"a": make.box((1, 1, 1)), "b": make.box((1, 1, 1))}
    place = 0.5 + share * math.sqrt(3)
    hinge = make.joint("j", kind, "a", "b", origin=(place, 0, 0))
    found = list(check_joint_places(make.evidence(meshes, hinge)))
    assert make.names(found) == ([] if kind == "prismatic" else expected)


def apart(gap: float) -> dict[str, trimesh.Trimesh]:
    """Return two boxes a gap apart; the diagonal of the whole is given by the caller."""
    return {"a": make.box((1, 1, 1)), "b": make.box((0.2, 0.2, 0.2), (0, 0, 0.6 + gap))}


@pytest.mark.parametrize(("gap", "expected"), [(0.0, []), (0.049, []), (0.051, ["part_floating"])])
def test_a_part_that_floats_is_found(gap: float, expected: list[str]) -> None:
    hinge = make.joint("j", "revolute", "a", "b")
    evidence = make.evidence(apart(gap), hinge, extents=(1, 0, 0))
    found = list(check_floating(evidence))
    assert make.names(found) == expected
    if found:
        assert "link b" in found[0].detail
        assert "0.051 m" in found[0].detail


def test_parts_whose_boxes_meet_may_still_float_and_fcl_measures_it() -> None:
    # A ball in the middle of a ring: boxes nest, the surfaces are 0.7 apart.
    ring = trimesh.creation.annulus(r_min=1.0, r_max=1.2, height=0.2, sections=720)
    ball = trimesh.creation.icosphere(subdivisions=4, radius=0.3)
    evidence = make.evidence({"ring": ring, "ball": ball}, make.joint("j", "revolute", "ring",
                             "ball"))  # fmt: skip
    assert Contact(evidence, 0.1, 9).gap(["ball"]) == pytest.approx(0.7, abs=2e-3)
    (finding,) = check_floating(evidence)
    assert "link ball" in finding.detail


def test_a_chain_of_near_parts_holds_together_and_a_group_floats_as_one() -> None:
    meshes = {"a": make.box((1, 1, 1))}
    for number, x in enumerate((3.0, 3.2, 3.4)):
        meshes[f"b{number}"] = make.box((0.2, 0.2, 0.2), (x, 0, 0))
    joints = [make.joint(f"j{n}", "fixed", "a", f"b{n}") for n in range(3)]
    (finding,) = check_floating(make.evidence(meshes, *joints))
    assert "link b0 with 2 more" in finding.detail
    assert "2.4 m" in finding.detail
    meshes["arm"] = make.box((2.5, 0.1, 0.1), (1.7, 0, 0))
    assert not list(check_floating(make.evidence(meshes, *joints, make.joint("k", "fixed", "a",
                                                                             "arm"))))  # fmt: skip


@pytest.mark.parametrize(("pairs", "expected"), [(2, []), (1, ["sweep_partial"])])
def test_the_end_of_the_budget_of_pairs_is_reported(
    monkeypatch: pytest.MonkeyPatch, pairs: int, expected: list[str]
) -> None:
    monkeypatch.setattr(structure, "MOST_PAIRS", pairs)
    meshes = {name: make.box((1, 1, 1), (x, 0, 0)) for x, name in enumerate("abc")}
    joints = [make.joint("j", "fixed", "a", "b"), make.joint("k", "fixed", "b", "c")]
    found = list(check_floating(make.evidence(meshes, *joints)))
    assert make.names(found) == expected
