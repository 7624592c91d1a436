# SPDX-License-Identifier: Apache-2.0
"""Kendall's tau, ranks and disagreement, against brute force."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.score.comparison.agreement import average_ranks, kendall
from aa_dataset.score.result.scores import PROTOCOLS
from tests.aa_dataset.score.comparison.results import compared, made, row, simple, table, values
from tests.kit.made_results import one_object, paired

SMALL = st.integers(0, 3).map(float)


def brute_tau(first, second):
    """Kendall's tau-b from its definition."""
    pairs = list(combinations(range(len(first)), 2))
    signs = [(np.sign(first[i] - first[j]), np.sign(second[i] - second[j])) for i, j in pairs]
    score = sum(a * b for a, b in signs)
    untied = [sum(bool(s[k]) for s in signs) for k in (0, 1)]
    return score / math.sqrt(untied[0] * untied[1]) if all(untied) else math.nan


@given(st.lists(st.tuples(SMALL, SMALL), min_size=2, max_size=7))
def test_tau_is_that_of_its_definition(pairs):
    first, second = np.array(pairs).T
    assert kendall(first, second) == pytest.approx(brute_tau(first, second), nan_ok=True)


def test_undefined_values_are_left_out_and_one_value_is_undefined():
    nan = math.nan
    assert kendall(np.array([1.0, nan, 2.0]), np.array([3.0, 0.0, 4.0])) == 1.0
    assert math.isnan(kendall(np.array([1.0, nan]), np.array([nan, 1.0])))
    assert math.isnan(kendall(np.array([1.0, 1.0]), np.array([1.0, 2.0])))


@given(st.lists(SMALL, min_size=1, max_size=8))
def test_ranks_share_the_mean_of_their_places(numbers):
    found = average_ranks(np.array(numbers))
    for value, rank in zip(numbers, found, strict=True):
        places = [k for k, other in enumerate(sorted(numbers), start=1) if other == value]
        assert rank == sum(places) / len(places)


def opposite(name, count=5):
    """Return a method whose axis error orders objects in reverse of all distances."""
    joints, objects = [], []
    for k in range(count):
        value, other = 0.1 * (k + 1), 0.1 * (count - k)
        scores = {f"{s}{e}": value for s in ("e_b", "e_alpha_phi") for e in ("", "_cost")}
        errors = {"strict_axis_error": other, "strict_origin_error": value}
        joints += [paired(f"x{k}", protocol, **scores, **errors) for protocol in PROTOCOLS]
        tree = {f"e_alpha_phi_tree{e}": value for e in ("", "_cost")}
        objects.append(one_object(f"x{k}", **tree))
    return made(joints, objects, name=name)


def test_tau_over_objects_and_over_methods():
    report = compared(opposite("a"), simple("b", {
        f"x{k}": 0.5 for k in range(5)
    }))  # fmt: skip
    found = values(report, "agreement", "AxisErr", "E_B")
    # Method b has one value for all objects, so its tau is undefined and not 0.
    assert (found["tau_objects"], found["methods"]) == (pytest.approx(-1.0), 1)
    # Means: a has axis error 0.3 and E_B 0.3, b has 0 and 0.5.
    assert found["tau_methods"] == -1.0
    assert values(report, "agreement", "E_B", "E_alpha^phi")["tau_objects"] == pytest.approx(1.0)


def test_more_success_counts_as_better():
    good = simple("a", {"x": 0.1, "y": 0.2})
    bad = simple("b", {"x": 0.9, "y": None})
    found = values(compared(good, bad), "agreement", "SuccRate", "E_B")
    assert found["tau_methods"] == 1.0


def test_a_dagger_is_left_out_of_the_order_of_methods():
    folders = [
        simple("a", {"x": 0.1, "y": 0.2}),
        simple("cheat", {"x": 0.9, "y": None}, method={"imputed": "limits"}),
    ]
    assert math.isnan(values(compared(*folders), "agreement", "SuccRate", "E_B")["tau_methods"])


def test_the_objects_with_the_largest_gap_of_ranks_come_first():
    report = compared(opposite("a"))
    found = table(report, "disagreement")
    # Ranks 1 and 5 of 5 are reversed (gap 1), ranks 2 and 4 differ by half of it, rank 3 is 3.
    assert [(r.heads[0], r.cells[-1].value) for r in found.rows] == [
        ("x0", 1.0), ("x4", 1.0), ("x1", 0.5), ("x3", 0.5), ("x2", 0.0),
    ]  # fmt: skip
    first = row(report, "disagreement", "x0", "a")
    assert first["score"].value == "AxisErr"
    assert first["value"].value == "0.500, 5 of 5"
    assert first["other_value"].value == "0.100, 1 of 5"
