# SPDX-License-Identifier: Apache-2.0
"""A run with a folder: continued after an end by force, recognized, the same for any order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score import evaluate as runs
from aa_dataset.score import parts
from aa_dataset.score.crew import worker_count
from aa_dataset.score.evaluate import Plan, evaluate, evaluate_into, evaluate_plan, run_key
from aa_dataset.score.method import Method
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.result.record import Parameters, read_result, write_result
from tests.kit.library_folder import build_library
from tests.kit.library_objects import ObjectSpec, Part, write_urdf
from tests.kit.places import REPOSITORY

COUNT = 12
FEW = Parameters(resamples=200)


def things() -> tuple[ObjectSpec, ...]:
    """Return small objects, each a little different, with equal parts in each."""
    drawer = Part("d", "prismatic", axis=(1.0, 0.0, 0.0), upper=0.4)
    found = []
    for k in range(COUNT):
        part = [replace(drawer, name=f"d{n}", xyz=(0.0, 0.0, 0.2 * n)) for n in range(k % 4 + 1)]
        door = Part("door", "revolute", xyz=(0.1 * k, 0.2, 0.0), upper=1.0 + 0.05 * k)
        found.append(ObjectSpec(f"generated-t{k:02d}", f"kind{k % 2}", (door, *part)))
    return tuple(found)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return build_library(tmp_path_factory.mktemp("runs") / "library", things())


@pytest.fixture
def folder(tmp_path):
    """Predictions with an error in every door."""
    for k, thing in enumerate(things()):
        door, *others = thing.parts
        wrong = replace(door, upper=0.5 + 0.1 * k, axis=(0.0, 0.05 * k, 1.0))
        place = tmp_path / "predictions" / thing.object_id
        place.mkdir(parents=True)
        (place / "object.urdf").write_bytes(write_urdf("x", (wrong, *others)))
    return tmp_path / "predictions"


def plan(library: Path, folder: Path, **changes) -> Plan:
    dataset = load_dataset(library, verbose=False)
    how = {"parameters": FEW, "method": Method("mine")} | changes
    return Plan(dataset, open_predictions(folder), **how)


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a result that a second run repeats."""
    assert not (folder / "parts").exists()
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.name != "timing.tsv"}


def test_neither_workers_nor_order_change_a_byte(library, folder, tmp_path):
    first, _ = evaluate_into(tmp_path / "one", plan(library, folder))
    evaluate_into(tmp_path / "two", plan(library, folder, workers=2))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    dataset = load_dataset(library, verbose=False)
    other = dataset.select(reversed(dataset.object_ids))
    predictions = open_predictions(folder)
    turned = evaluate(other, predictions, parameters=FEW, method=Method("mine"))
    straight = evaluate(dataset, predictions, parameters=FEW, method=Method("mine"))
    for name in ("one_again", "turned"):
        result = {"one_again": straight, "turned": turned}[name]
        same = {"key": first.key, "dataset": first.dataset}
        write_result(replace(result, **same), tmp_path / name)
        assert contents(tmp_path / name) == contents(tmp_path / "one"), name


def test_the_order_of_joints_in_a_file_changes_no_byte(library, folder, tmp_path):
    evaluate_into(tmp_path / "one", plan(library, folder))
    for thing in things():
        path = folder / thing.object_id / "object.urdf"
        text = path.read_text()
        pieces = text[text.index("<joint") : text.rindex("</joint>")].split("</joint>")
        shuffled = "</joint>".join(reversed(pieces)) + "</joint>"
        whole = text[: text.index("<joint")].replace("</robot>", "")
        links = text[text.rindex("</joint>") + len("</joint>") :]
        path.write_text(whole + shuffled + links)
    evaluate_into(tmp_path / "two", plan(library, folder))
    one, two = contents(tmp_path / "one"), contents(tmp_path / "two")
    for name in ("per_joint.parquet", "per_object.parquet"):
        assert one[name] == two[name]
    keys = [json.loads(side["summary.json"]) for side in (one, two)]
    assert keys[0].pop("key") != keys[1].pop("key") and keys[0] == keys[1]


def test_a_tree_in_another_order_is_scored_in_the_order_of_names():
    from aa_dataset.kinematics import Joint
    from aa_dataset.score.objects import in_name_order

    joints = tuple(
        Joint(name, "revolute", [0, 0, 1], [0, 0, 0], 0, 1, parent=above, child=f"l_{name}")
        for name, above in (("c", "base"), ("b", "l_c"), ("a", "base"))
    )
    links = ("base", "l_c", "l_b", "l_a")
    orders = [
        [joint.name for joint in in_name_order(KinematicTree("t", links, some)).joints]
        for some in (joints, joints[::-1])
    ]
    assert orders == [["a", "c", "b"]] * 2


def test_a_finished_run_is_recognized_and_not_scored_again(library, folder, tmp_path, monkeypatch):
    place = tmp_path / "out"
    _, was_there = evaluate_into(place, plan(library, folder))
    assert not was_there
    before = contents(place)
    monkeypatch.setattr(runs, "scored_objects", lambda *_: pytest.fail("scored again"))
    result, was_there = evaluate_into(place, plan(library, folder))
    assert was_there and contents(place) == before
    assert result.as_dict() == json.loads(before["summary.json"])


def test_another_breakdown_or_name_of_a_finished_run_needs_no_scoring(
    library, folder, tmp_path, monkeypatch
):
    place = tmp_path / "out"
    evaluate_into(place, plan(library, folder))
    monkeypatch.setattr(runs, "scored_objects", lambda *_: pytest.fail("scored again"))
    changed = plan(library, folder, by=("category",), method=Method("other"))
    evaluate_into(place, changed)
    again = read_result(place)
    assert again.by == ("category",) and again.method.name == "other"
    data = json.loads((place / "summary.json").read_text())
    assert [(g["name"], g["objects"]) for g in data["groups"]] == [("kind0", 6), ("kind1", 6)]


@pytest.mark.parametrize("change", ["parameters", "prediction", "members", "surplus"])
def test_another_run_is_refused_unless_asked_to_replace(library, folder, tmp_path, change):
    place = tmp_path / "out"
    evaluate_into(place, plan(library, folder))
    if change == "parameters":
        other = plan(library, folder, parameters=replace(FEW, alpha=2.0))
    elif change == "members":
        other = plan(library, folder)
        other = replace(other, dataset=other.dataset[:5])
    else:
        name = "generated-t00" if change == "prediction" else "elsewhere"
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "object.urdf").write_text('<robot name="x"><link name="a"/></robot>')
        other = plan(library, folder)
    before = contents(place)
    with pytest.raises(ArenaError, match="has the result of other predictions, objects or param"):
        evaluate_into(place, other)
    assert contents(place) == before
    result, was_there = evaluate_into(place, other, again=True)
    assert not was_there and read_result(place).key == result.key == run_key(other)


def test_a_folder_of_something_else_is_never_touched(library, folder, tmp_path):
    place = tmp_path / "mine"
    place.mkdir()
    (place / "thesis.tex").write_text("text")
    for again in (False, True):
        with pytest.raises(ArenaError, match="has files of something else"):
            evaluate_into(place, plan(library, folder), again=again)
    assert [path.name for path in place.iterdir()] == ["thesis.tex"]
    with pytest.raises(ArenaError, match="is not a folder"):
        evaluate_into(tmp_path / "no" / "where", plan(library, folder))
    with pytest.raises(ArenaError, match="is a file"):
        evaluate_into(place / "thesis.tex", plan(library, folder))


@pytest.mark.parametrize("foreign", ["summary", "parts", "linked parts"])
def test_again_removes_only_what_a_run_wrote(library, folder, tmp_path, foreign):
    place, elsewhere = tmp_path / "place", tmp_path / "elsewhere"
    for path in (place, elsewhere):
        path.mkdir()
    kept = elsewhere / "kept.txt"
    if foreign == "linked parts":
        (elsewhere / "key.json").write_text('{"key": "x"}')
        (place / "parts").symlink_to(elsewhere)
    else:
        kept = place / "parts" / "kept.txt"
        kept.parent.mkdir()
        text = {"summary": '{"mine": 1}', "parts": '{"result_version": "3"}'}[foreign]
        (place / "summary.json").write_text(text)
    kept.write_text("mine")
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    with pytest.raises(ArenaError, match="Choose a"):
        evaluate_into(place, plan(library, folder), again=True)
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


@pytest.mark.parametrize("name", ["x" * 300, "dangling", "loop"])
def test_a_folder_that_cannot_be_made_is_a_sentence(library, folder, tmp_path, name):
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(ArenaError, match="cannot write"):
        evaluate_into(tmp_path / name, plan(library, folder))


def test_an_interrupted_run_continues_after_its_finished_parts(
    library, folder, tmp_path, monkeypatch
):
    monkeypatch.setattr(runs, "PART_OBJECTS", 5)
    evaluate_into(tmp_path / "whole", plan(library, folder))
    place, original = tmp_path / "cut", parts.PartsFolder.write

    def write_one(self, number, part):
        if number:
            raise KeyboardInterrupt
        original(self, number, part)

    with monkeypatch.context() as patch:
        patch.setattr(parts.PartsFolder, "write", write_one)
        with pytest.raises(KeyboardInterrupt):
            evaluate_into(place, plan(library, folder))
    assert sorted(path.name for path in (place / "parts").iterdir()) == ["00000", "key.json"]
    with pytest.raises(ArenaError, match="has an interrupted run of other predictions"):
        evaluate_into(place, plan(library, folder, parameters=replace(FEW, kappa=1.0)))
    scored = []
    original_crew = runs.scored_objects

    def watched(work, ids, workers):
        scored.extend(ids)
        return original_crew(work, ids, workers)

    monkeypatch.setattr(runs, "scored_objects", watched)
    evaluate_into(place, plan(library, folder))
    assert scored == [f"generated-t{k:02d}" for k in range(5, COUNT)]
    assert contents(place) == contents(tmp_path / "whole")


def test_a_part_that_is_damaged_is_a_sentence(library, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "PART_OBJECTS", 5)
    place = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(runs, "write_result", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            evaluate_into(place, plan(library, folder))
    (place / "parts/00001/per_joint.parquet").write_bytes(b"PAR1")
    with pytest.raises(ArenaError, match=r"parts/00001 is damaged .* Remove it and run"):
        evaluate_into(place, plan(library, folder))
    import shutil

    shutil.rmtree(place / "parts/00001")
    evaluate_into(place, plan(library, folder))
    evaluate_into(tmp_path / "whole", plan(library, folder))
    assert contents(place) == contents(tmp_path / "whole")


SLOW_RUN = """
import sys, time
from pathlib import Path
from aa_dataset.score import evaluate as runs, parts
from tests.aa_dataset.score.test_runs import plan
runs.PART_OBJECTS = 2
write = parts.PartsFolder.write
def slowly(self, number, part):
    write(self, number, part)
    print(number, flush=True)
    time.sleep(0.2)
parts.PartsFolder.write = slowly
library, folder, out = map(Path, sys.argv[1:])
runs.evaluate_into(out, plan(library, folder, workers=2))
"""


def test_a_killed_run_continues_and_gives_the_same_bytes(library, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "PART_OBJECTS", 2)
    evaluate_into(tmp_path / "whole", plan(library, folder))
    script = tmp_path / "slow.py"
    script.write_text(f"if __name__ == '__main__':\n{_indented(SLOW_RUN)}")
    command = [sys.executable, script, library, folder, tmp_path / "cut"]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        assert [process.stdout.readline() for _ in range(2)] == ["0\n", "1\n"]
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not (tmp_path / "cut/summary.json").exists()
    evaluate_into(tmp_path / "cut", plan(library, folder))
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.strip().splitlines())


def test_a_pickled_reader_reads_the_same(library, folder):
    import pickle

    work = plan(library, folder)
    again = pickle.loads(pickle.dumps(work.predictions))
    name = work.dataset.object_ids[0]
    assert again.digest(name) == work.predictions.digest(name) and again.has(name)
    assert [j.name for j in again.tree(name).joints] == [
        j.name for j in work.predictions.tree(name).joints
    ]


def test_the_digest_of_a_prediction_covers_what_is_read(folder):
    reader, name = open_predictions(folder), "generated-t00"
    seen = [reader.digest(name)]
    (folder / name / "preview.png").write_bytes(b"picture")
    assert reader.digest(name) == seen[0]
    (folder / name / "meshes").mkdir()
    (folder / name / "meshes/a.obj").write_text("v 0 0 0")
    seen.append(reader.digest(name))
    (folder / name / "meshes/a.obj").write_text("v 0 0 1")
    seen.append(reader.digest(name))
    (folder / name / "meshes/a.obj").unlink()
    (folder / name / "meshes/a.obj").symlink_to("/dev/zero")
    seen.append(reader.digest(name))
    os.mkfifo(folder / name / "b.obj")
    seen.append(reader.digest(name))
    assert len(set(seen)) == len(seen)


def test_the_number_of_workers_fits_machine_and_split(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert [worker_count(None, count) for count in (0, 20, 200, 20_000)] == [1, 1, 3, 8]
    assert worker_count(3, 1) == 3
    for wrong in (0, -1, 1000):
        with pytest.raises(ArenaError, match="workers is"):
            worker_count(wrong, 10)


def test_seconds_are_written_for_every_object(library, folder, tmp_path):
    start = time.perf_counter()
    evaluate_into(tmp_path / "out", plan(library, folder))
    most = time.perf_counter() - start
    head, *lines = (tmp_path / "out/timing.tsv").read_text().splitlines()
    assert head == "object_id\tseconds" and len(lines) == COUNT
    assert 0 < sum(float(line.split("\t")[1]) for line in lines) <= most


def test_a_far_shape_costs_one_prediction_not_the_run(library, folder):
    """Distances to a center of 1e200 m are infinite, and no assignment exists for them."""
    path = folder / things()[0].object_id / "object.urdf"
    box = '<visual><origin xyz="1e200 0 0"/><geometry><box size="1 1 1"/></geometry></visual>'
    path.write_text(FAR.replace("BOX", box))
    how = replace(FEW, pairing="geometry")
    result = evaluate_plan(plan(library, folder, parameters=how))
    rows = {row["object_id"]: row for row in result.per_object.to_pylist()}
    assert rows[things()[0].object_id]["status"] == "unreadable"
    assert len(rows) == COUNT


FAR = """<robot name="r"><link name="b"/><link name="c">BOX</link>
<joint name="j" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
<limit lower="0" upper="1"/></joint></robot>"""


def test_a_file_that_states_imputed_limits_gives_a_dagger(library, folder, tmp_path):
    (folder / things()[0].object_id / "object.urdf").unlink()
    joint = {"name": "j", "type": "revolute", "parent": "b", "child": "c", "axis": [0, 0, 1],
             "origin": [0, 0, 0], "limits": [0, 1], "limit_source": "imputed"}  # fmt: skip
    file = {"format": "aa-joints", "version": 1, "frame": "object", "unit": "m", "state": "rest",
            "name": "x", "joints": [joint]}  # fmt: skip
    (folder / things()[0].object_id / "joints.json").write_text(json.dumps(file))
    for was_there in (False, True):
        result, found = evaluate_into(tmp_path / "out", plan(library, folder))
        assert found is was_there and result.method.dagger
    assert read_result(tmp_path / "out").method.dagger


@pytest.mark.parametrize("change", [{"alpha": 1e308}, {"kappa": 1e-320}, {"kappa": 1e308}])
def test_parameters_whose_distances_overflow_are_a_sentence(change):
    with pytest.raises(ArenaError, match="so that no distance overflows"):
        Parameters(**change)
