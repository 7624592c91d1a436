# SPDX-License-Identifier: Apache-2.0
"""`aa split`: a split of one library is found in another, or what is missing there is named."""

from __future__ import annotations

import hashlib
import json
import pickle
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.library.catalog import SelectionError
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.result.comparable import require_comparable
from aa_dataset.score.result.record import Result
from tests.kit.library_folder import build_library, write_seal
from tests.kit.library_objects import LIBRARY_OBJECTS, ObjectSpec

MEMBERS = ["generated-cabinet", "generated-lamp", "local-stool"]


@pytest.fixture
def exported(pristine_library: Path, tmp_path: Path) -> Path:
    path = tmp_path / "eval200_1a2b3c4d.json"
    words = ["split", "export", "eval200_1a2b3c4d", "--out", str(path)]
    assert main([*words, "--library", str(pristine_library)]) == 0
    return path


def imported(
    capsys: pytest.CaptureFixture[str], path: Path, library: Path, *options: str
) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main(["split", "import", str(path), "--library", str(library), *options])
    said = capsys.readouterr()
    return status, said.out, said.err


def another(root: Path, *changes: ObjectSpec, without: str = "-") -> Path:
    """Build a library of the same objects, some of them changed or left out, without the split."""
    changed = {spec.object_id: spec for spec in changes}
    kept = [spec for spec in LIBRARY_OBJECTS if not spec.object_id.startswith(without)]
    specs = [changed.get(spec.object_id, spec) for spec in kept]
    return build_library(root, tuple(replace(s, splits=("library",)) for s in specs))


def score(library: Path, split: str | Path, predictions: Path) -> Result:
    dataset = load_dataset(library, split=split, verbose=False)
    return evaluate(dataset, open_predictions(predictions))


def test_two_groups_with_the_same_data_score_the_same_objects(
    pristine_library: Path, exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second library was built on its own, has another revision and no such split."""
    theirs = another(tmp_path / "theirs")
    status, said, _ = imported(capsys, exported, theirs)
    assert status == 0
    assert "agree           3: 3 by bytes, 0 by numbers\nmissing         0\n" in said
    assert f"complete here. `aa score PREDICTIONS --split {exported}`" in said
    mine = score(pristine_library, "eval200_1a2b3c4d", pristine_library)
    yours = score(theirs, exported, pristine_library)
    require_comparable(mine, yours)
    require_comparable(score(pristine_library, exported, pristine_library), yours)
    assert mine.dataset.members == yours.dataset.members
    assert mine.dataset.revision != yours.dataset.revision
    assert yours.dataset.split == "eval200_1a2b3c4d"
    assert (yours.dataset.by_bytes, yours.dataset.by_numbers) == (3, 0)
    assert mine.per_joint.equals(yours.per_joint) and mine.per_object.equals(yours.per_object)


def other_bytes(spec: ObjectSpec) -> ObjectSpec:
    """Return an object with another mesh, as another processor may write it."""
    return replace(spec, extra_files={"meshes/base.obj": b"v 0 0 0.5\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"})


def test_other_bytes_with_the_same_numbers_are_the_same_members(
    pristine_library: Path, exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = another(tmp_path / "theirs", other_bytes(LIBRARY_OBJECTS[1]))
    status, said, _ = imported(capsys, exported, theirs)
    assert status == 0 and "agree           3: 2 by bytes, 1 by numbers" in said
    yours = score(theirs, exported, pristine_library)
    require_comparable(score(pristine_library, "eval200", pristine_library), yours)
    assert (yours.dataset.by_bytes, yours.dataset.by_numbers) == (2, 1)


def test_a_frozen_split_goes_through_a_file(
    frozen_library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "eval200.json"
    words = ["split", "export", "eval200", "--out", str(path), "--library", str(frozen_library)]
    assert main(words) == 0
    mine = score(frozen_library, "eval200", frozen_library)
    require_comparable(mine, score(frozen_library, path, frozen_library))
    # A library without the version has the same objects, but does not claim the benchmark.
    theirs = score(another(tmp_path / "theirs"), path, frozen_library)
    assert theirs.dataset.members == mine.dataset.members
    assert theirs.dataset.benchmark is None
    assert "eval200 (eval200-v0), 3 objects" in imported(capsys, path, frozen_library)[1]


def test_a_file_without_a_list_is_not_the_benchmark_where_the_list_is_known(
    frozen_library: Path, exported: Path
) -> None:
    """Its members are those of `eval200`, but count by content in the library it comes from."""
    dataset = load_dataset(frozen_library, split=exported, verbose=False)
    assert dataset.object_ids == load_dataset(frozen_library, "eval200", verbose=False).object_ids
    assert dataset.benchmark is None and dataset.agreement == (3, 0)
    assert dataset.members == json.loads(exported.read_bytes())["members"]


def test_members_of_a_list_and_contents_are_mixed_as_the_library_mixes_them(
    tmp_path: Path,
) -> None:
    """A sampled split may hold objects of the frozen one; they count by its list."""
    specs = [
        replace(spec, splits=("library", "eval200_1a2b3c4d", *extra))
        for spec, extra in zip(
            LIBRARY_OBJECTS, [("eval200",), ("eval200",), (), (), ()], strict=True
        )
    ]
    library = build_library(tmp_path / "library", tuple(specs))
    path = tmp_path / "s.json"
    words = ["split", "export", "eval200_1a2b3c4d", "--out", str(path), "--library", str(library)]
    assert main(words) == 0
    own = load_dataset(library, split="eval200_1a2b3c4d", verbose=False)
    file = load_dataset(library, split=path, verbose=False)
    proofs = {spec.object_id: own[spec.object_id].content_sha256 for spec in specs} | dict.fromkeys(
        ["generated-cabinet", "generated-lamp"], "00112233aabbccdd"
    )
    text = "".join(f"{key} {proof}\n" for key, proof in sorted(proofs.items()))
    assert own.members == file.members == hashlib.sha256(text.encode()).hexdigest()[:16]


def test_a_library_without_a_source_says_where_to_get_it(
    exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = another(tmp_path / "theirs", without="local-")
    status, said, _ = imported(capsys, exported, theirs)
    assert status == 1
    assert "missing of local: 1 object. The library has no object of this source: " in said
    assert "`aa sources local` says how to get it" in said
    assert "  the test authors, CC-BY-NC-4.0\n  local-stool, stool there\n" in said
    assert "The split is not complete here" in said
    status, said, _ = imported(capsys, exported, theirs, "--json")
    facts = json.loads(said)
    assert status == 1 and facts["complete"] is False and facts["different"] == {}
    assert facts["missing"] == [
        {
            "object_id": "local-stool",
            "source": "local",
            "source_id": "stool",
            "license": "CC-BY-NC-4.0",
            "attribution": "the test authors",
            "reason": None,
        }
    ]
    with pytest.raises(
        SelectionError,
        match=r"not complete in .*: 1 of the 3 objects of eval200_1a2b3c4d are not in this "
        r"library, the first is local-stool\. Run `aa split import",
    ):
        load_dataset(theirs, split=exported, verbose=False)
    assert main(["score", str(theirs), "--split", str(exported), "--library", str(theirs)]) == 2
    assert "is not complete" in capsys.readouterr().err


def test_an_object_that_the_build_left_out_has_its_reason(
    exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = another(tmp_path / "theirs", without="local-stool")
    path = theirs / "rejects.parquet"
    table = pq.read_table(path)
    reject = ("local-stool", "local", "normalize", "mesh_missing", "no mesh seat.obj.")
    row = pa.Table.from_pylist([dict(zip(table.column_names, reject, strict=True))], table.schema)
    pq.write_table(pa.concat_tables([table, row]), path)
    write_seal(theirs)
    status, said, _ = imported(capsys, exported, theirs)
    assert status == 1
    assert "The library has 1 other objects of this source" in said
    why = "left out by normalize, mesh_missing: no mesh seat.obj."
    assert f"  local-stool, stool there; {why}\n" in said
    facts = json.loads(imported(capsys, exported, theirs, "--json")[1])
    assert facts["missing"][0]["reason"] == why


def test_a_changed_limit_is_named(
    exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cabinet = LIBRARY_OBJECTS[0]
    door = replace(cabinet.parts[0], upper=1.7)
    theirs = another(tmp_path / "theirs", replace(cabinet, parts=(door, *cabinet.parts[1:])))
    status, said, _ = imported(capsys, exported, theirs)
    assert status == 1
    field = "joint 'door_joint' (number 1), upper: 1.6 listed, 1.7 here"
    assert f"  generated-cabinet: {field}\n" in said
    facts = json.loads(imported(capsys, exported, theirs, "--json")[1])
    assert facts["different"] == {"generated-cabinet": field}
    with pytest.raises(
        SelectionError, match=r"1 of the 3 objects of .* differ .*upper: 1\.6 listed"
    ):
        load_dataset(theirs, split=exported, verbose=False)


def test_members_in_the_librarys_own_train_are_named(
    exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`train` keeps away from the splits of its own library, not from a file."""
    specs = tuple(replace(spec, splits=("library", "train")) for spec in LIBRARY_OBJECTS)
    theirs = build_library(tmp_path / "theirs", specs)
    status, said, _ = imported(capsys, exported, theirs)
    assert status == 0
    assert "3 objects of the file are in `train` of this library" in said
    assert json.loads(imported(capsys, exported, theirs, "--json")[1])["in_train"] == MEMBERS


def test_export_reminds_of_terms(
    exported: Path, pristine_library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["split", "export", "eval200", "--out", str(tmp_path / "s.json")]
    assert main([*words, "--library", str(pristine_library)]) == 0
    said = capsys.readouterr()
    assert "1 object may not be redistributed: local (CC-BY-NC-4.0) 1." in said.err
    assert "eval200_1a2b3c4d, 3 objects, members " in said.out
    assert (tmp_path / "s.json").read_bytes() == exported.read_bytes()


def test_a_selection_of_a_file_keeps_its_members(exported: Path, tmp_path: Path) -> None:
    library = another(tmp_path / "theirs", other_bytes(LIBRARY_OBJECTS[1]))
    whole = load_dataset(library, split=str(exported), verbose=False)
    assert whole.object_ids == MEMBERS and whole.label == "split eval200_1a2b3c4d"
    assert whole.agreement == (2, 1)
    contents = {row["object_id"]: row["proof"] for row in _rows(exported)}
    for part in (whole[:2], whole.select(MEMBERS[:2]), whole.filter(source="generated")):
        text = "".join(f"{key} {contents[key]}\n" for key in MEMBERS[:2])
        assert part.members == hashlib.sha256(text.encode()).hexdigest()[:16]
        assert part.agreement is None
    assert pickle.loads(pickle.dumps(whole[0])).object_id == MEMBERS[0]
    assert load_dataset(library, verbose=False).agreement is None


def _rows(path: Path) -> list[dict[str, str]]:
    return list(json.loads(path.read_bytes())["objects"])


def test_hostile_text_of_a_file_does_not_reach_the_terminal(
    exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(exported.read_bytes())
    data["library"] = "\x1b[2J\u202e" * 100
    data["objects"][2] |= {"source_id": "\x1b]0;x\x07", "attribution": "a\nb\x9b31m"}
    data["objects"][0]["joints"][0]["joint"] = "\x1b[31mdoor\r"
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(data))
    status, said, error = imported(capsys, path, another(tmp_path / "theirs", without="local-"))
    assert status == 1
    assert not {*"\x1b\x07\x9b\r\u202e"} & {*said, *error}
    assert max(map(len, said.splitlines())) < 400


def test_the_loader_says_what_it_opened(
    exported: Path, pristine_library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    load_dataset(pristine_library, split=exported)
    said = capsys.readouterr().err
    assert f"split eval200_1a2b3c4d: 3 objects of {exported}: 3 agree by bytes and 0" in said


def test_other_commands_take_a_file(
    exported: Path, pristine_library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["list", str(pristine_library), "--split", str(exported), "--json"]) == 0
    assert [row["object_id"] for row in json.loads(capsys.readouterr().out)] == MEMBERS
    words = ["unpack", str(tmp_path / "out"), "--split", str(exported)]
    assert main([*words, "--library", str(pristine_library)]) == 0
    assert (tmp_path / "out" / MEMBERS[0] / "object.urdf").is_file()


@pytest.mark.parametrize("words", [["export", "no_such"], ["import", "no_such.json"]])
def test_what_is_not_there_is_an_error(
    words: list[str], pristine_library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "s.json")] if words[0] == "export" else []
    assert main(["split", *words, *out, "--library", str(pristine_library)]) == 2
    assert "no_such" in capsys.readouterr().err
    assert not (tmp_path / "s.json").exists()
