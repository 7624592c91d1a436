# SPDX-License-Identifier: Apache-2.0
"""The table of the baselines: how it is written, what it says, and that the README has it."""

from __future__ import annotations

import json
import math
import re

import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.score.baselines.table import (
    HEAD,
    BaselineRow,
    Number,
    choices,
    markdown,
    row_line,
    rows_of_all,
    title_of,
)
from aa_dataset.score.result.record import read_result
from benchmarks.baselines import BEGIN, between, replaced
from benchmarks.cheating import write_frozen_library
from pipeline.stages.split.frozen import frozen_versions, read_frozen
from tests.kit.places import REPOSITORY

README = (REPOSITORY / "README.md").read_text()
CELL = r"(?:0|\d+(?:\.\d+)?(?:e-\d+)?)(?: \[[\d.e-]+, [\d.e-]+\])?"
FROM_TRAIN = ("nearest", "mean-joint")


@pytest.fixture(scope="module")
def rows(tmp_path_factory, pristine_library):
    """The table of a library of three objects."""
    dataset = load_dataset(pristine_library, split="eval200", verbose=False)
    folder = tmp_path_factory.mktemp("table") / "all"
    return folder, {row.name: row for row in rows_of_all(dataset, folder)}


def made(**trees: float) -> list[BaselineRow]:
    """Return rows of which only the tree scores matter."""
    plain = {"null": 4.0, "mean-joint": 3.0, "nearest": 1.0, "noise 0.05": 0.25, "noise 0.1": 0.5,
             "noise 0.2": 1.5, "noise 0.4": 2.0, "rewritten": 0.0}  # fmt: skip
    return [
        BaselineRow(name, name, (*(Number(50.0, 40.0, 60.0),) * 4, Number(tree, tree, tree)))
        for name, tree in (plain | trees).items()
    ]


def words_of(text: str) -> str:
    """Return the text below the table in one line."""
    return " ".join(text.partition("\n\n")[2].split())


# --- how it is written ----------------------------------------------------------------------------


@pytest.mark.parametrize("number, text", [
    (Number(1.23456, 1.0, 1.5), "1.23 [1.0, 1.5]"), (Number(0.0, 0.0, 0.0), "0"),
    (Number(2e-17, 1e-17, 3e-17), "0"), (Number(100.0, 100.0, 100.0), "100"),
    (Number(81.5, 76.0, 87.0), "81.5 [76, 87]"), (Number(0.012345, 0.01, 0.02),
    "0.0123 [0.010, 0.020]"), (Number(math.nan, math.nan, math.nan), "undefined"),
])  # fmt: skip
def test_numbers_have_three_digits_and_their_interval_two(number, text):
    assert str(number) == text


def test_a_row_marks_what_uses_the_truth():
    row = BaselineRow("noise 0.1", "noise 0.1 †", (Number(1.0, 1.0, 1.0),))
    assert row_line(row) == "| `noise 0.1` † | 1.00 |"


@pytest.mark.parametrize("nearest, place", [
    (1.0, "between `noise 0.1` and `noise 0.2`"), (0.1, "less than `noise 0.05`"),
    (2.5, "more than `noise 0.4`"), (0.25, "between `noise 0.05` and `noise 0.1`"),
])  # fmt: skip
def test_the_sentence_places_the_nearest_object_among_the_noises(nearest, place):
    text = words_of(markdown(made(nearest=nearest), "`eval200`"))
    assert place in text
    assert "costs 4.00, one joint" in text and "still 3.00, and" in text
    assert "but 50.0 % of its joints succeed" in text


# --- what it says ---------------------------------------------------------------------------------


def test_the_truth_scores_nothing_and_a_welded_object_is_no_output(rows):
    _, table = rows
    for name in ("ground-truth", "rewritten"):
        gen, success, *errors = table[name].numbers
        # Of eight joints three are slides, whose origins the rewritten truth puts anywhere.
        assert (gen.mean, success.mean) == (100.0, 100.0 if name == "ground-truth" else 62.5)
        assert all(number.mean <= 1e-9 for number in errors)
    gen, success, *errors = table["null"].numbers
    assert gen.mean == success.mean == 0.0 and all(number.mean > 0 for number in errors)


def test_more_noise_costs_more(rows):
    _, table = rows
    for column in (2, 3, 4):
        means = [table[f"noise {sigma:g}"].numbers[column].mean for sigma in (0.05, 0.1, 0.2, 0.4)]
        assert means == sorted(means) and means[0] < means[-1]


def test_marks_follow_the_use_of_the_truth(rows):
    _, table = rows
    unmarked = {row.name for row in table.values() if row.marked_name == row.name}
    assert unmarked == {"null", "mean-joint", "nearest"}


def test_the_folder_holds_predictions_and_results_of_every_row(rows):
    folder, table = rows
    places = {name.replace(" ", "-") for name in table}
    for kind in ("predictions", "results"):
        assert {path.name for path in (folder / kind).iterdir()} == places
    result = read_result(folder / "results" / "noise-0.1")
    assert result.method.name == "noise 0.1" and result.method.dagger
    found = result.summary.find("e_alpha_phi_tree", "mean_of_objects")
    assert table["noise 0.1"].numbers[-1].mean == found.estimate


def test_the_command_prints_the_table(rows, capsys, pristine_library, tmp_path):
    _, table = rows
    words = ["baseline", "table", "--library", str(pristine_library), "--out", str(tmp_path / "t")]
    assert main(words) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[2 : 2 + len(table)] == [row_line(row) for row in table.values()]
    assert "noise 0.05" in said.err
    assert main(words) == 2
    assert "is not empty" in capsys.readouterr().err


# --- the README -----------------------------------------------------------------------------------


def readme_rows() -> dict[str, str]:
    """Return the lines of the README's table by the name of the baseline."""
    lines = between(README).splitlines()
    found = [line for line in lines if line.startswith("| `")]
    return {line.split("`")[1]: line for line in found}


def test_the_readme_has_every_baseline_once_in_order():
    lines = between(README).splitlines()
    assert lines[0] == f"| {' | '.join(HEAD)} |"
    names = list(readme_rows())
    assert len(names) == len(choices(0)) == len(set(names))
    assert [name.split()[0] for name in names] == [name for name, _ in choices(0)]
    for line in readme_rows().values():
        assert re.fullmatch(rf"\| `[\w .-]+`(?: †)?(?: \| {CELL}){{5}} \|", line), line


def test_the_readme_is_about_the_objects_of_the_benchmark():
    count = len(read_frozen(frozen_versions()[-1]).truths)
    assert f"All on `eval200`, {count} objects;" in words_of(between(README))


def test_the_sentence_of_the_readme_has_the_numbers_of_its_table():
    trees = {name: line.split("|")[-2].split()[0] for name, line in readme_rows().items()}
    sentence = words_of(between(README))
    for name in ("null", "mean-joint", "nearest"):
        assert re.search(rf"\b{re.escape(trees[name])}\b", sentence), name
    low, high = re.search(r"between `(noise [\d.]+)` and `(noise [\d.]+)`", sentence).groups()
    assert float(trees[low]) <= float(trees["nearest"]) < float(trees[high])


def test_the_truth_of_the_readme_scores_nothing():
    for name in ("ground-truth", "rewritten"):
        gen, success, *errors = (cell.split()[0] for cell in readme_rows()[name].split("|")[2:-1])
        assert (gen, errors) == ("100", ["0", "0", "0"])
        assert (success == "100") is (name == "ground-truth")
        assert success == "100" or f"but {success} % of its joints succeed" in words_of(
            between(README)
        )


def test_a_new_table_replaces_the_old_one_only():
    text = f"before\n\n{BEGIN}\n\nold\n\n<!-- baselines: end -->\n\nafter\n"
    assert replaced(text, "new\n") == text.replace("old", "new")


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_the_readme_has_the_numbers_of_the_frozen_truth(tmp_path):
    """All rows but those of `train`, which the frozen list does not have."""
    write_frozen_library(tmp_path / "library", read_frozen(frozen_versions()[-1]), 200)
    dataset = load_dataset(tmp_path / "library", split="eval200", verbose=False)
    names = {name for name, _ in choices(0)} - set(FROM_TRAIN)
    found = rows_of_all(dataset, tmp_path / "all", only=names)
    assert {row.name: row_line(row) for row in found} == {
        name: line for name, line in readme_rows().items() if name not in FROM_TRAIN
    }


def test_the_title_names_the_split(pristine_library):
    dataset = load_dataset(pristine_library, split="eval200", verbose=False)
    assert title_of(dataset) == "`eval200_1a2b3c4d`, 3 objects"


# --- presets of a run -----------------------------------------------------------------------------


def test_a_run_prints_presets_and_puts_them_into_json(pristine_library, tmp_path, capsys):
    library = ["--library", str(pristine_library)]
    assert main(["baseline", "noise", *library, "--out", str(tmp_path / "noise")]) == 0
    capsys.readouterr()
    words = ["score", str(tmp_path / "noise"), "--split", "eval200", *library]
    assert main([*words, "--preset", "ditto", "--preset", "s2o", "--preset", "ditto"]) == 0
    said = capsys.readouterr().out
    assert re.findall(r"^preset (\S+),", said, re.M) == ["ditto", "s2o"]
    assert main([*words, "--preset", "spark", "--json"]) == 0
    (preset,) = json.loads(capsys.readouterr().out)["presets"]
    values = {value["value"]: value["count"] for value in preset["values"]}
    assert values == {"AxisErr": 8, "PivotErr": 5, "TypeErr": 8}
    assert main([*words, "--json"]) == 0
    assert "presets" not in json.loads(capsys.readouterr().out)
