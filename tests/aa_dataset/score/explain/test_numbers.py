# SPDX-License-Identifier: Apache-2.0
"""Every number of an explanation is one of the tables, and prices add up to the distance."""

from __future__ import annotations

import json
import math
import random
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from aa_dataset.kinematics import Joint
from aa_dataset.metric import SplitNorm, component_errors, tree_distance
from aa_dataset.score.explain.fragments import details
from aa_dataset.score.explain.gates import Verdict, joint_gates
from aa_dataset.score.explain.page import PageText, page
from aa_dataset.score.explain.rows import Errors, JointRow, read_object, read_objects
from aa_dataset.score.explain.run import explain_object, object_page, result_page, subject_json
from aa_dataset.score.explain.subject import make_subject, step_label
from aa_dataset.score.explain.text import explanation_lines
from aa_dataset.score.explain.words import failure_text, script_total
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.readers import PredictionError
from aa_dataset.score.result.record import read_result, write_result
from aa_dataset.score.result.scores import COMPONENTS, VARIANTS

IDS = ("generated-cabinet", "generated-jar", "generated-lamp", "local-plain", "local-stool")
STATUS = ("scored", "scored", "motionless", "missing", "unreadable")


def rows_of(table) -> dict[str, dict]:
    return {row["object_id"]: row for row in table.to_pylist()}


@pytest.mark.parametrize(("object_id", "status"), list(zip(IDS, STATUS, strict=True)))
def test_prices_add_up_to_the_tree_distance(dataset, predictions, result, object_id, status):
    subject = explain_object(dataset[object_id], predictions)
    row = rows_of(result.per_object)[object_id]
    assert subject.rows.status == row["status"] == status
    total = script_total(subject.rows)
    assert total == pytest.approx(row["e_alpha_phi_tree_cost"], rel=1e-12)
    if status in ("scored", "motionless"):
        found = tree_distance(
            predictions.tree(object_id),
            dataset[object_id].tree,
            norm=SplitNorm(1.0),
            compactify=math.pi,
        )
        assert found.exact and total == pytest.approx(found.value, rel=1e-12)
    else:
        assert subject.rows.is_welded and subject.guess is None
        assert total == pytest.approx(row["e_alpha_phi_tree_weld"], rel=1e-12)
    costs = [step.cost for step in subject.rows.script]
    assert costs == sorted(costs, reverse=True)


def test_a_single_object_has_the_rows_of_the_whole_run(dataset, predictions, result):
    for object_id in IDS:
        alone = explain_object(dataset[object_id], predictions)
        rows = read_object(result.per_object, result.per_joint, object_id)
        assert repr(make_subject(rows, dataset[object_id], predictions).rows) == repr(alone.rows)


def test_pairs_have_one_label_on_both_sides_and_the_others_say_so(dataset, predictions):
    subject = explain_object(dataset["generated-cabinet"], predictions)
    truth, guess = (marks.labels for marks in subject.marks)
    pairs = {row.joint: row.predicted for row in subject.rows.joints if row.is_pair}
    assert pairs
    assert all(truth[joint] == guess[partner] for joint, partner in pairs.items())
    assert sorted(truth[joint] for joint in pairs) == [str(k + 1) for k in range(len(pairs))]
    assert {truth[name] for name in truth.keys() - pairs.keys()} <= {"-"}
    assert {guess[name] for name in guess.keys() - set(pairs.values())} == {"+"}
    assert "knob_joint" not in truth  # fixed


def random_joint(draw: random.Random) -> Joint:
    kind = draw.choice(["revolute", "continuous", "prismatic", "helical"])
    axis = draw.choice([[0, 0, 1], [1, 0, 0], [0, 0.1, 1], [draw.gauss(0, 1) for _ in range(3)]])
    low = draw.choice([0.0, -0.4])
    span = draw.choice([0.0, 0.3, 1.5, 1.7, 6.0])
    origin = [draw.choice([0.0, 0.03, 0.06, 0.2]) for _ in range(3)]
    return Joint("j", kind, axis, origin, low, low + span, 0.001 if kind == "helical" else 0.0)


def pair_row(predicted: Joint, truth: Joint) -> JointRow:
    """Return the row of a pair as the tables would hold it: no number is infinite."""
    errors = {}
    for name, variant in VARIANTS.items():
        found = component_errors(predicted, truth, variant=variant)
        values = {one.key: float(getattr(found, one.key)) for one in COMPONENTS}
        finite = {k: x if math.isfinite(x) else math.nan for k, x in values.items()}
        errors[name] = Errors(finite, found.success)
    kinds = (str(truth.type), "j", str(predicted.type))
    return JointRow("truth", "j", *kinds, "given", "matched", False, False, {}, errors)


def test_gates_give_the_verdict_of_component_errors():
    draw, verdicts = random.Random(15), set()
    for _ in range(3000):
        row = pair_row(random_joint(draw), random_joint(draw))
        for name, gates in joint_gates(row).items():
            failed = [gate for gate in gates if gate.verdict is Verdict.FAILED]
            success = row.errors[name].success
            verdicts.add((name, success))
            assert success == (not failed), (row, name)
            for gate in failed:
                assert math.isnan(gate.error) or gate.error >= gate.tolerance
                if gate.component == "type" or math.isnan(gate.error):
                    assert math.isnan(gate.excess)
                else:
                    assert gate.excess == gate.error - gate.tolerance
            assert (failure_text(row, name) == "success") == success
    assert len(verdicts) == 2 * len(VARIANTS)


def test_a_failure_names_the_component_and_its_excess_in_degrees_and_millimeters():
    truth = Joint("j", "revolute", [0, 0, 1], [0, 0, 0], 0.0, 1.0)
    far = replace(truth, origin=[0.08, 0.0, 0.0])
    assert failure_text(pair_row(far, truth), "parallel_safe") == "fails: origin +30 mm"
    assert failure_text(pair_row(far, truth), "strict") == "fails: origin undefined"
    assert failure_text(pair_row(far, truth), "released") == "success"  # gates the half of 80 mm
    tilted = replace(truth, axis=[math.sin(0.5), 0.0, math.cos(0.5)])
    told = failure_text(pair_row(tilted, truth), "strict")
    assert told == f"fails: axis +{math.degrees(0.25):.3g} deg"
    slide = replace(truth, type="prismatic")
    assert failure_text(pair_row(slide, truth), "released").startswith("fails: type differs")


class Numbers(HTMLParser):
    """The numbers of a page: per object a list of key, value and shown text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: dict[str, list[tuple[str, float, str]]] = {}
        self._object, self._open = "", False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if "data-text" in values:
            self._object = values["id"]
        if tag == "data":
            one = (values["data-key"], float(values["value"]), "")
            self.found.setdefault(self._object, []).append(one)
            self._open = True

    def handle_data(self, data):
        if self._open:
            key, value, _ = self.found[self._object][-1]
            self.found[self._object][-1] = (key, value, data)
            self._open = False

    def of(self, object_id: str, key: str) -> list[float]:
        return sorted(value for name, value, _ in self.found[object_id] if name == key)


def values(rows, key: str) -> list[float]:
    return sorted(row[key] for row in rows if row[key] is not None)


def test_the_numbers_of_the_page_are_those_of_the_tables(dataset, predictions, result):
    numbers = Numbers(result_page(result, dataset, predictions))
    assert set(numbers.found) == set(IDS)
    for object_id, row in rows_of(result.per_object).items():
        for key in (
            "e_alpha_phi_tree_cost",
            "e_alpha_phi_tree_per_truth_joint",
            "e_b_phi_tree_cost",
        ):
            assert numbers.of(object_id, key) == values([row], key)
        if row["edits"] is not None:
            assert numbers.of(object_id, "edit") == sorted(edit["cost"] for edit in row["edits"])
        assert numbers.of(object_id, "sum") == pytest.approx([row["e_alpha_phi_tree_cost"]])
        joints = [one for one in result.rows() if one["object_id"] == object_id]
        pairs = [one for one in joints if one["role"] == "truth" and one["predicted"] is not None]
        others = [one for one in joints if one not in pairs]
        for key in ("e_b", "e_alpha", "e_alpha_phi"):
            assert numbers.of(object_id, key) == values(pairs, key)
            assert numbers.of(object_id, f"{key}_cost") == values(others, f"{key}_cost")
        assert numbers.of(object_id, "e_alpha_phi_weld") == values(joints, "e_alpha_phi_weld")
        for name in ("axis", "origin", "range", "direction"):
            key = f"parallel_safe_{name}_error"
            assert numbers.of(object_id, key) == values(pairs, key)


def test_the_text_beside_a_number_is_that_number(dataset, predictions, result):
    units = {"m": 1.0, "mm": 1000.0, "deg": 180 / math.pi, "": 1.0}
    checked = 0
    for found in Numbers(result_page(result, dataset, predictions)).found.values():
        for key, value, text in found:
            number, _, unit = text.partition(" ")
            assert float(number) == pytest.approx(value * units[unit], rel=6e-3), (key, text)
            checked += 1
    assert checked > 60


def test_the_worst_object_comes_first(dataset, predictions, result):
    text = result_page(result, dataset, predictions)
    order = re.findall(r'class="object" id="([^"]+)"', text)
    costs = {name: row["e_alpha_phi_tree_cost"] for name, row in rows_of(result.per_object).items()}
    assert order == sorted(costs, key=lambda name: (-costs[name], name)) and len(set(order)) == 5


def test_the_printed_prices_add_up(dataset, predictions):
    lines = explanation_lines(explain_object(dataset["generated-cabinet"], predictions))
    start = next(k for k, line in enumerate(lines) if line.startswith("edit script"))
    end = next(k for k, line in enumerate(lines) if line.startswith("  sum = tree distance, exact"))
    prices = [float(line.split()[-1]) for line in lines[start + 1 : end]]
    assert len(prices) >= 4
    assert math.fsum(prices) == pytest.approx(float(lines[end].split()[-1]), rel=1e-5)


def test_json_has_the_numbers_of_the_tables(dataset, predictions, result):
    subject = explain_object(dataset["generated-cabinet"], predictions)
    data = json.loads(json.dumps(subject_json(subject)))
    row = rows_of(result.per_object)["generated-cabinet"]
    assert data["tree"]["value"] == row["e_alpha_phi_tree"]
    assert data["sum"] == pytest.approx(row["e_alpha_phi_tree"], rel=1e-12)
    assert data["counts"]["spurious"] == row["spurious"]
    assert [one["name"] for one in data["trees"]["truth"]["joints"]] == [
        joint.name for joint in subject.truth.joints
    ]
    excess = [
        gate["excess"]
        for one in data["joints"]
        for gates in one["gates"].values()
        for gate in gates
    ]
    assert None in excess and any(isinstance(value, float) for value in excess)


def test_the_same_run_gives_the_same_bytes(dataset, predictions, result):
    assert result_page(result, dataset, predictions) == result_page(result, dataset, predictions)
    one = object_page(dataset, "generated-cabinet", predictions, Parameters())
    assert one == object_page(dataset, "generated-cabinet", predictions, Parameters())
    assert one.count("<details open") == 1


@pytest.mark.parametrize("pairing", ["assignment", "name"])
def test_with_another_pairing_an_edit_has_no_label_of_another_pair(dataset, predictions, pairing):
    """The edit script is that of the tree distance, whatever pairs the rows have."""
    item = dataset["generated-cabinet"]
    subject = explain_object(item, predictions, Parameters(pairing=pairing))
    assert script_total(subject.rows) == pytest.approx(subject.rows.tree.value, rel=1e-12)
    pairs = {(row.joint, row.predicted) for row in subject.rows.joints if row.is_pair}
    for step in subject.rows.script:
        if step.operation == "substitute":
            is_pair = (step.truth, step.predicted) in pairs
            assert step_label(subject, step).isdecimal() == is_pair


def test_a_long_list_is_cut_and_the_page_says_so(dataset, predictions, result, monkeypatch):
    tables = (result.per_object, result.per_joint)
    monkeypatch.setattr("aa_dataset.score.explain.page.MOST_LISTED", 3)
    monkeypatch.setattr("aa_dataset.score.explain.page.MOST_DETAILED", 2)
    text = page(PageText("cut", ()), tables, dataset, predictions)
    assert text.count("<details") == 2 and text.count('class="object plain"') == 1
    assert "The 3 most expensive of 5 objects are listed" in text
    assert "The 2 most expensive objects have details here" in text
    monkeypatch.setattr("aa_dataset.score.explain.page.MOST_CHARACTERS", 1)
    assert page(PageText("cut", ()), tables, dataset, predictions).count("<details") == 1


def test_rows_come_in_the_order_that_is_asked_for(result):
    tables = (result.per_object, result.per_joint)
    wanted = IDS[::-1]
    assert [rows.object_id for rows in read_objects(*tables, wanted)] == list(wanted)


def test_pictures_are_embedded_where_given(dataset, predictions, result):
    tables = (result.per_object, result.per_joint)
    text = page(PageText("p", ()), tables, dataset, predictions, pictures={IDS[0]: b"\x89PNG"})
    assert text.count("<img ") == 1 and 'src="data:image/png;base64,iVBORw=="' in text


def test_a_result_that_was_read_gives_the_same_page(dataset, predictions, result, tmp_path):
    write_result(result, tmp_path / "result")
    read = read_result(tmp_path / "result")
    assert result_page(read, dataset, predictions) == result_page(result, dataset, predictions)


def test_an_unproven_distance_shows_its_bounds(dataset, predictions):
    subject = explain_object(dataset["generated-cabinet"], predictions)
    tree = replace(subject.rows.tree, exact=False, lower=0.25, upper=subject.rows.tree.value)
    doubtful = replace(subject, rows=replace(subject.rows, tree=tree))
    shown = f"sum = tree distance, not proven, within [0.25, {tree.value:.6g}]"
    assert any(shown in line for line in explanation_lines(doubtful))
    assert shown in details(doubtful)


def test_a_prediction_that_vanished_is_said_not_drawn(dataset, predictions, result):
    class Gone:
        label = "gone"

        def has(self, object_id):
            return True

        def tree(self, object_id):
            raise PredictionError("it is gone.")

        def surplus(self, object_ids):
            return ()

    text = result_page(result, dataset, Gone())
    assert text.count("No tree of the prediction: it cannot be read any more.") == 3
    assert Numbers(text).found == Numbers(result_page(result, dataset, predictions)).found
