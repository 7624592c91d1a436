# SPDX-License-Identifier: Apache-2.0
"""Mistakes whose meaning is certain are mended and said; others are refused with their line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from pipeline.base.errors import Rejection
from pipeline.engine.runner import Outcome
from pipeline.raw.curation.repairs import parse_repair
from tests.kit import bench

Make = Callable[[str], Outcome]
PARTS = [bench.box_link("a"), bench.box_link("b")]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Normalize a URDF."""
    return lambda text: bench.normal(bench.write_object(tmp_path / "raw", text))


def mended(outcome: Outcome) -> list[str]:
    return [one.detail for one in outcome.findings if one.code == "document_mended"]


def test_an_undeclared_world_is_an_empty_link(make: Make) -> None:
    weld = bench.joint_text("w", "fixed", "world", "a", xyz="0 0 5", axis=None, limit=None)
    outcome = make(bench.robot(*PARTS, weld, bench.joint_text("j", "revolute", "a", "b")))
    assert mended(outcome) == ["the link 'world' is not declared; an empty one was added."]
    assert set(outcome.record.link_names.values()) == {"a", "b"}


def test_another_undeclared_parent_is_refused(make: Make) -> None:
    weld = bench.joint_text("w", "fixed", "nowhere", "a", axis=None, limit=None)
    with pytest.raises(Rejection, match="link_unknown"):
        make(bench.robot(*PARTS, weld, bench.joint_text("j", "revolute", "a", "b")))


def test_commas_after_numbers_are_dropped(make: Make) -> None:
    limit = 'lower="-1," upper="0.5," effort="1" velocity="2"'
    joint = bench.joint_text("j", "revolute", "a", "b", xyz="1, 2.,  3,", axis="0, 0, 1,",
                             limit=limit)  # fmt: skip
    outcome = make(bench.robot(*PARTS, "\n\n", joint))
    assert mended(outcome) == ["line 3: commas after numbers were dropped."]
    (found,) = urdf_tree(parse_urdf((outcome.files or {})["object.urdf"])).joints
    assert found.limits == (-1.0, 0.5)
    # The box around both cubes is centered between them.
    assert found.origin == pytest.approx(np.array([1, 2, 3]) / 2)


@pytest.mark.parametrize("xyz", ["1,0 0 0", "0,5 0 0", "1,, 0 0", ", 0 0 0", "x, 0 0"])
def test_a_comma_that_may_mean_something_else_is_refused(make: Make, xyz: str) -> None:
    with pytest.raises(Rejection, match="number_invalid"):
        make(bench.robot(*PARTS, bench.joint_text("j", "revolute", "a", "b", xyz=xyz)))


def test_a_comma_in_a_name_stays(make: Make) -> None:
    joint = bench.joint_text("j 1,", "revolute", "a", "b", xyz="1, 0 0")
    assert list(make(bench.robot(*PARTS, joint)).record.joint_names.values()) == ["j 1,"]


def test_a_late_declaration_is_refused_with_its_line(make: Make) -> None:
    text = f'<!-- mine -->\n<?xml version="1.0"?>{bench.robot(*PARTS)}'
    with pytest.raises(Rejection, match=r"xml_invalid.*line 2.*Remove what stands before `<\?xml`"):
        make(text)


def test_reversed_limits_are_refused_with_line_and_rows_that_correct_them(
    make: Make, tmp_path: Path
) -> None:
    limit = 'lower="1" upper="-0.25" effort="1" velocity="2"'
    joint = bench.joint_text("j", "revolute", "a", "b", limit=limit)
    text = bench.robot(*PARTS, "\n\n", joint)
    with pytest.raises(Rejection) as caught:
        make(text)
    detail = caught.value.detail
    assert detail.startswith("model.urdf, line 3: joint 'j': lower 1 is greater than upper -0.25.")
    rows = detail.partition("repairs.tsv: ")[2].removesuffix(".").split(" | ")
    repairs = [parse_repair(row) for row in rows]
    assert {one.object_id for one in repairs} == {"test-object"}
    outcome = bench.normal(bench.write_object(tmp_path / "raw", text), repairs=repairs)
    (found,) = urdf_tree(parse_urdf((outcome.files or {})["object.urdf"])).joints
    assert found.limits == (-0.25, 1.0)
