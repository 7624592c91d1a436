# SPDX-License-Identifier: Apache-2.0
"""``aa draw`` as people and programs call it, and the picture of two matched trees."""

from __future__ import annotations

import json
import math
import re
from xml.etree import ElementTree

import pytest

from aa_dataset import load_dataset
from aa_dataset.cli.program import main
from aa_dataset.draw.names import shortened
from aa_dataset.draw.trees import LINK_COLUMNS, TEXT_COLUMNS
from aa_dataset.format.layout import URDF, demo_folder
from aa_dataset.metric import tree_distance
from aa_dataset.score.explain import explain_object
from aa_dataset.score.explain.picture import object_svg
from tests.kit.library_objects import LIBRARY_OBJECTS, object_files

SVG = "{http://www.w3.org/2000/svg}"
CABINET = "generated-cabinet"


def draw(dataset, object_id, *options) -> int:
    return main(["draw", str(object_id), "--library", str(dataset.root), *map(str, options)])


def words(path) -> list[str]:
    return [node.text or "" for node in ElementTree.parse(path).getroot().iter(f"{SVG}text")]


def test_an_object_of_the_library_is_drawn_with_what_its_links_are(tmp_path, capsys):
    demo = load_dataset(demo_folder(), verbose=False)
    rows = demo.catalog.table("links").to_pylist()
    item = next(one for one in demo if 2 <= len(one.tree.joints) <= 6)
    meanings = {row["semantic"] for row in rows if row["object_id"] == item.object_id} - {""}
    out = tmp_path / "tree.svg"
    assert draw(demo, item.object_id, "--out", out) == 0
    assert f"{out}: {out.stat().st_size:,} bytes" in capsys.readouterr().err
    shown = {*words(out)}
    assert {shortened(link, LINK_COLUMNS) for link in item.tree.links} <= shown
    assert {shortened(joint.name, TEXT_COLUMNS) for joint in item.tree.joints} <= shown
    assert meanings and {shortened(one, LINK_COLUMNS + 3) for one in meanings} <= shown
    first = out.read_bytes()
    assert draw(demo, item.object_id, "--out", out) == 0 and out.read_bytes() == first


def test_without_a_file_the_tree_is_text_or_json(dataset, capsys):
    assert draw(dataset, CABINET) == 0
    lines = capsys.readouterr().out.splitlines()
    joints = dataset[CABINET].tree.joints
    assert len(lines) == 1 + len(joints)
    assert all(joint.name in " ".join(lines) for joint in joints)
    assert draw(dataset, CABINET, "--json") == 0
    content = json.loads(capsys.readouterr().out)
    assert content["object"] == CABINET and content["root"] == "base"
    assert [joint["name"] for joint in content["joints"]] == [joint.name for joint in joints]


def test_a_file_and_a_folder_are_drawn_without_a_library(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spec = next(one for one in LIBRARY_OBJECTS if one.object_id == CABINET)
    text = object_files(spec)[URDF]
    for name in ("own/object.urdf", "foreign/mobility.urdf"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(text)
    found = set()
    for name in ("own", "own/object.urdf", "foreign", "foreign/mobility.urdf"):
        assert main(["draw", name]) == 0
        found.add(capsys.readouterr().out)
    assert len(found) == 1
    (tmp_path / "foreign" / "b.urdf").write_bytes(text)
    assert main(["draw", "foreign"]) == 2
    assert "has 2 files .urdf" in capsys.readouterr().err


def test_a_png_is_a_picture(dataset, tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "tree.PNG"
    assert draw(dataset, CABINET, "--out", out) == 0
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("object_id", [CABINET, "generated-jar", "generated-lamp"])
def test_the_prices_of_both_trees_add_up_to_the_exact_distance(dataset, predictions, object_id):
    subject = explain_object(dataset[object_id], predictions)
    drawn = ElementTree.fromstring(object_svg(subject))
    shown = [node.text or "" for node in drawn.iter(f"{SVG}text")]
    prices = {"substitute": [], "expand": [], "contract": []}
    for text in shown:
        if price := re.fullmatch(r"(substitute|expand|contract), ([0-9.e+-]+)", text):
            prices[price[1]].append(float(price[2]))
    # A pair has its price on both sides.
    total = sum(prices["substitute"]) / 2 + sum(prices["expand"]) + sum(prices["contract"])
    if subject.guess is not None:
        exact = tree_distance(subject.truth, subject.guess, compactify=math.pi).value
        assert total == pytest.approx(exact, rel=1e-4, abs=1e-9)
    kinds = [step.operation for step in subject.rows.script]
    assert len(prices["expand"]) == kinds.count("expand")
    assert len(prices["contract"]) == kinds.count("contract")


def test_both_trees_are_beside_each_other(dataset, folder, tmp_path, capsys):
    out = tmp_path / "both.svg"
    assert draw(dataset, CABINET, "--pred", folder, "--out", out) == 0
    root = ElementTree.parse(out).getroot()
    moved = [node.get("transform") or "" for node in root.iter(f"{SVG}g")]
    places = [tuple(map(int, re.findall(r"\d+", one))) for one in moved if one]
    (left, top), (right, same) = places[:2]
    assert left < right and top == same
    assert {"ground truth", "prediction"} <= {*words(out)}
    assert draw(dataset, CABINET, "--pred", folder) == 0
    assert {"truth", "prediction"} <= {*capsys.readouterr().out.splitlines()}
    assert draw(dataset, CABINET, "--pred", folder, "--json") == 0
    assert json.loads(capsys.readouterr().out)["object_id"] == CABINET


def test_without_a_prediction_the_truth_is_drawn_alone(dataset, folder, tmp_path):
    out = tmp_path / "both.svg"
    assert draw(dataset, "local-plain", "--pred", folder, "--out", out) == 1
    assert "none: missing" in words(out)


def test_among_predictions_an_object_id_is_no_folder(dataset, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / CABINET).mkdir()
    (tmp_path / CABINET / "object.urdf").write_text("<robot/>")
    assert draw(dataset, CABINET, "--pred", folder, "--out", "both.svg") == 0
    assert {"ground truth", "prediction"} <= {*words(tmp_path / "both.svg")}


def test_mistakes_are_sentences(dataset, folder, tmp_path, capsys):
    urdf = tmp_path / "a.urdf"
    urdf.write_text("<robot/>")
    for options, sentence in (
        ((CABINET, "--out", tmp_path / "a.pdf"), "neither .svg nor .png"),
        ((CABINET, "--out", tmp_path / "no" / "a.svg"), "is not a folder"),
        (("generated-cabinett",), "Did you mean"),
        ((urdf, "--pred", folder), "Give an object id"),
        ((CABINET, "--pred", tmp_path / "nothing"), "nothing"),
        ((tmp_path / "absent",), "no object"),
        ((tmp_path / "absent.urdf",), "does not exist"),
    ):
        assert draw(dataset, *options) == 2
        assert sentence in capsys.readouterr().err
