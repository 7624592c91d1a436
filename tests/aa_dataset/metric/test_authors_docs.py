# SPDX-License-Identifier: Apache-2.0
"""Every row of docs/articulatearena.md is run against the authors' package."""

import json
import math
import re

import numpy as np
import pytest
from articulatearena.cli import main

from benchmarks.authors_equality import equalities
from tests.kit.places import REPOSITORY

PAGE = (REPOSITORY / "docs" / "articulatearena.md").read_text(encoding="utf-8")
REFUSES = "*refuses*"


def rows(width):
    """Return the body rows of all tables with that many columns of which the second is code."""
    found = []
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("|") and len(cells) == width and re.fullmatch("`.+`", cells[1]):
            found.append(cells)
    # The header of each table names the packages in code, too.
    return [cells for cells in found if cells[1] != "`articulatearena`"]


BRIDGE = rows(3)
DIFFERENCES = rows(6)


@pytest.fixture(scope="module")
def names():
    """Return what the python blocks of the page define."""
    space = {}
    for block in re.findall("```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, space)
    yield space
    space["folder"].cleanup()


def result(cell, names):
    """Return the value of the code in a cell, or that it refuses."""
    try:
        with np.errstate(invalid="ignore"):
            return eval(cell.strip("`"), names)
    except (ValueError, NotImplementedError):  # all errors of both packages that explain
        return REFUSES


def same(one, two, *, relative=1e-9):
    one, two = np.asarray(one, dtype=float), np.asarray(two, dtype=float)
    assert one.shape == two.shape
    np.testing.assert_allclose(one, two, rtol=relative, atol=1e-9 * relative)


def test_the_page_has_all_its_rows():
    assert len(BRIDGE) >= 25
    assert len(DIFFERENCES) >= 28


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # infinite ranges, in theirs
def test_the_table_of_equality_lists_what_is_compared():
    table = [cells for cells in rows(4) if cells[1] != "their function"]
    compared = [[row.quantity, f"`{row.theirs}`"] for row in equalities(pairs=40, trees=8)]
    assert [cells[:2] for cells in table] == compared
    assert all(float(cells[3]) < 1e-9 for cells in table)


@pytest.mark.parametrize("cells", BRIDGE, ids=[cells[0] for cells in BRIDGE])
def test_both_calls_of_the_bridge_agree(cells, names):
    theirs, ours = (result(cell, names) for cell in cells[1:])
    assert theirs is not REFUSES
    assert ours is not REFUSES
    same(ours, theirs)


@pytest.mark.parametrize("cells", DIFFERENCES, ids=[cells[0][:60] for cells in DIFFERENCES])
def test_differences_equal_the_documented_ones(cells, names):
    _, theirs, gives, ours, ours_gives, option = cells
    assert_shown(result(theirs, names), gives)
    assert_shown(result(ours, names), ours_gives)
    assert_same_as_theirs(result(option, names), result(theirs, names))


def assert_shown(value, shown):
    if value is REFUSES or shown == REFUSES:
        assert value == shown
    elif shown in ("true", "false"):
        assert bool(value) == (shown == "true")
    else:
        same(value, float(shown), relative=6e-4)  # the page has four digits


def assert_same_as_theirs(option, theirs):
    if theirs is REFUSES:
        assert option is REFUSES or option is None or option is False
    else:
        assert option is not REFUSES
        same(option, theirs)


def test_the_example_of_the_inertia_frame_in_closed_form(names):
    """0.3 rad times the radius of gyration about the axis, 0.25 m or by their frame 0.75 m away."""
    own = (0.5**2 + 0.04**2) / 12
    values = {}
    for cells in DIFFERENCES:
        if cells[0].startswith("E_B of a door"):
            values = {"theirs": result(cells[1], names), "ours": result(cells[3], names)}
    same(values["ours"], 0.3 * math.sqrt(own + 0.25**2))
    same(values["theirs"], 0.3 * math.sqrt(own + 0.75**2))


def test_their_command_measures_by_the_body_in_the_links_frame(names, tmp_path):
    """The page says so of the command, not only of the loader."""
    text = names["plain"].read_text()
    narrow = names["plain"].with_name("narrow.urdf")
    narrow.write_text(text.replace('upper="1.5"', 'upper="1.2"'))
    config = tmp_path / "case.yaml"
    config.write_text(
        "inner_product: {form: kinetic_energy}\n"
        f"prediction: {{urdf: {narrow}, joint: door}}\n"
        f"ground_truth: {{urdf: {names['plain']}, joint: door}}\n"
    )
    report = main([str(config), "--output", str(tmp_path)])
    found = json.loads(report.read_text())["joint_metrics"]["total_cost"]
    same(found, 0.3 * math.sqrt((0.5**2 + 0.04**2) / 12 + 0.75**2))


def test_the_exact_tree_of_the_page_is_not_the_relaxation(names):
    d = names["tree_distance"](names["edges"], names["edges2"])
    assert d.exact
    assert d.value > d.relaxed + 1e-3
