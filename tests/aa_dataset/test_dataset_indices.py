# SPDX-License-Identifier: Apache-2.0
"""Numbers, ids, masks and columns as indices; empty choices and numbers of numpy in filters."""

from __future__ import annotations

import numpy as np
import pytest

from aa_dataset import load_dataset
from aa_dataset.library.catalog import SelectionError


@pytest.fixture
def dataset(pristine_library):
    return load_dataset(pristine_library, verbose=False)


def test_lists_and_masks_are_indices(dataset):
    ids = dataset.object_ids
    assert dataset[[3, 0, -1]].object_ids == [ids[3], ids[0], ids[-1]]
    assert dataset[np.array([1, 1])].object_ids == [ids[1], ids[1]]
    assert dataset[ids[2:4]].object_ids == ids[2:4]
    mask = [name.startswith("local") for name in ids]
    assert dataset[mask].object_ids == dataset.filter(source="local").object_ids
    assert len(dataset[[]]) == 0
    with pytest.raises(IndexError, match="index 9 is out of range for 5 objects"):
        dataset[[0, 9]]
    with pytest.raises(SelectionError, match="the mask has 2 values for 5 objects"):
        dataset[[True, False]]
    assert dataset[range(1, 3)].object_ids == ids[1:3]


def test_columns_of_tables_are_indices(dataset):
    local = dataset.filter(source="local").object_ids
    frame = dataset.to_pandas()
    assert dataset[frame.source == "local"].object_ids == local
    assert dataset[frame.object_id[frame.source == "local"]].object_ids == local
    assert dataset[dataset.table("objects")["object_id"]].object_ids == dataset.object_ids


@pytest.mark.parametrize("index", [0.5, [0.5], None, True, [[0]], [[0], [0, 1]], {}, [None]])
def test_an_index_that_is_none_is_a_sentence(dataset, index):
    with pytest.raises(SelectionError, match="no list of numbers"):
        dataset[index]


@pytest.mark.parametrize("field", ["category", "supercategory", "source", "license", "joint_type"])
@pytest.mark.parametrize("nothing", [[], ()])
def test_a_choice_of_nothing_selects_nothing(dataset, field, nothing):
    chosen = dataset.filter(**{field: nothing})
    assert len(chosen) == 0 and f"{field}=nothing" in repr(chosen)


def test_numbers_of_numpy_are_numbers(dataset):
    assert dataset.filter(joints=np.int64(1)).object_ids == dataset.filter(joints=1).object_ids
    spans = ((np.float32(0.5), None), (0.5, None))
    one, other = (dataset.filter(size=span).object_ids for span in spans)
    assert one == other
