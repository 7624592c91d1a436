# SPDX-License-Identifier: Apache-2.0
"""The files that fuzzing starts from: a good one of every format, and every one that once hurt.

All of it is written here; nothing is copied from a source.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import math
import pickle
import struct
import tarfile
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from aa_dataset.format.schema import TABLES
from aa_dataset.format.split_file import Member, SplitFile, split_bytes
from aa_dataset.format.truth import Truth

EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n"
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


# As Open3D writes it.
TRIANGLE_PLY = (
    b"ply\nformat binary_little_endian 1.0\ncomment Created by Open3D\nelement vertex 3\n"
    b"property double x\nproperty double y\nproperty double z\nelement face 1\n"
    b"property list uchar uint vertex_indices\nend_header\n"
    + struct.pack("<9dB3I", 0, 0, 0, 1, 0, 0, 0, 1, 0, 3, 0, 1, 2)
)  # fmt: skip


def urdf(mesh: str = "", mimics: int = 1) -> bytes:
    """Return a URDF of a box and what turns on it, with a chain of mimics."""
    shape = f'<mesh filename="{mesh}"/>' if mesh else '<box size="0.2 0.3 0.4"/>'
    links = "".join(
        f'<link name="l{n}"><visual><origin xyz="0 0 {n}" rpy="0 0.1 0"/><geometry>{shape}'
        '</geometry><material name="m"><color rgba="1 0 0 1"/></material></visual></link>'
        for n in range(mimics + 2)
    )
    joints = "".join(
        f'<joint name="j{n}" type="revolute"><origin xyz="0 0 0"/><parent link="l{n}"/>'
        f'<child link="l{n + 1}"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
        + (f'<mimic joint="j{n - 1}" multiplier="0.5" offset="0"/>' if n else "")
        + "</joint>"
        for n in range(mimics + 1)
    )
    return f'<?xml version="1.0"?><robot name="r">{links}{joints}</robot>'.encode()


def joints_json() -> list[bytes]:
    """Return texts of `joints.json`: a good one, and bombs."""
    line = '"axis": [0, 0, 1], "origin": [0, 0, 0.5], "limits": [-1, null]'
    body = '{"mass": 1, "center": [0, 0, 0], "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}'
    good = (
        '{"format": "aa-joints", "version": 1, "frame": "object", "unit": "m", "state": "rest", '
        '"name": "t", "links": ["a", "b", "c"], "joints": ['
        f'{{"name": "j", "type": "revolute", "parent": "a", "child": "b", {line}, "body": {body}}},'
        f'{{"name": "k", "type": "helical", "parent": "b", "child": "c", {line}, "pitch": 0.1, '
        '"mimic": {"joint": "j", "multiplier": 2, "offset": 0}}]}'
    )
    bombs = ["[" * 100_000, '{"a":' * 100_000, "[" + "[]," * 500_000 + "[]]", "1" * 100_000]
    return [good.encode(), *(bomb.encode() for bomb in bombs)]


def anymesh_json() -> list[bytes]:
    """Return texts of Articulate AnyMesh's `mobility.json`."""
    line = '"jointData": {"axis": {"origin": [0, 1, 0.5], "direction": [0, 0, -2]}}'
    door = f'{{"id": 0, "parent": "base", "joint": "revolute", "name": "door@0", {line}}}'
    drawer = f'{{"id": 1, "parent": "door@0", "joint": "prismatic", "name": "b", {line}}}'
    base = '{"id": 2, "parent": null, "joint": "fixed", "name": "base", "jointData": {}}'
    return [f"[{door}, {drawer}, {base}]".encode(), b"[" * 100_000]


def artgs_json() -> list[bytes]:
    """Return texts of ArtGS's `joint_info.json`."""
    line = '"jointData": {"axis": {"origin": [0, 1, 0.5], "direction": [0, 0, -2]}, "limit": {}}'
    root = '{"id": 0, "parent": -1, "name": "root", "joint": "heavy", "jointData": {}}'
    rows = (f'{{"id": {n}, "parent": 0, "name": "j{n}", "joint": "{kind}", {line}}}'
            for n, kind in ((1, "hinge"), (2, "slider")))  # fmt: skip
    return [f"[{root}, {', '.join(rows)}]".encode()]


def paris_json() -> list[bytes]:
    """Return texts of PARIS's `it*_motion.json`: by given types, and by an estimated one."""
    line = '"axis_o": [0.5, 0, 0], "axis_d": [0, 0, 1]'
    other = '"R_axis_o": [0.5, 0, 0], "R_axis_d": [0, 0, 1], "R_ang": 30.0'
    texts = (
        f'{{"type": "rotate", {line}, "rot_angle": [90.0]}}',
        f'{{"type": "translate", {line}, "dist": [0.4]}}',
        f'{{"type": "rotate", {other}, "t_axis_d": [1, 0, 0], "t_dist": 0.1}}',
    )
    return [text.encode() for text in texts]


def trans_json() -> list[bytes]:
    """Return texts of `trans.json`: one joint, and a list."""
    line = '"axis": {"o": [0.5, 0, 0], "d": [0, 0, 1]}'
    turn = f'{{{line}, "type": "rotate", "rotate": {{"l": 0, "r": 90}}}}'
    slide = f'{{{line}, "type": "translate", "translate": {{"l": 0.1, "r": -0.3}}}}'
    return [f'{{"trans_info": {rows}}}'.encode() for rows in (turn, f"[{turn}, {slide}]")]


def dta_json() -> list[bytes]:
    """Return texts of DigitalTwinArt's `init_motion.json`."""
    turn = (
        '{"axis_position": [1, 0, 0], "axis_direction": [0, 0, 1], "theta": 90.0, "rotation": '
        '[[0, -1, 0], [1, 0, 0], [0, 0, 1]], "translation": [1, -1, 0]}'
    )
    slide = (
        '{"axis_position": [0, 0, 0], "axis_direction": [0, 1, 0], "theta": 0.3, "rotation": '
        '[[1, 0, 0], [0, 1, 0], [0, 0, 1]], "translation": [0, 0.3, 0]}'
    )
    return [f"[{rows}]".encode() for rows in (turn, f"{turn}, {slide}")]


def _quant() -> dict[str, object]:
    axis = np.array([0, 0, 0.9], dtype=np.float32)
    output = {"joint_axis": axis, "pivot_point": axis, "config": np.float32(0.5), "joint_type": 0}
    heads = {"articulation": {"revolute": {"config_err": np.float32(0)}, "prismatic": None}}
    data = ({"data_path": "a.npz", "center": axis, "scale": 2.0, "joint_index": 1},)
    return {"eval": heads, "output": output, "data": data}


def quant_npz() -> list[bytes]:
    """Return Ditto's `quant.npz`, and the same not packed, so that a change is not its end."""
    found = []
    for save in (np.savez, np.savez_compressed):
        stream = io.BytesIO()
        save(stream, **_quant())  # type: ignore[arg-type]
        found.append(stream.getvalue())
    return found


def pickles() -> list[bytes]:
    """Return pickled arrays of a dict in both protocols of numpy, and deep nesting."""
    array = np.array(_quant(), dtype=object)
    good = [pickle.dumps(array, protocol=protocol) for protocol in (4, 3)]
    return [*good, b"]" * 30_000 + b"a" * 29_999 + b"."]


def mjcf() -> list[bytes]:
    """Return MJCF texts."""
    good = (
        '<mujoco model="m"><asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
        '<worldbody><body name="a"><geom type="box" size=".1 .1 .1"/><body name="b" pos="0 0 1">'
        '<joint name="j" axis="0 0 1" range="-1 1" limited="true"/><geom type="mesh" mesh="t"/>'
        "</body></body></worldbody></mujoco>"
    )
    scene = "".join(
        f'<body name="{name}"><geom size=".1"/><body><joint name="{name}"/></body></body>'
        for name in "cd"
    )
    scene = f'<worldbody>{scene}</worldbody><equality><joint joint1="c" joint2="d"/></equality>'
    asides = ["<!--" * 300, "<?" * 300, "<include " * 300, '<include file="a"' * 300]
    texts = [good.encode(), f"<mujoco>{scene}</mujoco>".encode()]
    return [*texts, *(f"<mujoco>{aside}".encode() for aside in asides)]


def obj() -> list[bytes]:
    """Return OBJ texts."""
    groups = "".join(f"v {n} 0 0\nusemtl m{n}\nf -1 -2 -3\n" for n in range(3, 9))
    return [
        TRIANGLE.encode(),
        b"mtllib m.mtl\nusemtl m\n" + b"vt 0 0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2/1 3/1\n",
        (TRIANGLE + groups).encode(),
        TRIANGLE.encode() + b"f 1 2 \\",
        b"v \nv  \n",
        b"v 1 2 3 .1 .2 .3\n" * 4 + b"f 1//1 2//2 3//3 4//4\n" + b"f 99999999999999999999 1 2\n",
    ]


def mtl() -> list[bytes]:
    """Return MTL texts."""
    return [b"newmtl m\nKd .1 .2 .3\nd 0.5\nmap_Kd -s 1 1 1 -o 0 0 t.png\nmap_d t.png\n"]


def pictures() -> list[bytes]:
    """Return small pictures, and one that Pillow would hand to Ghostscript."""
    found = []
    image = Image.fromarray(np.arange(48, dtype=np.uint8).reshape(4, 4, 3))
    for kind in ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "TGA", "PPM"):
        stream = io.BytesIO()
        image.save(stream, kind)
        found.append(stream.getvalue())
    return [*found, EPS]


def stl() -> list[bytes]:
    """Return STL files, as bytes and as text."""
    numbers = struct.pack("<12fH", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
    text = (
        b"solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
        b"endloop\nendfacet\nendsolid s\n"
    )
    return [b"\0" * 80 + struct.pack("<I", 1) + numbers, text]


def ply() -> list[bytes]:
    """Return a PLY text."""
    head = "ply\nformat ascii 1.0\nelement vertex 3\n" + "".join(
        f"property float {axis}\n" for axis in "xyz"
    )
    body = "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    return [(head + body + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").encode()]


def gltf() -> list[bytes]:
    """Return glTF texts: a triangle, and one with a name twice."""
    data = struct.pack("<9f3I", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 2)
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    picture = "data:image/png;base64," + base64.b64encode(pictures()[0]).decode()
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0}, {"mesh": 0, "translation": [0, 0, 1]}],
        "images": [{"uri": picture}],
        "textures": [{"source": 0}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "buffers": [{"byteLength": len(data), "uri": uri}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 12},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": 3, "type": "SCALAR"},
        ],
    }
    text = json.dumps(tree)
    return [text.encode(), text.replace('"scene": 0', '"scene": 0, "scene": 1').encode()]


def glb() -> list[bytes]:
    """Return the same as GLB."""
    text = gltf()[0]
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4E4F534A)
    return [head + text]


def dae(levels: int = 1, copies: int = 2) -> bytes:
    """Return COLLADA with a triangle in nodes that are placed again and again."""
    nodes = ['<node id="n0"><instance_geometry url="#g"/></node>']
    for level in range(1, levels + 1):
        inner = f'<instance_node url="#n{level - 1}"/>' * copies
        nodes.append(f'<node id="n{level}">{inner}</node>')
    return (
        '<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" '
        'version="1.4.1"><asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>'
        '<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="9">'
        "0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source='#a' count='3' "
        "stride='3'><param name='X' type='float'/><param name='Y' type='float'/><param name='Z' "
        "type='float'/></accessor></technique_common></source><vertices id='v'><input "
        "semantic='POSITION' source='#p'/></vertices><triangles count='1'><input semantic='VERTEX' "
        "source='#v' offset='0'/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>"
        f"<library_nodes>{''.join(nodes)}</library_nodes><library_visual_scenes><visual_scene "
        f"id='s'><node><instance_node url='#n{levels}'/></node></visual_scene>"
        "</library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>"
    ).encode()


def partnet_json() -> list[bytes]:
    """Return `mobility_v2.json` texts."""
    limit = {"a": 0, "b": 90, "noLimit": False, "rotates": True, "rotationLimit": 30}
    entry = {"id": 1, "parent": 0, "joint": "slider", "name": "x", "jointData": {"limit": limit}}
    good = json.dumps([{"id": 0, "parent": -1, "joint": "free", "jointData": {}}, entry])
    return [good.encode(), good.replace("90", "9" * 400).encode(), b"[" * 200 + b"]" * 200]


def meta_json() -> list[bytes]:
    """Return `meta.json` texts."""
    good = b'{"name": "thing", "category": "Door", "license": "MIT", "parts": {"l0": "frame"}}'
    return [good, good.replace(b'"name"', b'"name": 1, "name"'), b'{"a": 1e999, "b": NaN}']


def source_yaml() -> list[bytes]:
    """Return `source.yaml` texts."""
    good = (
        b"title: t\nlabel: Door\nlicense: MIT\nattribution: me\nframe: {up: z, front: x}\n"
        b"scale: metric\nunit: 1.0\nformat: urdf\nshared: [meshes]\n"
    )
    return [good, b"a: &a [1]\nb: *a\n", good + b"title: t\n"]


def manifest_csv() -> list[bytes]:
    """Return `manifest.csv` texts."""
    rows = b"objects/a,viable,lamp,a lamp\n" * 2 + b"../b,broken,x,\n"
    return [b"rel_path,tier,category,caption\n" + rows]


def manifest_parquet() -> list[bytes]:
    """Return `manifest.parquet` files, one with a cell that is repeated a thousand times."""
    found = []
    for count, caption in ((2, "a lamp"), (1000, "x" * 2000)):
        rows = [{"rel_path": f"o/{n}", "tier": "viable", "caption": caption} for n in range(count)]
        stream = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(rows), stream)
        found.append(stream.getvalue())
    return found


def splits_parquet() -> list[bytes]:
    """Return `splits.parquet` files: as a build writes them, unpacked, with pages of version 2."""
    row = {"split": "test", "version": None, "object_id": "a-b", "content_sha256": "0" * 64,
           "reason": "x"}  # fmt: skip
    table = pa.Table.from_pylist([row] * 50, TABLES["splits"])
    found = []
    for options in ({"compression": "zstd"}, {"compression": "none"}, {"data_page_version": "2.0"}):
        stream = io.BytesIO()
        pq.write_table(table, stream, **options)
        found.append(stream.getvalue())
    return found


def split_files() -> list[bytes]:
    """Return files of `aa split export`: an object with a hinge, and no object."""
    joint = {
        "joint": "hinge", "type": "revolute", "parent": "base", "child": "lid",
        "axis": (0.0, 0.0, 1.0), "origin": (0.5, 0.0, 0.1), "pitch": (0.0,), "lower": (0.0,),
        "upper": (math.inf,), "body_mass": None, "body_com": None, "body_inertia": None,
        "mimic_joint": "slide", "mimic_multiplier": (2.0,), "mimic_offset": (0.0,),
    }  # fmt: skip
    truth = Truth(True, (1.0, 2.0, 3.0), (joint,))
    texts = ("a-b", "a", "b", "MIT", "somebody", "0" * 64, "0" * 64)
    split = SplitFile("eval200_00000000", None, "a", "0" * 16, (Member(*texts, truth),))
    return [split_bytes(split), split_bytes(replace(split, version="eval200-v1", members=()))]


def tar(files: Mapping[str, bytes], *, packed: bool = False) -> bytes:
    """Return a tar of files with times of zero."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    data = stream.getvalue()
    return gzip.compress(data, mtime=0) if packed else data
