# SPDX-License-Identifier: Apache-2.0
"""Contract: mistakes of an author are sentences that name the part or joint."""

import pytest

from pipeline.generate.draw import Draw
from pipeline.generate.registry import family
from pipeline.generate.urdf import number, obj_text
from pipeline.generate.vocabulary import Assembly, AuthoringError, box


def pair() -> Assembly:
    """Two parts without a joint."""
    assembly = Assembly("thing", "thing", "A thing.")
    assembly.part("body", box((1, 1, 1), "oak"))
    assembly.part("lid", box((1, 1, 0.1), "oak").at(0, 0, 0.56))
    return assembly


def hinge(assembly: Assembly, **changes: object) -> None:
    """Add a good hinge, but for the changes."""
    good = {"origin": (0, 0, 0.5), "axis": "x", "lower": 0, "upper": 90}
    assembly.hinge("body", str(changes.pop("child", "lid")), **(good | changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"axis": (0, 0, 0)}, "lid"),
        ({"axis": "up"}, "'up'"),
        ({"lower": 10}, "contain 0"),
        ({"lower": 0, "upper": 0}, "contain 0"),
        ({"child": "door"}, "'door'"),
        ({"child": "body"}, "itself"),
    ],
)
def test_bad_joints_are_named(changes: dict[str, object], words: str) -> None:
    with pytest.raises(AuthoringError, match=words):
        hinge(pair(), **changes)


def test_second_parent_is_refused() -> None:
    assembly = pair()
    hinge(assembly)
    with pytest.raises(AuthoringError, match="already attached"):
        assembly.weld("body", "lid")


def test_loose_part_is_named() -> None:
    with pytest.raises(AuthoringError, match="body, lid"):
        pair().root()


def test_loop_is_named() -> None:
    assembly = pair()
    assembly.part("knob", box((0.1, 0.1, 0.1), "oak"))
    hinge(assembly)
    assembly.weld("lid", "body")
    with pytest.raises(AuthoringError, match="loop"):
        assembly.root()


@pytest.mark.parametrize("name", ["Door", "", "a-b", "1st"])
def test_bad_part_names_are_refused(name: str) -> None:
    with pytest.raises(AuthoringError, match="lowercase"):
        pair().part(name, box((1, 1, 1), "oak"))


def test_unknown_material_suggests_another() -> None:
    with pytest.raises(AuthoringError, match="walnut"):
        pair().part("foot", box((1, 1, 1), "wallnut"))


def test_unknown_family_is_a_sentence() -> None:
    with pytest.raises(AuthoringError, match="no family 'unicorn'"):
        family("unicorn")


def test_touching_solids_never_share_a_vertex() -> None:
    rows = obj_text([box((1, 1, 1), "oak"), box((1, 1, 1), "oak").at(1)]).splitlines()
    vertices = [row for row in rows if row.startswith("v ")]
    assert len(vertices) == len(set(vertices)) == 16


@pytest.mark.parametrize(
    ("value", "text"),
    [(-1e-9, "0"), (0.5, "0.5"), (2.0, "2"), (-1 / 3, "-0.333333"), (100.0, "100")],
)
def test_numbers_have_one_spelling(value: float, text: str) -> None:
    assert number(value) == text


def test_draw_depends_on_seed_family_and_index_alone() -> None:
    def first(*key: object) -> float:
        return Draw(*key).number("x", 0, 1, digits=12)

    keys = [(0, "a", 0), (1, "a", 0), (0, "b", 0), (0, "a", 1)]
    values = [first(*key) for key in keys]
    assert len(set(values)) == len(keys)
    assert values == [first(*key) for key in keys]


def test_draws_stay_in_their_range_and_are_recorded() -> None:
    draw = Draw(3, "a", 0)
    value = draw.number("x", 0.25, 0.5)
    assert 0.25 <= value <= 0.5
    assert draw.count("n", 2, 2) == 2
    assert draw.parameters == {"x": value, "n": 2}
    with pytest.raises(ValueError, match="'x' twice"):
        draw.number("x", 0, 1)
