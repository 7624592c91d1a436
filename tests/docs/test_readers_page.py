# SPDX-License-Identifier: Apache-2.0
"""The page on readers has a row for every format, and its example fits the schema."""

from __future__ import annotations

import json
import re
from importlib.resources import files

from jsonschema import Draft202012Validator

from aa_dataset.score.registration.file import parse_registration
from aa_dataset.score.simulated.registry import NAMES
from benchmarks.formats import HEAD, between
from tests.kit.places import REPOSITORY

PAGE = (REPOSITORY / "docs/readers.md").read_text()
SCHEMA = json.loads((files("aa_dataset.format") / "registration.schema.json").read_bytes())


def test_the_table_has_a_row_for_every_format() -> None:
    head, rule, *rows = between(PAGE).strip().splitlines()
    assert head.strip("| ").split(" | ") == list(HEAD)
    assert [row.split("`")[1] for row in rows] == list(NAMES)
    assert {row.count("|") for row in (head, rule, *rows)} == {len(HEAD) + 1}


def test_the_example_is_a_registration() -> None:
    (example,) = re.findall(r"```text\n(\{.*?\n\})\n```", PAGE, re.S)
    Draft202012Validator(SCHEMA).validate(json.loads(example))
    assert parse_registration(example.encode(), "here").rest == {"door": 0.3}


def test_every_field_is_explained() -> None:
    section = PAGE.partition("| field | meaning |")[2].partition("\n\n")[0]
    named = set(re.findall(r"`(\w+)`", section))
    assert set(SCHEMA["properties"]) - {"format", "version"} <= named
