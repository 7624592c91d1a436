# SPDX-License-Identifier: Apache-2.0
"""Hand-made raw objects, stages run on one of them, and an independent reader of URDF."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
import yourdfpy

from pipeline.base.assets import AssetRange, pack
from pipeline.engine.runner import Job, Outcome, Task
from pipeline.handover.categorized import CategoryRecord
from pipeline.handover.collisions import COLLISIONS, CollisionShapes
from pipeline.handover.ingested import IngestedRecord
from pipeline.handover.normalized import NormalRecord
from pipeline.raw.curation.repairs import Repair
from pipeline.raw.records import Frame
from pipeline.shapes.grid import grid_decimals
from pipeline.shapes.obj_text import obj_bytes
from pipeline.stages.annotate.facts import ObjectFacts
from pipeline.stages.annotate.stage import AnnotateInput, annotate
from pipeline.stages.normalize.stage import NormalizeInput, normalize
from tests.kit.settings import SETTINGS, changed

METRIC = {"frame": {"up": "z", "front": "x"}, "scale": "metric"}


def obj_text(mesh: trimesh.Trimesh, head: str = "") -> str:
    """Return a mesh as OBJ text that keeps every digit of its coordinates."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(mesh.vertices).tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (np.asarray(mesh.faces) + 1).tolist()]
    return head + "\n".join(lines) + "\n"


def box_text(extents: tuple[float, ...], center: tuple[float, ...] = (0, 0, 0)) -> str:
    """Return a closed box as OBJ text."""
    box = trimesh.creation.box(extents=extents)
    box.apply_translation(center)
    return obj_text(box)


def mesh_link(name: str, mesh: str, inner: str = "") -> str:
    """Return a link with one visual mesh; `inner` goes into its <visual>."""
    shape = f'<geometry><mesh filename="{mesh}"/></geometry>'
    return f'<link name="{name}"><visual>{inner}{shape}</visual></link>'


def box_link(name: str, size: str = "0.2 0.3 0.4", inner: str = "") -> str:
    """Return a link whose visual is a primitive box."""
    shape = f'<geometry><box size="{size}"/></geometry>'
    return f'<link name="{name}"><visual>{inner}{shape}</visual></link>'


def joint_text(
    name: str,
    kind: str,
    parent: str,
    child: str,
    *,
    xyz: str = "0 0 0",
    rpy: str = "0 0 0",
    axis: str | None = "0 0 1",
    limit: str | None = 'lower="-1" upper="1" effort="5" velocity="2"',
    more: str = "",
) -> str:
    """Return one joint."""
    parts = [f'<origin xyz="{xyz}" rpy="{rpy}"/>']
    parts += [f'<parent link="{parent}"/><child link="{child}"/>']
    parts += [] if axis is None else [f'<axis xyz="{axis}"/>']
    parts += [] if limit is None else [f"<limit {limit}/>"]
    return f'<joint name="{name}" type="{kind}">{"".join(parts)}{more}</joint>'


def robot(*parts: str, name: str = "thing") -> str:
    """Return a URDF document."""
    return f'<robot name="{name}">{"".join(parts)}</robot>'


def write_object(folder: Path, urdf: str, files: Mapping[str, str | bytes] | None = None) -> Path:
    """Write a raw object folder and return it."""
    for name, content in {"model.urdf": urdf, **(files or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def normal(
    folder: Path,
    source: Mapping[str, Any] = METRIC,
    *,
    urdf: str = "model.urdf",
    budgets: Mapping[str, Any] | None = None,
    repairs: Sequence[Repair] = (),
) -> Outcome:
    """Normalize a raw object folder; `source` may hold any field of the object's record."""
    settings = changed(SETTINGS, budgets=budgets or {})
    given = NormalizeInput(folder, raw_record(urdf, source), repairs=repairs)
    return normalize(Task("test-object", given), settings)


def raw_record(model: str = "model.urdf", source: Mapping[str, Any] = METRIC) -> IngestedRecord:
    """Return the record that `ingest` would make of an object that is one folder."""
    facts = {"source": "test", "source_id": "object", "format": "urdf", "paths": (".",)}
    known = {"unit": 1.0, **facts, **source, "model": model}
    return IngestedRecord(**{**known, "frame": Frame(**source["frame"])})


def unpacked(outcome: Outcome, folder: Path) -> Path:
    """Write the files of an outcome into a folder and return it."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in library_files(outcome).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def library_files(outcome: Outcome) -> dict[str, bytes]:
    """Return the files of an outcome; collision shapes between stages are OBJ meshes here."""
    files = dict(outcome.files or {})
    if COLLISIONS in files:
        shapes = CollisionShapes.from_bytes(files.pop(COLLISIONS)).pieces
        decimals = grid_decimals(float(np.linalg.norm(outcome.record.extents)))
        files |= {name: obj_bytes(piece, None, decimals) for name, piece in shapes.items()}
    return files


def judge(path: Path) -> yourdfpy.URDF:
    """Open a URDF with an independent reader, without meshes."""
    return yourdfpy.URDF.load(str(path), load_meshes=False, build_scene_graph=True)


def judged_frames(path: Path, values: Mapping[str, float]) -> dict[str, np.ndarray]:
    """Return every link's frame in the root's frame by the independent reader."""
    robot = judge(path)
    robot.update_cfg({name: values.get(name, 0.0) for name in robot.actuated_joint_names})
    return {name: robot.get_transform(name, robot.base_link) for name in robot.link_map}


def stored(path: Path, outcome: Outcome) -> tuple[Any, AssetRange]:
    """Write an outcome's files as a tar; return its record and where it lies, as a stage reads."""
    fragment = pack("test-object", outcome.files or {})
    path.write_bytes(b"\0" * 512 + fragment + bytes(1024))
    where = AssetRange(path, 512, len(fragment), hashlib.sha256(fragment).hexdigest())
    return outcome.record, where


def annotated(
    path: Path, outcome: Outcome, category: CategoryRecord | None = None, **changes: Any
) -> Outcome:
    """Give a normalized object its inertials and convex parts; `path` is a tar to write."""
    settings = changed(SETTINGS, annotate=changes)
    return annotate(annotate_task(*stored(path, outcome), category=category), settings)


def annotate_task(
    normal: NormalRecord,
    where: AssetRange,
    parts: Mapping[str, str] | None = None,
    source: str = "test",
    category: CategoryRecord | None = None,
) -> Task[AnnotateInput]:
    """Return the work order of a normalized object."""
    facts = ObjectFacts(normal, source, parts or {}, category)
    return Task(f"{source}-object", AnnotateInput(facts, where))


def codes(outcome: Outcome) -> list[str]:
    """Return the codes of an outcome's findings, sorted."""
    return sorted(str(finding.code) for finding in outcome.findings)


def shard_job(folder: Path, stage: str, **changes: Any) -> Job[Any]:
    """Return a job whose outputs lie in `folder`."""
    names = {"records": "0000", "rejects": "0000.rejects", "findings": "0000.findings"}
    outputs = {name: folder / f"{stem}.parquet" for name, stem in names.items()}
    options: dict[str, Any] = {"inputs": {}, "settings": SETTINGS, **changes}
    if options.pop("assets", False):
        outputs["assets"] = folder / "0000.tar"
    return Job(stage, options.pop("source", "test"), "0000", outputs=outputs, **options)
