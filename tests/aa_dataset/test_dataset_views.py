# SPDX-License-Identifier: Apache-2.0
"""Selections and objects: indexing, filters, trees, files, workers."""

from __future__ import annotations

import hashlib
import io
import math
import multiprocessing
import operator
import pickle
import tarfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.assets.cache import CacheError
from aa_dataset.assets.packed import Asset
from aa_dataset.errors import LibraryError
from aa_dataset.kinematics.joints import JointType
from aa_dataset.kinematics.urdf_tree import read_tree
from aa_dataset.library.catalog import SelectionError, UnknownObjectError
from tests.kit.library_folder import build_library, write_seal
from tests.kit.library_objects import ObjectSpec


@pytest.fixture
def dataset(pristine_library):
    return load_dataset(pristine_library, verbose=False)


def test_it_is_a_sequence(dataset):
    ids = [item.object_id for item in dataset]
    assert ids == dataset.object_ids == sorted(ids)
    assert dataset[0] == dataset[ids[0]] == next(iter(dataset))
    assert dataset[-1].object_id == ids[-1] == dataset[np.int64(4)].object_id
    assert dataset[1:3].object_ids == ids[1:3]
    assert len({*dataset, *dataset}) == 5


def test_a_number_beyond_the_end_is_an_index_error(dataset):
    with pytest.raises(IndexError, match="index 5 is out of range for 5 objects"):
        dataset[5]


def test_an_unknown_id_is_a_key_error_with_a_suggestion(dataset):
    with pytest.raises(KeyError) as caught:
        dataset["generated-lamb"]
    assert str(caught.value).startswith("no object 'generated-lamb'")
    assert "'generated-lamp'" in str(caught.value)


def test_an_object_outside_the_selection_is_an_error_message(dataset):
    with pytest.raises(UnknownObjectError, match="not in this selection"):
        dataset.split("train")["generated-lamp"]


def test_membership(dataset):
    train = dataset.split("train")
    assert "generated-jar" in train and dataset["generated-jar"] in train
    assert "generated-lamp" not in train and "nothing" not in train and 3 not in train


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"category": "cabinet"}, ["generated-cabinet", "local-plain"]),
        ({"category": ["lamp", "jar"]}, ["generated-jar", "generated-lamp"]),
        ({"category": "oven"}, []),
        ({"source": "local"}, ["local-plain", "local-stool"]),
        ({"license": "CC-BY-4.0"}, ["local-plain"]),
        ({"supercategory": "kitchen"}, ["generated-jar"]),
        ({"joint_type": "helical"}, ["generated-jar"]),
        ({"joint_type": (JointType.HELICAL, "continuous"), "source": "local"}, ["local-stool"]),
        ({"category": (name for name in ["cabinet"]), "source": "local"}, ["local-plain"]),
    ],
)
def test_filters(dataset, choice, expected):
    assert dataset.filter(**choice).object_ids == expected


@pytest.mark.parametrize(
    "choice", [{"category": "cabinat"}, {"source": "partnet"}, {"joint_type": "ball"}]
)
def test_an_unknown_value_never_gives_an_empty_selection(dataset, choice):
    with pytest.raises(SelectionError, match="is not in this library; similar values"):
        dataset.filter(**choice)


def ids_where(dataset, test):
    """Return the ids of the objects that a test accepts, counted from their trees."""
    return [item.object_id for item in dataset if test(item)]


def test_spans_count_joints_depth_and_size(dataset):
    movable = {item.object_id: len(item.tree.movable) for item in dataset}
    most = max(movable.values())
    assert dataset.filter(joints=most).object_ids == [k for k, n in movable.items() if n == most]
    two = ids_where(dataset, lambda item: len(item.tree.movable) >= 2)
    assert dataset.filter(joints=(2, None)).object_ids == two
    flat = ids_where(dataset, lambda item: item.tree.depth <= 1)
    assert dataset.filter(depth=(None, 1)).object_ids == flat
    sizes = {item.object_id: math.dist((0, 0, 0), item.extents.tolist()) for item in dataset}
    edge = sorted(sizes.values())[2]
    small = [name for name, size in sizes.items() if size <= edge * (1 + 1e-12)]
    assert dataset.filter(size=(0, edge * (1 + 1e-12))).object_ids == small and small


@pytest.mark.parametrize("span", [(2, 1), "many", True, (float("nan"), 1), (), (1,), (1, 2, 3)])
def test_a_span_that_is_none_is_a_sentence(dataset, span):
    with pytest.raises(SelectionError, match=r"joints is .*lowest"):
        dataset.filter(joints=span)


def test_metric_and_any_predicate(dataset):
    metric = ids_where(dataset, lambda item: item.is_metric)
    assert dataset.filter(is_metric=True).object_ids == metric
    other = dataset.filter(is_metric=False).object_ids
    assert sorted(metric + other) == dataset.object_ids
    asked = []

    def is_stool(row):
        asked.append(row["object_id"])
        return row["category"] == "stool"

    assert dataset.filter(source="local", where=is_stool).object_ids == ["local-stool"]
    assert asked == ["local-plain", "local-stool"]  # of what the other arguments left alone


def test_findings_present_and_absent(library):
    path = library / "findings.parquet"
    schema = pq.read_schema(path)
    owners = ("generated-jar", "generated-broken", "local-stool", "local-stool")
    codes = ("scale_unusual", "scale_unusual", "scale_unusual", "label_unknown")
    rows = [
        dict(zip(schema.names, (owner, "verify", code, "info", "A test."), strict=True))
        for owner, code in zip(owners, codes, strict=True)
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
    write_seal(library)
    dataset = load_dataset(library, verbose=False)
    unusual = dataset.filter(finding="scale_unusual")
    assert unusual.object_ids == ["generated-jar", "local-stool"]
    assert unusual.filter(without_finding="label_unknown").object_ids == ["generated-jar"]
    assert len(dataset.filter(without_finding=["scale_unusual", "label_unknown"])) == 3
    with pytest.raises(SelectionError, match="finding 'nothing' is not in this library"):
        dataset.filter(finding="nothing")


def test_shuffling_depends_on_ids_and_seed_alone(dataset):
    drawn = dataset.shuffle(7).object_ids
    expected = sorted(
        dataset.object_ids, key=lambda name: hashlib.sha256(f"7 {name}".encode()).hexdigest()
    )
    assert drawn == expected != dataset.object_ids
    assert dataset[::-1].shuffle(7).object_ids == drawn != dataset.shuffle(8).object_ids
    part = dataset.filter(source="generated").shuffle(7).object_ids
    assert part == [name for name in drawn if name in part]


def test_select_keeps_the_given_order(dataset):
    ids = ["local-stool", "generated-jar"]
    assert dataset.select(ids).object_ids == ids


def test_tables_follow_the_selection(dataset):
    part = dataset.filter(category="cabinet")
    assert set(part.table("joints")["object_id"].to_pylist()) == set(part.object_ids)
    assert part.table("joints").num_rows == 5
    assert part.table("objects")["object_id"].to_pylist() == part.object_ids
    assert part.table("rejects").num_rows == 1
    assert dataset.table("links").num_rows == 16
    with pytest.raises(SelectionError, match=r"no table 'joint'.*joints"):
        part.table("joint")


def test_counts_and_repr(dataset):
    assert dataset.categories == {"cabinet": 2, "jar": 1, "lamp": 1, "stool": 1}
    assert dataset.sources == {"generated": 3, "local": 2}
    assert dataset.joint_counts()["prismatic"] == 3
    assert dataset.revision in repr(dataset) and "5 of 19,977" in repr(dataset)
    assert "split train" in repr(dataset.split("train"))
    assert repr(dataset[0]) == "<generated-cabinet: a cabinet, cabinet, 3 movable joints>"


def test_facts_of_an_object(dataset):
    item = dataset["local-stool"]
    assert (item.name, item.category, item.supercategory) == ("a stool", "stool", "furniture")
    assert (item.license, item.attribution) == ("CC-BY-NC-4.0", "the test authors")
    assert (item.source, item.is_metric, item.floor_z) == ("local", False, -0.4)
    assert item.extents.tolist() == [0.6, 0.4, 0.8]
    assert item.provenance == {"category": "test"}


def test_the_tree_of_the_tables_is_the_tree_of_the_urdf(dataset):
    for item in dataset:
        written = read_tree(item.urdf_path)
        assert set(item.tree.links) == set(written.links)
        for joint in item.tree.joints:
            other = written.joint(joint.name)
            assert joint.type is other.type and joint.limits == other.limits
            assert (joint.parent, joint.child) == (other.parent, other.child)
            np.testing.assert_allclose(joint.screw, other.screw, rtol=0, atol=1e-15)
            if joint.is_movable:
                assert joint.body.mass == other.body.mass
                np.testing.assert_allclose(joint.body.inertia, other.body.inertia, atol=1e-15)
            else:
                assert joint.body is None


def test_an_object_is_posed_and_drawn_at_random(dataset):
    item = dataset["generated-jar"]
    assert all(np.array_equal(place, np.eye(4)) for place in item.pose().values())
    state = item.random_configuration(4)
    assert state == item.random_configuration(4) != item.random_configuration(5)
    for joint in item.joints:
        assert joint.lower <= state[joint.name] <= joint.upper
    expected = item.tree.placements(state)
    for link, place in item.pose(state).items():
        np.testing.assert_allclose(place, expected[link], atol=1e-14)


def test_joints_are_the_movable_ones(dataset):
    names = [joint.name for joint in dataset["generated-cabinet"].joints]
    assert names == ["door_joint", "drawer_joint", "tray_joint"]
    assert dataset["generated-lamp"].joints[0].limits == (-math.inf, math.inf)
    assert dataset["generated-jar"].joints[0].pitch == 0.0008


def test_an_object_without_joints_has_a_root(tmp_path):
    root = build_library(tmp_path / "still", (ObjectSpec("generated-rock", "rock", ()),))
    item = load_dataset(root, verbose=False)[0]
    assert item.tree.links == ("base",) and item.joints == ()


def test_files_are_unpacked_once_into_the_home_folder(dataset, tmp_path):
    item = dataset["generated-jar"]
    path = item.urdf_path
    home = tmp_path / "aa_home" / "objects"
    assert path.relative_to(home).parts[1:] == ("generated-jar", "object.urdf")
    assert path.relative_to(home).parts[0].startswith(f"{dataset.revision}-")
    stamp = path.stat().st_mtime_ns
    assert item.urdf_path.stat().st_mtime_ns == stamp
    assert item.preview.read_bytes().startswith(b"\x89PNG")
    assert item.preview_open.name == "preview_open.png"
    assert item.preview_parts.name == "preview_parts.png" and item.strip.name == "strip.webp"
    assert item.glb_path.read_bytes()[:4] == b"glTF"
    assert sorted(p.name for p in path.parents[1].iterdir()) == ["generated-jar"]


def test_files_can_be_read_without_unpacking(dataset, tmp_path):
    item = dataset["generated-jar"]
    assert "meshes/lid.obj" in item.files() and len(item.files()) == 8
    assert item.read("object.urdf").startswith(b"<?xml")
    assert not (tmp_path / "aa_home").exists()
    with pytest.raises(LibraryError, match=r"'generated-jar' has no file 'lid\.obj'"):
        item.read("lid.obj")


def test_a_home_folder_that_cannot_be_written_is_a_sentence(dataset, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("AA_HOME", str(tmp_path / "file"))
    with pytest.raises(CacheError, match="set AA_HOME to a writable folder"):
        dataset[0].urdf_path  # noqa: B018


def test_a_missing_picture_is_a_sentence(tmp_path):
    rock = ObjectSpec("generated-rock", "rock", (), extra_files={"preview.png": None})
    item = load_dataset(build_library(tmp_path / "bare", (rock,)), verbose=False)[0]
    with pytest.raises(LibraryError, match=r"'generated-rock' has no preview\.png"):
        item.preview  # noqa: B018


def test_an_object_that_could_not_be_drawn_says_so(tmp_path):
    names = ("preview.png", "preview_open.png", "preview_parts.png", "strip.webp")
    rock = ObjectSpec("generated-rock", "rock", (), extra_files=dict.fromkeys(names))
    library = build_library(tmp_path / "bare", (rock,))
    table = pq.read_table(library / "objects.parquet")
    rows = [row | {"preview_backend": None} for row in table.to_pylist()]
    pq.write_table(table.from_pylist(rows, schema=table.schema), library / "objects.parquet")
    write_seal(library)
    item = load_dataset(library, verbose=False)[0]
    with pytest.raises(LibraryError, match=r"has no strip\.webp; it could not be drawn.*findings"):
        item.strip  # noqa: B018


def test_pickles_are_small_and_open_again(dataset):
    part = dataset.split("eval200")
    data = pickle.dumps((part, part[0]))
    assert len(data) < 2000
    again, item = pickle.loads(data)
    assert again.object_ids == part.object_ids and item == part[0]


def test_a_pickle_of_a_library_that_changed_is_refused(library, tmp_path):
    data = pickle.dumps(load_dataset(library, verbose=False))
    write_seal(library, revision="0" * 16)
    with pytest.raises(LibraryError, match=r"is now 0000000000000000\. Load the dataset"):
        pickle.loads(data)


def test_a_library_built_again_under_an_open_dataset_is_noticed(library):
    dataset = load_dataset(library, verbose=False)
    first = dataset["generated-jar"].read("object.urdf")
    write_seal(library)  # sealed anew with the same contents: fine
    assert dataset["generated-jar"].read("object.urdf") == first
    write_seal(library, revision="0" * 16)
    with pytest.raises(LibraryError, match=r"was rebuilt.*Load the dataset again"):
        dataset["generated-jar"].read("object.urdf")
    (library / "library.json").unlink()
    with pytest.raises(LibraryError, match=r"Load the dataset again"):
        dataset["generated-jar"].files()


# From the standard library, because a spawned worker cannot import this module.
visit = operator.attrgetter("object_id", "tree.depth", "urdf_path", "preview_open")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_can_take_objects(dataset, method):
    wanted = [visit(item) for item in dataset]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(visit, list(dataset)) == wanted


def test_many_processes_may_unpack_the_same_object(dataset, tmp_path):
    with multiprocessing.get_context("fork").Pool(8) as pool:
        found = pool.map(visit, [dataset["generated-lamp"]] * 64, chunksize=1)
    assert len(set(found)) == 1
    (folder,) = (tmp_path / "aa_home" / "objects").iterdir()
    assert [path.name for path in folder.iterdir()] == ["generated-lamp"]


def _tar(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Asset:
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        end = tar.offset
    return Asset(path, 0, end, "generated-x", "0" * 64)


@pytest.mark.parametrize(
    "name",
    [
        "/etc/evil",
        "../evil",
        "generated-x/../../evil",
        "generated-y/evil",
        "evil",
        "generated-x/a\\b",
    ],
)
def test_a_member_outside_the_folder_is_refused(tmp_path, name):
    asset = _tar(tmp_path / "a.tar", (tarfile.TarInfo(name), b"data"))
    with pytest.raises(LibraryError, match="outside the object's folder"):
        asset.extract(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_a_link_is_refused_before_anything_is_written(tmp_path, kind):
    link = tarfile.TarInfo("generated-x/link")
    link.type, link.linkname = kind, "/etc/passwd"
    asset = _tar(tmp_path / "a.tar", (tarfile.TarInfo("generated-x/good"), b"1"), (link, b""))
    with pytest.raises(LibraryError, match="not a regular file"):
        asset.extract(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_range_that_ends_early_is_refused(tmp_path):
    whole = _tar(tmp_path / "a.tar", (tarfile.TarInfo("generated-x/big"), bytes(5000)))
    with pytest.raises(LibraryError, match="ends in the middle of 'generated-x/big'"):
        Asset(whole.path, 0, 1024, "generated-x", "0" * 64).names()


def test_a_range_that_is_no_tar_is_refused(tmp_path):
    path = tmp_path / "a.tar"
    path.write_bytes(b"no tar at all" * 100)
    with pytest.raises(LibraryError, match="is not a tar at this offset"):
        Asset(path, 0, 1024, "generated-x", "0" * 64).names()


def test_a_broken_row_names_object_and_joint(library):
    import pyarrow.parquet as pq

    path = library / "joints.parquet"
    table = pq.read_table(path)
    index = table.schema.get_field_index("upper")
    pq.write_table(table.set_column(index, table.schema.field(index), [[-9.0] * len(table)]), path)
    write_seal(library)
    with pytest.raises(LibraryError, match=r"joints\.parquet, object 'generated-jar': joint 'lid"):
        load_dataset(library, verbose=False)["generated-jar"].tree  # noqa: B018
