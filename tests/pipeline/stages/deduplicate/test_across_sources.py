# SPDX-License-Identifier: Apache-2.0
"""One door, brought by three adapters in three frames and units, is in the library once."""

from __future__ import annotations

import importlib
import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from pipeline.base import layout
from pipeline.base.tables import read_rows
from pipeline.engine.config import load_config
from pipeline.engine.inventory.refresh import refresh

FACTS = {"license": "MIT", "attribution": "Somebody", "scale": "metric", "label": "Door"}


def collection(name: str, **facts: object) -> Path:
    """Make a collection of the tail and return its folder."""
    folder = Path("raw/tail") / name
    folder.mkdir(parents=True)
    (folder / "source.yaml").write_text(yaml.safe_dump({"title": name, **FACTS, **facts}))
    return folder


def write_copies(door: Path) -> None:
    """Write the door as it is, turned and in millimetres, as MJCF, and with a frozen joint."""
    shutil.copytree(door, "raw/local/door")
    text = (door / "model.urdf").read_text()
    turned = collection("turned", frame={"up": "y", "front": "-x"}, unit=0.001)
    shutil.copytree(door / "meshes", turned / "d/meshes")
    large = text.replace('.obj"', '.obj" scale="1000 1000 1000"')
    large = large.replace('xyz="0.4 0 0.1"', 'xyz="400 0 100"').replace("-0.7 0 0", "-700 0 0")
    head, _, slide = large.rpartition("<joint")
    slide = slide.replace('lower="-1" upper="1"', 'lower="-1000" upper="1000"')
    (turned / "d/other.urdf").write_text(f"{head}<joint{slide}")
    frozen = collection("frozen", frame={"up": "z"})
    shutil.copytree(door / "meshes", frozen / "meshes")
    (frozen / "m.urdf").write_text(text.replace('type="prismatic"', 'type="fixed"'))
    mujoco = collection("mujoco", frame={"up": "-x"}, format="mjcf")
    shutil.copytree(door / "meshes", mujoco / "meshes")
    assets = "".join(f'<mesh file="{name}.obj"/>' for name in ("frame", "leaf", "bolt"))
    (mujoco / "m.xml").write_text(
        f'<mujoco><compiler angle="radian" meshdir="meshes"/><asset>{assets}</asset><worldbody>'
        '<body><freejoint/><geom type="mesh" mesh="frame"/><body pos=".4 0 .1"><joint axis="0 0 1"'
        ' range="-1 1"/><geom type="mesh" mesh="leaf"/><body pos="-.7 0 0"><joint type="slide" '
        'axis="1 0 0" range="-1 1"/><geom type="mesh" mesh="bolt"/></body></body></body>'
        "</worldbody></mujoco>"
    )


def test_one_door_from_three_adapters_stays_once(
    bench: SimpleNamespace, door: Path, workspace: Path
) -> None:
    pytest.importorskip("mujoco", reason="pip install 'aa-dataset[mjcf]'")
    write_copies(door)
    shutil.copytree(bench.repository / "pipeline/rules", "pipeline/rules")
    split = "pipeline/stages/split"
    shutil.copytree(bench.repository / split, split, dirs_exist_ok=True)
    config = load_config()
    for source, shards in refresh(config).items():
        for shard in map(layout.shard_name, range(shards)):
            for stage in ("ingest", "normalize", "categorize", "verify", "annotate"):
                job = bench.stage_job(stage, source, shard, config)
                importlib.import_module(f"pipeline.stages.{stage}.stage").run(job)
                assert read_rows(job.outputs["rejects"]) == []
    job = bench.library_job("deduplicate", config)
    importlib.import_module("pipeline.stages.deduplicate.stage").run(job)
    rejects = {row["object_id"]: row["detail"] for row in read_rows(job.outputs["rejects"])}
    names = [identifier.rsplit(".", 1)[0] for identifier in sorted(rejects)]
    assert names == ["tail-mujoco_m.xml", "tail-turned_d_other.urdf"]
    assert all(detail.endswith("motion as local-door.") for detail in rejects.values())
    findings = [(r["object_id"], r["code"]) for r in read_rows(job.outputs["findings"])]
    assert findings[:2] == [("local-door", "duplicate_kept"), ("local-door", "shape_shared")]
    (frozen, code) = findings[2]
    assert frozen.startswith("tail-frozen") and code == "shape_shared"
    assert json.loads(layout.INDEX.read_text()) == {"local": 1, "tail": 2}
