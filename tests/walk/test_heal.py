# SPDX-License-Identifier: Apache-2.0
"""A build is never stuck and never stale: what is lost, damaged or dated wrongly is made again."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from pipeline.engine.inventory.made import file_mark
from tests.walk.test_rerun import expected_after
from tests.walk.workspaces import Workspace

CENTURY_S = 100 * 365 * 86400
WHOLE = ["deduplicate", "manifest", "split", "publish", "report"]


def flip(path: Path) -> None:
    """Change one bit in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def redate(workspace: Workspace, folders: tuple[str, ...], seconds: float) -> None:
    for folder in folders:
        for path in (workspace.root / folder).rglob("*"):
            if path.is_file() and "raw" not in path.parts:
                os.utime(path, (seconds, seconds))


@pytest.mark.parametrize(
    ("path", "harm", "jobs"),
    [
        ("work/annotate/generated/0000.findings.parquet", "delete", ["annotate", "render", *WHOLE]),
        ("work/verify/local/0000.rejects.parquet", "flip, same time",
         ["verify", "annotate", "render", *WHOLE]),
        ("work/categorize/local/0000.proposals.tsv", "cut, same time",
         ["categorize", "verify", "annotate", "render", *WHOLE]),
        ("work/categorize/local/0000.proposals.tsv", "cut",
         ["categorize", "verify", "annotate", "render", *WHOLE]),
        ("work/render/generated/0001.tar", "flip, same time",
         ["render", "manifest", "split", "publish", "report"]),
        ("library/assets/generated-0000.tar", "flip, same time",
         ["manifest", "split", "publish", "report"]),
        ("library/assets/generated-0000.tar", "flip", ["manifest", "split", "publish", "report"]),
        ("library/joints.parquet", "delete", ["manifest", "split", "publish", "report"]),
        ("library/splits.parquet", "delete", ["split", "publish", "report"]),
        ("release/objects.parquet", "delete", ["publish", "report"]),
        ("release/SHA256SUMS", "flip, same time", ["publish", "report"]),
        ("release/data/categories/whole.parquet", "delete", ["publish", "report"]),
        ("release/data/splits/whole.parquet", "flip, same time", ["publish", "report"]),
        ("report/index.html", "delete", ["report"]),
        ("report/data/table.js", "flip", ["report"]),
    ],
)  # fmt: skip
def test_a_lost_or_damaged_output_is_made_again(
    copied: Workspace, path: str, harm: str, jobs: list[str]
) -> None:
    file = copied.root / path
    before = file.stat()
    if harm == "delete":
        file.unlink()
    elif harm.startswith("flip"):
        flip(file)
    else:
        os.truncate(file, before.st_size // 2)
    if harm.endswith("same time"):
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert copied.plan().jobs == dict.fromkeys(jobs, 1)
    if harm.endswith("same time") and len(jobs) < 3:
        assert copied.plan().jobs == dict.fromkeys(jobs, 1)  # a dry run mends nothing


@pytest.mark.parametrize("path", ["library/joints.parquet", "release/library.json"])
def test_damage_that_changes_no_time_stamp_is_repaired(
    built: Workspace, copied: Workspace, path: str
) -> None:
    """A failing disk changes neither times nor inode, so that the records of jobs see nothing."""
    file = copied.root / path
    flip(file) if file.suffix == ".parquet" else file.write_bytes(b"\xff" + file.read_bytes()[1:])
    stage = "manifest" if path.startswith("library") else "publish"
    (record,) = (copied.root / "work/made" / stage).glob("*.json")
    facts = json.loads(record.read_bytes())
    facts["outputs"][path][1] = file_mark(str(file))
    record.write_text(json.dumps(facts))
    assert copied.plan().jobs == {}
    assert f"1 built file differs from library.json, such as {path}" in (copied.build().stderr)
    assert copied.digests() == built.digests()


def flip_content(path: Path) -> None:
    """Flip one bit of the first URDF or picture in a tar."""
    data = bytearray(path.read_bytes())
    name = b"/preview.png" if b"render" in os.fsencode(path) else b"/object.urdf"
    data[data.index(name) + 600] ^= 1
    path.write_bytes(data)


def test_a_lost_folder_of_tables_by_split_is_made_again(
    built: Workspace, copied: Workspace
) -> None:
    """No rule names these files, because the objects decide which there are."""
    data = copied.root / "release/data"
    (data / "links/old.parquet").write_bytes(b"of another build")
    assert copied.plan().jobs == {"publish": 1, "report": 1}
    shutil.rmtree(data)
    copied.build()
    assert copied.digests() == built.digests() and len(list(data.rglob("*.parquet"))) > 5
    assert copied.plan().jobs == {}


def test_one_run_heals_everything_at_once(built: Workspace, copied: Workspace) -> None:
    """Each of these made every following run fail, or was sealed into the library.

    The number in the sentence shows that each of them was found.
    """
    next((copied.root / "release/data").glob("joints/*.parquet")).unlink()
    flip(copied.root / "release/data/categories/whole.parquet")
    for path in ("library/assets/generated-0000.tar", "release/objects.parquet"):
        os.truncate(copied.root / path, 700)
    for path in ("library/assets/generated-0001.tar", "release/assets/generated-0001.tar"):
        flip_content(copied.root / path)
    # Each alone in its shard, so that no other job makes it again.
    flip_content(copied.root / "work/annotate/generated/0000.tar")
    flip_content(copied.root / "work/render/generated/0001.tar")
    (copied.root / "library/joints.parquet").unlink()
    (copied.root / "work/annotate/local/0000.findings.parquet").unlink()
    os.truncate(copied.root / "work/annotate/local/0000.tar", 700)
    flip(copied.root / "work/verify/local/0000.rejects.parquet")
    os.truncate(copied.root / "work/verify/local/0000.findings.parquet", 30)
    for path in (copied.root / ".snakemake").rglob("*"):
        if path.is_file():
            path.write_bytes(b"\xff\xfe\x80 no text")
    (copied.root / "work/made/render/local/0000.json").write_bytes(b"\xff[]")
    for path in (copied.root / "work/benchmarks").rglob("*.tsv"):
        path.write_bytes(b"\xff\xfe")
    locks = copied.root / ".snakemake/locks"  # as a killed Snakemake leaves them
    locks.mkdir(parents=True, exist_ok=True)
    for name in ("0.input.lock", "0.output.lock"):
        (locks / name).write_text("library/objects.parquet\n")
    done = copied.build()
    assert "Built again: 13 outputs" in done.stderr, done.stderr
    assert copied.digests() == built.digests()
    assert not list(locks.glob("*"))
    assert copied.plan().jobs == {}


@pytest.mark.parametrize("how", ["kept", "deleted"])
def test_a_changed_setting_reruns_its_stage_whatever_the_time_stamps(
    copied: Workspace, how: str
) -> None:
    config = copied.root / "config.yaml"
    text = config.read_text()
    assert "density: 500.0" in text
    config.write_text(text.replace("density: 500.0", "density: 250.0"))
    redate(copied, ("work", "library", "release", "report"), time.time() + CENTURY_S)
    if how == "deleted":
        shutil.rmtree(copied.root / ".snakemake")
    assert copied.plan().jobs == expected_after("annotate")
    config.write_text(text)
    assert copied.plan().jobs == {}  # back again: by their digests the outputs are fresh


@pytest.mark.parametrize("seconds", [0.0, 3 * CENTURY_S])
def test_dates_alone_make_nothing_stale(copied: Workspace, seconds: float) -> None:
    redate(copied, ("work/settings", "work/code", "work/inventory"), seconds)
    redate(copied, ("library",), time.time() + CENTURY_S)
    assert copied.plan().jobs == {}


def test_a_removed_source_leaves_the_library_also_with_time_stamps_in_the_future(
    copied: Workspace,
) -> None:
    """Snakemake alone refuses a job whose input is newer than what it just wrote."""
    shutil.rmtree(copied.root / "raw/local")
    shutil.rmtree(copied.root / ".snakemake")
    redate(copied, ("work", "library", "release", "report"), time.time() + CENTURY_S)
    copied.build()
    assert {path.name for path in (copied.root / "library/assets").iterdir()} == {
        "generated-0000.tar",
        "generated-0001.tar",
    }
    assert copied.plan().jobs == {}


def test_outputs_without_a_record_are_not_trusted(copied: Workspace) -> None:
    shutil.rmtree(copied.root / "work/made/publish")
    assert copied.plan().jobs == {"publish": 1, "report": 1}
