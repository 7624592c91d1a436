# SPDX-License-Identifier: Apache-2.0
"""Labels of sources become categories; an unknown label is a finding, never a loss."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.base.errors import ConfigError
from pipeline.base.tables import read_rows, write_table
from pipeline.engine.runner import Task
from pipeline.handover.categorized import CategoryRecord
from pipeline.handover.ingested import IngestedRecord
from pipeline.raw.records import Frame
from pipeline.raw.taxonomy import load_taxonomy, plain_label
from pipeline.stages.categorize.stage import categorize, run
from tests.kit import bench

OTHERS = {"source": "local", "source_id": "o", "name": ""}
CATEGORIES = "category\tsupercategory\torigin\tusual_size\n"


@pytest.fixture
def taxonomy(elsewhere: Path) -> Iterator[Path]:
    """Work with a taxonomy of two categories and an alias."""
    folder = Path("taxonomy")
    folder.mkdir()
    (folder / "supercategories.tsv").write_text(
        "supercategory\tdefinition\nContainers\tHold.\nLighting\tShine.\n"
    )
    (folder / "categories.tsv").write_text(
        f"{CATEGORIES}trash_can\tContainers\tpublished\t0.7\nlamp\tLighting\tproposed\t\n"
    )
    (folder / "aliases.tsv").write_text("label\tcategory\ngarbage_bin\ttrash_can\n")
    (folder / "masses.tsv").write_text("category\tlightest\theaviest\ntrash_can\t0.5\t20\n")
    (folder / "connectives.tsv").write_text("word\tscope\n")
    (folder / "modifiers.tsv").write_text("word\tplace\tscope\n")
    (folder / "models.tsv").write_text("model\tcategory\tseen_in\n")
    (folder / "reviews.tsv").write_text("subject\tcategory\treviewer\twhy\n")
    load_taxonomy.cache_clear()
    yield folder
    load_taxonomy.cache_clear()


def task(label: str) -> Task:
    """Return the work order of an object whose source states a label."""
    facts = {"paths": (".",), "model": "m.urdf", "format": "urdf", "scale": "metric", "unit": 1.0}
    return Task("local-o", IngestedRecord(label=label, frame=Frame("z"), **facts, **OTHERS))


@pytest.mark.parametrize(
    "label",
    ["trash_can", "TrashCan", "trash-can", "Trash Can", "trashCan", " trash  can ", "TRASH_CAN"],
)
def test_every_spelling_of_a_label_finds_its_category(taxonomy: Path, label: str) -> None:
    outcome = categorize(task(label), {})
    assert outcome.record == CategoryRecord(
        "trash_can", "Containers", "metadata: trash_can", 0.5, 20.0
    )
    assert not outcome.findings


@pytest.mark.parametrize("label", ["garbage_bin", "GarbageBin", "Garbage bin"])
def test_an_alias_leads_to_its_category_with_its_provenance(taxonomy: Path, label: str) -> None:
    record = categorize(task(label), {}).record
    assert record.category == "trash_can"
    assert record.label_provenance == "metadata: garbage_bin > alias: trash_can"


@pytest.mark.parametrize("label", ["", "spaceship", "trash", "日本", "?"])
def test_an_unknown_label_is_a_finding_and_the_object_stays(taxonomy: Path, label: str) -> None:
    outcome = categorize(task(label), {})
    assert outcome.record.category == outcome.record.supercategory == "uncategorized"
    assert [str(finding.code) for finding in outcome.findings] == ["label_unknown"]
    assert repr(label) in outcome.findings[0].detail


def test_a_plain_label_is_a_fixed_point() -> None:
    for label in ("TrashCan", "trash can", "3DPrinter", "USB drive", "__x__"):
        assert plain_label(plain_label(label)) == plain_label(label)


def test_usual_size_and_mass_may_be_absent(taxonomy: Path) -> None:
    found = load_taxonomy().categories
    assert (found["trash_can"].usual_size, found["lamp"].usual_size) == (0.7, None)
    assert (found["trash_can"].usual_mass, found["lamp"].usual_mass) == ((0.5, 20.0), None)


@pytest.mark.parametrize(
    ("file", "row", "names"),
    [
        ("categories.tsv", "boat\tSea\tproposed\t3\n", ["boat"]),
        ("aliases.tsv", "dinghy\tboat\n", ["dinghy", "boat"]),
    ],
)
def test_a_broken_taxonomy_is_a_sentence(
    taxonomy: Path, file: str, row: str, names: list[str]
) -> None:
    with (taxonomy / file).open("a") as stream:
        stream.write(row)
    with pytest.raises(ConfigError) as caught:
        load_taxonomy()
    assert all(name in str(caught.value) for name in names)


def test_the_shipped_taxonomy_is_consistent(workspace: Path) -> None:
    load_taxonomy.cache_clear()
    found = load_taxonomy()
    assert found.categories
    assert all(plain_label(name) == name for name in found.categories)
    assert all(plain_label(label) == label for label in found.aliases)
    assert not set(found.aliases) & set(found.categories)
    load_taxonomy.cache_clear()


def test_a_shard_keeps_its_books(taxonomy: Path) -> None:
    labels = {"b": "Lamp", "a": "odd"}
    rows = [{"object_id": key, **task(label).data.to_row()} for key, label in labels.items()]
    write_table(Path("in.parquet"), rows, IngestedRecord.schema())
    job = bench.shard_job(Path("out"), "categorize", inputs={"records": Path("in.parquet")})
    run(job)
    found = {row["object_id"]: row["category"] for row in read_rows(job.outputs["records"])}
    assert found == {"a": "uncategorized", "b": "lamp"}
    assert [row["object_id"] for row in read_rows(job.outputs["findings"])] == ["a"]
