# SPDX-License-Identifier: Apache-2.0
"""Pairs of links without contacts in every simulator: cubes in one place do not push each other."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yourdfpy

from aa_dataset.adapters import SimulatorError, load, open_object
from aa_dataset.errors import ArenaError
from aa_dataset.judge.known import lacks
from aa_dataset.kinematics.srdf import SrdfError, format_srdf
from tests.aa_dataset.adapters.conftest import joint, link, write

PAIR = ("pinion", "wheel")


@pytest.fixture
def excluded(cubes: Path) -> Path:
    """Return two cubes in one place that ignore each other."""
    (cubes / "object.srdf").write_bytes(format_srdf("thing", [PAIR]))
    return cubes


def test_pairs_are_read_beside_the_urdf(excluded: Path) -> None:
    assert open_object(excluded).excluded == (PAIR,)
    (excluded / "object.srdf").unlink()
    assert open_object(excluded).excluded == ()


def test_a_pair_with_an_unknown_link_is_a_sentence(excluded: Path) -> None:
    (excluded / "object.srdf").write_bytes(format_srdf("thing", [("pinion", "nobody")]))
    with pytest.raises(SrdfError, match="'nobody', which the URDF does not have"):
        _ = open_object(excluded).excluded


def test_a_broken_file_is_a_sentence(excluded: Path) -> None:
    (excluded / "object.srdf").write_bytes(b"<robot")
    with pytest.raises(ArenaError, match="not well-formed"):
        _ = open_object(excluded).excluded


@pytest.mark.parametrize("apart", [0.0, 0.05])
def test_an_excluded_pair_does_not_touch(excluded: Path, simulator: str, apart: float) -> None:
    if lacks(simulator, "contacts"):
        pytest.skip(f"{simulator} has no contacts")
    loaded = load(simulator, excluded, self_contacts=True)
    loaded.set_coordinates({"slide": apart})
    assert loaded.contacts() == []


def test_an_excluded_pair_does_not_push_and_another_pair_does(cubes: Path, simulator: str) -> None:
    """Gravity is across the slide; only a contact can move the wheel."""
    if lacks(simulator, "contacts"):
        pytest.skip(f"{simulator} has no contacts")
    moved = {}
    for name, pairs in {"excluded": [PAIR], "other": [("base", "wheel")]}.items():
        folder = shutil.copytree(cubes, cubes.parent / name)
        (folder / "object.srdf").write_bytes(format_srdf("thing", pairs))
        loaded = load(simulator, folder, self_contacts=True)
        loaded.set_coordinates({"slide": 0.09})
        loaded.step(0.3)
        moved[name] = loaded.coordinates()["slide"] - 0.09
    assert moved["excluded"] == pytest.approx(0.0, abs=1e-5)
    assert moved["other"] > 0.001


def test_mujoco_has_the_pair_and_its_bodies_only(excluded: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    model = load("mujoco", excluded, self_contacts=True).model
    signature, bodies = int(model.exclude_signature[0]), (model.body(n).id for n in PAIR)
    first, second = sorted(bodies)
    assert model.nexclude == 1
    assert signature == (first << 16) + second  # as mjmodel.h defines it
    assert mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, second) in PAIR


def test_yourdfpy_loads_the_folder_as_before(excluded: Path) -> None:
    robot = yourdfpy.URDF.load(str(excluded / "object.urdf"), load_meshes=True)
    assert set(robot.link_map) == {"base", "wheel", "pinion"}


@pytest.mark.judges
def test_sapien_says_how_many_pairs_it_supports(tmp_path: Path) -> None:
    """Nine arms on a base have 36 pairs that no joint connects."""
    pytest.importorskip("sapien")
    arms = [f"arm_{n}" for n in range(9)]
    links = [link("base", 1.0), *(link(arm, 1.0, shape=False) for arm in arms)]
    joints = [joint(f"{arm}_joint", "revolute", ("base", arm), axis="0 0 1",
                    limits='lower="0" upper="1"') for arm in arms]  # fmt: skip
    folder = write(tmp_path / "arms", "".join([*links, *joints]))
    pairs = [(a, b) for a in arms for b in arms if a < b]
    (folder / "object.srdf").write_bytes(format_srdf("thing", pairs))
    with pytest.raises(SimulatorError, match=r"36 pairs of links .* but SAPIEN supports 31"):
        load("sapien", folder)
    adjacent = [("arm_0", "base"), *pairs[:31]]
    (folder / "object.srdf").write_bytes(format_srdf("thing", adjacent))
    assert load("sapien", folder).coordinates().keys() == {f"{arm}_joint" for arm in arms}
