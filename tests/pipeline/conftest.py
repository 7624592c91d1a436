# SPDX-License-Identifier: Apache-2.0
"""Hand-made raw objects and independent judges that the tests of the stages share."""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import trimesh
import yourdfpy

from pipeline.base import layout
from pipeline.base.assets import AssetRange, pack
from pipeline.base.tables import read_rows
from pipeline.engine.config import load_config, stage_settings
from pipeline.engine.inventory.refresh import refresh
from pipeline.engine.runner import Outcome, ShardJob, Task, run_shard
from pipeline.generate.emit import emit, object_files
from pipeline.handover.ingested import IngestedRecord
from pipeline.handover.normalized import NormalRecord
from pipeline.handover.rendered import RenderedRecord
from pipeline.raw.curation.repairs import Repair
from pipeline.raw.records import Frame
from pipeline.raw.taxonomy import load_taxonomy
from pipeline.stages.annotate.facts import ObjectFacts
from pipeline.stages.annotate.stage import AnnotateInput, annotate
from pipeline.stages.normalize.stage import NormalizeInput, normalize
from tests.kit.labeled_library import png
from tests.kit.places import REPOSITORY
from tests.kit.settings import BUDGETS, SETTINGS, changed, with_shards

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
    """Return what `ingest` would say about an object that is one folder."""
    facts = {"source": "test", "source_id": "object", "format": "urdf", "paths": (".",)}
    known = {"unit": 1.0, **facts, **source, "model": model}
    return IngestedRecord(**{**known, "frame": Frame(**source["frame"])})


def unpacked(outcome: Outcome, folder: Path) -> Path:
    """Write the files of an outcome into a folder and return it."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in (outcome.files or {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


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


def annotated(path: Path, outcome: Outcome, **changes: Any) -> Outcome:
    """Give a normalized object its inertials and convex parts; `path` is a tar to write."""
    settings = changed(SETTINGS, annotate=changes)
    return annotate(annotate_task(*stored(path, outcome)), settings)


def annotate_task(
    normal: NormalRecord,
    where: AssetRange,
    parts: Mapping[str, str] | None = None,
    source: str = "test",
) -> Task[AnnotateInput]:
    """Return the work order of a normalized object."""
    facts = ObjectFacts(normal, source, parts or {})
    return Task(f"{source}-object", AnnotateInput(facts, where))


def codes(outcome: Outcome) -> list[str]:
    """Return the codes of an outcome's findings, sorted."""
    return sorted(str(finding.code) for finding in outcome.findings)


def shard_job(folder: Path, stage: str, **changes: Any) -> ShardJob[Any]:
    """Return a job whose outputs lie in `folder`."""
    names = {"records": "0000", "rejects": "0000.rejects", "findings": "0000.findings"}
    outputs = {name: folder / f"{stem}.parquet" for name, stem in names.items()}
    options: dict[str, Any] = {"inputs": {}, "settings": SETTINGS, **changes}
    if options.pop("assets", False):
        outputs["assets"] = folder / "0000.tar"
    return ShardJob(stage, options.pop("source", "test"), "0000", outputs=outputs, **options)


SHARDS = {"generated": 2, "local": 1}
MARKS = layout.WORK / "manifest" / "marks.json"
OPEN, CLOSED = ("CC0-1.0", "CC-BY-NC-4.0")
# Folder by source: width of the moving box (equal widths are equal content) and license.
OBJECTS: dict[str, dict[str, tuple[float, str]]] = {
    "generated": {f"o{n}": (0.3 + 0.01 * n, OPEN) for n in range(8)}
    | {"closed": (0.8, CLOSED), "twin": (0.3, OPEN)},
    "local": {"secret": (0.9, ""), "given": (0.95, OPEN), "copy": (0.31, "")},
}


def write_objects() -> None:
    """Write the raw sources, with one object that cannot be read in each."""
    roots = {"generated": Path("work/raw/generated"), "local": Path("raw/local")}
    for source, objects in OBJECTS.items():
        for name, (width, terms) in objects.items():
            urdf = robot(
                box_link("a", "0.5 0.5 0.5"),
                box_link("b", f"{width:.3f} 0.1 0.1"),
                joint_text("j", "revolute", "a", "b"),
            )
            meta = {"name": name, "category": "Door", "license": terms}
            write_object(roots[source] / name, urdf, {"meta.json": json.dumps(meta)})
        write_object(roots[source] / "broken", "<robot", {"meta.json": "{}"})


def picture(task: Task, _settings: Any) -> Outcome:
    """Stand in for the render stage."""
    return Outcome(RenderedRecord("none"), files={"preview.png": png(task.object_id.encode())})


def stage_job(stage: str, source: str, shard: str, config: Any) -> ShardJob[Any]:
    """Return the job that the stage's rule would start."""

    def table(name: str) -> Path:
        return layout.records(name, source, shard)

    inputs = {
        "ingest": {
            "facts": layout.source_facts(source),
            "inventory": layout.inventory(source, shard),
        },
        "normalize": {
            "facts": layout.source_facts(source),
            "records": table("ingest"),
            "repairs": layout.repairs(source, shard),
        },
        "categorize": {"records": table("ingest")},
        "verify": {
            "records": table("normalize"),
            "assets": table("normalize").with_suffix(".tar"),
            "categories": table("categorize"),
            "reviews": layout.curation(source, shard),
            **{
                f"{name}_findings": table(name).with_suffix(".findings.parquet")
                for name in ("ingest", "normalize", "categorize")
            },
        },
        "annotate": {
            "records": table("normalize"),
            "assets": table("normalize").with_suffix(".tar"),
            "verified": table("verify"),
            "sources": table("ingest"),
        },
    }.get(stage, {})
    outputs = {"records": table(stage)}
    outputs |= {n: table(stage).with_suffix(f".{n}.parquet") for n in ("rejects", "findings")}
    if stage in ("normalize", "annotate", "render"):
        outputs["assets"] = table(stage).with_suffix(".tar")
    return ShardJob(stage, source, shard, inputs, outputs, stage_settings(config, stage))


def library_job(stage: str, config: Any) -> ShardJob[Any]:
    """Return the job of a whole-library stage."""
    root = layout.LIBRARY
    tables = ("objects", "links", "joints", "findings", "rejects", "categories")
    duplicates = layout.WORK / "deduplicate"
    wiring: dict[str, tuple[dict[str, Path], dict[str, Path]]] = {
        "deduplicate": ({}, {n: duplicates / f"{n}.parquet" for n in ("rejects", "findings")}),
        "manifest": (
            {
                "duplicates": duplicates / "rejects.parquet",
                "findings": duplicates / "findings.parquet",
            },
            {name: root / f"{name}.parquet" for name in tables} | {"marks": MARKS},
        ),
        "split": (
            {name: root / f"{name}.parquet" for name in ("objects", "joints")} | {"marks": MARKS},
            {
                "splits": root / "splits.parquet",
                "report": Path("work/split/report.txt"),
                "figure": Path("work/split/coverage.png"),
            },
        ),
        "publish": (
            {},
            {
                "card": layout.RELEASE / "README.md",
                "license": layout.RELEASE / "LICENSE",
                "checksums": layout.RELEASE / "SHA256SUMS",
            },
        ),
    }
    inputs, outputs = wiring[stage]
    return ShardJob(stage, "", "", inputs, outputs, stage_settings(config, stage))


def build() -> None:
    """Run every stage on every shard in the current folder."""
    write_objects()
    config = with_shards(load_config(), **SHARDS)
    refresh(config)
    for source, shards in SHARDS.items():
        for shard in map(layout.shard_name, range(shards)):
            for stage in ("ingest", "normalize", "categorize", "verify", "annotate"):
                job = stage_job(stage, source, shard, config)
                importlib.import_module(f"pipeline.stages.{stage}.stage").run(job)
            job = stage_job("render", source, shard, config)
            rows = read_rows(layout.records("annotate", source, shard))
            tasks = [Task(row["object_id"], None) for row in rows]
            run_shard(job, tasks, process=picture, record=RenderedRecord)
    for stage in ("deduplicate", "manifest", "split", "publish"):
        importlib.import_module(f"pipeline.stages.{stage}.stage").run(library_job(stage, config))


@pytest.fixture(scope="session")
def bench() -> SimpleNamespace:
    """Return the helpers of this file; test modules are imported one by one and share none."""
    helpers = (
        annotate_task, annotated, box_link, box_text, changed, codes, joint_text, judge,
        judged_frames, library_job, mesh_link, normal, obj_text, png, raw_record, robot, shard_job,
        stage_job, stored, unpacked, write_object,
    )  # fmt: skip
    constants = {"BUDGETS": BUDGETS, "METRIC": METRIC, "SETTINGS": SETTINGS}
    return SimpleNamespace(
        repository=REPOSITORY, **constants, **{helper.__name__: helper for helper in helpers}
    )


@pytest.fixture
def door(tmp_path: Path) -> Path:
    """Return a raw object: a frame, a hinged leaf, and a sliding bolt on it."""
    return write_object(
        tmp_path / "door",
        robot(
            mesh_link("frame", "meshes/frame.obj"),
            mesh_link("leaf", "meshes/leaf.obj"),
            mesh_link("bolt", "meshes/bolt.obj"),
            joint_text("hinge", "revolute", "frame", "leaf", xyz="0.4 0 0.1"),
            joint_text("slide", "prismatic", "leaf", "bolt", xyz="-0.7 0 0", axis="1 0 0"),
        ),
        {
            "meshes/frame.obj": box_text((1.0, 0.1, 2.0)),
            "meshes/leaf.obj": box_text((0.8, 0.05, 1.8), (-0.4, 0, 0)),
            "meshes/bolt.obj": box_text((0.1, 0.02, 0.02)),
            "meta.json": '{"name": "Door", "category": "Door", "license": "CC0-1.0"}',
        },
    )


@pytest.fixture(scope="session")
def normalized(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], tuple[Path, Outcome, Path]]:
    """Return a maker, once per family, of raw folder, outcome and unpacked files of an object."""
    raw, out = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("out")

    @functools.cache
    def made(family: str) -> tuple[Path, Outcome, Path]:
        emit(raw, family, files=object_files(family, 0, seed=5))
        outcome = normal(raw / family)
        return raw / family, outcome, unpacked(outcome, out / family)

    return made


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, where the relative paths of a build lead."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def _copy_data(path: Path) -> None:
    place = path.relative_to(REPOSITORY)
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, place)


@pytest.fixture
def workspace(elsewhere: Path) -> Path:
    """Work in a folder with the repository's configuration and data, and no build."""
    for name in ("config.yaml", "constraints.txt", "LICENSE"):
        shutil.copy(REPOSITORY / name, name)
    shutil.copytree(REPOSITORY / "taxonomy", "taxonomy")
    for path in (REPOSITORY / "pipeline").rglob("*.[jyt]s*"):  # JSON and TSV
        _copy_data(path)
    for path in (REPOSITORY / "pipeline").rglob("*.yaml"):
        _copy_data(path)
    return elsewhere


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with `library/` and `release/` of thirteen good objects and two bad."""
    folder, home = tmp_path_factory.mktemp("built"), Path.cwd()
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("pipeline", "aa_dataset", "taxonomy"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=ignore)
    for name in ("config.yaml", "constraints.txt", "LICENSE"):
        shutil.copy(REPOSITORY / name, folder / name)
    os.chdir(folder)
    load_taxonomy.cache_clear()
    try:
        build()
    finally:
        os.chdir(home)
        load_taxonomy.cache_clear()
    return folder


@pytest.fixture
def stored_objects() -> dict[str, dict[str, tuple[float, str]]]:
    """Return what the raw sources hold."""
    return OBJECTS
