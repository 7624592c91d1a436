# SPDX-License-Identifier: Apache-2.0
"""Seeds of the files of methods: for each a good one first, then bombs."""

from __future__ import annotations

import io
import json

import numpy as np


def real2code() -> list[bytes]:
    """Return programs of Real2Code."""
    box = "{'center':[0,0,1],'R':[[1,0,0],[0,1,0],[0,0,1]],'extent':[1.0,.5,2e0]}"
    good = (
        f"bboxes={{\n0:{box},\n1:{box},\n}}\nroot_geom = 0\nchild_joints = [\n"
        "dict(box=1,type='hinge',idx=2,edge=[+1,-1],sign=-1),\n]\n"
    )
    inside = ["[" * 100_000, "-" * 100_000 + "1", "1" + "+1" * 50_000, "9" * 5_000, "[]," * 100_000]
    return [good.encode(), *(f"child_joints = [{bomb}]".encode() for bomb in inside)]


def mujoco_joints() -> list[bytes]:
    """Return lists of MuJoCo's joints as Real2Code writes them."""
    joint = {
        "name": "joint_1", "axis": [0.0, 0.0, 1.0], "pos": [0.5, 0.2, 0.0], "range": [0.0, 1.0],
        "type": 3, "body": {"name": "link_1", "id": 2}, "parent": None,
    }  # fmt: skip
    other = {**joint, "name": "joint_2", "body": {"name": "link_2"}, "parent": {"id": 0}}
    return [json.dumps([joint, other], indent=4).encode(), b"[" * 100_000, b"[{}]"]


def physx_json() -> list[bytes]:
    """Return groups of PhysX-Anything in JSON."""
    turn = [0.0, 0.0, 1.0, 0.1, 0.2, 0.3, 0.0, 0.5]
    groups = {
        "0": [0, 1],
        "1": [[2, 3], "0", turn, "C"],
        "2": [[4], "1", turn + turn, "CB"],
        "3": [[5], "0", turn, "D"],
    }
    return [json.dumps({"group_info": groups}).encode(), b'{"a":' * 100_000]


def physx_text() -> list[bytes]:
    """Return answers of PhysX-Anything's model."""
    good = (
        "Name: a\nGroup_info:\ngroup_0: [l_0]; Type: E\ngroup_1: [l_1]; Type: C relative to "
        "group_0; Params: direction: [0,0,1], axis position (in voxel grid): [1,2,3], revolute "
        "range (degree): [0,90]\n"
    )
    bombs = ["group_1: [l_1] Type: B " + "direction" * 100_000, "group_0: [l_0]\n" * 100_000]
    return [good.encode(), *(bomb.encode() for bomb in bombs)]


def physx_urdf() -> list[bytes]:
    """Return a URDF of PhysX-Anything."""
    good = (
        '<robot name="scene"><link name="l_world"/><link name="l_0"/><joint name="joint_hinge_x" '
        'type="revolute"><parent link="l_world"/><child link="l_0"/><axis xyz="0 0 1"/>'
        '<limit lower="-3" upper="3"/></joint></robot>'
    )
    return [good.encode()]


def urdf_anything() -> list[bytes]:
    """Return answers of URDF-Anything in their JSON."""
    joint = {
        "id": "j", "type": "revolute", "parent": "base", "child": "link_0", "axis": [0, 0, 1],
        "origin": {"xyz": [1, 2, 3], "rpy": [0, 1, 0]}, "limit": {"lower": -1, "upper": 1.5},
    }  # fmt: skip
    words = json.dumps({"links": {"link_0": "door"}, "joints": [joint]})
    record = {"centroid": [1.0, 2.0, 3.0], "scale": 2.0}
    plain = {"pred_answers_raw": f"{words} [SEG]", "normalize": record}
    order = {"permutation": [1, 0]}
    aligned = {"pred_answers": words, "normalize": record, "alignment": order}
    bomb = {"pred_answers_raw": "{" * 100_000 + "}" * 100_000}
    return [json.dumps(one).encode() for one in (plain, aligned, bomb)]


def urdf_anything_plus() -> list[bytes]:
    """Return a URDF of URDF-Anything+."""
    good = (
        '<robot name="generated_robot"><link name="base"/><link name="link_0"/><link name="link_1">'
        '</link><joint name="joint_0" type="fixed"><origin rpy="1.5708 0 -1.5708"/><parent '
        'link="base"/><child link="link_0"/></joint><joint name="joint_1" type="prismatic"><origin '
        'xyz="0.1 0 0"/><axis xyz="0 1 0"/><child link="link_1"/><parent link="link_0"/>'
        '<limit lower="-3.14159" upper="3.14159"/></joint></robot>'
    )
    return [good.encode()]


def particulate() -> list[bytes]:
    """Return archives of Particulate: plain and packed ones, and objects that could run code."""
    arrays: dict[str, np.ndarray] = {
        "face_part_ids": np.zeros(2, int),
        "motion_hierarchy": np.array([(0, 1)]),
        "is_part_revolute": np.array([False, True]),
        "is_part_prismatic": np.array([False, True]),
        "revolute_plucker": np.tile(np.arange(6.0), (2, 1)),
        "revolute_range": np.array([[0.0, 1.0]] * 2),
        "prismatic_axis": np.eye(3)[:2],
        "prismatic_range": np.array([[0.0, 1.0]] * 2),
    }
    evil = {**arrays, "motion_hierarchy": np.array([{}], object)}
    return [_npz(arrays), _npz(arrays, packed=True), _npz(evil)]


def _npz(arrays: dict[str, np.ndarray], *, packed: bool = False) -> bytes:
    stream = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(stream, **arrays)  # type: ignore[operator]
    return stream.getvalue()
