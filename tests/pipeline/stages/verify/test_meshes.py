# SPDX-License-Identifier: Apache-2.0
"""Triangles: each damage of a box is found with the share that was made, and a sound box is not."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from pipeline.stages.verify import meshes as checks
from pipeline.stages.verify.checks import all_findings
from pipeline.stages.verify.evidence import Evidence
from tests.kit import evidence as make

MESH_CHECKS = (
    checks.check_finite,
    checks.check_degenerate,
    checks.check_doubled,
    checks.check_manifold,
    checks.check_open,
    checks.check_inverted,
)


def damaged(faces: list[list[int]], drop: int = 0, more: list[list[float]] | None = None) -> object:
    """Return a box of 12 triangles with some left out and others added."""
    box = trimesh.creation.box((1, 1, 1))
    vertices = np.concatenate([box.vertices, np.reshape(more or [], (-1, 3))])
    kept = np.asarray(box.faces)[: 12 - drop].tolist()
    return trimesh.Trimesh(vertices, kept + faces, process=False)


def found(*meshes: object, **options: float) -> list[tuple[str, str]]:
    evidence = make.evidence({"a": meshes}, **options)
    return [(str(f.code), f.detail) for check in MESH_CHECKS for f in check(evidence)]


def codes(*meshes: object, **options: float) -> list[str]:
    return [code for code, _ in found(*meshes, **options)]


def test_a_sound_box_is_fine() -> None:
    assert found(trimesh.creation.box((1, 1, 1))) == []


def test_a_box_of_two_materials_is_closed_as_one() -> None:
    box = trimesh.creation.box((1, 1, 1))
    halves = [trimesh.Trimesh(box.vertices, part, process=False)
              for part in (box.faces[:5], box.faces[5:])]  # fmt: skip
    assert found(*halves) == []
    assert codes(halves[0]) == ["mesh_open"]


def test_the_finding_of_an_open_box_has_its_share_of_open_edges() -> None:
    # Without one triangle, three of the 18 edges have a single face.
    ((code, detail),) = found(damaged([], drop=1))
    assert code == "mesh_open"
    assert "link a: 16.7 % of the edges" in detail


@pytest.mark.parametrize(("least", "expected"), [(0.0768, ["mesh_degenerate"]), (0.077, [])])
def test_triangles_without_area_are_found_by_their_share(
    monkeypatch: pytest.MonkeyPatch, least: float, expected: list[str]
) -> None:
    # One of 13 is 7.69 %: three different points on a line.
    line = damaged([[8, 9, 10]], more=[[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]])
    monkeypatch.setattr(checks, "DEGENERATE", least)
    assert codes(line) == expected
    assert codes(damaged([[0, 0, 1]])) == expected


def test_a_small_triangle_is_not_a_flat_one() -> None:
    tiny = damaged([[8, 9, 10]], more=[[0, 0, 0], [1e-4, 0, 0], [0, 1e-4, 0]])
    assert "mesh_degenerate" not in codes(tiny)


@pytest.mark.parametrize(("least", "expected"), [(0.1428, ["mesh_doubled"]), (0.143, [])])
@pytest.mark.parametrize("turn", [1, -1])
def test_repeated_triangles_are_found_by_their_share(
    turn: int,
    monkeypatch: pytest.MonkeyPatch,
    least: float,
    expected: list[str],
) -> None:
    # Two of 14 are 14.3 %; a repeated triangle is no third face at an edge.
    again = np.asarray(trimesh.creation.box((1, 1, 1)).faces)[:2, ::turn].tolist()
    monkeypatch.setattr(checks, "DOUBLED", least)
    assert codes(damaged(again)) == expected


@pytest.mark.parametrize(("least", "expected"), [(0.0499, ["mesh_nonmanifold"]), (0.0501, [])])
def test_edges_with_three_faces_are_found_by_their_share(
    monkeypatch: pytest.MonkeyPatch, least: float, expected: list[str]
) -> None:
    # A fin on one edge: that edge of 20 has three faces, the fin's other two have one.
    first = np.asarray(trimesh.creation.box((1, 1, 1)).faces)[0]
    fin = damaged([[int(first[0]), int(first[1]), 8]], more=[[3, 3, 3]])
    monkeypatch.setattr(checks, "NONMANIFOLD", least)
    assert codes(fin) == [*expected, "mesh_open"]


def test_parts_that_are_inside_out_are_found_but_not_cavities() -> None:
    def turned(size: float) -> trimesh.Trimesh:
        box = trimesh.creation.box((size,) * 3)
        return trimesh.Trimesh(box.vertices, box.faces[:, ::-1], process=False)

    ((code, detail),) = found(turned(1.0))
    assert (code, "100 %" in detail) == ("mesh_inverted", True)
    beside = trimesh.creation.box((1, 1, 1))
    beside.apply_translation((5, 0, 0))
    ((code, detail),) = found(turned(1.0), beside)
    assert (code, "50 %" in detail) == ("mesh_inverted", True)
    assert found(trimesh.creation.box((1, 1, 1)), turned(0.5)) == []  # a hollow box
    assert codes(trimesh.creation.box((1, 1, 1)), turned(1.5)) == ["mesh_inverted"]


@pytest.mark.parametrize("shift", [(9, 0, 0), (-9, 0, 0), (0, 9, 0), (0, -9, 0), (0, 0, 9)])
def test_a_box_of_mixed_winding_is_not_inside_out_at_any_place(
    shift: tuple[float, ...],
) -> None:
    """Its signed volume is negative at some of these places and positive at the others."""
    box = trimesh.creation.box((1, 1, 1))
    faces = np.concatenate([box.faces[:4, ::-1], box.faces[4:]])
    mixed = trimesh.Trimesh(box.vertices + np.array(shift), faces, process=False)
    assert "mesh_inverted" not in codes(mixed)


def test_a_box_with_faces_of_both_windings_is_doubled_but_not_inside_out() -> None:
    box = trimesh.creation.box((1, 1, 1))
    for faces in (box.faces, box.faces[:, ::-1]):
        both = trimesh.Trimesh(box.vertices, np.concatenate([faces, faces[:, ::-1]]), process=False)
        assert codes(both) == ["mesh_doubled"]


def test_one_finding_names_the_worst_links() -> None:
    meshes = {name: damaged([], drop=number) for number, name in enumerate("abcdef")}
    joints = [make.joint(f"j{n}", "fixed", "a", n) for n in "bcdef"]
    (finding,) = checks.check_open(make.evidence(meshes, *joints))
    shares = {n: float((e.edges.uses == 1).mean()) for n, e in
              make.evidence(meshes, *joints).shapes.items()}  # fmt: skip
    worst = sorted(shares, key=lambda name: -shares[name])[:3]
    assert finding.detail.startswith(f"links {', '.join(worst)} and 2 more: up to ")
    assert f"{100 * shares[worst[0]]:.3g} %" in finding.detail


def test_coordinates_that_are_not_numbers_are_found_and_stop_no_other_check() -> None:
    broken = trimesh.creation.box((1, 1, 1))
    broken.vertices[0, 0] = np.nan
    hinge = make.joint("j", "revolute", "a", "b")
    evidence: Evidence = make.evidence({"a": make.box((1, 1, 1)), "b": broken}, hinge)
    found = {str(f.code): f for f in all_findings(evidence)}
    assert "link b" in found["mesh_not_finite"].detail
    assert str(found["mesh_not_finite"].severity) == "error"
    assert "movable_none" in found


def test_a_part_without_any_area_passes_every_check() -> None:
    flat = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]], process=False)
    hinge = make.joint("j", "revolute", "a", "b")
    evidence = make.evidence({"a": make.box((1, 1, 1)), "b": flat}, hinge)
    assert "mesh_degenerate" in [str(f.code) for f in all_findings(evidence)]
