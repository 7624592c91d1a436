# SPDX-License-Identifier: Apache-2.0
"""Collections with a `source.yaml`: what is an object, what it may read, what a bad file does."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.base.errors import Rejection
from pipeline.base.safe_yaml import load_foreign
from pipeline.base.tables import read_rows
from pipeline.engine.runner import Outcome, Task
from pipeline.engine.settings import dump
from pipeline.engine.sources import load_sources
from pipeline.raw.adapters import urdf_folder
from pipeline.raw.adapters.collection import read_collection
from pipeline.raw.files import open_raw
from pipeline.raw.inventory import scan_source
from pipeline.raw.records import Frame
from pipeline.stages.ingest.stage import IngestInput, ingest, run
from pipeline.stages.normalize.stage import NormalizeInput, normalize
from tests.kit import bench
from tests.kit import settings as settings_kit
from tests.kit.places import REPOSITORY, SAMPLES, skip_without_samples
from tests.kit.settings import facts_of

GOOD: dict[str, Any] = {
    "title": "Some doors",
    "label": "Door",
    "license": "MIT",
    "attribution": "Somebody",
    "frame": {"up": "y", "front": None},
    "scale": "metric",
}
URDF = '<robot name="r"><link name="a"/></robot>'


def collection(root: Path, name: str = "doors", text: str | None = None, **changes: Any) -> Path:
    """Write a collection's `source.yaml` and return its folder."""
    facts = {key: value for key, value in (GOOD | changes).items() if value != "drop"}
    (root / name).mkdir(parents=True, exist_ok=True)
    (root / name / "source.yaml").write_text(yaml.safe_dump(facts) if text is None else text)
    return root / name


def put(path: Path, content: str | bytes = URDF) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def names(root: Path) -> list[str]:
    return [found.name for found in urdf_folder.discover(root)]


def problem(root: Path) -> str:
    """Return code and sentence of the only problem of a source."""
    (found,) = urdf_folder.discover(root)
    with pytest.raises(Rejection) as caught:
        urdf_folder.describe(None, found)  # type: ignore[arg-type]
    return str(caught.value)


@pytest.fixture
def outcome(elsewhere: Path) -> Callable[[Path, str], Outcome]:
    """Return a function that ingests one object of a source, as the stage does."""

    def made(root: Path, name: str) -> Outcome:
        facts = facts_of(root, adapter="urdf_folder")
        (raw,) = [r for r in scan_source("tail", "urdf_folder", root) if r.found.name == name]
        given = IngestInput("tail", facts, raw.found, "d", raw.mark)
        return ingest(Task(raw.object_id, given), settings_kit.SETTINGS)

    return made


def test_every_model_is_an_object_and_its_id_is_its_path(tmp_path: Path) -> None:
    folder = collection(tmp_path)
    for name in ("top.urdf", "1/mobility.urdf", "2/a.urdf", "2/b.URDF", "2/deep/c.urdf"):
        put(folder / name)
    put(folder / ".git/x.urdf")
    put(folder / "3/mesh.obj", "v 0 0 0")
    assert names(tmp_path) == [
        "doors/1/mobility.urdf", "doors/2/a.urdf", "doors/2/b.URDF", "doors/2/deep/c.urdf",
        "doors/top.urdf",
    ]  # fmt: skip
    paths = {found.name: found.paths for found in urdf_folder.discover(tmp_path)}
    assert paths["doors/2/a.urdf"] == ("doors/2/a.urdf", "doors/2")
    ids = [raw.object_id for raw in scan_source("tail", "urdf_folder", tmp_path)]
    assert len(set(ids)) == 5


def test_the_files_around_a_model_are_its_own_and_no_others(tmp_path: Path) -> None:
    folder = collection(tmp_path, shared=["meshes"])
    put(folder / "meshes/m.obj", "v 0 0 0")
    put(folder / "1/a.urdf")
    put(folder / "2/b.urdf")
    found = {one.name: one for one in urdf_folder.discover(tmp_path)}["doors/1/a.urdf"]
    assert found.paths == ("doors/1/a.urdf", "doors/1", "doors/meshes")
    files = open_raw(tmp_path, found.paths, most_bytes=1000)
    model = found.paths[0]
    for good in ("../meshes/m.obj", "package://doors/meshes/m.obj", "../../doors/meshes/m.obj"):
        assert files.read(good, beside=model) == b"v 0 0 0"
    for bad in ("../2/b.urdf", "../source.yaml", "/etc/passwd", "../../../x"):
        with pytest.raises(Rejection, match="mesh_outside"):
            files.read(bad, beside=model)
    with pytest.raises(Rejection, match="mesh_missing"):
        files.read("package://doors/2/b.urdf", beside=model)


def test_the_record_has_the_facts_of_the_owner(
    tmp_path: Path, outcome: Callable[[Path, str], Outcome]
) -> None:
    put(collection(tmp_path, unit=0.01) / "1/a.urdf")
    record = outcome(tmp_path, "doors/1/a.urdf").record
    assert record.label == "Door"
    assert (record.license, record.attribution, record.redistribution) == (
        "MIT", "Somebody", "assets")  # fmt: skip
    assert (record.unit, record.scale, record.format) == (0.01, "metric", "urdf")
    assert record.frame == Frame("y")
    assert (record.model, record.name) == ("doors/1/a.urdf", "1/a")
    provenance = record.provenance
    assert provenance["facts_from"] == "doors/source.yaml"
    assert provenance["collection"] == "Some doors"


@pytest.mark.parametrize(
    ("origin", "label"),
    [("folder", "mug_3"), ("parent", "mug"), ("file", "model"), ("robot", "Blue mug")],
)
def test_labels_come_from_the_declared_place(
    tmp_path: Path, outcome: Callable[[Path, str], Outcome], origin: str, label: str
) -> None:
    folder = collection(tmp_path, label="drop", label_from=origin)
    put(folder / "mug/mug_3/model.urdf", URDF.replace('"r"', '"Blue mug"'))
    assert outcome(tmp_path, "doors/mug/mug_3/model.urdf").record.label == label


def test_a_change_of_the_owners_words_is_a_change_of_every_object(
    tmp_path: Path, elsewhere: Path
) -> None:
    root = tmp_path / "raw"
    put(collection(root) / "1/a.urdf")
    (before,) = scan_source("tail", "urdf_folder", root)
    collection(root, license="CC0-1.0")
    (after,) = scan_source("tail", "urdf_folder", root)
    assert before.digest != after.digest


BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(20)
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "anchors or aliases"),
        ("title: &x T\n", "anchors or aliases"),
        ("[" * 5000, "nests deeper"),
        ("- a\n" * 2000, "nests deeper"),
        ("a: 1\n" * 10_000, "more than 16384"),
        ("a: 1\na: 2\n", "stands twice"),
        ("!!python/object/apply:os.system ['true']", "not usable YAML"),
        ("t: !!python/name:os.system", "not usable YAML"),
        ("t: !!timestamp 'x'", "not usable YAML"),
        ("t: !!bool maybe", "not usable YAML"),
        ("t: 2024-99-99", "not usable YAML"),
        ("\x00", "not usable YAML"),
        ("{", "not usable YAML"),
        ("? [a]\n: 1\n", "not usable YAML"),
        ("a: 1\n---\nb: 2\n", "not usable YAML"),
        ("", "`key: value`"),
        ("5", "`key: value`"),
        ("- a", "`key: value`"),
        ("1: a", "`key: value`"),
        ("a: .nan", "not a finite number"),
        ("a: [1, {b: -.inf}]", "not a finite number"),
    ],
)
def test_a_hostile_or_broken_source_yaml_is_one_sentence(
    tmp_path: Path, text: str, words: str
) -> None:
    put(collection(tmp_path, text=text) / "1/a.urdf")
    said = problem(tmp_path)
    assert said.startswith("metadata_invalid: doors/source.yaml")
    assert words in said
    assert len(said) < 700


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"title": "drop"}, "'title' is a required property"),
        ({"license": "drop"}, "'license' is a required property"),
        ({"frame": "drop"}, "'frame' is a required property"),
        ({"scale": "drop"}, "'scale' is a required property"),
        ({"label": "drop"}, "exactly one of `label` and `label_from`"),
        ({"label_from": "file"}, "exactly one of `label` and `label_from`"),
        ({"colour": "red"}, "'colour' was unexpected"),
        ({"label": 5}, "label: 5 is not of type"),
        ({"label": ""}, "label: "),
        ({"license": ["MIT"]}, "license: "),
        ({"frame": {"up": "w"}}, "frame.up: 'w'"),
        ({"frame": {"up": "z", "front": "-z"}}, "are one axis"),
        ({"frame": {"front": "x"}}, "'up' is a required"),
        ({"scale": "huge"}, "scale: 'huge'"),
        ({"unit": 0}, "unit: 0"),
        ({"unit": -1.0}, "unit: -1.0"),
        ({"unit": True}, "unit: True"),
        ({"unit": "1"}, "unit: '1'"),
        ({"format": "usd"}, "format: 'usd'"),
        ({"layout": "flat"}, "layout: 'flat'"),
        ({"layout": "physx"}, "layout physx has"),
        ({"shared": ["../x"]}, "shared.0: "),
        ({"shared": ["/etc"]}, "shared.0: "),
        ({"shared": ["a/b"]}, "shared.0: "),
        ({"shared": [".."]}, "shared.0: "),
        ({"title": "x" * 501}, "title: "),
    ],
)
def test_a_wrong_value_is_named(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    put(collection(tmp_path, **change) / "1/a.urdf")
    said = problem(tmp_path)
    assert said.startswith("metadata_invalid: doors/source.yaml: ")
    assert words in said


def test_what_is_not_a_readable_file_is_a_sentence(tmp_path: Path) -> None:
    folder = collection(tmp_path)
    put(folder / "1/a.urdf")
    (folder / "source.yaml").unlink()
    assert problem(tmp_path).startswith("metadata_missing: the collection 'doors' has no source")
    os.mkfifo(folder / "source.yaml")
    assert problem(tmp_path).startswith("metadata_missing")
    (folder / "source.yaml").unlink()
    put(tmp_path / "elsewhere.yaml", yaml.safe_dump(GOOD))
    (folder / "source.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    assert problem(tmp_path).startswith("metadata_missing")


def test_a_collection_without_a_model_is_a_problem(tmp_path: Path) -> None:
    put(collection(tmp_path) / "1/body.stl", b"x")
    assert problem(tmp_path).startswith("urdf_missing: the collection 'doors' holds no model")


def test_a_model_outside_a_collection_is_a_problem(tmp_path: Path) -> None:
    put(tmp_path / "loose.urdf")
    assert problem(tmp_path).startswith("metadata_missing: loose.urdf lies outside a collection")


def test_problems_and_links_are_reject_rows_and_the_rest_is_read(
    workspace: Path, tmp_path: Path
) -> None:
    root = tmp_path / "raw"
    put(collection(root, "good") / "1/a.urdf")
    (root / "good/1/link.urdf").symlink_to(root / "good/1/a.urdf")
    (root / "good/1/loop.urdf").symlink_to("loop.urdf")
    put(collection(root, "bad", text="{") / "1/a.urdf")
    put(collection(root, "none") / "x.txt")
    (root / "linked").symlink_to(root / "good")
    odd = os.fsdecode(os.fsencode(str(root)) + b"/good/\xff/below")
    put(Path(odd) / "a.urdf")
    objects = scan_source("tail", "urdf_folder", root)
    Path("inventory.tsv").write_text("".join(one.row() for one in objects))
    facts = load_sources()["tail"].facts(str(root))
    Path("facts.json").write_bytes(dump(facts))
    inputs = {"inventory": Path("inventory.tsv"), "facts": Path("facts.json")}
    job = bench.shard_job(Path("out"), "ingest", source="tail", inputs=inputs)
    run(job)
    assert [row["source_id"] for row in read_rows(job.outputs["records"])] == ["good/1/a.urdf"]
    rejects = read_rows(job.outputs["rejects"])
    assert sorted(row["code"] for row in rejects) == [
        "folder_invalid", "folder_invalid", "folder_invalid", "folder_invalid",
        "metadata_invalid", "urdf_missing",
    ]  # fmt: skip


def test_a_tree_of_folders_without_end_is_walked_only_so_far(tmp_path: Path) -> None:
    folder = collection(tmp_path)
    put(folder / "/".join(["d"] * 24) / "in.urdf")
    put(folder / "/".join(["d"] * 25) / "out.urdf")
    assert [Path(name).name for name in names(tmp_path)] == ["in.urdf"]


TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(["a: ", "b", "- ", "[", "{", "*a", "&a", "!!x ", "\n", "|", "1"])).map(
        "".join
    ),
)


@settings(deadline=None)
@given(TEXTS)
def test_no_text_does_more_than_be_refused(text: str) -> None:
    try:
        load_foreign(text.encode("utf-8", "surrogatepass"))
    except ValueError as error:
        assert str(error)


def test_mjcf_models_are_distinguished_from_their_parts(tmp_path: Path) -> None:
    folder = collection(tmp_path, format="mjcf")
    put(folder / "a.xml", '<?xml version="1.0"?><!-- <robot> --><mujoco><include file="p/b.xml"/>')
    put(folder / "p/b.xml", "<mujoco/>")  # a part, because a.xml includes it
    put(folder / "p/c.xml", "<mujocoinclude/>")
    put(folder / "p/package.xml", "<package/>")
    put(folder / "q/model.xml", '<mujoco><!-- <include file="../a.xml"/> --></mujoco>')
    put(folder / "q/empty.xml", "")
    put(folder / "q/ignored.urdf")
    assert names(tmp_path) == ["doors/a.xml", "doors/q/model.xml"]


TAIL = SAMPLES / "tail"
SAMPLE_FACTS: dict[str, dict[str, Any]] = {
    "furniture_sim": {"format": "mjcf", "label": "drop", "label_from": "file"},
    "simpler_env": {},
    "genesis_assets": {},
    "pybullet_data": {},
    "doorgym_leverknobs": {"unit": 0.001},
}
# A spherical joint is not one degree of freedom; how it ends is the business of normalize.
EXPECTED = {
    "furniture_sim": (3, 3), "simpler_env": (2, 2), "genesis_assets": (5, 5),
    "pybullet_data": (4, 3), "doorgym_leverknobs": (1, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(SAMPLE_FACTS))
def test_the_samples_of_the_tail(elsewhere: Path, tmp_path: Path, name: str) -> None:
    samples = REPOSITORY / TAIL / name
    if not samples.is_dir():
        skip_without_samples()
    root = tmp_path / "raw"
    collection(root, name, **SAMPLE_FACTS[name], frame={"up": "z"})
    for path in samples.rglob("*"):
        if path.is_file():
            put(root / name / path.relative_to(samples), path.read_bytes())
    facts = facts_of(root, adapter="urdf_folder")
    good, total = 0, 0
    for raw in scan_source("tail", "urdf_folder", root):
        total += 1
        try:
            given = IngestInput("tail", facts, raw.found, "d", raw.mark)
            made = ingest(Task("x", given), settings_kit.SETTINGS)
            normalize(Task("x", NormalizeInput(root, made.record)), settings_kit.SETTINGS)
            good += 1
        except Rejection as rejection:
            where = ("spherical_joint_limit", "doorgym")
            assert any(word in raw.found.name for word in where), rejection
    objects, least = EXPECTED[name]
    assert total == objects
    assert good >= least


def test_read_collection_returns_the_words_as_they_are(tmp_path: Path) -> None:
    assert read_collection(collection(tmp_path)) == GOOD
