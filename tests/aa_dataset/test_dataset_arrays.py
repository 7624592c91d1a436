# SPDX-License-Identifier: Apache-2.0
"""A selection as rows, arrays and frames, with files read ahead, and as HTML."""

from __future__ import annotations

import base64
import io
import re
import sys
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from aa_dataset import load_dataset
from aa_dataset.errors import ArgumentError, LibraryError, MissingExtraError
from aa_dataset.kinematics.joints import JointType
from aa_dataset.kinematics.screws import exp_twist
from aa_dataset.library.gallery import WIDTH
from tests.aa_dataset.test_laws import put
from tests.kit.library_folder import build_library
from tests.kit.library_objects import LIBRARY_OBJECTS, ObjectSpec


@pytest.fixture
def dataset(pristine_library):
    return load_dataset(pristine_library, verbose=False)


def test_rows_follow_the_selection(dataset):
    part = dataset[::-1][:3]
    rows = list(part.rows())
    assert [row["object_id"] for row in rows] == part.object_ids
    assert rows == [{name: item.fact(name) for name in rows[0]} for item in part]
    assert list(part.rows(["category"])) == [{"category": item.category} for item in part]


@pytest.mark.parametrize("fixed", [False, True])
def test_joint_arrays_are_the_joints_of_the_trees(dataset, fixed):
    part = dataset[[3, 0, 0, 2]]
    found = part.joint_arrays(fixed=fixed)
    kinds = list(JointType)
    total = 0
    for number, item in enumerate(part):
        span = slice(found.starts[number], found.starts[number + 1])
        rows = found.rows[span]
        names = dataset.catalog.table("joints")["joint"].take(rows).to_pylist()
        joints = [item.tree.joint(name) for name in names]
        own = item.tree.joints if fixed else item.tree.movable
        assert sorted(names) == sorted(joint.name for joint in own)
        assert (found.objects[span] == number).all()
        for k, joint in zip(range(*span.indices(len(found))), joints, strict=True):
            assert kinds[found.types[k]] is joint.type
            assert found.screws[k].tolist() == joint.screw.tolist()
            assert tuple(found.limits[k]) == joint.limits
            if joint.body is None:
                assert np.isnan(found.masses[k]) and np.isnan(found.inertias[k]).all()
                continue
            assert found.masses[k] == joint.body.mass
            assert found.centers[k].tolist() == joint.body.center.tolist()
            assert found.inertias[k].tolist() == joint.body.inertia.tolist()
        total += len(names)
    assert len(found) == total == found.starts[-1]


def test_endpoints_move_to_the_ends_of_the_range(dataset):
    arrays = dataset.joint_arrays()
    ends = arrays.endpoints
    joints = [joint for item in dataset for joint in item.joints]
    assert len(joints) == len(ends)
    endless = [any(np.isinf(joint.limits)) for joint in joints]
    assert np.isnan(ends).any(axis=(1, 2)).tolist() == endless and any(endless)
    tree = dataset["generated-cabinet"].tree
    span = slice(*arrays.starts[:2])
    for joint, (_, upper) in zip(tree.movable, ends[span], strict=True):
        # With the other joints at rest, the link goes where the twist takes it.
        found = tree.placements({joint.name: joint.upper})[joint.child]
        np.testing.assert_allclose(exp_twist(upper), found, atol=1e-12)


def test_links_are_those_of_the_tree(dataset, tmp_path):
    catalog = dataset.catalog
    assert [catalog.links(item.row) for item in dataset] == [item.tree.links for item in dataset]
    rock = build_library(tmp_path / "still", (ObjectSpec("generated-rock", "rock", ()),))
    assert load_dataset(rock, verbose=False).catalog.links(0) == ("base",)


def test_arrays_of_nothing(dataset, tmp_path):
    empty = dataset[[]].joint_arrays()
    assert len(empty) == 0 and empty.starts.tolist() == [0] and empty.endpoints.shape == (0, 2, 6)
    rock = build_library(tmp_path / "still", (ObjectSpec("generated-rock", "rock", ()),))
    assert load_dataset(rock, verbose=False).joint_arrays().starts.tolist() == [0, 0]


def test_an_unknown_type_of_a_joint_is_a_sentence(library):
    put("joints", "type", "ball")(library)
    with pytest.raises(LibraryError, match=r"joints\.parquet has a joint of type 'ball'"):
        load_dataset(library, verbose=False).joint_arrays()


def test_only_what_is_needed_of_the_joints_is_read(dataset):
    dataset.joint_arrays()
    assert "endpoint_lower" not in dataset.catalog.joints.texts.column_names
    assert "endpoint_lower" in dataset.table("joints").column_names


def test_pandas_frames(dataset):
    pandas = pytest.importorskip("pandas", reason="the extra `pandas` is not installed")
    frame = dataset[1:4].to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["object_id"].tolist() == dataset.object_ids[1:4]
    joints = dataset[1:4].to_pandas("joints")
    assert len(joints) == dataset[1:4].table("joints").num_rows


def test_polars_frames(dataset):
    polars = pytest.importorskip("polars", reason="the extra `polars` is not installed")
    frame = dataset[1:4].to_polars()
    assert isinstance(frame, polars.DataFrame)
    assert frame["object_id"].to_list() == dataset.object_ids[1:4]
    limits = dataset[1:4].to_polars("joints")["upper"].to_list()
    assert limits == dataset[1:4].table("joints")["upper"].to_pylist()


def test_polars_is_given_the_table_of_the_selection(dataset, monkeypatch):
    """polars is too large for the packages of the tests: a stand-in takes the table."""
    monkeypatch.setitem(sys.modules, "polars", SimpleNamespace(from_arrow=lambda table: table))
    assert dataset[1:4].to_polars("joints").equals(dataset[1:4].table("joints"))


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_missing_extra_is_a_sentence_with_the_command(dataset, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'aa-dataset\[{name}\]'"):
        getattr(dataset, f"to_{name}")()


def test_prefetch_keeps_the_order_and_unpacks(dataset, tmp_path):
    assert [item.object_id for item in dataset.prefetch(ahead=2)] == dataset.object_ids
    (edition,) = (tmp_path / "aa_home" / "objects").iterdir()
    assert sorted(path.name for path in edition.iterdir()) == sorted(dataset.object_ids)
    sizes = list(dataset.prefetch(lambda item: len(item.read("object.urdf")), ahead=9, threads=3))
    assert sizes == [len(item.read("object.urdf")) for item in dataset]


def test_prefetch_works_ahead_but_not_further(dataset):
    begun, first = [], threading.Event()

    def load(item):
        begun.append(item.object_id)
        if item == dataset[0]:
            assert first.wait(60)  # the others are begun before the first one ends
        elif len(begun) == 3:
            first.set()
        return item.object_id

    stream = dataset.prefetch(load, ahead=3, threads=3)
    assert next(stream) == dataset.object_ids[0]
    stream.close()
    assert sorted(begun) == sorted(dataset.object_ids[:3])


def test_an_error_is_raised_where_its_result_would_be(dataset):
    def load(item):
        if item == dataset[2]:
            raise ValueError("the third")
        return item.object_id

    stream = dataset.prefetch(load, ahead=5)
    assert [next(stream), next(stream)] == dataset.object_ids[:2]
    with pytest.raises(ValueError, match="the third"):
        next(stream)


@pytest.mark.parametrize("wrong", [{"ahead": 0}, {"threads": -1}, {"ahead": True}])
def test_a_wrong_number_of_threads_is_a_sentence(dataset, wrong):
    with pytest.raises(ArgumentError, match="must be a number from 1 on"):
        dataset.prefetch(**wrong)


def test_html_has_pictures_and_escapes_foreign_text(dataset, tmp_path):
    page = dataset._repr_html_()
    pictures = re.findall(r'src="data:image/png;base64,([^"]+)"', page)
    assert len(pictures) == 5 and all(name in page for name in dataset.object_ids)
    odd = replace(LIBRARY_OBJECTS[2], license="<script>&")
    evil = load_dataset(build_library(tmp_path / "evil", (odd,)), verbose=False)
    for shown in (evil._repr_html_(), evil[0]._repr_html_()):
        assert "<script>" not in shown and "&lt;script&gt;&amp;" in shown
    assert "<th>lower</th>" in evil[0]._repr_html_() and "lid_joint" in evil[0]._repr_html_()


def test_html_shows_some_of_many_small(tmp_path):
    stream = io.BytesIO()
    Image.new("RGB", (512, 400), (9, 9, 9)).save(stream, format="PNG")
    picture = {"preview.png": stream.getvalue()}
    many = tuple(
        ObjectSpec(f"generated-o{k:02d}", "jar", LIBRARY_OBJECTS[2].parts, extra_files=picture)
        for k in range(15)
    )
    page = load_dataset(build_library(tmp_path / "many", many), verbose=False)._repr_html_()
    pictures = re.findall(r'base64,([^"]+)"', page)
    assert len(pictures) == 12 and "and 3 more" in page
    shown = Image.open(io.BytesIO(base64.b64decode(pictures[0])))
    assert shown.size == (WIDTH, WIDTH * 400 // 512)


def test_html_of_an_object_without_a_picture(tmp_path):
    bare = ObjectSpec("generated-rock", "rock", (), extra_files={"preview.png": None})
    page = load_dataset(build_library(tmp_path / "bare", (bare,)), verbose=False)._repr_html_()
    assert "generated-rock" in page and "<img" not in page
