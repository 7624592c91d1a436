# SPDX-License-Identifier: Apache-2.0
"""Real raw objects: normalizing changes no motion, a second pass no byte, and the check agrees."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aa_dataset.convention.document import check_convention, check_geometry
from pipeline.base.errors import Rejection
from pipeline.engine.runner import Outcome
from pipeline.raw.records import Screw
from tests.kit import bench
from tests.kit.places import SAMPLES, needs_samples

UPRIGHT = {"up": "z", "front": "x"}
SOURCES: dict[str, tuple[str, dict[str, Any]]] = {
    "partnet_mobility": ("mobility.urdf", {"frame": UPRIGHT, "scale": "unit_sphere"}),
    "partnet_mobility_edited": ("mobility.urdf", {"frame": UPRIGHT, "scale": "unit_sphere"}),
    "gapartnet": ("mobility.urdf", {"frame": UPRIGHT, "scale": "unit_sphere"}),
    "articraft": ("model.urdf", {"frame": UPRIGHT, "scale": "metric"}),
    "articulated_object_code": (
        "generated.urdf",
        {"frame": {"up": "y", "front": "z"}, "scale": "arbitrary"},
    ),
}
BUDGETS = {"raw_bytes": 10**9, "urdf_bytes": 32_000_000, "faces": 5_000_000}
# What the files of these objects say, read by hand: slide, turn, advance per radian of the turn.
SCREWS = {
    "3763": ("joint_2", "joint_0", 0.1 / math.pi),
    "rec_screwcap_bottle_51b7a62ea8c746919e15fbd79c973e00": (
        "cap_lift",
        "cap_screw",
        0.0248 / 9.73894,
    ),
}
PARTNET_SCREW = Screw("joint_0", "joint_2", turn=(0.0, math.pi), evidence="x")


# Samples of many seconds, and of the many Articraft records all but every twelfth, are slow tests.
HEAVY = (
    "100809",
    "102442",
    "globe",
    "rec_gear_assemblies_bde87ad659784ac8929fea99c8a6751e",
    "rec_office_chair_fbdce7bae0b34ee0a70105dfbaca3d70",
    "rec_overear_headphones_with_folding_earcups_34fac7d4fdb7486e8d4f09b0d88b1231",
    "rec_screwcap_bottle_51b7a62ea8c746919e15fbd79c973e00",
)


def sample_names() -> list[Any]:
    """Return `<source>/<object>` of every sample that is a folder with a URDF."""
    names = [
        f"{source}/{folder.name}"
        for source, (urdf, _) in SOURCES.items()
        for folder in (sorted((SAMPLES / source).iterdir()) if SAMPLES.is_dir() else ())
        if (folder / urdf).is_file()
    ]
    return [
        pytest.param(name, marks=pytest.mark.slow) if is_slow(number, name) else name
        for number, name in enumerate(names)
    ]


def is_slow(number: int, name: str) -> bool:
    """Tell whether a sample belongs to the slow tests."""
    identifier = name.split("/")[1]
    return identifier in HEAVY or (name.startswith("articraft/") and number % 12 > 0)


def described(name: str) -> tuple[Path, str, dict[str, Any]]:
    """Return folder, URDF and record fields of a sample, as its adapter states them."""
    source, identifier = name.split("/")
    urdf, facts = SOURCES[source]
    facts = facts | {"label": identifier}
    if identifier == "3763":
        facts["screws"] = (PARTNET_SCREW,)
    return SAMPLES / source / identifier, urdf, facts


@needs_samples
@pytest.mark.parametrize("name", sample_names())
def test_a_sample_moves_as_before_and_is_a_fixed_point(
    tmp_path: Path, law_of_motion: Callable[..., None], name: str
) -> None:
    folder, urdf, facts = described(name)
    outcome = bench.normal(folder, facts, urdf=urdf, budgets=BUDGETS)
    out = bench.unpacked(outcome, tmp_path / "out")
    slide, turn, pitch = SCREWS.get(folder.name, ("", "", 0.0))
    coupled = {slide: (turn, pitch)} if slide else {}
    law_of_motion(folder / urdf, outcome, out, coupled=coupled)
    assert changed_files(outcome, out, facts) == set()
    final = bench.annotated(tmp_path / "object.tar", outcome)
    assert check_convention(final.files["object.urdf"], final.files) == []
    assert check_geometry(final.files["object.urdf"], final.files) == []
    # Convex parts stay as they are; inertials and excluded contacts are made anew.
    out = bench.unpacked(final, tmp_path / "final")
    anew = {"object.urdf", "object.srdf"} & {*final.files}
    assert changed_files(final, out, facts) == anew


def changed_files(outcome: Outcome, folder: Path, facts: dict[str, Any]) -> set[str]:
    """Normalize an unpacked object once more and return the names of files that differ."""
    plain = {"frame": UPRIGHT, "scale": facts["scale"]}
    files = bench.library_files(outcome)
    again = bench.library_files(bench.normal(folder, plain, urdf="object.urdf", budgets=BUDGETS))
    return {name for name in {*files, *again} if files.get(name) != again.get(name)}


@needs_samples
def test_a_ball_with_a_cone_is_left_out() -> None:
    folder = SAMPLES / "tail/pybullet_data"
    with pytest.raises(Rejection) as caught:
        bench.normal(folder, bench.METRIC, urdf="spherical_joint_limit.urdf")
    assert caught.value.reason == "joint_compound"
