# SPDX-License-Identifier: Apache-2.0
"""Opening a library: by folder, by name, and what is refused with which sentence."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.errors import LibraryError
from aa_dataset.library.catalog import SelectionError
from tests.kit.library_folder import build_library, write_seal
from tests.kit.library_objects import LIBRARY_OBJECTS, ObjectSpec


def seal_of(library: Path) -> dict:
    return json.loads((library / "library.json").read_text())


def test_a_folder_opens_and_reports_that_it_is_a_part(library, capsys):
    dataset = load_dataset(library)
    said = capsys.readouterr()
    assert len(dataset) == 5
    assert said.out == ""
    assert f"revision {seal_of(library)['revision']}" in said.err
    assert "generated 3, local 2" in said.err
    assert "5 of the 19,977 objects of ArticulateArena-20K" in said.err


def test_without_verbose_nothing_is_printed(library, capsys):
    load_dataset(str(library), verbose=False)
    assert capsys.readouterr() == ("", "")


def test_the_name_is_found_in_the_home_folder_read_at_call_time(library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "..")
    home = tmp_path / "late_home"
    home.mkdir()
    shutil.copytree(library, home / "articulatearena-20k")
    monkeypatch.setenv("AA_HOME", str(home))
    assert load_dataset("articulatearena-20k").root == home / "articulatearena-20k"


def test_the_name_is_found_in_the_local_library_folder(library, monkeypatch):
    monkeypatch.chdir(library.parent)
    assert load_dataset("articulatearena-20k").root == library
    assert load_dataset("library").root == library


def test_the_error_for_an_absent_name_lists_the_searched_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LibraryError, match=r"aa_home.*make library.*repo_id"):
        load_dataset("articulatearena-20k")


def test_an_absent_folder_is_a_sentence(tmp_path):
    with pytest.raises(LibraryError, match=r"does not exist\. Run `make library`"):
        load_dataset(tmp_path / "nothing")


def test_a_folder_without_a_seal_is_half_built(library):
    (library / "library.json").unlink()
    with pytest.raises(LibraryError, match=r"did not finish. Run `make library`"):
        load_dataset(library)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema_version": "1"}', "\x00"])
def test_a_broken_seal_is_a_sentence(library, text):
    (library / "library.json").write_text(text)
    with pytest.raises(LibraryError, match=r"library\.json.*make library"):
        load_dataset(library)


def test_another_schema_version_is_a_sentence(library):
    write_seal(library, schema_version="2")
    with pytest.raises(
        LibraryError, match=r"version 2, but this package reads 6.*make library.*download"
    ):
        load_dataset(library)


@pytest.mark.parametrize("name", ["objects.parquet", "assets/local-0000.tar"])
def test_a_missing_file_is_refused(library, name):
    (library / name).unlink()
    with pytest.raises(LibraryError, match=rf"{name} is missing"):
        load_dataset(library)


@pytest.mark.parametrize("name", ["findings.parquet", "assets/generated-0000.tar"])
def test_a_file_of_another_size_is_refused(library, name):
    with (library / name).open("ab") as stream:
        stream.write(b"x")
    with pytest.raises(LibraryError, match=rf"{name} has .* bytes.*mixed.*make library"):
        load_dataset(library)


def flip_a_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_objects_of_the_same_size_but_another_digest_are_refused(library):
    flip_a_byte(library / "objects.parquet")
    with pytest.raises(LibraryError, match=r"objects\.parquet do not match.*make library"):
        load_dataset(library)


def test_a_table_is_checked_when_it_is_first_read(library):
    flip_a_byte(library / "joints.parquet")
    dataset = load_dataset(library)
    with pytest.raises(LibraryError, match=r"joints\.parquet"):
        dataset[0].tree  # noqa: B018


def test_a_seal_that_counts_otherwise_is_refused(library):
    write_seal(library, objects=6)
    with pytest.raises(LibraryError, match=r"has 5 rows, but library\.json lists 6"):
        load_dataset(library)


def test_an_id_that_occurs_twice_is_refused(library):
    path = library / "objects.parquet"
    table = pq.read_table(path)
    pq.write_table(pa.concat_tables([table, table[:1]]), path)
    write_seal(library)
    with pytest.raises(LibraryError, match="a duplicate object id"):
        load_dataset(library)


def test_a_seal_cannot_point_out_of_the_library(library):
    write_seal(library, files={"../secret": {"sha256": "0" * 64, "size": 0}})
    with pytest.raises(LibraryError, match=r"library\.json .*'\.\./secret', which is not valid"):
        load_dataset(library)


def test_a_wrong_column_names_file_and_column(library):
    path = library / "objects.parquet"
    table = pq.read_table(path)
    index = table.schema.get_field_index("floor_z")
    pq.write_table(table.set_column(index, "floor_z", pa.array(["low"] * 5)), path)
    write_seal(library)
    with pytest.raises(LibraryError, match=r"objects\.parquet, column 'floor_z': found string"):
        load_dataset(library)


def test_the_revision_can_be_demanded(library):
    revision = seal_of(library)["revision"]
    assert load_dataset(library, revision=revision).revision == revision
    with pytest.raises(LibraryError, match=f"holds revision {revision}, not 0123456789abcdef"):
        load_dataset(library, revision="0123456789abcdef")


def test_a_sampled_split_opens_under_its_stem_with_a_notice(library, capsys):
    dataset = load_dataset(library, "eval200")
    assert dataset.object_ids == ["generated-cabinet", "generated-lamp", "local-stool"]
    assert "split eval200_1a2b3c4d: 3 objects, sampled" in capsys.readouterr().err
    assert load_dataset(library, split="eval200_1a2b3c4d").object_ids == dataset.object_ids


def test_an_unknown_split_lists_those_that_exist(library):
    with pytest.raises(SelectionError, match="eval200_1a2b3c4d, library, train"):
        load_dataset(library, split="eval20")


def with_split(root: Path, name: str, ids: list[str]) -> Path:
    things = [
        ObjectSpec(**{**vars(t), "splits": (*t.splits, name)}) if t.object_id in ids else t
        for t in LIBRARY_OBJECTS
    ]
    return build_library(root, tuple(things))


def test_two_sampled_splits_are_ambiguous(tmp_path):
    root = with_split(tmp_path / "two", "eval200_ffffffff", ["generated-jar"])
    with pytest.raises(SelectionError, match=r"'eval200' is ambiguous.*eval200_ffffffff"):
        load_dataset(root, split="eval200")


def test_the_frozen_split_wins_over_a_sampled_one(tmp_path, capsys):
    root = with_split(tmp_path / "frozen", "eval200", ["generated-jar"])
    assert load_dataset(root, split="eval200").object_ids == ["generated-jar"]
    assert "sampled" not in capsys.readouterr().err


def test_a_frozen_split_opens_under_its_version_with_a_notice(frozen_library, capsys):
    dataset = load_dataset(frozen_library, split="eval200-v0")
    assert dataset.object_ids == load_dataset(frozen_library, split="eval200").object_ids
    said = "split eval200: 3 objects, benchmark eval200-v0 (provisional), list 00112233aabbccdd: "
    assert said + "2 objects agree by bytes and 1 by numbers" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["eval200-v1", "train-v0"])
def test_another_version_than_the_librarys_is_refused(frozen_library, library, name):
    with pytest.raises(SelectionError, match=rf"'{name}' is not in .* holds eval200-v0.*train"):
        load_dataset(frozen_library, split=name)
    with pytest.raises(SelectionError, match=rf"'{name}' is not in .* holds no version"):
        load_dataset(library, split=name)


@pytest.mark.parametrize(
    "change", [{"objects": 4}, {"split": "train"}, {"by_numbers": 0}, {"digest": None, "x": 1}]
)
def test_a_benchmark_that_contradicts_the_splits_is_refused(frozen_library, change):
    facts = seal_of(frozen_library)["benchmark"] | change
    facts = {key: value for key, value in facts.items() if value is not None}
    write_seal(frozen_library, benchmark=facts)
    with pytest.raises(LibraryError, match=r"library\.json lacks a field or has an invalid value"):
        load_dataset(frozen_library)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": None}, "benchmark.version is None, not a string"),
        ({"version": "eval200"}, "benchmark.version is 'eval200', not eval200-v and a number"),
        ({"version": "eval200-v01"}, "benchmark.version is 'eval200-v01', not"),
        ({"split": "train"}, "benchmark.split is 'train', not 'eval200'"),
        ({"digest": "hello"}, "benchmark.digest is 'hello', not 16 hex digits"),
        ({"digest": "0123456789ABCDEF"}, "not 16 hex digits"),
        ({"objects": "3"}, "benchmark.objects is '3', not a non-negative integer"),
        (
            {"by_bytes": 4, "by_numbers": -1},
            "benchmark.by_numbers is -1, not a non-negative integer",
        ),
        ({"by_bytes": 2.0}, "benchmark.by_bytes is 2.0, not a non-negative integer"),
        (
            {"by_bytes": True, "by_numbers": 2},
            "benchmark.by_bytes is True, not a non-negative integer",
        ),
        ({"by_bytes": 3}, "3 and 1, do not add up to the 3 objects"),
        ({"objects": 4, "by_bytes": 3}, "benchmark.objects is 4, splits.eval200 is 3"),
        ({"more": 1}, "benchmark is not an object with version, split, digest"),
    ],
)
def test_a_benchmark_that_no_build_writes_is_refused(frozen_library, change, words):
    write_seal(frozen_library, benchmark=seal_of(frozen_library)["benchmark"] | change)
    with pytest.raises(LibraryError, match=rf"library\.json .*{words}.*Run `make library`"):
        load_dataset(frozen_library)


def edit_splits(root, change):
    """Change the rows of the splits and give them back to the table."""
    path = root / "splits.parquet"
    table = pq.read_table(path)
    pq.write_table(pa.Table.from_pylist(change(table.to_pylist()), table.schema), path)


def members_first(rows):
    """Return the rows with those of `eval200` first."""
    return sorted(rows, key=lambda row: row["split"] != "eval200")


SPLITS = {
    "a member twice": (
        lambda rows: [rows[1], *rows[1:]],
        "the split 'eval200' has 3 rows of 2 objects, the seal lists 3 objects",
    ),
    "a member lost": (
        lambda rows: rows[1:],
        "the split 'eval200' has 2 rows of 2 objects, the seal lists 3 objects",
    ),
    "a member without a version": (
        lambda rows: [rows[0] | {"version": None}, *rows[1:]],
        "in the split 'eval200' has the version None, not 'eval200-v0'",
    ),
    "another version": (
        lambda rows: [*rows[:2], rows[2] | {"version": "eval200-v1"}, *rows[3:]],
        "'local-stool' in the split 'eval200' has the version 'eval200-v1', not 'eval200-v0'",
    ),
    "a version elsewhere": (
        lambda rows: [*rows[:-1], rows[-1] | {"version": "eval200-v0"}],
        "has the version 'eval200-v0', not None",
    ),
}


@pytest.mark.parametrize("name", SPLITS)
def test_splits_that_contradict_the_benchmark_of_the_seal_are_refused(frozen_library, name):
    change, words = SPLITS[name]
    sealed = {key: seal_of(frozen_library)[key] for key in ("benchmark", "splits")}
    edit_splits(frozen_library, lambda rows: change(members_first(rows)))
    write_seal(frozen_library, **sealed)
    with pytest.raises(LibraryError, match=rf"splits\.parquet contradicts .*{words}\. Run `make"):
        load_dataset(frozen_library)


def test_a_version_without_a_benchmark_is_refused(library):
    edit_splits(library, lambda rows: [*rows[:-1], rows[-1] | {"version": "eval200-v0"}])
    write_seal(library)
    with pytest.raises(LibraryError, match="has the version 'eval200-v0', not None"):
        load_dataset(library)


def test_a_split_decided_on_other_contents_is_refused(library):
    path = library / "splits.parquet"
    table = pq.read_table(path)
    index = table.schema.get_field_index("content_sha256")
    pq.write_table(table.set_column(index, table.schema.field(index), [["0"] * len(table)]), path)
    write_seal(library)
    with pytest.raises(LibraryError, match="3 whose contents changed"):
        load_dataset(library, split="eval200")


def test_twenty_thousand_objects_open_fast(library):
    copies = 4000
    for name in ("objects", "joints", "links"):
        path = library / f"{name}.parquet"
        table = pq.read_table(path)
        ids = table["object_id"].to_pylist()
        big = pa.concat_tables([table] * copies)
        names = pa.array([f"{one}-{k:04d}" for k in range(copies) for one in ids])
        pq.write_table(big.set_column(0, table.schema.field(0), names), path)
    write_seal(library)
    start = time.process_time()
    dataset = load_dataset(library)
    opened = time.process_time() - start
    assert len(dataset) == 20_000
    assert len(dataset["local-stool-3999"].joints) == 2
    assert opened < 1.0
    assert time.process_time() - start < 3.0


BLOCKED = [
    *("trimesh", "yourdfpy", "pyrender", "snakemake", "torch", "pandas"),
    *("huggingface_hub", "tqdm", "numba"),
]
PROBE = """
import sys, time
import numpy, pyarrow, scipy
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocker())
start = time.process_time()
import aa_dataset
bare = time.process_time() - start
from aa_dataset import load_dataset, __version__
import aa_dataset.score.evaluate, aa_dataset.cli
assert len(load_dataset({library!r}, verbose=False)[0].tree.joints) == 4
print(bare)
"""


def test_the_package_imports_with_numpy_scipy_pyarrow_alone_in_no_time(pristine_library):
    code = PROBE.format(blocked=BLOCKED, library=str(pristine_library))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 0.3


def test_loading_costs_under_a_third_of_a_second_beyond_the_core():
    code = (
        "import time, numpy, pyarrow, pyarrow.parquet, pyarrow.compute, scipy\n"
        "start = time.process_time()\n"
        "from aa_dataset import load_dataset\n"
        "print(time.process_time() - start)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 0.3


def test_unknown_names_of_the_package_are_attribute_errors():
    import aa_dataset

    assert "load_dataset" in dir(aa_dataset)
    with pytest.raises(AttributeError, match="no attribute 'lode_dataset'"):
        aa_dataset.lode_dataset  # noqa: B018
