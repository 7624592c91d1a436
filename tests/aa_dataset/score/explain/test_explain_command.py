# SPDX-License-Identifier: Apache-2.0
"""``aa explain`` and ``aa score --html`` as people and programs call them."""

from __future__ import annotations

import json
import shutil
from xml.etree import ElementTree

import pytest

from aa_dataset.cli.program import main
from aa_dataset.draw.names import columns


def explain(dataset, folder, object_id, *options) -> int:
    where = ["--pred", str(folder), "--library", str(dataset.root)]
    return main(["explain", object_id, *where, *map(str, options)])


@pytest.mark.parametrize(
    ("object_id", "status", "code"),
    [
        ("generated-cabinet", "scored, 2 of 3 moving joints have a partner, 2 of 4 spurious", 0),
        ("generated-lamp", "motionless", 0),
        ("local-plain", "missing", 1),
        ("local-stool", "unreadable", 1),
    ],
)
def test_the_text_fits_80_columns_and_says_the_status(
    dataset, folder, capsys, object_id, status, code
):
    assert explain(dataset, folder, object_id) == code
    lines = capsys.readouterr().out.splitlines()
    assert max(map(columns, lines)) <= 80
    assert status in " ".join(line.strip() for line in lines)
    assert {"truth", "prediction"} <= set(lines)


def test_every_option_writes_its_file(dataset, folder, tmp_path, capsys):
    svg, page = tmp_path / "a.svg", tmp_path / "a.html"
    options = ("--json", "--svg", svg, "--html", page, "--pairing", "name", "--alpha", 2)
    assert explain(dataset, folder, "generated-cabinet", *options) == 0
    printed = capsys.readouterr()
    data = json.loads(printed.out)
    assert data["object_id"] == "generated-cabinet" and "alpha = 2" in data["context"]["metric"]
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert f"{page}: {page.stat().st_size:,} bytes" in printed.err


def test_score_writes_the_page_of_all_objects(dataset, folder, tmp_path, capsys):
    page = tmp_path / "all.html"
    command = ["score", str(folder), "--split", "eval200", "--library", str(dataset.root)]
    assert main([*command, "--html", str(page)]) == 1  # one is unreadable
    assert page.read_text().count("<details") == 3  # of the split
    assert main([*command, "--html", str(tmp_path / "no" / "all.html")]) == 2
    assert "is not a folder" in capsys.readouterr().err


def test_mistakes_are_sentences(dataset, folder, tmp_path, capsys):
    assert explain(dataset, folder, "generated-cabinett") == 2
    assert "generated-cabinett" in capsys.readouterr().err
    assert explain(dataset, folder, "generated-jar", "--split", "eval200") == 2
    assert "not in this selection" in capsys.readouterr().err
    assert explain(dataset, tmp_path / "nothing", "generated-jar") == 2
    assert "is not a folder" in capsys.readouterr().err
    assert explain(dataset, folder, "generated-jar", "--svg", tmp_path / "no" / "a.svg") == 2
    assert "is not a folder" in capsys.readouterr().err


def test_a_prediction_of_many_joints_is_explained_in_bounds(dataset, folder, tmp_path, capsys):
    part = (
        '<link name="l{0}"/><joint name="j{0}" type="prismatic"><parent link="base"/>'
        '<child link="l{0}"/><axis xyz="1 0 0"/><limit lower="0" upper="0.{0:03}"/></joint>'
    )
    body = "".join(part.format(k) for k in range(1, 900))
    shutil.copytree(folder, tmp_path / "many")
    urdf = f'<robot name="x"><link name="base"/>{body}</robot>'
    (tmp_path / "many" / "generated-cabinet" / "object.urdf").write_text(urdf)
    page = tmp_path / "many.html"
    assert explain(dataset, tmp_path / "many", "generated-cabinet", "--html", page) == 0
    text = capsys.readouterr().out
    assert "more, " in text and "--json has them" in text
    assert page.stat().st_size < 600_000
    assert "more joints are not drawn" in page.read_text()
