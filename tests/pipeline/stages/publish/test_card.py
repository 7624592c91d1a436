# SPDX-License-Identifier: Apache-2.0
"""The card: every number is that of the tables, every text of a source stays text."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from aa_dataset.format.credits import AUTHORS
from pipeline.engine.sources import load_sources
from pipeline.stages.publish.card import size_text
from pipeline.stages.publish.front_matter import size_category
from tests.kit import releases
from tests.kit.places import REPOSITORY


@pytest.fixture
def release(shipped: None) -> Path:
    """Return a release with objects of two sources, some without files."""
    releases.write_library(releases.specs())
    return releases.publish()


def cells(card: str, head: str) -> dict[str, str]:
    """Return the first and the last cell of every row of the table with this head."""
    lines = card.split(f"| {head} |", 1)[1].splitlines()[2:]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines[: lines.index("")]]
    return {row[0].strip().strip("`"): row[-1].strip() for row in rows}


def test_the_numbers_are_those_of_the_tables(release: Path) -> None:
    card = (release / "README.md").read_text()
    joints = Counter(row["type"] for row in releases.rows(release, "joints"))
    assert cells(card, "joint type | joints") == {k: str(n) for k, n in joints.items()}
    groups = Counter(row["supercategory"] for row in releases.rows(release, "objects"))
    assert cells(card, "supercategory | objects") == {k: str(n) for k, n in groups.items()}
    held = Counter(row["split"] for row in releases.rows(release, "splits"))
    stated = cells(card, "split | meaning | objects")
    assert stated.pop("near_duplicates_in_neither") == "2"
    assert stated == {k: str(n) for k, n in held.items() if k != "library"}
    for name, text in cells(card, "file | content | rows or size").items():
        if name.endswith(".parquet"):
            assert text == str(len(releases.rows(release, name.removesuffix(".parquet"))))


def test_the_share_of_generative_models_is_weighed_by_objects(shipped: None) -> None:
    made = releases.specs()
    renamed = {"generated-a": "articraft_10k-a", "generated-b": "articraft_10k-b"}
    allowed = {renamed.get(key, key): word for key, word in releases.ALLOWED.items()}
    releases.write_library(
        (type(s)(**{**vars(s), "object_id": renamed.get(s.object_id, s.object_id)}) for s in made),
        allowed,
    )
    card = (releases.publish() / "README.md").read_text()
    # Of nine objects two are Articraft's (all by models), three local (unknown), four made here.
    assert "22% of the objects here were made by generative models" in card
    assert "of 33% the sources say nothing" in card
    stated = cells(card, "source | share | its word | objects")
    assert stated == {"articraft_10k": "2", "generated": "4", "local": "3"}


def test_every_source_says_what_models_made_of_it(shipped: None) -> None:
    for name, source in load_sources().items():
        assert source.generative.word.endswith("."), name
        assert source.generative.share is None or 0 <= source.generative.share <= 1


def test_the_front_matter_tells_license_size_and_tags(release: Path) -> None:
    front = yaml.safe_load((release / "README.md").read_text().split("---\n")[1])
    assert front["license"] == "other" and front["license_link"] == "LICENSE"
    assert front["size_categories"] == ["n<1K"] and "urdf" in front["tags"]
    assert all(isinstance(tag, str) for tag in front["tags"])
    assert [size_category(n) for n in (999, 1_000, 19_977)] == ["n<1K", "1K<n<10K", "10K<n<100K"]


def test_the_authors_are_those_of_the_repository() -> None:
    cited = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text())["preferred-citation"]
    names = [f"{one['family-names']}, {one['given-names']}" for one in cited["authors"]]
    assert names == list(AUTHORS)


def test_sizes_are_readable() -> None:
    assert [size_text(n) for n in (0, 999, 8_347_136, 61_234_000_000)] == [
        "0 B", "999 B", "8.35 MB", "61.2 GB",
    ]  # fmt: skip
