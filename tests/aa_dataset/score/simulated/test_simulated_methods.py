# SPDX-License-Identifier: Apache-2.0
"""The truth in every format of a method scores exactly the loss that the format forces."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.cli.simulate import NAMES
from aa_dataset.dataset import Dataset
from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.metric import contract
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.readers.registry import NAMES as READERS
from aa_dataset.score.registration.inputs import Inputs
from aa_dataset.score.registration.stated import Stated
from aa_dataset.score.result.record import Result
from aa_dataset.score.simulated import registry
from aa_dataset.score.simulated.folder import expressible_tree, inputs_beside, write_simulated
from aa_dataset.score.simulated.kept import KeptPredictions
from benchmarks.formats import PAGE, between, cells_of
from tests.kit.places import REPOSITORY

# Formats with numbers of single precision, whose relative error is 6e-8.
SINGLE = ("paris", "ditto", "particulate", "urdf_anything_plus")
SCORES = ("e_alpha_cost", "e_alpha_phi_cost", "e_b_cost", "e_b_phi_cost", "d_path_cost")
TREES = ("e_alpha_phi_tree_cost", "e_b_phi_tree_cost")
SMALL = Parameters(budget=10_000_000)  # both sides search alike, so bounds are the same
# The library that `make library` builds, whose split is the frozen benchmark.
BUILT = Path(os.environ.get("AA_LIBRARY") or REPOSITORY / "library")


@pytest.fixture
def dataset(pristine_library) -> Dataset:
    return load_dataset(pristine_library, verbose=False)


def simulated(name: str, dataset: Dataset, folder: Path, parameters: Parameters = SMALL) -> Result:
    """Write the truth in a format, read it back as anybody would, and score it."""
    write_simulated(name, dataset, folder)
    inputs = Inputs(inputs_beside(folder))
    predictions = open_predictions(folder, registrar=Stated(inputs), inputs=inputs)
    return evaluate(dataset, predictions, parameters=parameters)


def kept(name: str, dataset: Dataset, parameters: Parameters = SMALL) -> Result:
    """Score what the format can express, without any file."""
    return evaluate(dataset, KeptPredictions(name, dataset), parameters=parameters)


def sums(result: Result, column: str) -> dict[str, float]:
    """Return the sum of a column over the joints of each object; what is undefined counts as 0."""
    found: dict[str, list[float]] = {}
    for row in result.rows():
        found.setdefault(row["object_id"], []).append(row[column] or 0.0)
    return {name: math.fsum(values) for name, values in found.items()}


def require_equal(ours: Result, theirs: Result, tolerance: float) -> None:
    """Compare two results object by object, relative to the larger number and per joint."""
    pairs = list(zip(ours.per_object.to_pylist(), theirs.per_object.to_pylist(), strict=True))
    for one, other in pairs:
        where = one["object_id"], one["detail"]
        assert [one[key] for key in ("status", "matched", "spurious")] == [
            other[key] for key in ("status", "matched", "spurious")
        ], where
        room = tolerance * max(1, one["joints"])  # a file rounds each of them
        for column in TREES:
            assert one[column] == pytest.approx(other[column], rel=tolerance, abs=room), where
    joints = {one["object_id"]: one["joints"] for one, _ in pairs}
    for column in SCORES:
        expected = sums(theirs, column)
        for name, found in sums(ours, column).items():
            room = tolerance * max(1, joints[name])
            assert found == pytest.approx(expected[name], rel=tolerance, abs=room), (name, column)


def tolerance_of(name: str) -> float:
    return 1e-5 if name in SINGLE else 1e-9


def test_the_command_knows_every_writer_and_each_has_a_reader():
    assert NAMES == registry.NAMES
    assert set(NAMES) == set(READERS) - {"joints"}  # which is in the object frame by definition


@pytest.mark.parametrize("name", NAMES)
def test_a_format_costs_exactly_what_it_forces(name, dataset, tmp_path):
    found = simulated(name, dataset, tmp_path / name)
    readers = {row["reader"] for row in found.per_object.to_pylist()}
    assert readers == {name}  # recognized, not named
    require_equal(found, kept(name, dataset), tolerance_of(name))


@pytest.fixture(scope="module")
def benchmark_objects() -> Dataset:
    """The 200 objects of the frozen benchmark."""
    if not (BUILT / "library.json").is_file():
        pytest.skip("no library: `make library` builds one, or AA_LIBRARY names it")
    found = load_dataset(BUILT, split="eval200", verbose=False)
    if found.benchmark is None:
        pytest.skip("the library has sampled its own split; `make library` builds the benchmark")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_object_of_the_benchmark_costs_what_its_format_forces(
    name, benchmark_objects, tmp_path
):
    """And the page on readers has what all of them cost together."""
    found = simulated(name, benchmark_objects, tmp_path / name, Parameters())
    assert len(found.per_object) == 200
    assert {row["reader"] for row in found.per_object.to_pylist()} == {name}
    require_equal(found, kept(name, benchmark_objects, Parameters()), tolerance_of(name))
    assert f"| `{name}` | {' | '.join(cells_of(found))} |" in between(PAGE.read_text()).splitlines()


@pytest.mark.parametrize("name", NAMES)
def test_a_format_costs_nothing_where_nothing_is_lost(name, dataset):
    result, lossless = kept(name, dataset), 0
    for item, row in zip(dataset, result.per_object.to_pylist(), strict=True):
        if unchanged(name, item):
            lossless += 1
            assert row["e_alpha_phi_tree_cost"] < 1e-9, item.object_id
    assert lossless == len(dataset) or name != "urdf"


def unchanged(name, item) -> bool:
    """Whether a format keeps type, axis, place and range of every joint that moves."""
    try:
        guess = contract(expressible_tree(name, item)).joints
    except ArenaError:
        return False
    truth = contract(item.tree).joints
    return len(guess) == len(truth) and all(map(_same, guess, truth))


def _same(one: Joint, other: Joint) -> bool:
    numbers = one.type is other.type and one.limits == other.limits and one.pitch == other.pitch
    placed = one.type is JointType.PRISMATIC or (one.origin == other.origin).all()
    return bool(numbers and placed and (one.axis == other.axis).all())


def test_a_one_joint_method_pays_the_other_joints(dataset, tmp_path):
    """Ditto keeps the main joint, so the others cost what welding them costs."""
    result = kept("ditto", dataset)
    for row in result.per_object.to_pylist():
        truth = [one for one in result.rows() if one["object_id"] == row["object_id"]]
        lost = [one for one in truth if one["predicted"] is None]
        assert len(lost) == row["joints"] - 1
        assert all(one["e_alpha_phi_cost"] == one["e_alpha_phi_weld"] for one in lost)


def contents(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def here(library, monkeypatch):
    """Work in a folder that holds ./library."""
    monkeypatch.chdir(library.parent)
    return library.parent


def test_the_command_writes_the_same_bytes_twice_and_says_how_to_score(here, capsys):
    words = ["simulate-method", "anymesh", "--seed", "3", "--out"]
    assert main([*words, "first"]) == 0
    said = capsys.readouterr().out
    assert "as anymesh writes it, for 3 objects of split eval200_1a2b3c4d" in said
    assert main([*words, "second"]) == 0
    for end in ("", ".inputs"):
        assert contents(here / f"first{end}") == contents(here / f"second{end}") != {}
    command = said.partition("`aa ")[2].partition("`")[0].split()
    capsys.readouterr()
    assert main(command) == 0
    assert "registration stated: 3 by inputs.json" in " ".join(capsys.readouterr().out.split())


def test_a_folder_that_is_in_use_is_left_alone(here, capsys):
    (here / "out.inputs").mkdir()
    (here / "out.inputs/mine").touch()
    assert main(["simulate-method", "urdf", "--out", "out"]) == 2
    assert "out.inputs is not empty" in capsys.readouterr().err
    assert not (here / "out").exists()
    with pytest.raises(SystemExit):
        main(["simulate-method", "joints", "--out", "other"])
