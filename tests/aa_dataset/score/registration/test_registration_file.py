# SPDX-License-Identifier: Apache-2.0
"""`registration.json` and `inputs.json`: what is read, in which order, and what is refused."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.portable import quaternion_rotation
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.prediction import Center, MethodPrediction, Normalization, Size
from aa_dataset.score.registration.file import parse_registration, write_registration
from aa_dataset.score.registration.inputs import Inputs, shape_content
from aa_dataset.score.registration.normalization import InputShape
from aa_dataset.score.registration.record import IDENTITY, Given, RegistrationSource
from aa_dataset.score.registration.stated import Stated

SCHEMA = Draft202012Validator(
    json.loads((files("aa_dataset.format") / "registration.schema.json").read_bytes())
)
HEAD = {"format": "aa-registration", "version": 1}
DOOR = Joint("door", JointType.REVOLUTE, [0, 0, 1], [1, 0, 0], 0, 1, parent="a", child="b")
TREE = KinematicTree("thing", ("a", "b"), (DOOR,))
HOME = Similarity(2.0, quaternion_rotation((1, 2, 3, 4)), np.array([1.0, 2.0, 3.0]))

finite = st.floats(-1e6, 1e6)


@given(
    st.floats(1e-6, 1e6),
    st.tuples(finite, finite, finite, finite).filter(lambda q: max(map(abs, q)) > 1e-3),
    st.tuples(finite, finite, finite),
    st.dictionaries(st.text(max_size=8).filter(lambda t: t.isprintable()), finite, max_size=4),
)
def test_a_file_keeps_every_digit_and_fits_the_schema(scale, quaternion, shift, rest):
    similarity = Similarity(scale, quaternion_rotation(quaternion), np.array(shift))
    data = write_registration(Given(similarity, rest), "note")
    SCHEMA.validate(json.loads(data))
    found = parse_registration(data, "here")
    assert found.similarity is not None
    assert (found.similarity.matrix == similarity.matrix).all() and found.rest == rest


def test_a_file_without_a_place_states_a_state_only():
    data = write_registration(Given(rest={"door": 0.25}))
    SCHEMA.validate(json.loads(data))
    found = parse_registration(data, "here")
    assert found.similarity is None and found.rest == {"door": 0.25}


def test_a_quaternion_is_w_x_y_z():
    """(cos 45°, sin 45° z) turns x to y."""
    half = 0.5**0.5
    value = HEAD | {"quaternion": [half, 0.0, 0.0, half]}
    SCHEMA.validate(value)
    found = parse_registration(json.dumps(value).encode(), "here").similarity
    assert found is not None and np.allclose(found.points([1.0, 0.0, 0.0]), [0.0, 1.0, 0.0])


@pytest.mark.parametrize("value, words, by_schema", [
    ([], "it is no JSON object", True),
    ({}, "format is not 'aa-registration'", True),
    (HEAD | {"version": True}, "version is not 1", True),
    (HEAD | {"size": 1}, "unknown field 'size'", True),
    (HEAD | {"scale": 0}, "it must be positive", True),
    (HEAD | {"scale": None}, "null in place of a number", True),
    (HEAD | {"scale": "1"}, "not a finite number", True),
    (HEAD | {"translation": [1, 2]}, "translation has 2 entries, not 3", True),
    (HEAD | {"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}, "not a proper rotation", False),
    (HEAD | {"rotation": [[2, 0, 0], [0, 1, 0], [0, 0, 1]]}, "not a proper rotation", False),
    (HEAD | {"rotation": [1, 0, 0]}, "rotation is 1, not a list", True),
    (HEAD | {"quaternion": [0, 0, 0, 2]}, "quaternion is not of length 1", False),
    (HEAD | {"quaternion": [1, 0, 0, 0], "rotation": np.eye(3).tolist()}, "keep one", True),
    (HEAD | {"rest": {"door": "open"}}, "rest of 'door' is 'open'", True),
    (HEAD | {"rest": [1]}, "rest is [1], not an object", True),
    (HEAD | {"note": 1}, "note is 1", True),
])  # fmt: skip
def test_anything_else_is_a_sentence(value, words, by_schema):
    with pytest.raises(PredictionError) as problem:
        parse_registration(json.dumps(value).encode(), "registration.json of thing")
    said = str(problem.value)
    assert words in said and said.startswith("registration.json of thing: ")
    assert "docs/readers.md has the form" in said
    assert SCHEMA.is_valid(value) is not by_schema


@pytest.mark.parametrize("data", [
    b"", b"\xff", b"[" * 10_000, b'{"format": NaN}', b'{"a": 1, "a": 2}', b" " * 1_000_001,
])  # fmt: skip
def test_bytes_that_are_no_such_file_are_a_sentence(data):
    with pytest.raises(PredictionError, match="docs/readers"):
        parse_registration(data, "here")


def shaped(tmp_path, **changes) -> Inputs:
    """Return inputs of one mesh: a box of 2 x 4 x 6 m about (1, 1, 1)."""
    shape = InputShape(np.array([1.0, 1, 1]), np.array([2.0, 4, 6]), np.array([1.0, 1, 2]), 4.0)
    content = {"version": 1, "states": {"rest": shape_content(shape) | changes}}
    (tmp_path / "thing").mkdir(exist_ok=True)
    (tmp_path / "thing/inputs.json").write_text(json.dumps(content))
    return Inputs(tmp_path)


def test_the_order_of_what_is_stated(tmp_path):
    """Saved by the method, then the input's size, then the file, then nothing."""
    stated = Stated(shaped(tmp_path))
    rule = Normalization(Center.BOX, Size.LARGEST, 1.0)
    file = Given(Similarity(9.0), {"door": 0.5})

    def found(prediction, given):
        one = stated.registration("thing", prediction, given)
        return one.source, one.similarity.scale

    everything = MethodPrediction(TREE, saved=HOME, normalization=rule)
    assert found(everything, file) == (RegistrationSource.SAVED, 2.0)
    assert found(MethodPrediction(TREE, normalization=rule), file) == (
        RegistrationSource.INPUTS,
        pytest.approx(6.0),  # the largest extent becomes 1
    )
    assert found(MethodPrediction(TREE), file) == (RegistrationSource.FILE, 9.0)
    assert stated.registration("thing", MethodPrediction(TREE), None) is IDENTITY
    # Without the input's size, how a method normalizes says nothing.
    alone = Stated().registration("thing", MethodPrediction(TREE, normalization=rule), None)
    assert alone is IDENTITY


def test_the_center_and_the_size_of_the_input_are_undone(tmp_path):
    """By hand: x -> (x - (1, 1, 2)) / 4, so (0, 0, 1) of the method is (1, 1, 6)."""
    rule = Normalization(Center.CENTROID, Size.FARTHEST, 1.0)
    prediction = MethodPrediction(TREE, normalization=rule)
    found = Stated(shaped(tmp_path)).registration("thing", prediction, None)
    assert np.allclose(found.similarity.points([0.0, 0.0, 1.0]), [1.0, 1.0, 6.0])


def test_the_frame_of_the_given_files_is_undone(tmp_path):
    """By hand: the files are (x - (1, 0, 0)) / 2, so their origin is (1, 0, 0)."""
    inputs = shaped(tmp_path)
    path = tmp_path / "thing/inputs.json"
    content = json.loads(path.read_text()) | {"frame": {"center": [1, 0, 0], "scale": 2}}
    path.write_text(json.dumps(content))
    kept = MethodPrediction(TREE, in_input_frame=True)
    found = Stated(inputs).registration("thing", kept, Given(HOME))
    assert found.source is RegistrationSource.INPUTS
    assert np.allclose(found.similarity.points([0.0, 1.0, 0.0]), [1.0, 2.0, 0.0])
    # What a method saved leads to the files that it was given, and those to the object.
    found = Stated(inputs).registration("thing", MethodPrediction(TREE, saved=HOME), None)
    expected = 2 * HOME.points([0.1, 0.2, 0.3]) + [1.0, 0.0, 0.0]
    assert np.allclose(found.similarity.points([0.1, 0.2, 0.3]), expected)
    assert Stated(inputs).registration("thing", MethodPrediction(TREE), None) is IDENTITY
    path.write_text(json.dumps(content | {"frame": {"center": [1, 0, 0], "scale": 0}}))
    with pytest.raises(PredictionError, match="scale of its frame is not positive"):
        inputs.frame("thing")


def test_a_state_of_the_method_comes_before_that_of_the_file():
    prediction = MethodPrediction(TREE, rest={"door": 0.25})
    found = Stated().registration("thing", prediction, Given(rest={"door": 0.5, "lid": 1.0}))
    assert found.rest == {"door": 0.25, "lid": 1.0}
    assert found.source is RegistrationSource.SAVED
    found = Stated().registration("thing", MethodPrediction(TREE), Given(rest={"door": 0.5}))
    assert found.rest == {"door": 0.5} and found.source is RegistrationSource.FILE


@pytest.mark.parametrize("changes", [
    {"extents": [1, 2]}, {"extents": [0, 0, 0]}, {"farthest": 0}, {"center": [None, 0, 0]},
    {"center": "x"}, {"extents": [-1, 2, 3]}, {"farthest": None},
])  # fmt: skip
def test_inputs_without_a_size_are_a_sentence(tmp_path, changes):
    with pytest.raises(PredictionError, match="Write it with `aa inputs`"):
        shaped(tmp_path, **changes).shape("thing")


def test_inputs_are_found_by_their_neutral_name_and_links_are_refused(tmp_path):
    shaped(tmp_path)
    (tmp_path / "thing").rename(tmp_path / "object_0")
    inputs = Inputs(tmp_path, {"thing": "object_0"})
    assert inputs.shape("thing") is not None and inputs.shape("other") is None
    assert inputs.digest("thing") != inputs.digest("other") == ""
    (tmp_path / "other").symlink_to("object_0")
    with pytest.raises(PredictionError, match="symbolic link"):
        inputs.shape("other")
    with pytest.raises(PredictionError, match="is not a folder"):
        Inputs(tmp_path / "nothing")
