# SPDX-License-Identifier: Apache-2.0
"""The frozen benchmark: checked against a library, never resampled, and rebuildable by anyone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline.annotate.stage import annotate
from pipeline.assets import AssetRange, pack
from pipeline.config import load_config, load_sources
from pipeline.generate.emit import emit, object_files
from pipeline.ingest.record import Found
from pipeline.ingest.stage import ingest
from pipeline.normalize.stage import normalize
from pipeline.runner import Task
from pipeline.split.frozen import check_frozen, format_frozen, frozen_members
from pipeline.split.stage import choose_evaluation

REPOSITORY = Path(__file__).parents[3]
FROZEN = frozen_members()


def rebuilt_content(identifier: str, root: Path, config: dict[str, Any]) -> str:
    """Make one generated object from its id and return the digest of its normalized content."""
    name = identifier.removeprefix("generated-")
    family, index = name.rsplit("_", 1)
    seed = config["generated"]["seed"]
    emit(root, name, files=object_files(family, int(index), seed=seed))
    facts = {"folder": str(root), **load_sources()["generated"]}
    task = Task(identifier, ("generated", facts, Found(name, (name,)), "", None))
    row = ingest(task, config).record
    normal = normalize(Task(identifier, (root, row, None, ())), config)
    fragment = pack(identifier, normal.files or {})
    (root / f"{name}.tar").write_bytes(fragment)
    where = AssetRange(root / f"{name}.tar", 0, len(fragment))
    done = annotate(Task(identifier, (normal.record, where, row["parts"])), config)
    return str(done.record["content_sha256"])


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(REPOSITORY)
    return load_config()


def test_the_frozen_list_has_two_hundred_objects() -> None:
    assert len(FROZEN) == 200
    assert all(identifier.startswith("generated-") for identifier in FROZEN)


# Every tenth object in the daily run; the slow run takes all of them.
@pytest.mark.parametrize("identifier", sorted(FROZEN)[::10])
def test_a_frozen_object_can_be_rebuilt_to_the_byte(
    identifier: str, tmp_path: Path, config: dict[str, Any]
) -> None:
    assert rebuilt_content(identifier, tmp_path, config) == FROZEN[identifier]


@pytest.mark.slow
def test_the_whole_frozen_split_can_be_rebuilt(tmp_path: Path, config: dict[str, Any]) -> None:
    found = {identifier: rebuilt_content(identifier, tmp_path, config) for identifier in FROZEN}
    assert found == FROZEN


def rows_of(contents: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {"object_id": i, "content_sha256": c, "category": "box", "supercategory": "Tools"}
        for i, c in contents.items()
    ]


def test_a_library_that_holds_the_list_gets_it_whatever_else_it_holds(
    config: dict[str, Any],
) -> None:
    more = FROZEN | {f"other-{number}": "x" for number in range(500)}
    chosen = choose_evaluation(rows_of(more), [], config["split"])
    assert chosen.name == "eval200"
    assert set(chosen.reasons) == set(FROZEN)


@pytest.mark.parametrize("damage", ["absent", "changed"])
def test_a_library_that_lacks_one_object_samples_under_another_name(
    config: dict[str, Any], damage: str
) -> None:
    contents = dict(FROZEN)
    first = sorted(contents)[0]
    if damage == "absent":
        del contents[first]
    else:
        contents[first] = "0" * 64
    chosen = choose_evaluation(rows_of(contents), [], config["split"])
    assert chosen.name.startswith("eval200_")
    assert "1 of its 200 objects" in chosen.remarks[0]


def test_the_list_survives_its_own_format(tmp_path: Path) -> None:
    text = format_frozen({"b": "2", "a": "1"})
    assert text.splitlines() == ["object_id\tcontent_sha256", "a\t1", "b\t2"]
    assert not check_frozen({"a": "1"}, {"a": "1", "b": "2"})
