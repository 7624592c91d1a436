# SPDX-License-Identifier: Apache-2.0
"""A result reads back as it was written, and a folder that lies is refused with a sentence."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import fields, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.errors import ArenaError
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.method import Method
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.result.record import Parameters, read_result, write_result
from aa_dataset.score.result.scores import SCORES
from aa_dataset.score.result.tables import TABLES


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    from tests.kit.library_folder import build_library

    return build_library(tmp_path_factory.mktemp("results") / "library")


@pytest.fixture(scope="module")
def result(library):
    dataset = load_dataset(library, verbose=False)
    method = Method("mine", "https://example.org", "one picture", uses_truth=True)
    parameters = Parameters(pairing="assignment", kappa=2.0, resamples=50)
    return evaluate(
        dataset, open_predictions(library), parameters=parameters, method=method, by=["source"]
    )


@pytest.fixture(scope="module")
def written(result, tmp_path_factory):
    folder = tmp_path_factory.mktemp("written") / "result"
    write_result(result, folder)
    return folder


@pytest.fixture
def folder(written, tmp_path):
    shutil.copytree(written, tmp_path / "result")
    return tmp_path / "result"


def test_a_result_reads_back_as_it_was(result, folder):
    again = read_result(folder)
    assert again.as_dict() == result.as_dict()
    assert again.parameters == result.parameters and again.dataset == result.dataset
    assert again.method == result.method and again.method.dagger
    for name, schema in TABLES.items():
        table = getattr(again, name)
        assert table.equals(getattr(result, name)) and table.schema.equals(schema, True)


def test_equal_results_give_equal_bytes(result, folder, tmp_path):
    write_result(replace(read_result(folder), seconds=result.seconds), tmp_path / "again")
    for path in folder.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes(), path.name


def test_every_column_has_a_meaning_and_every_length_a_unit(folder):
    for name, schema in TABLES.items():
        written = pq.read_schema(folder / f"{name}.parquet")
        assert written.equals(schema, check_metadata=False)
        for field in written:
            assert field.metadata[b"meaning"], field.name
    units = {field.name: field.metadata.get(b"unit", b"") for field in TABLES["per_joint"]}
    assert units["e_b_cost"] == units["strict_origin_error"] == units["rest_offset"] == b"m"
    assert units["released_axis_error"] == b"rad" and units["e_alpha"] == b""


def test_a_missing_or_empty_folder_is_a_sentence(tmp_path):
    with pytest.raises(ArenaError, match="is not a result"):
        read_result(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ArenaError, match=r"summary\.json is not a result: the file is missing\. "):
        read_result(tmp_path / "empty")
    (tmp_path / "old.json").write_text("{}")
    with pytest.raises(ArenaError, match="a result is a folder since result version 4"):
        read_result(tmp_path / "old.json")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not a result"),
        ("[]", r"is not a result: summary.json is \[\], not an object"),
        ("{}", "is not a result: result_version is None, not a string"),
        ("3", "is not a result"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a": NaN}', "it has NaN, which is not JSON"),
        ('{"a": -Infinity}', "it has -Infinity, which is not JSON"),
        ('{"a": {"b": 1, "b": 2}}', "it has the name 'b' twice"),
        ("{" + f'"a": {"9" * 5000}' + "}", "an integer of more than 39 digits"),
        ('{"a": 1e400}', "it has '1e400', which is not a finite number"),
    ],
)
def test_a_summary_that_no_result_has_is_a_sentence(folder, text, words):
    (folder / "summary.json").write_text(text)
    with pytest.raises(ArenaError, match=words):
        read_result(folder)


def put(*keys, to):
    """Return a change of one value in a nested structure."""

    def change(data):
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = to

    return change


def lost(*keys):
    """Return a change that takes one field away."""

    def change(data):
        for key in keys[:-1]:
            data = data[key]
        del data[keys[-1]]

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("metric_version", to="0"), "metric_version 0, this package has"),
        (put("result_version", to="4"), "result_version 4, this package has 5; their numbers"),
        *((lost("parameters", f.name), f"parameters lacks {f.name}") for f in fields(Parameters)),
        (put("parameters", "beta", to=1), "parameters has an unknown field 'beta'"),
        (put("parameters", "alpha", to="1"), "parameters.alpha is '1', not a finite number"),
        (put("parameters", "alpha", to=True), "parameters.alpha is True, not a finite number"),
        (put("parameters", "alpha", to=None), "alpha"),
        (put("parameters", "budget", to=-1), "parameters.budget is -1, not a non-negative integer"),
        (put("parameters", "pairing", to="x"), "pairing 'x' is not one of tree, assignment"),
        (put("predictions", to=None), "predictions is None, not an object"),
        (put("dataset", to=[["benchmark", None]]), "dataset is .*, not an object"),
        (put("dataset", "members", to=None), "dataset.members is None, not a string"),
        (put("dataset", "list", to="x"), "one of dataset.benchmark and dataset.list is null"),
        (lost("dataset", "member_count"), "dataset lacks member_count"),
        (lost("dataset"), "dataset is missing"),
        (put("by", to="joints"), "by is 'joints', not a list"),
        (lost("key"), "key is None, not a string"),
    ],
)
def test_every_field_of_the_summary_is_there_with_its_type(folder, change, words):
    path = folder / "summary.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    with pytest.raises(ArenaError, match=words):
        read_result(folder)


def test_numbers_of_a_summary_are_computed_from_the_tables(result, folder):
    path = folder / "summary.json"
    data = json.loads(path.read_text())
    for row in data["aggregates"]:
        row["estimate"] = 0.0
    path.write_text(json.dumps(data | {"counts": {}}))
    assert read_result(folder).as_dict() == result.as_dict()


def first(**values):
    """Return a change of the first row."""
    return lambda rows: [rows[0] | values, *rows[1:]]


@pytest.mark.parametrize(
    ("table", "change", "words"),
    [
        ("per_joint", first(why="luck"), "column 'why' has an unknown value"),
        ("per_joint", first(protocol="x"), "column 'protocol' has an unknown value"),
        ("per_joint", first(type="wobbly"), "column 'type' has an unknown value"),
        ("per_joint", first(e_alpha_undefined="x"), "column 'e_alpha_undefined' has an unknown"),
        ("per_object", first(status="good"), "column 'status' has an unknown value"),
        ("per_joint", first(e_alpha=float("nan")), "column 'e_alpha' holds NaN or infinity"),
        ("per_joint", first(e_b_cost=float("inf")), "column 'e_b_cost' holds NaN or infinity"),
        ("per_joint", first(d_path=-5.0), "column 'd_path' is negative"),
        ("per_object", first(joints=-1), "column 'joints' is negative"),
        ("per_object", lambda rows: rows[::-1], "not sorted by object_id"),
        ("per_object", lambda rows: rows + rows[-1:], "or one occurs twice"),
        ("per_joint", lambda rows: rows[::-1], "not sorted by protocol, object_id, role"),
        ("per_joint", lambda rows: rows[1:], "are not the joints of per_object"),
        ("per_joint", lambda rows: rows[:-1], "does not have one row per moving object"),
        ("per_object", lambda rows: rows[1:], "an object that per_object lacks"),
        ("per_object", first(spurious=1), "are not the spurious of per_object"),
        ("per_object", first(registration="luck"), "column 'registration' has an unknown value"),
        ("per_object", first(reader=None), "status of an object and its reader contradict"),
        ("per_object", first(uses_truth=True), "uses_truth and the source of a registration"),
        ("per_object", first(registration="icp"), "uses_truth and the source of a registration"),
        ("per_object", first(registration_residual=0.1), "has a residual but is no estimate"),
        ("per_object", first(stated="file"), "stated and stated_e_alpha_phi contradict"),
        ("per_object", first(registration_scale=-1.0), "column 'registration_scale' is negative"),
        ("per_joint", first(predicted=None), "are not the matched of per_object"),
        ("per_joint", first(why="absent"), "`why` and the partner of a joint contradict"),
        ("per_joint", first(e_alpha_cost=1.0), "neither its distance nor its weld, in e_alpha"),
        ("per_joint", first(e_b_weld=None), "a distance without a partner or a weld, in e_b"),
        (
            "per_joint",
            first(e_b=None, e_b_weld=None, e_b_cost=None),
            "no reason for an undefined cost, in e_b",
        ),
        ("per_joint", first(e_alpha_extra=1.0), "a separate charge of a bounded joint, in e_alpha"),
    ],
)
def test_tables_that_contradict_themselves_are_refused(result, folder, table, change, words):
    rows = change(getattr(result, table).to_pylist())
    schema = TABLES[table]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), folder / f"{table}.parquet")
    with pytest.raises(ArenaError, match=rf"{words}.*\. Score the predictions again\."):
        read_result(folder)


def test_other_columns_types_and_nulls_are_refused(result, folder):
    table = result.per_object
    path = folder / "per_object.parquet"
    for wrong, words in (
        (table.drop_columns(["source"]), "its columns differ from the schema"),
        (table.append_column("more", [list(range(len(table)))]), "its columns differ"),
        (
            table.set_column(0, "object_id", [list(range(len(table)))]),
            "column 'object_id': found int64",
        ),
        (
            table.set_column(0, "object_id", [pa.nulls(len(table), pa.string())]),
            "column 'object_id': a row has no value",
        ),
    ):
        pq.write_table(wrong, path)
        with pytest.raises(ArenaError, match=words):
            read_result(folder)


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + bytes(1000) + b"PAR1"])
def test_what_is_no_parquet_is_refused(folder, data):
    (folder / "per_joint.parquet").write_bytes(data)
    with pytest.raises(ArenaError, match=r"per_joint\.parquet: "):
        read_result(folder)


def test_a_bomb_and_a_pipe_are_refused(folder):
    path = folder / "per_object.parquet"
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 3000), pa.array(["a" * 1_000_000]))
    table = pa.table({"x": texts})
    pq.write_table(table, path)
    with pytest.raises(ArenaError, match=r"per_object\.parquet"):
        read_result(folder)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ArenaError, match="the file is missing"):
        read_result(folder)


def test_the_folder_must_have_a_parent(result, tmp_path: Path):
    with pytest.raises(ArenaError, match="is not a folder"):
        write_result(result, tmp_path / "nowhere" / "result")


LIES = [
    ("per_object", "e_alpha_phi_tree_cost", 0.25, "a cost that is neither distance nor weld"),
    ("per_object", "e_b_phi_tree_cost", None, "a cost that is neither distance nor weld"),
    ("per_object", "e_alpha_phi_tree_lower", 9.0, "a distance outside of its bounds"),
    ("per_object", "status", "missing", "the status of an object and `absent` joints"),
    ("per_object", "predicted", 99, "predicted is not matched"),
    ("per_object", "e_alpha_phi_tree", 1e308, "is beyond 1e.150"),
    ("per_joint", "released_origin_error", 1e308, "is beyond 1e.150"),
]


@pytest.mark.parametrize(("name", "column", "value", "words"), LIES)
def test_a_row_that_contradicts_others_is_refused(folder, name, column, value, words):
    change_rows(folder, name, lambda row: {column: value})
    with pytest.raises(ArenaError, match=words):
        read_result(folder)


def test_a_success_without_a_partner_is_refused(folder):
    lost = {key: None for key in ("predicted", "predicted_type", "predicted_limits")}
    lost |= {s.key: None for s in SCORES} | {"why": "unmatched"}
    change_rows(
        folder,
        "per_joint",
        lambda row: lost | {f"{s.key}_cost": row[f"{s.key}_weld"] for s in SCORES},
    )
    change_rows(folder, "per_object", lambda row: {"matched": 0, "predicted": 0})
    with pytest.raises(ArenaError, match="_success of a joint without a partner"):
        read_result(folder)


def test_imputed_limits_without_a_dagger_are_refused(folder):
    change_rows(folder, "per_joint", lambda row: {"predicted_limits": "imputed"})
    (folder / "method.json").write_text('{"name": "plain"}')
    with pytest.raises(ArenaError, match="has imputed limits"):
        read_result(folder)
    (folder / "method.json").write_text('{"name": "plain", "imputed": "limits"}')
    assert read_result(folder).method.dagger


def change_rows(folder, name, change):
    """Change the rows of a table of a result."""
    path = folder / f"{name}.parquet"
    rows = [row | change(row) for row in pq.read_table(path).to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, schema=TABLES[name]), path)
