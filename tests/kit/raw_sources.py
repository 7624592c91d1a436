# SPDX-License-Identifier: Apache-2.0
"""Small objects in the layout of every source, written for these tests."""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.base.errors import Rejection
from pipeline.raw.files import open_raw
from pipeline.raw.records import RawRecord

Files = dict[str, str | bytes]

BOX = '<visual><geometry><box size="0.2 0.3 0.4"/></geometry></visual>'


def link(name: str, inner: str = BOX) -> str:
    """Return a link; without `inner` it is empty."""
    return f'<link name="{name}">{inner}</link>'


def joint(
    name: str, kind: str, parent: str, child: str, *, limit: str = "", extra: str = ""
) -> str:
    """Return a joint about y; `extra` are attributes of its tag."""
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    axis = "" if kind == "fixed" else '<axis xyz="0 1 0"/>'
    limits = f"<limit {limit}/>" if limit else ""
    return f'<joint name="{name}" type="{kind}" {extra}>{ends}{axis}{limits}</joint>'


def robot(*parts: str) -> str:
    """Return a URDF document."""
    return f'<?xml version="1.0"?><robot name="thing">{"".join(parts)}</robot>'


def partnet_entry(number: int, kind: str, parent: int = 3, **limit: Any) -> dict[str, Any]:
    """Return one entry of `mobility_v2.json`."""
    axis = {"origin": [0, 0, 0], "direction": [0, 1, 0]}
    data = {"axis": axis, "limit": limit} if limit else {}
    return {"id": number, "parent": parent, "joint": kind, "name": "part", "parts": [],
            "jointData": data}  # fmt: skip


def partnet() -> Files:
    """Return a PartNet-Mobility object: a hinge, an endless knob, a screw cap, a body."""
    urdf = robot(
        link("base", ""), link("link_0"), link("link_1"), link("link_2"), link("link_3"),
        link("link_2_helper", ""),
        joint("joint_0", "revolute", "link_3", "link_0",
              limit=f'lower="{-math.pi / 2}" upper="{math.pi / 4}"'),
        joint("joint_1", "continuous", "link_3", "link_1"),
        joint("joint_2", "continuous", "link_2_helper", "link_2"),
        joint("joint_3", "fixed", "base", "link_3"),
        joint("joint_4", "prismatic", "link_3", "link_2_helper", limit='lower="-0.1" upper="0"'),
    )  # fmt: skip
    motions = [
        partnet_entry(0, "hinge", a=90, b=-45, noLimit=False),  # degrees, reversed
        partnet_entry(1, "hinge", a=0, b=0, noLimit=True),
        partnet_entry(2, "slider", a=-0.1, b=0, noLimit=False, rotates=True,
                      noRotationLimit=False, rotationLimit=180),
        partnet_entry(3, "free", -1),
    ]  # fmt: skip
    meta = {"model_cat": "Bottle", "anno_id": "809", "model_id": "f00", "version": "2"}
    semantics = (
        "link_0 hinge lid\nlink_1 hinge knob\nlink_2 slider+ rotation_lid\nlink_3 free body\n"
    )
    return {
        "mobility.urdf": urdf,
        "mobility_v2.json": json.dumps(motions),
        "semantics.txt": semantics,
        "meta.json": json.dumps(meta),
    }


RECORD_ID = "rec_bell_tower_with_swinging_bell_0008"


def articraft_record(**changes: Any) -> str:
    """Return a `record.json` of schema 2."""
    record = {
        "schema_version": 2, "record_id": RECORD_ID, "rating": 5, "secondary_rating": None,
        "author": "somebody", "kind": "generated_model", "category_slug": "bell_tower",
        "provider": "openai", "model_id": "gpt-5.4", "created_at": "2026-03-26T11:51:12Z",
        "display": {"title": "A bell tower", "prompt_preview": "A bell"},
        "artifacts": {"prompt_txt": "prompt.txt"}, "collections": ["dataset"],
    }  # fmt: skip
    return json.dumps(record | changes)


def articraft_model() -> Files:
    """Return what Articraft's tool compiles."""
    urdf = robot(
        link("tower"), link("bell"),
        joint("tower_to_bell", "revolute", "tower", "bell",
              limit='lower="-1" upper="1" effort="1" velocity="1"'),
    )  # fmt: skip
    return {"model.urdf": urdf, "compile_report.json": '{"status": "success"}'}


def articraft() -> Files:
    """Return a record with its compiled output in one folder."""
    return {**articraft_model(), "record.json": articraft_record(), "prompt.txt": "A bell tower."}


def artiverse_urdf(screw: str = "") -> str:
    """Return an Artiverse URDF: a door, a screw, a cylindrical part; `screw` adds attributes."""
    pitch = screw or ('artiverse_screw_pitch="0.002" artiverse_trans_min="0" '
                      'artiverse_trans_max="0.012"')  # fmt: skip
    limit = 'effort="10" velocity="1" '
    return robot(
        link("link_0_base"), link("link_1_door"), link("link_2_cap"), link("link_3_rod"),
        link("link_3_carrier", ""),
        joint("joint_1_to_0", "revolute", "link_0_base", "link_1_door",
              limit=limit + 'lower="0" upper="1.5"',
              extra='artiverse_pid="1" artiverse_original_type="revolute"'),
        joint("joint_2_to_0", "revolute", "link_0_base", "link_2_cap",
              limit=limit + 'lower="0" upper="6"',
              extra=f'artiverse_pid="2" artiverse_original_type="screw" {pitch}'),
        joint("joint_3_slide", "prismatic", "link_0_base", "link_3_carrier",
              limit=limit + 'lower="0" upper="0.1"',
              extra='artiverse_pid="3" artiverse_original_type="cylindrical" '
                    'artiverse_component="translation"'),
        joint("joint_3_turn", "continuous", "link_3_carrier", "link_3_rod",
              extra='artiverse_pid="3" artiverse_original_type="cylindrical" '
                    'artiverse_component="rotation"'),
    )  # fmt: skip


def artiverse_annotation() -> dict[str, Any]:
    """Return the annotation of that object, flat."""
    one = {"axis": [0, 1, 0], "base": [0], "needsReview": False}
    return {
        "modelId": "m1", "workerId": "w", "objectBaseId": 0, "connectivity": [],
        "articulations": [
            {"pid": 1, "type": "rotation", "rangeMin": 0, "rangeMax": 1.5, **one},
            {"pid": 2, "type": "screw", "rotRangeMin": 0, "rotRangeMax": 6, **one},
            {"pid": 3, "type": "cylindrical", "transRangeMin": 0, "transRangeMax": 0.1, **one},
        ],
    }  # fmt: skip


def artiverse() -> Files:
    """Return an Artiverse model in the layout of the release; no real one could be had."""
    return {
        "urdf_w_collider/m1.urdf": artiverse_urdf(),
        "m1.articulations.json": json.dumps(artiverse_annotation()),
        "m1.segmented.glb": b"glTF",
    }


def lam() -> Files:
    """Return an object of Articulated-Object-Code with the copies that are no objects."""
    urdf = robot(link("body"), link("door"), joint("hinge", "revolute", "body", "door"))
    return {
        "generated.urdf": urdf,
        "generated copy.urdf": "<robot",
        "pipeline_logs/generated.urdf": "<robot",
        "input_caption.txt": "a cabinet with\n two doors",
    }


PLY = (
    "ply\nformat ascii 1.0\nelement vertex 4\n"
    "property float x\nproperty float y\nproperty float z\n"
    "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"
)


def akb48(model: str = "mobility_annotation_gapartnet.urdf", *, upright: bool = True) -> Files:
    """Return an AKB-48 object whose one OBJ is absent, with a PLY beside it."""
    mesh = '<visual><geometry><mesh filename="./part_meshes/{}"/></geometry></visual>'
    parts = [
        link("base_link", mesh.format("link0.obj")),
        link("link1", mesh.format("link1.obj")),
        joint("base_link|revolute|link1", "revolute", "base_link", "link1",
              limit='lower="-0.001" upper="1.4" effort="1" velocity="1"'),
    ]  # fmt: skip
    parts += (
        [link("root", ""), joint("root_joint", "fixed", "root", "base_link")] if upright else []
    )
    return {
        model: robot(*parts),
        "part_meshes/link0.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\n",
        "part_meshes/link1.ply": PLY,
        "semantics_gapartnet.txt": "root fixed root\nbase_link static body\nlink1 hinge lid\n",
    }


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder and return it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def read(adapter: str, root: Path) -> dict[str, RawRecord | Rejection]:
    """Return the record that an adapter makes of every object of a folder, by name."""
    module = importlib.import_module(f"pipeline.raw.adapters.{adapter}")
    said: dict[str, RawRecord | Rejection] = {}
    for found in module.discover(root):
        assert found.name not in said
        try:
            files = open_raw(root, found.paths, most_bytes=10**9)
            said[found.name] = module.describe(files, found)
        except Rejection as rejection:
            assert rejection.detail.endswith(".")
            said[found.name] = rejection
    return said
