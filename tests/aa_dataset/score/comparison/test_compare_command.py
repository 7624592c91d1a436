# SPDX-License-Identifier: Apache-2.0
"""The command ``aa compare``, on folders that `write_result` wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aa_dataset.cli import main
from aa_dataset.score.result.record import write_result
from tests.kit.made_results import made_result, simple_rows

FIRST = {"x": 0.2, "y": 0.4, "z": None}
SECOND = {"x": 0.3, "y": 0.3, "z": 0.9}


def written(folder: Path, values=FIRST, **more) -> str:
    write_result(made_result(*simple_rows(values), **{"name": folder.name, **more}), folder)
    return str(folder)


def fails(capsys, *words: str) -> str:
    """Run a comparison that must fail before it prints a number; return its sentence."""
    assert main(["compare", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_folders_are_compared_and_written(tmp_path, capsys):
    folders = [written(tmp_path / "a"), written(tmp_path / "b", SECOND)]
    options = ["--resamples", "100", "--with-published", "--out", str(tmp_path / "out")]
    assert main(["compare", *folders, *options]) == 0
    captured = capsys.readouterr()
    assert "Main table" in captured.out
    assert "Particulate‡" in captured.out
    assert "100 resamples" in captured.out
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == sorted(f"compare.{end}" for end in ("md", "tex", "csv", "json", "html"))
    assert "wrote" in captured.err


@pytest.mark.parametrize("kind", ["markdown", "latex", "csv", "json", "html"])
def test_a_printed_format_is_the_written_file(tmp_path, capsys, kind):
    folder = written(tmp_path / "a")
    options = ["--resamples", "50", "--format", kind, "--out", str(tmp_path / "out")]
    assert main(["compare", folder, *options]) == 0
    (path,) = (
        p for p in (tmp_path / "out").iterdir()
        if p.suffix == {"markdown": ".md", "latex": ".tex"}.get(kind, f".{kind}")
    )  # fmt: skip
    assert capsys.readouterr().out == path.read_text()


def test_json_is_short_for_its_format_and_resamples_come_from_the_results(tmp_path, capsys):
    folder = written(tmp_path / "a", resamples=70)
    assert main(["compare", folder, "--json", "--protocol", "all-joints"]) == 0
    facts = json.loads(capsys.readouterr().out)["facts"]
    assert "70 resamples" in facts["intervals"]
    assert facts["protocol"] == "all-joints"


def test_other_members_are_refused(tmp_path, capsys):
    folders = [written(tmp_path / "a"), written(tmp_path / "b", members="f" * 16)]
    assert "different objects" in fails(capsys, *folders)


def test_other_parameters_are_refused(tmp_path, capsys):
    folders = [written(tmp_path / "a"), written(tmp_path / "b", kappa=2.0)]
    assert "kappa is 3.14" in fails(capsys, *folders)


def test_another_metric_version_is_refused(tmp_path, capsys):
    folder = written(tmp_path / "a")
    path = Path(folder) / "summary.json"
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"metric_version": "0"}))
    assert "metric_version 0" in fails(capsys, folder)


def test_what_is_no_result_is_refused(tmp_path, capsys):
    assert "is not a result" in fails(capsys, str(tmp_path / "absent"))
    (tmp_path / "file").write_text("{}")
    assert "a result is a folder" in fails(capsys, str(tmp_path / "file"))


def test_one_folder_twice_is_refused(tmp_path, capsys):
    folder = written(tmp_path / "a")
    assert "given twice" in fails(capsys, folder, f"{folder}/../a")


def test_two_results_of_one_name_are_told_apart_by_their_folders(tmp_path, capsys):
    folders = [written(tmp_path / n, name="same") for n in ("one", "two")]
    assert main(["compare", *folders, "--resamples", "50"]) == 0
    out = capsys.readouterr().out
    assert "same [one]" in out
    assert "same [two]" in out


def test_two_results_of_one_name_and_folder_are_refused(tmp_path, capsys):
    (tmp_path / "p").mkdir()
    (tmp_path / "q").mkdir()
    folders = [written(tmp_path / n / "run", name="same") for n in ("p", "q")]
    assert "Rename one of their folders" in fails(capsys, *folders)


def test_imputed_limits_are_a_dagger_and_no_reason_to_refuse(tmp_path, capsys):
    folders = [
        written(tmp_path / "a", SECOND),
        written(tmp_path / "b", impute_limits="truth", method={"imputed": "limits"}),
    ]
    assert main(["compare", *folders, "--resamples", "50", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    main_table = data["sections"][0]["tables"][0]
    kinds = {row["names"][0]: row["kind"] for row in main_table["rows"]}
    assert kinds == {"a": "own", "b": "dagger"}


def test_an_output_folder_needs_a_parent(tmp_path, capsys):
    folder = written(tmp_path / "a")
    message = fails(capsys, folder, "--out", str(tmp_path / "no" / "out"))
    assert "Create it or choose another" in message


def test_a_name_that_no_file_can_have_is_a_sentence(capsys):
    assert main(["compare", "x" * 300]) == 2
    assert capsys.readouterr().err.startswith("aa: a name in a path is too long.")
