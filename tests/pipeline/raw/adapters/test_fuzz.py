# SPDX-License-Identifier: Apache-2.0
"""Damaged metadata of every source: a rejection or a record that a table holds, nothing else."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aa_dataset.errors import UrdfError
from aa_dataset.kinematics.urdf import CODES, parse_urdf
from pipeline.base.errors import PipelineError, Rejection
from pipeline.handover.ingested import IngestedRecord
from pipeline.raw.files import MemoryFiles
from pipeline.raw.inventory import object_id
from pipeline.raw.records import Found
from pipeline.stages.ingest.stage import IngestInput, _ingested_record
from tests.kit import raw_sources
from tests.kit.settings import facts_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

LAM_FACTS = {"category": "lamp", "tier": "viable", "rel_path": "a"}
FREE_PROMPT = "rec_a-lamp_20260514_221150_836652_f0074cc6"
# Adapter: maker of its object, and how the source lists it.
OBJECTS: dict[str, tuple[str, Found]] = {
    "partnet_mobility": ("partnet", Found("100", ("100",))),
    "articraft": ("articraft", Found(FREE_PROMPT, (FREE_PROMPT,))),
    "artiverse": ("artiverse", Found("lamp/wss/m1", ("data/lamp/wss/m1",))),
    "articulated_object_code": ("lam", Found("viable/a", ("a",), LAM_FACTS)),
    "gapartnet_akb48": ("akb48", Found("100", ("100",), {"category": "Box"})),
}
ODD_TEXTS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ["", "nan", "-inf", "1e999", "9" * 400, "../..", "/", "\0", "link_0", "base", "root",
         "fixed", "screw", "continuous", "prismatic", "\ud800", "1_0", "0 0 0", "NaN 0 0"]
    ),
)  # fmt: skip
ODD_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), ODD_TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD_TEXTS, inner, max_size=3),
    max_leaves=5,
)


def spliced(data: st.DataObject, content: bytes) -> bytes:
    """Cut bytes out of a file and put others in."""
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 40)))
    return content[:start] + data.draw(st.binary(max_size=20)) + content[end:]


def changed_value(data: st.DataObject, content: bytes) -> bytes:
    """Replace one value somewhere inside a JSON file."""
    whole = {"": json.loads(content.removeprefix(b"\xef\xbb\xbf"))}
    place: Any = whole
    key: Any = ""
    while isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
        place = place[key]
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = data.draw(st.sampled_from(keys))
    place[key] = data.draw(ODD_VALUES)
    return json.dumps(whole[""]).encode()


def changed_attribute(data: st.DataObject, content: bytes) -> bytes:
    """Replace a value, or take out an element, somewhere inside an XML file."""
    pattern = data.draw(st.sampled_from([rb'"[^"]*"'] * 3 + [rb"<[^>]*/>"]))
    places = list(re.finditer(pattern, content))
    if not places:
        return spliced(data, content)
    found = data.draw(st.sampled_from(places))
    if found[0].startswith(b"<"):
        return content[: found.start()] + content[found.end() :]
    odd = data.draw(ODD_TEXTS).encode("utf-8", "replace")
    return content[: found.start() + 1] + odd + content[found.end() - 1 :]


def damaged(data: st.DataObject, name: str, content: bytes) -> bytes:
    """Damage a file in a way that fits it."""
    ways: list[Callable[[st.DataObject, bytes], bytes]] = [spliced]
    ways += [changed_value] * 3 if name.endswith(".json") else []
    ways += [changed_attribute] * 3 if content.startswith((b"<?xml", b"<robot name")) else []
    return data.draw(st.sampled_from(ways))(data, content)


@pytest.mark.parametrize("adapter", OBJECTS)
@settings(max_examples=1500, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_damaged_object_is_a_rejection_or_a_valid_record(
    adapter: str, data: st.DataObject
) -> None:
    maker, found = OBJECTS[adapter]
    files = {
        name: content if isinstance(content, bytes) else content.encode()
        for name, content in getattr(raw_sources, maker)().items()
    }
    for name in data.draw(st.lists(st.sampled_from(sorted(files)), min_size=1, max_size=3)):
        if name in files and data.draw(st.integers(0, 9)) == 0:
            del files[name]
        elif name in files and len(files[name]) > 8:
            try:
                files[name] = damaged(data, name, files[name])
            except ValueError:  # it was no JSON any more
                files[name] = spliced(data, files[name])
    module = importlib.import_module(f"pipeline.raw.adapters.{adapter}")
    try:
        record = module.describe(MemoryFiles(files, most_bytes=10**6), found)
    except Rejection as rejection:
        assert rejection.detail
        return
    told = _ingested_record(IngestInput("source", facts_of("raw"), found, "d" * 64, None), record)
    row = {"object_id": "x", **told.to_row()}
    table = pa.Table.from_pylist([row], schema=IngestedRecord.schema())
    assert IngestedRecord.from_row(table.to_pylist()[0]).to_row() == told.to_row()
    assert record.model in files
    assert set(record.provenance) <= module.FIELDS
    assert all(finding.detail for finding in record.findings)
    for screw in told.screws:
        assert screw.joint and screw.joint != screw.partner


@settings(max_examples=3000, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_damaged_urdf_is_an_error_of_the_closed_list_or_a_model(data: st.DataObject) -> None:
    content = raw_sources.artiverse_urdf().encode()
    if data.draw(st.integers(0, 9)) == 0:
        content = data.draw(st.binary(max_size=300))
    else:
        for _ in range(data.draw(st.integers(1, 3))):
            content = data.draw(st.sampled_from([spliced, changed_attribute]))(data, content)
    try:
        assert parse_urdf(content).links is not None
    except UrdfError as error:
        assert error.code in CODES


@settings(max_examples=400, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_damaged_manifest_lists_unique_objects_or_is_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    root: Path = tmp_path_factory.mktemp("manifest", numbered=True)
    lines = ["rel_path,tier,category,caption"] + ["objects/a/a_001,viable,lamp,a lamp"] * 2
    content = "\n".join(lines).encode()
    for _ in range(data.draw(st.integers(1, 3))):
        content = spliced(data, content)
    (root / "manifest.csv").write_bytes(content)
    (root / "akb48_all_id_list.txt").write_bytes(content)
    try:
        listed = list(
            importlib.import_module("pipeline.raw.adapters.articulated_object_code").discover(root)
        )
    except PipelineError as error:
        assert "cannot be read" in str(error)
        return
    ids = [object_id("s", found.name) for found in listed]
    assert len(ids) == len(set(ids))
    for found in listed:
        json.dumps(found.facts)
        assert all(not path.startswith(("/", "..")) for path in found.paths)
    list(importlib.import_module("pipeline.raw.adapters.gapartnet_akb48").discover(root))
