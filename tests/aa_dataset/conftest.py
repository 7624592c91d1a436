# SPDX-License-Identifier: Apache-2.0
"""A small true library on disk: URDF, meshes, pictures, tables, tars and seal, as the build writes.

The builder here knows the file formats alone and shares no code with the pipeline, so that the
loader is tested against the written contract.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import shutil
import struct
import tarfile
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset.format.schema import SCHEMA_VERSION, TABLES
from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.metric import KineticNorm, motion_size

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Part:
    """A joint and the box-shaped link that hangs on it; `xyz` and `rpy` place it in its parent."""

    name: str
    type: str
    parent: str = "base"
    xyz: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 0.0, 1.0)
    lower: float = 0.0
    upper: float = 1.0
    pitch: float = 0.0
    mass: float = 0.8

    @property
    def joint(self) -> str:
        return f"{self.name}_joint"


@dataclass(frozen=True)
class Thing:
    """An object of the test library."""

    object_id: str
    category: str
    parts: tuple[Part, ...]
    supercategory: str = "furniture"
    license: str = "CC0-1.0"
    is_metric: bool = True
    splits: tuple[str, ...] = ("library", "train")
    extra_files: dict[str, bytes | None] = field(default_factory=dict)  # None: is missing

    @property
    def source(self) -> str:
        return self.object_id.split("-", 1)[0]


DOOR = Part("door", "revolute", xyz=(0.3, -0.2, 0.1), upper=1.6)
THINGS = (
    Thing(
        "generated-cabinet",
        "cabinet",
        (
            DOOR,
            Part("knob", "fixed", parent="door", xyz=(0.05, 0.3, 0.0)),
            Part("drawer", "prismatic", axis=(1.0, 0.0, 0.0), upper=0.35),
            Part("tray", "prismatic", axis=(1.0, 0.0, 0.0), upper=0.35, xyz=(0.0, 0.0, -0.2)),
        ),
        splits=("library", "eval200_1a2b3c4d"),
    ),
    Thing(
        "generated-lamp",
        "lamp",
        (
            Part("arm", "continuous", xyz=(0.0, 0.1, 0.2), rpy=(0.1, 0.2, 0.3)),
            Part("elbow", "revolute", parent="arm", xyz=(0.2, 0.0, 0.1), lower=-1.0, upper=0.5),
            Part("head", "revolute", parent="elbow", axis=(1.0, 2.0, 0.5), lower=-0.4, upper=0.4),
        ),
        supercategory="lighting",
        splits=("library", "eval200_1a2b3c4d"),
    ),
    Thing(
        "generated-jar",
        "jar",
        (Part("lid", "helical", xyz=(0.0, 0.0, 0.1), upper=6.0, pitch=0.0008, mass=0.05),),
        supercategory="kitchen",
    ),
    Thing(
        "local-stool",
        "stool",
        (
            Part("column", "prismatic", upper=0.15),
            Part("seat", "continuous", parent="column", xyz=(0.0, 0.0, 0.4)),
        ),
        license="CC-BY-NC-4.0",
        is_metric=False,
        splits=("library", "eval200_1a2b3c4d"),
    ),
    Thing("local-plain", "cabinet", (replace(DOOR, name="flap"),), license="CC-BY-4.0"),
)


def numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)


def _link(name: str, mass: float, *, shape: bool = True) -> str:
    box = f'<visual><geometry><mesh filename="meshes/{name}.obj"/></geometry></visual>'
    return (
        f'<link name="{name}"><inertial><origin xyz="0.02 0.1 0.03"/><mass value="{mass}"/>'
        '<inertia ixx="0.011" ixy="0.001" ixz="0" iyy="0.012" iyz="0" izz="0.009"/></inertial>'
        f"{box if shape else ''}</link>"
    )


def _joint(name: str, kind: str, ends: tuple[str, str], part: Part, *, extra: str = "") -> str:
    limit = (
        ""
        if kind in ("fixed", "continuous")
        else (f'<limit lower="{part.lower!r}" upper="{part.upper!r}" effort="10" velocity="1"/>')
    )
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{ends[0]}"/><child link="{ends[1]}"/>'
        f'<origin xyz="{numbers(part.xyz)}" rpy="{numbers(part.rpy)}"/>'
        f'<axis xyz="{numbers(part.axis)}"/>{limit}{extra}</joint>'
    )


def write_urdf(name: str, parts: tuple[Part, ...]) -> bytes:
    """Return the URDF of an object, helical joints as rotation, carrier and coupled slide."""
    body = [_link("base", 5.0)]
    for part in parts:
        body.append(_link(part.name, part.mass))
        if part.type != "helical":
            body.append(_joint(part.joint, part.type, (part.parent, part.name), part))
            continue
        carrier = f"{part.name}_carrier"
        body.append(_link(carrier, 1e-9, shape=False))
        body.append(_joint(part.joint, "revolute", (part.parent, carrier), part))
        slide = Part("", "prismatic", axis=part.axis, upper=part.upper * part.pitch)
        mimic = f'<mimic joint="{part.joint}" multiplier="{part.pitch!r}"/>'
        ends = (carrier, part.name)
        body.append(_joint(f"{part.name}_slide", "prismatic", ends, slide, extra=mimic))
    return f'<?xml version="1.0"?>\n<robot name="{name}">{"".join(body)}</robot>\n'.encode()


def _png() -> bytes:
    def chunk(tag: bytes, data: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(tag + data))
        return struct.pack(">I", len(data)) + tag + data + crc

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(b"\x00\x80\x90\xa0")
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def _glb() -> bytes:
    text = json.dumps({"asset": {"version": "2.0"}}).encode()
    text += b" " * (-len(text) % 4)
    chunk = struct.pack("<I4s", len(text), b"JSON") + text
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunk)) + chunk


def object_files(thing: Thing) -> dict[str, bytes]:
    links = ["base", *(part.name for part in thing.parts)]
    mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    files = {
        "object.urdf": write_urdf(thing.object_id, thing.parts),
        "object.glb": _glb(),
        **{f"meshes/{name}.obj": mesh for name in links},
        "preview.png": _png(),
        "preview_open.png": _png(),
        **thing.extra_files,
    }
    return {name: data for name, data in files.items() if data is not None}


def tar_fragment(object_id: str, files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            member = tarfile.TarInfo(f"{object_id}/{name}")
            member.size = len(files[name])
            tar.addfile(member, io.BytesIO(files[name]))
        end = tar.offset
    return buffer.getvalue()[:end]


def joint_row(object_id: str, joint: Joint) -> dict[str, Any]:
    body = joint.body
    mimic = joint.mimic and {
        "joint": joint.mimic.joint,
        "multiplier": joint.mimic.multiplier,
        "offset": joint.mimic.offset,
    }
    size = None if body is None else motion_size(joint, norm=KineticNorm(body), compactify=math.pi)
    return {
        "object_id": object_id,
        "joint": joint.name,
        "source_name": joint.name.upper(),
        "parent": joint.parent,
        "child": joint.child,
        "type": joint.type.value,
        "axis": list(joint.axis) if joint.is_movable else [0.0, 0.0, 0.0],
        "origin": list(joint.origin),
        "pitch": joint.pitch,
        "pitch_source": "source" if joint.pitch else "",
        "lower": joint.lower,
        "upper": joint.upper,
        "effort": 10.0,
        "velocity": 1.0,
        "screw": list(joint.screw),
        "body_mass": None if body is None else body.mass,
        "body_com": None if body is None else list(body.center),
        "body_inertia": None if body is None else list(body.inertia.ravel()),
        "motion_alpha": motion_size(joint, compactify=math.pi),
        "motion_kinetic": size,
        "mimic": None if mimic is None else {"multiplier": 1.0, "offset": 0.0, **mimic},
    }


def object_row(thing: Thing, tree: KinematicTree, place: tuple[str, int, int]) -> dict[str, Any]:
    kinds = [joint.type for joint in tree.joints]
    shard, offset, size = place
    return {
        "object_id": thing.object_id,
        "source": thing.source,
        "source_id": thing.object_id.split("-", 1)[1],
        "name": f"a {thing.category}",
        "description": f"A {thing.category} made for tests.",
        "category": thing.category,
        "supercategory": thing.supercategory,
        "label_provenance": "test",
        "license": thing.license,
        "attribution": "the test authors",
        "redistribution": thing.license.startswith("CC0"),
        "links": len(tree.links),
        **{f"joints_{kind.value}": kinds.count(kind) for kind in JointType},
        "joints_movable": len(tree.movable),
        "depth": tree.depth,
        "extents": [0.6, 0.4, 0.8],
        "floor_z": -0.4,
        "front": None,
        "scale_factor": 1.0,
        "rotation": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        "center": [0.0, 0.0, 0.0],
        "is_metric": thing.is_metric,
        "content_sha256": content_sha256(thing),
        "shard": shard,
        "offset": offset,
        "size": size,
        "provenance": {"category": "test"},
    }


def content_sha256(thing: Thing) -> str:
    """Return the digest of all files but the two pictures: names and their digests, by name."""
    total = hashlib.sha256()
    for name, data in sorted(object_files(thing).items()):
        if not name.startswith("preview"):
            total.update(f"{name}\0{hashlib.sha256(data).hexdigest()}\0".encode())
    return total.hexdigest()


def link_rows(thing: Thing, tree: KinematicTree) -> list[dict[str, Any]]:
    return [
        {
            "object_id": thing.object_id,
            "link": link,
            "source_name": link,
            "semantic": "",
            "mass": 0.8,
            "com": [0.0, 0.0, 0.0],
            "inertia": [0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01],
            "inertia_method": "volume",
            "inertia_error": 0.0,
            "source_inertial": None,
            "faces": 4,
            "watertight": True,
            "bounds_lower": [0.0, 0.0, 0.0],
            "bounds_upper": [1.0, 1.0, 1.0],
            "collision_source": "hulls",
        }
        for link in tree.links
    ]


def build_library(root: Path, things: tuple[Thing, ...] = THINGS) -> Path:
    """Write a library folder of the given objects and return it."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    (root / "assets").mkdir(parents=True)
    streams: dict[str, bytes] = {}
    for thing in sorted(things, key=lambda thing: thing.object_id):
        files = object_files(thing)
        tree = urdf_tree(parse_urdf(files["object.urdf"]))
        shard = f"{thing.source}-0000"
        fragment = tar_fragment(thing.object_id, files)
        place = (shard, len(streams.get(shard, b"")), len(fragment))
        streams[shard] = streams.get(shard, b"") + fragment
        rows["objects"].append(object_row(thing, tree, place))
        rows["links"] += link_rows(thing, tree)
        rows["joints"] += [joint_row(thing.object_id, joint) for joint in tree.joints]
        for split in thing.splits:
            version = "eval200-v0" if split == "eval200" else None
            row = (split, version, thing.object_id, content_sha256(thing), "test")
            rows["splits"].append(dict(zip(TABLES["splits"].names, row, strict=True)))
    rows["categories"] += category_rows(things)
    reject = ("generated-broken", "generated", "normalize", "mesh_missing", "no mesh door.obj.")
    rows["rejects"].append(dict(zip(TABLES["rejects"].names, reject, strict=True)))
    for shard, data in streams.items():
        (root / "assets" / f"{shard}.tar").write_bytes(data + bytes(1024))
    for name, schema in TABLES.items():
        table = pa.Table.from_pylist(rows[name], schema=schema)
        pq.write_table(table, root / f"{name}.parquet", compression="zstd")
    write_seal(root)
    return root


def category_rows(things: tuple[Thing, ...]) -> list[dict[str, Any]]:
    names = sorted({(thing.category, thing.supercategory) for thing in things})
    return [
        {
            "category": category,
            "supercategory": supercategory,
            "origin": "proposed",
            "usual_size": None,
            "objects": sum(thing.category == category for thing in things),
            "by_source": {},
        }
        for category, supercategory in [*names, ("oven", "kitchen")]
    ]


def write_seal(root: Path, **changes: Any) -> None:
    """Seal a folder as it stands, as the last step of a build does."""
    paths = sorted([*root.glob("*.parquet"), *root.glob("assets/*.tar")])
    files = {
        path.relative_to(root).as_posix(): {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "size": path.stat().st_size,
        }
        for path in paths
    }
    objects = pq.read_table(root / "objects.parquet")
    splits = pq.read_table(root / "splits.parquet")["split"].to_pylist()
    sources = objects["source"].to_pylist()
    seal = {
        "name": "articulatearena-20k",
        "schema_version": SCHEMA_VERSION,
        "revision": changes.get("revision") or revision(root),
        "expected_objects": 19977,
        "objects": len(sources),
        "sources": {name: sources.count(name) for name in sorted(set(sources))},
        "splits": {name: splits.count(name) for name in sorted(set(splits))},
        "benchmark": _benchmark(splits.count("eval200")),
        "files": files,
    }
    (root / "library.json").write_text(json.dumps(seal | changes, indent=1, sort_keys=True))


def revision(root: Path) -> str:
    """Return the digest of every fact in the tables, which leaves out where an object lies."""
    total = hashlib.sha256(SCHEMA_VERSION.encode())
    for name in TABLES:
        total.update(name.encode())
        for row in pq.read_table(root / f"{name}.parquet").to_pylist():
            facts = {k: v for k, v in row.items() if k not in ("shard", "offset", "size")}
            text = json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
            total.update(text.encode())
    return total.hexdigest()[:16]


def _benchmark(count: int) -> dict[str, Any] | None:
    """Return what a seal says of a frozen split: one object agrees by numbers alone."""
    if not count:
        return None
    proof = {"digest": "00112233aabbccdd", "by_bytes": count - 1, "by_numbers": 1}
    return {"version": "eval200-v0", "split": "eval200", "objects": count, **proof}


@pytest.fixture(scope="session")
def pristine_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that no test may change."""
    return build_library(tmp_path_factory.mktemp("pristine") / "library")


@pytest.fixture
def frozen_library(tmp_path: Path) -> Path:
    """A library whose split of three objects is the frozen `eval200-v0`."""
    swapped = [
        replace(t, splits=tuple(name.replace("eval200_1a2b3c4d", "eval200") for name in t.splits))
        for t in THINGS
    ]
    return build_library(tmp_path / "frozen_library", tuple(swapped))


@pytest.fixture
def library(pristine_library: Path, tmp_path: Path) -> Path:
    """A copy of the library for one test to break."""
    return Path(shutil.copytree(pristine_library, tmp_path / "library"))


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the user's cache or environment."""
    monkeypatch.setenv("AA_HOME", str(tmp_path / "aa_home"))
    monkeypatch.delenv("AA_LIBRARY", raising=False)


@pytest.fixture
def make() -> Any:
    """Give tests the builder itself, whatever pytest's import mode is."""

    class Make:
        things = THINGS
        thing = staticmethod(Thing)
        part = staticmethod(Part)
        library = staticmethod(build_library)
        seal = staticmethod(write_seal)
        urdf = staticmethod(write_urdf)
        fragment = staticmethod(tar_fragment)
        files = staticmethod(object_files)

    return Make
