# SPDX-License-Identifier: Apache-2.0
"""Profiles: shares of objects at most a threshold, failures never."""

from __future__ import annotations

import numpy as np
import pytest

from aa_dataset.score.comparison.profiles import _round_up
from tests.aa_dataset.score.comparison.results import compared, row, simple


def test_shares_count_all_objects_and_no_failure():
    values = {"x": 0.05, "y": 0.3, "z": 0.5, "w": None, "v": None}
    report = compared(simple("a", values))
    found = row(report, "profile_e_alpha_phi_tree", "a")
    shares = [found[f"at_{t}"].value for t in ("0.02", "0.05", "0.2", "0.5", "1", "2")]
    # A weld costs 1, but the objects without an output are below no threshold.
    assert shares == [0.0, 20.0, 20.0, 60.0, 60.0, 60.0]
    cell = found["at_0.5"]
    assert cell.low < 60.0 < cell.high


def test_the_band_is_that_of_a_share():
    """The percentile interval of a share is that of a binomial count, here by simulation."""
    values = {f"x{k}": 0.1 if k < 6 else 0.9 for k in range(20)}
    cell = row(compared(simple("a", values)), "profile_e_b", "a")["at_0.2"]
    counts = np.random.default_rng(1).binomial(20, 0.3, size=100_000)
    low, high = np.percentile(counts / 20 * 100, [2.5, 97.5])
    assert (cell.low, cell.high) == pytest.approx((low, high), abs=5.0)


def test_a_curve_never_falls_and_ends_at_the_share_of_valid_outputs():
    values = {f"x{k}": None if k % 4 == 0 else 0.05 * k for k in range(20)}
    report = compared(simple("a", values))
    for profile in report.sections[0].profiles:
        (curve,) = profile.curves
        shares = [share.value for share in curve.shares]
        assert shares == sorted(shares)
        assert shares[-1] == pytest.approx(75.0)
        assert profile.thresholds[0] == 0.0
        assert len(profile.thresholds) == len(shares)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, 1.0), (0.011, 0.02), (0.03, 0.05), (0.1, 0.1), (0.51, 1.0), (1.0, 1.0), (7.0, 10.0)],
)
def test_an_axis_ends_at_a_round_number(value, expected):
    assert _round_up(value) == pytest.approx(expected)
