# SPDX-License-Identifier: Apache-2.0
"""A small true library on disk: URDF, meshes, pictures, tables, tars and seal, as the build writes.

The builder knows the file formats alone and shares no code with the pipeline, so that the loader is
tested against the written contract.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.format.schema import SCHEMA_VERSION, TABLES
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from tests.kit.library_objects import LIBRARY_OBJECTS, ObjectSpec, object_files
from tests.kit.library_rows import category_rows, content_sha256, joint_row, link_rows, object_row


def build_library(root: Path, objects: tuple[ObjectSpec, ...] = LIBRARY_OBJECTS) -> Path:
    """Write a library folder of the given objects and return it."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    (root / "assets").mkdir(parents=True)
    streams: dict[str, bytes] = {}
    for spec in sorted(objects, key=lambda spec: spec.object_id):
        files = object_files(spec)
        tree = urdf_tree(parse_urdf(files["object.urdf"]))
        shard = f"{spec.source}-0000"
        fragment = tar_fragment(spec.object_id, files)
        place = (shard, len(streams.get(shard, b"")), len(fragment))
        streams[shard] = streams.get(shard, b"") + fragment
        rows["objects"].append(object_row(spec, tree, place))
        rows["links"] += link_rows(spec, tree)
        rows["joints"] += [joint_row(spec.object_id, joint) for joint in tree.joints]
        for split in spec.splits:
            version = "eval200-v0" if split == "eval200" else None
            row = (split, version, spec.object_id, content_sha256(spec), "test")
            rows["splits"].append(dict(zip(TABLES["splits"].names, row, strict=True)))
    rows["categories"] += category_rows(objects)
    reject = ("generated-broken", "generated", "normalize", "mesh_missing", "no mesh door.obj.")
    rows["rejects"].append(dict(zip(TABLES["rejects"].names, reject, strict=True)))
    for shard, data in streams.items():
        (root / "assets" / f"{shard}.tar").write_bytes(data + bytes(1024))
    for name, schema in TABLES.items():
        table = pa.Table.from_pylist(rows[name], schema=schema)
        pq.write_table(table, root / f"{name}.parquet", compression="zstd")
    write_seal(root)
    return root


def tar_fragment(object_id: str, files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            member = tarfile.TarInfo(f"{object_id}/{name}")
            member.size = len(files[name])
            tar.addfile(member, io.BytesIO(files[name]))
        end = tar.offset
    return buffer.getvalue()[:end]


def write_seal(root: Path, **changes: Any) -> None:
    """Seal a folder in its present state, as the last step of a build does."""
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


OMITTED = ("shard", "offset", "size", "preview_backend")


def revision(root: Path) -> str:
    """Return the digest of every fact in the tables, which leaves out place and pictures."""
    total = hashlib.sha256(SCHEMA_VERSION.encode())
    for name in TABLES:
        total.update(name.encode())
        for row in pq.read_table(root / f"{name}.parquet").to_pylist():
            facts = {k: v for k, v in row.items() if k not in OMITTED}
            text = json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
            total.update(text.encode())
    return total.hexdigest()[:16]


def _benchmark(count: int) -> dict[str, Any] | None:
    """Return the entry of a frozen split in a seal: one object agrees by numbers alone."""
    if not count:
        return None
    proof = {"digest": "00112233aabbccdd", "by_bytes": count - 1, "by_numbers": 1}
    return {"version": "eval200-v0", "split": "eval200", "objects": count, **proof}
