# SPDX-License-Identifier: Apache-2.0
"""Paired differences, decisions and probabilities of a win."""

from __future__ import annotations

import math

import numpy as np
import pytest

from aa_dataset.metric import bootstrap_difference
from aa_dataset.score.comparison.draws import Resampling
from tests.aa_dataset.score.comparison.results import QUICK, compared, row, simple, table

TREE, VALID = "pairs_e_alpha_phi_tree_all", "pairs_e_alpha_phi_tree_valid"


def random_values(seed: int, shift: float = 0.0) -> dict[str, float | None]:
    rng = np.random.default_rng(seed)
    some = {f"x{k:02d}": float(shift + rng.exponential()) for k in range(30)}
    return {name: None if rng.random() < 0.2 else value for name, value in some.items()}


def test_over_all_objects_a_failure_costs_its_weld():
    one, two = random_values(1), random_values(2)
    folders = [simple(n, v) for n, v in (("a", one), ("b", two))]
    first, second = ([1.0 if v is None else v for v in some.values()] for some in (one, two))
    expected = bootstrap_difference(first, second, resamples=QUICK.resamples)
    cell = row(compared(*folders), TREE, "a", "b")["difference"]
    assert (cell.value, cell.low, cell.high) == pytest.approx(
        (expected.estimate, expected.low, expected.high), abs=1e-12
    )


def test_over_valid_outputs_only_common_objects_count():
    one, two = random_values(1), random_values(2)
    folders = [simple(n, v) for n, v in (("a", one), ("b", two))]
    first, second = ([math.nan if v is None else v for v in s.values()] for s in (one, two))
    expected = bootstrap_difference(first, second, resamples=QUICK.resamples)
    found = row(compared(*folders), VALID, "a", "b")
    cell = found["difference"]
    assert (cell.value, cell.low, cell.high) == pytest.approx(
        (expected.estimate, expected.low, expected.high), abs=1e-12
    )
    assert found["objects"].value == expected.objects < 30


def test_the_probability_of_a_win_counts_a_tie_half():
    one = {"x": 0.1, "y": 0.3, "z": 0.5, "w": None}
    two = {"x": 0.2, "y": 0.3, "z": 0.4, "w": None}
    folders = [simple(n, v) for n, v in (("a", one), ("b", two))]
    report = compared(*folders)
    assert row(report, VALID, "a", "b")["win"].value == (1 + 0.5 + 0) / 3
    assert row(report, TREE, "a", "b")["win"].value == (1 + 0.5 + 0 + 0.5) / 4  # both weld w


def test_more_success_is_better():
    folders = [
        simple("a", dict.fromkeys("xyzw", 0.1)),
        simple("b", dict.fromkeys("xyzw")),
    ]
    found = row(compared(*folders), "pairs_success_all", "a", "b")
    assert found["difference"].value == 100.0
    assert found["win"].value == 1.0
    assert found["decision"].value == "first"


def test_a_clear_gap_is_decided_and_equal_methods_are_open():
    values = random_values(1)
    worse = {name: None if v is None else v + 2 for name, v in values.items()}
    folders = [
        simple(name, some) for name, some in (("a", values), ("same", dict(values)), ("z", worse))
    ]
    report = compared(*folders)
    found = row(report, TREE, "a", "same")
    assert (found["p"].value, found["decision"].value) == (1.0, "open")
    assert found["difference"].value == 0.0
    assert row(report, TREE, "a", "z")["decision"].value == "first"
    standing = row(report, "decided", "z")["e_alpha_phi_tree_standing"].value
    assert standing == "0 / 2 / 0"
    assert row(report, "decided", "a")["e_alpha_phi_tree_standing"].value == "1 / 0 / 1"
    # Holm: the two clear gaps have p = 2 / 201, times 3 and at least that.
    assert row(report, TREE, "a", "z")["p_holm"].value == pytest.approx(3 * 2 / 201)


def test_a_dagger_is_never_tested():
    values = random_values(1)
    worse = {name: None if v is None else v + 2 for name, v in values.items()}
    folders = [
        simple("a", worse),
        simple("b", worse),
        simple("cheat", values, method={"imputed": "limits"}),
    ]
    report = compared(*folders)
    found = row(report, TREE, "a", "cheat")
    assert found["decision"].value == "not tested"
    assert math.isnan(found["p_holm"].value)
    assert found["difference"].value > 0
    assert row(report, "decided", "cheat")["e_alpha_phi_tree_standing"].value is None
    assert row(report, "decided", "a")["e_alpha_phi_tree_standing"].value == "0 / 0 / 1"


def test_the_order_of_the_arguments_changes_only_the_order_of_rows():
    folders = [simple(f"m{k}", random_values(k)) for k in range(4)]
    forward, backward = compared(*folders), compared(*folders[::-1])
    for one, two in zip(forward.sections[0].tables, backward.sections[0].tables, strict=True):
        assert sorted(map(repr, one.rows)) == sorted(map(repr, two.rows)), one.key
        assert (one.caption, one.columns) == (two.caption, two.columns)
    assert [r.heads for r in table(forward, "main").rows] == [(f"m{k}",) for k in range(4)]


def test_one_method_alone_has_no_pairs():
    report = compared(simple("a", {"x": 0.1, "y": 0.2}))
    assert not [t.key for t in report.sections[0].tables if t.key.startswith(("pairs", "decided"))]


def test_too_few_resamples_for_the_pairs_are_said():
    folders = [simple(f"m{k}", {"x": 0.1 * k, "y": 0.3}) for k in range(4)]
    few = compared(*folders, how=Resampling(100))  # 6 pairs times 2 / 101
    assert any("6 pairs are too many for 100 resamples" in note for note in few.notes)
    (advised,) = (int(n.split("--resamples ")[1].split()[0]) for n in few.notes if "too many" in n)
    enough = compared(*folders, how=Resampling(advised))
    assert not any("too many" in note for note in enough.notes)
    assert 6 * 2 / (1 + advised) < 0.05 <= 6 * 2 / advised * 1.01
