# SPDX-License-Identifier: Apache-2.0
"""A selection as a dataset of Hugging Face."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.adapters.datasets import PICTURE, load
from aa_dataset.dataset import Dataset
from aa_dataset.errors import MissingExtraError


@pytest.fixture
def part(pristine_library: Path) -> Dataset:
    return load_dataset(pristine_library, verbose=False)[[2, 0]]


@pytest.mark.parametrize("name", ["objects", "joints", "links", "categories", "findings"])
def test_tables_keep_their_values(part: Dataset, name: str) -> None:
    pytest.importorskip("datasets", reason="the extra `datasets` is not installed")
    made, table = load(part, name), part.table(name)
    assert made.column_names == table.column_names and len(made) == table.num_rows
    for found, expected in zip(made, table.to_pylist(), strict=True):
        for column, value in expected.items():
            if column in ("provenance", "by_source"):
                pairs = [(entry["key"], entry["value"]) for entry in found[column]]
                assert pairs == value
            else:
                assert found[column] == value


def test_pictures_are_decoded(part: Dataset) -> None:
    pytest.importorskip("datasets", reason="the extra `datasets` is not installed")
    made = load(part, pictures=True)
    assert [row["object_id"] for row in made] == part.object_ids
    assert [row[PICTURE].size for row in made] == [(1, 1), (1, 1)]


def test_a_missing_extra_is_a_sentence_with_the_command(
    part: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'aa-dataset\[datasets\]'"):
        load(part)
