# SPDX-License-Identifier: Apache-2.0
"""`method.json` is untrusted: it is read within limits, and everything odd is a sentence."""

from __future__ import annotations

import json
import os

import pytest

from aa_dataset.errors import ArenaError
from aa_dataset.score.method import Method, find_method, parse_method, read_method


def test_a_method_reads_back_as_it_was():
    method = Method("A", "https://example.org", "mesh", "limits", uses_truth=True)
    assert parse_method(method.as_bytes(), "x") == method
    assert json.loads(Method("A").as_bytes())["imputed"] is False
    assert parse_method(b'{"name": "A", "imputed": true}', "x").imputed == "yes"


@pytest.mark.parametrize(
    ("method", "dagger"),
    [(Method("A"), False), (Method("A", imputed="x"), True), (Method("A", uses_truth=True), True)],
)
def test_what_uses_the_truth_or_is_imputed_has_a_dagger(method, dagger):
    assert method.dagger is dagger and method.marked_name.endswith("†") is dagger
    assert json.loads(method.as_bytes())["dagger"] is dagger
    again = method.with_truths_limits()
    assert again.dagger and again == again.with_truths_limits()
    assert again.imputed.startswith(method.imputed)


def test_a_stated_dagger_cannot_take_away_a_deserved_one():
    assert parse_method(b'{"name": "A", "uses_truth": true, "dagger": false}', "x").dagger


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "Expecting value"),
        (b"[]", "it is no JSON object"),
        (b"{}", "it has no name"),
        (b'{"name": " "}', "it has no name"),
        (b'{"name": 1}', "name is not a text"),
        (b'{"name": "A", "more": 1}', "the unknown field 'more'"),
        (b'{"name": "A", "uses_truth": "no"}', "uses_truth is not true or false"),
        (b'{"name": "A", "imputed": 3}', "imputed is not a text"),
        (b'{"name": "' + b"a" * 3000 + b'"}', "name is not a text of at most 2,000"),
        (b'{"name": "\\ud800"}', "surrogates not allowed"),
        (b" " * 200_000, "more than 100,000 bytes"),
        (b"\xff", "x: "),
    ],
)
def test_a_file_that_is_no_method_is_a_sentence(text, words):
    with pytest.raises(ArenaError, match=words):
        parse_method(text, "x")


def test_the_file_lies_beside_the_predictions_and_is_no_link(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    assert find_method(folder) == Method("mine")
    (folder / "method.json").write_text('{"name": "A"}')
    assert find_method(folder) == Method("A")
    (tmp_path / "b.json").write_text('{"name": "B"}')
    assert find_method(folder, tmp_path / "b.json") == Method("B")
    (folder / "method.json").unlink()
    (folder / "method.json").symlink_to(tmp_path / "b.json")
    with pytest.raises(ArenaError, match="is a symbolic link, which is not followed"):
        find_method(folder)
    with pytest.raises(ArenaError, match="cannot be read"):
        find_method(folder, tmp_path / "nothing.json")


@pytest.mark.timeout(20)
def test_a_pipe_in_place_of_the_file_is_a_sentence(tmp_path):
    os.mkfifo(tmp_path / "method.json")
    with pytest.raises(ArenaError, match="is not a regular file"):
        read_method(tmp_path / "method.json")
