# SPDX-License-Identifier: Apache-2.0
"""PhysX-Mobility's siblings, hand-made after the publisher's own description of the layout."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pipeline.base.errors import Rejection
from pipeline.engine.runner import Task
from pipeline.engine.sources import load_sources
from pipeline.raw.adapters import physx_mobility
from pipeline.raw.inventory import scan_source
from pipeline.stages.ingest.stage import IngestInput, ingest
from pipeline.stages.normalize.stage import NormalizeInput, normalize
from tests.kit import settings as settings_kit
from tests.kit.places import REPOSITORY
from tests.kit.settings import facts_of


def put(path: Path, content: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


PHYSX = {"object_name": "Grey kettle", "category": "kettle", "dimension": "20*15*25", "parts": []}


def write_physx(root: Path, identifier: str = "102442") -> None:
    """Write one object as PhysX-Mobility lays it out."""
    box = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    put(root / f"partseg/{identifier}/objs/0.obj", box)
    mesh = f'<mesh filename="../partseg/{identifier}/objs/0.obj"/>'
    link = f"<visual><geometry>{mesh}</geometry></visual>"
    put(
        root / f"urdf/{identifier}.urdf",
        f'<robot name="x"><link name="l_0">{link}</link><link name="l_1">{link}</link>'
        '<joint name="j" type="revolute"><parent link="l_0"/><child link="l_1"/>'
        '<axis xyz="0 1 0"/><limit lower="0" upper="1"/></joint></robot>',
    )
    put(root / f"finaljson/{identifier}.json", json.dumps(PHYSX))


def test_physx_mobility_is_three_siblings_and_partnet_again(
    elsewhere: Path, tmp_path: Path
) -> None:
    root = tmp_path / "raw"
    write_physx(root)
    put(root / "urdf/notes.txt")
    (raw,) = scan_source("physx_mobility", "physx_mobility", root)
    assert raw.found.paths == ("urdf/102442.urdf", "finaljson/102442.json", "partseg/102442")
    assert raw.object_id == "physx_mobility-102442"
    os.chdir(REPOSITORY)
    facts = load_sources()["physx_mobility"].facts(str(root))
    data = IngestInput("physx_mobility", facts, raw.found, "d", raw.mark)
    record = ingest(Task(raw.object_id, data), settings_kit.SETTINGS).record
    assert (record.name, record.label) == ("Grey kettle", "kettle")
    assert record.same_as == ("partnet_mobility/102442",)
    assert record.provenance["dimension"] == "20*15*25"
    assert record.redistribution == "none"
    normal = normalize(Task(raw.object_id, NormalizeInput(root, record)), settings_kit.SETTINGS)
    assert normal.record.extents == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("lost", "code"),
    [
        ("finaljson/102442.json", "folder_invalid"),
        ("partseg/102442", "folder_invalid"),
        ("json", "metadata_invalid"),
    ],
)
def test_a_sibling_that_is_absent_or_broken_is_a_rejection(
    elsewhere: Path, tmp_path: Path, lost: str, code: str
) -> None:
    write_physx(tmp_path)
    if lost == "json":
        put(tmp_path / "finaljson/102442.json", '{"category": 5}')
    else:
        (tmp_path / lost).rename(tmp_path / "away")
    (raw,) = scan_source("physx_mobility", "physx_mobility", tmp_path)
    facts = facts_of(tmp_path, adapter="physx_mobility")
    data = IngestInput("physx_mobility", facts, raw.found, "d", raw.mark)
    with pytest.raises(Rejection, match=code):
        ingest(Task(raw.object_id, data), settings_kit.SETTINGS)


def test_the_physx_layout_is_a_preset_of_collections_too(elsewhere: Path, tmp_path: Path) -> None:
    root = tmp_path / "raw"
    write_physx(root / "phys")
    put(
        root / "phys/source.yaml",
        "{title: T, license: MIT, frame: {up: y}, scale: unit_sphere, layout: physx}",
    )
    (raw,) = scan_source("tail", "urdf_folder", root)
    facts = facts_of(root, adapter="urdf_folder")
    data = IngestInput("tail", facts, raw.found, "d", raw.mark)
    record = ingest(Task(raw.object_id, data), settings_kit.SETTINGS).record
    assert record.source_id == "phys/102442"
    assert (record.label, record.license) == ("kettle", "MIT")
    assert record.same_as == ("partnet_mobility/102442",)
    assert record.model == "phys/urdf/102442.urdf"


def test_a_folder_that_is_not_the_layout_has_no_objects(tmp_path: Path) -> None:
    assert list(physx_mobility.discover(tmp_path)) == []
    put(tmp_path / "urdf", "a file")
    assert list(physx_mobility.discover(tmp_path)) == []
