# SPDX-License-Identifier: Apache-2.0
"""Untrusted XML: dangerous documents are refused unread, broken ones are a known error."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.errors import UrdfError
from aa_dataset.kinematics.urdf import CODES
from aa_dataset.untrusted.safe_xml import XmlBudget, parse_xml


def code_of(data: bytes, budget: XmlBudget | None = None) -> str:
    """Return the code of the error that a document raises."""
    with pytest.raises(UrdfError) as caught:
        parse_xml(data, budget)
    assert caught.value.detail.endswith(".")
    return caught.value.code


def test_an_entity_bomb_is_refused_without_expanding_it() -> None:
    levels = "".join(
        f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' if n else '<!ENTITY e0 "ha">' for n in range(10)
    )
    tracemalloc.start()
    try:
        assert code_of(f"<!DOCTYPE r [{levels}]><robot>&e9;</robot>".encode()) == "xml_entity"
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "document",
    [
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><robot>&x;</robot>',
        b'<!DOCTYPE r SYSTEM "http://localhost/robot.dtd"><robot/>',
        b'<!DOCTYPE r PUBLIC "a" "b"><robot/>',
        b'<!DOCTYPE r [<!ENTITY % p SYSTEM "file:///etc/hostname">%p;]><robot/>',
        b"<!DOCTYPE robot><robot/>",
    ],
)
def test_document_types_and_external_entities_are_refused(document: bytes) -> None:
    assert code_of(document) == "xml_entity"


def test_an_undeclared_entity_is_not_well_formed() -> None:
    assert code_of(b"<robot>&lurking;</robot>") == "xml_invalid"


def test_nesting_is_allowed_up_to_the_budget_and_not_beyond() -> None:
    budget = XmlBudget(max_depth=5)
    assert parse_xml(b"<a>" * 5 + b"</a>" * 5, budget).tag == "a"
    assert code_of(b"<a>" * 6 + b"</a>" * 6, budget) == "xml_too_deep"


def test_a_million_open_tags_are_no_recursion_error() -> None:
    assert code_of(b"<a>" * 1_000_000) == "xml_too_deep"


def test_elements_are_allowed_up_to_the_budget_and_not_beyond() -> None:
    budget = XmlBudget(max_elements=10)
    assert len(parse_xml(b"<r>" + b"<a/>" * 9 + b"</r>", budget)) == 9
    assert code_of(b"<r>" + b"<a/>" * 10 + b"</r>", budget) == "xml_too_large"


def test_bytes_are_allowed_up_to_the_budget_and_not_beyond() -> None:
    document = b"<robot/>"
    assert parse_xml(document, XmlBudget(max_bytes=len(document))).tag == "robot"
    assert code_of(document, XmlBudget(max_bytes=len(document) - 1)) == "xml_too_large"


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"   \n",
        b"not xml",
        b"<robot>",
        b"<robot></link>",
        b"<robot/><robot/>",
        b"<robot a='1' a='2'/>",
        b"<robot>\x00</robot>",
        b"<robot name='\xff\xfe'/>",
        b"<?xml version='1.0' encoding='no-such-code'?><robot/>",
        b"<?xml version='1.0' encoding='utf-16'?><robot/>",
        b"<?xml version='1.0' encoding='utf-7'?><robot/>",
        b"<?xml version='1.0' encoding='utf-32'?><robot/>",
        b"<?xml version='1.0' encoding='zlib'?><robot/>",
    ],
)
def test_xml_that_is_not_well_formed_has_its_own_error(document: bytes) -> None:
    assert code_of(document) == "xml_invalid"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
def test_declared_and_marked_encodings_are_read(encoding: str) -> None:
    label = {"utf-8-sig": "utf-8", "utf-16-le": "utf-16"}.get(encoding, encoding)
    text = f'<?xml version="1.0" encoding="{label}"?><robot name="Türgriff"/>'
    data = text.encode(encoding)
    if encoding == "utf-16-le":
        data = b"\xff\xfe" + data
    assert parse_xml(data).get("name") == "Türgriff"


@given(st.binary(max_size=200))
def test_any_bytes_parse_or_raise_one_of_the_known_codes(data: bytes) -> None:
    try:
        assert parse_xml(data).tag
    except UrdfError as error:
        assert error.code in CODES


@given(st.text(alphabet="<>/ab='\"&;!?[]- \n\x00é", max_size=80))
def test_any_near_xml_parses_or_raises_one_of_the_known_codes(text: str) -> None:
    try:
        assert parse_xml(f"<robot>{text}</robot>".encode()).tag == "robot"
    except UrdfError as error:
        assert error.code in CODES


def test_a_document_in_the_file_system_is_never_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    document = f'<!DOCTYPE r [<!ENTITY x SYSTEM "{secret}">]><robot>&x;</robot>'
    with pytest.raises(UrdfError) as caught:
        parse_xml(document.encode())
    assert caught.value.code == "xml_entity"
    assert "secret" not in caught.value.detail
