# SPDX-License-Identifier: Apache-2.0
"""The files beside the page hold what the tables of the library hold."""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pipeline.base.layout import ReportLayout
from tests.kit.library_folder import build_library
from tests.kit.library_objects import LIBRARY_OBJECTS
from tests.kit.many_objects import HOSTILE, write_many
from tests.kit.reports import SETTINGS, rows, write_report

THUMBNAIL, REST, OPEN, PARTS, STRIP = (1 << bit for bit in range(5))


def value_of(script: Path) -> Any:
    """Return the value that a script hands over: JSON in a JavaScript string."""
    text = script.read_text(encoding="utf-8")
    start, end = text.index("JSON.parse('") + len("JSON.parse('"), text.rindex("'));")
    return json.loads(text[start:end].replace("\\'", "'").replace("\\\\", "\\"))


@pytest.fixture(scope="module")
def columns(report):
    return value_of(report.table)


def listed(columns: dict[str, Any], name: str) -> list[Any]:
    return [columns[name]["values"][place] for place in columns[name]["rows"]]


def test_the_table_has_every_object_once_with_its_own_values(columns, library):
    objects = {row["object_id"]: row for row in rows(library, "objects")}
    assert Counter(columns["ids"]) == Counter(objects.keys())
    findings: dict[str, set[str]] = {}
    splits: dict[str, set[str]] = {}
    for found, table, name in ((findings, "findings", "code"), (splits, "splits", "split")):
        for row in rows(library, table):
            found.setdefault(row["object_id"], set()).add(row[name])
    codes, memberships = listed(columns, "code"), listed(columns, "split")
    texts = ("supercategory", "category", "source", "license", "description")
    told = {name: listed(columns, name) for name in texts}
    for place, object_id in enumerate(columns["ids"]):
        row = objects[object_id]
        assert [told[name][place] for name in texts] == [row[name] for name in texts]
        assert columns["names"][place] == row["name"]
        for name in ("joints_helical", "joints_movable", "depth", "links"):
            assert columns[name][place] == row[name]
        assert columns["metric"][place] == row["is_metric"]
        diagonal = sum(length**2 for length in row["extents"]) ** 0.5
        assert columns["diagonal"][place] == pytest.approx(diagonal, rel=6e-3)
        assert set(codes[place]) == findings.get(object_id, set())
        assert set(memberships[place]) == splits[object_id]


def test_one_object_of_every_category_comes_first_then_the_others_by_category(columns):
    names = listed(columns, "category")
    keys = list(zip(listed(columns, "supercategory"), names, columns["ids"], strict=True))
    count = len(set(names))
    assert len(set(names[:count])) == count
    assert keys[:count] == sorted(keys[:count]) and keys[count:] == sorted(keys[count:])


def test_large_pictures_are_kept_for_some_objects_per_category_in_a_large_library(columns, report):
    names, pictures = listed(columns, "category"), columns["pictures"]
    large = [place for place, bits in enumerate(pictures) if bits & ~THUMBNAIL]
    assert {names[place] for place in large} == set(names)
    assert max(Counter(names[place] for place in large).values()) == SETTINGS.large_per_category
    promised = sum(bin(bits & ~THUMBNAIL).count("1") for bits in pictures)
    assert len(list(report.pictures.iterdir())) == promised


def test_every_picture_of_a_small_library_is_in_the_report(tmp_path):
    library = write_many(tmp_path / "library", 7, categories=2)
    report = write_report(library, tmp_path)
    bits = value_of(report.table)["pictures"]
    assert sorted(bits) == [0, *6 * [THUMBNAIL | REST | OPEN | PARTS | STRIP]]
    assert len(list(report.pictures.iterdir())) == 6 * 4


def preview_of(library: Path, row: dict[str, Any]) -> Image.Image:
    """Return the preview of an object, found in the tar without a reader of ours."""
    data = (library / "assets" / f"{row['shard']}.tar").read_bytes()[row["offset"] :]
    begin = data.index(b"\x89PNG", data.index(b"/preview.png"))
    return Image.open(io.BytesIO(data[begin:])).convert("RGB")


def test_a_thumbnail_shows_the_preview_of_its_row(tmp_path):
    library = write_many(tmp_path / "library", 3, categories=1, pixels=32)
    report = write_report(library, tmp_path, replace(SETTINGS, thumbnail=32))
    objects = {row["object_id"]: row for row in rows(library, "objects")}
    sheet = Image.open(report.sheet(0)).convert("RGB")
    assert sheet.size == (320, 32)
    for place, object_id in enumerate(value_of(report.table)["ids"]):
        tile = sheet.crop((32 * place, 0, 32 * place + 32, 32))
        if objects[object_id]["shard"] is None:
            assert all(high - low < 10 for low, high in tile.getextrema())
            continue
        pairs = zip(tile.tobytes(), preview_of(library, objects[object_id]).tobytes(), strict=True)
        assert sum(abs(a - b) for a, b in pairs) / (3 * 32 * 32) < 8  # WebP loses a little


def test_details_hold_joints_findings_and_the_tree(report, columns, library):
    joints, findings = (
        Counter(row["object_id"] for row in rows(library, table))
        for table in ("joints", "findings")
    )
    seen = []
    for number in sorted(set(columns["details"])):
        told, objects = value_of(report.details(number))
        assert told == number
        for one in objects:
            seen.append((one["id"], number))
            assert len(one["joints"]) == joints[one["id"]] == one["tree"].count("<title>") - 1
            assert len(one["findings"]) == findings[one["id"]]
    assert sorted(seen) == sorted(zip(columns["ids"], columns["details"], strict=True))


def test_a_picture_that_is_none_is_a_gap(tmp_path):
    broken = replace(LIBRARY_OBJECTS[0], extra_files={"preview.png": b"\x89PNG\r\n\x1a\nno"})
    pictures = ("preview.png", "preview_open.png", "preview_parts.png", "strip.webp")
    bare = replace(LIBRARY_OBJECTS[1], extra_files=dict.fromkeys(pictures))
    library = build_library(tmp_path / "library", (broken, bare, *LIBRARY_OBJECTS[2:]))
    columns = value_of(write_report(library, tmp_path).table)
    bits = dict(zip(columns["ids"], columns["pictures"], strict=True))
    assert bits[broken.object_id] == OPEN | PARTS | STRIP and bits[bare.object_id] == 0
    assert bits["generated-jar"] == THUMBNAIL | REST | OPEN | PARTS | STRIP


def test_the_same_library_gives_the_same_bytes_and_nothing_of_an_earlier_report(tmp_path):
    library = write_many(tmp_path / "library", 30, categories=3)
    old = ReportLayout(tmp_path / "b" / "report").picture(99999, "rest")
    old.parent.mkdir(parents=True)
    old.write_bytes(b"old")
    first, second = (write_report(library, tmp_path / name) for name in ("a", "b"))
    files = [
        {path.relative_to(one.root): path.read_bytes() for path in one.root.rglob("*.*")}
        for one in (first, second)
    ]
    assert len(files[0]) > 5 and files[0] == files[1]


def test_the_page_states_its_size_and_the_revision(report, library):
    text = report.page.read_text()
    total = sum(path.stat().st_size for path in report.data.rglob("*.*"))
    count = len(rows(library, "objects"))
    assert f"{1000 * total / count / 1e6:.1f} MB per 1,000 objects" in text
    assert json.loads((library / "library.json").read_text())["revision"] in text
    assert HOSTILE not in text and "at most 1 per category" in text


def test_objects_without_a_category_are_no_category_of_the_head(tmp_path):
    labels = {"category": "uncategorized", "supercategory": "uncategorized"}
    objects = (replace(LIBRARY_OBJECTS[0], **labels), *LIBRARY_OBJECTS[1:])
    library = build_library(tmp_path / "library", objects)
    text = write_report(library, tmp_path).page.read_text()
    known = {row["category"] for row in rows(library, "objects")} - {"uncategorized"}
    assert f"<b>{len(known)}</b> categories" in text


def test_the_foot_counts_what_may_not_be_published(tmp_path):
    library = build_library(tmp_path / "library")
    closed = sum(row["redistribution"] != "assets" for row in rows(library, "objects"))
    assert closed
    text = write_report(library, tmp_path).page.read_text()
    assert f"It shows {closed:,} objects whose files a release may not contain" in text
    spec = next(one for one in LIBRARY_OBJECTS if one.license.startswith("CC0"))
    library = build_library(tmp_path / "free", (spec,))
    assert "do not publish" not in write_report(library, tmp_path / "b").page.read_text()
