# SPDX-License-Identifier: Apache-2.0
"""What runs again after a change, and what does not; also when `.snakemake` is lost or damaged."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from pipeline.raw.inventory import shard_of
from tests.walk.workspaces import SHARDS, Workspace

PER_SHARD = ("ingest", "normalize", "categorize", "verify", "annotate", "render")
WHOLE = {"deduplicate": 1, "manifest": 1, "split": 1, "publish": 1, "report": 1}
ALL_SHARDS = SHARDS + 1  # of the generated source, and one of the local


def forget(workspace: Workspace, how: str) -> None:
    """Keep, delete or damage what Snakemake remembers."""
    folder = workspace.root / ".snakemake"
    if how == "deleted":
        shutil.rmtree(folder)
    if how == "damaged":
        for path in folder.rglob("*"):
            if path.is_file():
                path.write_bytes(b"\x00 damaged")


@pytest.mark.parametrize("how", ["kept", "deleted", "damaged"])
def test_nothing_changed_nothing_runs(copied: Workspace, how: str) -> None:
    forget(copied, how)
    plan = copied.plan()
    assert plan.jobs == {}
    assert "Nothing to be done" in plan.text


def raw_object(workspace: Workspace) -> Path:
    return sorted((workspace.root / "work/raw/generated").glob("[a-z]*"))[0]


@pytest.mark.parametrize(
    ("change", "how"),
    [("edit", "kept"), ("edit", "damaged"), ("add", "deleted"), ("remove", "kept"),
     ("remove", "deleted")],
)  # fmt: skip
def test_one_raw_object_reruns_its_shard_and_the_whole_library_steps(
    copied: Workspace, how: str, change: str
) -> None:
    folder = raw_object(copied)
    if change == "edit":
        meta = folder / "meta.json"
        meta.write_text(meta.read_text().replace('"name"', '"name" ', 1))
    elif change == "add":
        folder = folder.with_name("one_more")
        shutil.copytree(raw_object(copied), folder)
    else:
        shutil.rmtree(folder)
    forget(copied, how)
    plan = copied.plan()
    shard = shard_of(f"generated-{folder.name}", SHARDS)
    assert plan.jobs == dict.fromkeys(PER_SHARD, 1) | WHOLE
    assert plan.shards == {f"{shard:04d}"}


@pytest.mark.parametrize(
    ("path", "old", "first", "how"),
    [
        ("pipeline/stages/verify/checks.py", "", "verify", "kept"),
        ("pipeline/stages/annotate/collision/cuts.py", "", "annotate", "deleted"),
        ("pipeline/stages/normalize/compound.py", "", "normalize", "kept"),
        ("aa_dataset/metric/norms.py", "", "annotate", "kept"),
        ("taxonomy/categories.tsv", "", "categorize", "deleted"),
        ("config.yaml", "density: 500.0", "annotate", "kept"),
        ("config.yaml", "share: 0.2", "split", "deleted"),
    ],
)
def test_code_or_setting_reruns_its_stage_and_what_follows(
    copied: Workspace, path: str, old: str, first: str, how: str
) -> None:
    file = copied.root / path
    text = file.read_text()
    if old:
        assert old in text
        key, value = old.split()
        file.write_text(text.replace(old, f"{key} {float(value) / 2}"))
    else:
        file.write_text(
            text + ("# changed\n" if path.endswith(".py") else "new\tTools\tproposed\t1\n")
        )
    forget(copied, how)
    assert copied.plan().jobs == expected_after(first)


def expected_after(first: str) -> dict[str, int]:
    """Return the jobs of a stage and of everything that reads its output."""
    follows = {
        "normalize": ("normalize", "verify", "annotate", "render"),
        "categorize": ("categorize", "verify", "annotate", "render"),
        "verify": ("verify", "annotate", "render"),
        "annotate": ("annotate", "render"),
    }
    if first == "split":
        return {"split": 1, "publish": 1, "report": 1}
    return dict.fromkeys(follows[first], ALL_SHARDS) | WHOLE


def test_settings_of_speed_rerun_nothing(copied: Workspace) -> None:
    plan = copied.plan("--cores", "2", "--set-threads", "render=2")
    assert "Nothing to be done" in plan.text


def test_instructions_to_get_a_source_rerun_nothing(copied: Workspace) -> None:
    sources = copied.root / "pipeline/raw/sources.yaml"
    text = sources.read_text()
    sources.write_text(
        text.replace("instructions: >-\n      Made by", "instructions: >-\n      By")
    )
    assert sources.read_text() != text
    assert copied.plan().jobs == {}


def test_a_new_source_runs_alone(copied: Workspace) -> None:
    shutil.copytree(copied.root / "raw/local/chest", copied.root / "raw/more/chest")
    sources = copied.root / "pipeline/raw/sources.yaml"
    described = yaml.safe_load(sources.read_text())
    more = yaml.safe_dump({"more": described["local"]})
    sources.write_text(sources.read_text() + more)
    assert copied.plan().jobs == dict.fromkeys(PER_SHARD, 1) | WHOLE


@pytest.mark.slow
def test_a_changed_object_changes_the_library_and_back_again(
    built: Workspace, copied: Workspace
) -> None:
    meta = raw_object(copied) / "meta.json"
    before = meta.read_bytes()
    meta.write_bytes(before.replace(b'"description": "', b'"description": "Truly: ', 1))
    assert meta.read_bytes() != before
    copied.build()
    changed = copied.digests()
    assert changed != built.digests()
    meta.write_bytes(before)
    shutil.rmtree(copied.root / ".snakemake")
    copied.build()
    assert copied.digests() == built.digests()
