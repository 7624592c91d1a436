# SPDX-License-Identifier: Apache-2.0
"""Raw objects of the local source: good ones, a copy, and one of every kind of damage."""

from __future__ import annotations

import json
from pathlib import Path

BOX = """v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7
f 4 1 5\nf 4 5 8\n"""

LID = """<robot name="chest">
<link name="body"><visual><geometry><mesh filename="box.obj" scale="{s} {s} {s}"/></geometry></visual></link>
<link name="lid"><visual><geometry><mesh filename="box.obj" scale="{s} {s} 0.02"/></geometry></visual></link>
<joint name="hinge" type="revolute"><parent link="body"/><child link="lid"/>
<origin xyz="0 0 {s}"/><axis xyz="0 1 0"/><limit lower="-1.5" upper="0" effort="5" velocity="2"/></joint>
</robot>"""  # noqa: E501

BOMB = """<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<robot name="&b;"/>"""

# Folder, URDF text and reason of every raw object that must not stop the build.
BROKEN = {
    "bomb": (BOMB, "xml_entity"),
    "cut_off": (LID.format(s=0.3)[:200], "xml_invalid"),
    "missing_mesh": (LID.format(s=0.3).replace("box.obj", "absent.obj"), "mesh_missing"),
    "escape": (LID.format(s=0.3).replace("box.obj", "../../secret.obj"), "mesh_outside"),
    "not_a_number": (LID.format(s=0.3).replace("-1.5", "nan"), "number_invalid"),
    "reversed": (LID.format(s=0.3).replace("-1.5", "1.5"), "limits_reversed"),
    "welded": (LID.format(s=0.3).replace('"revolute"', '"fixed"'), "movable_none"),
}


def write_local_objects(root: Path) -> None:
    """Write two good objects, a copy of one, and one folder for every kind of damage."""
    write_object(root / "chest", LID.format(s=0.3))
    write_object(root / "chest_again", LID.format(s=0.3))
    write_object(root / "large_chest", LID.format(s=0.5))
    for name, (urdf, _) in BROKEN.items():
        write_object(root / name, urdf)
    (root / "empty").mkdir()
    (root / "two\nlines").mkdir()
    (root / "linked").symlink_to("chest")


def write_object(folder: Path, urdf: str) -> None:
    folder.mkdir(parents=True)
    meta = {"name": folder.name, "category": "treasure chest", "parts": {"lid": "lid"}}
    (folder / "meta.json").write_text(json.dumps(meta))
    (folder / "model.urdf").write_text(urdf)
    (folder / "box.obj").write_text(BOX)
