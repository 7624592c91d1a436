# SPDX-License-Identifier: Apache-2.0
"""What rules depend on: files that change exactly when their content does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.base import layout
from pipeline.base.errors import ConfigError
from pipeline.engine.config import load_config
from pipeline.engine.inventory.index import load_index
from pipeline.engine.inventory.refresh import LOCK_HELD, build_lock, refresh
from pipeline.engine.settings import Config
from pipeline.raw.curation.reviews import read_slice
from pipeline.raw.inventory import shard_of
from tests.kit.places import REPOSITORY
from tests.kit.settings import changed, with_shards

SHARDS = 4
RAW = Path("work/raw/generated")


KINDS = ("inventory", "curation", "code", "settings", "sources")


@pytest.fixture
def config(workspace: Path) -> Config:
    """Return a config in a folder with the code and twenty raw objects."""
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("pipeline", "aa_dataset"):
        shutil.copytree(REPOSITORY / name, name, ignore=ignore, dirs_exist_ok=True)
    for number in range(20):
        (RAW / f"o{number}").mkdir(parents=True)
        (RAW / f"o{number}" / "model.urdf").write_text(f"<robot name='{number}'/>")
    return with_shards(load_config(), generated=SHARDS)


def changed_by(config: Config, change: Callable[[], object]) -> set[str]:
    """Return the files that a refresh writes after the change, or with the config it returns."""
    refresh(config)
    inputs = [p for kind in KINDS
              for p in (layout.WORK / kind).rglob("*") if p.is_file()]  # fmt: skip
    for path in inputs:
        os.utime(path, ns=(5, 5))
    other = change()
    refresh(other if isinstance(other, Config) else config)
    return {
        path.relative_to(layout.WORK).as_posix()
        for kind in KINDS
        for path in (layout.WORK / kind).rglob("*")
        if path.is_file() and path.stat().st_mtime_ns != 5 and path.name != "digests.json"
    }


def shard_files(name: str) -> set[str]:
    """Return the inventory and the marks of an object's shard."""
    stem = f"inventory/generated/{shard_of(f'generated-{name}', SHARDS):04d}"
    return {f"{stem}.tsv", f"{stem}.marks.tsv"}


def test_every_object_is_in_the_inventory_of_its_shard_once(config: Config) -> None:
    assert refresh(config) == {"generated": SHARDS} == load_index()
    seen = []
    for number in range(SHARDS):
        rows = layout.inventory("generated", f"{number:04d}").read_text().splitlines()
        ids = [row.split("\t")[0] for row in rows]
        assert ids == sorted(ids)
        assert all(shard_of(identifier, SHARDS) == number for identifier in ids)
        seen += ids
    assert sorted(seen) == sorted(f"generated-o{number}" for number in range(20))


def test_nothing_changed_writes_nothing(config: Config) -> None:
    assert changed_by(config, lambda: None) == set()


def test_changing_adding_or_removing_an_object_touches_its_shard_alone(
    config: Config,
) -> None:
    def add() -> None:
        (RAW / "new").mkdir()

    assert changed_by(config, lambda: (RAW / "o3/model.urdf").write_text("x")) == shard_files("o3")
    assert changed_by(config, add) == shard_files("new")
    assert changed_by(config, lambda: shutil.rmtree(RAW / "o5")) == shard_files("o5")


def test_a_review_touches_the_curation_file_of_its_shard_alone(config: Config) -> None:
    def review() -> None:
        with layout.REVIEWS.open("a") as stream:
            stream.write("generated-o7\texclude\tbroken")

    expected = min(shard_files("o7"), key=len).replace("inventory", "curation")
    assert changed_by(config, review) == {expected}


def test_a_last_review_without_a_line_end_does_not_run_into_the_next(
    config: Config,
) -> None:
    config = with_shards(config, generated=1)
    head = "object_id\taction\twhy\n"
    layout.REVIEWS.write_text(f"{head}generated-o7\tnote\tlate\n\ngenerated-o1\texclude\tearly")
    refresh(config)
    reviews = read_slice(layout.curation("generated", "0000"))
    assert reviews == {"generated-o7": [("note", "late")], "generated-o1": [("exclude", "early")]}


def test_a_bad_review_stops_before_anything_is_written(config: Config) -> None:
    with layout.REVIEWS.open("a") as stream:
        stream.write("generated-o7\tremove\tbroken\n")
    with pytest.raises(ConfigError, match=r"reviews\.tsv, line 2: .*exclude\|note"):
        refresh(config)
    assert not layout.INDEX.exists()
    assert not layout.settings("verify").exists()


def test_a_review_of_an_unknown_object_is_a_line_of_warning(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    with layout.REVIEWS.open("a") as stream:
        stream.write("generated-o7\tnote\tseen\ngenerated-o99\tnote\tx\nlocal-1\tnote\tx\n")
    refresh(config)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1  # the source `local` has no folder here, so that its row waits
    assert "reviews.tsv, line 3: no source has an object 'generated-o99'" in told[0]


def test_a_setting_touches_the_stages_that_read_it_alone(config: Config) -> None:
    denser = changed(config, annotate={"density": 700.0})
    assert changed_by(config, lambda: denser) == {"settings/annotate.json"}
    written = json.loads(layout.settings("annotate").read_bytes())
    assert written["annotate"]["density"] == 700.0


def test_a_source_without_a_folder_or_objects_is_left_out(config: Config) -> None:
    assert "local" in config.sources
    assert "local" not in refresh(config)
    Path(config.sources["local"].facts.folder).mkdir(parents=True)
    assert "local" not in refresh(config)


def edit_sources(old: str, new: str) -> Config:
    """Change the description of the sources; return the config as it is then."""
    text = layout.SOURCES.read_text()
    assert old in text
    layout.SOURCES.write_text(text.replace(old, new, 1))
    return with_shards(load_config(), generated=SHARDS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("expected: {}", "expected: {objects: 1000}"),
        ('note: "Every object', 'note: "Each object'),
        ("Made by this repository", "Made here"),
    ],
)
def test_access_to_a_source_changes_no_digest_of_a_stage(
    config: Config, old: str, new: str
) -> None:
    assert changed_by(config, lambda: edit_sources(old, new)) == set()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("terms: CC0-1.0; part", "terms: CC0-1.0, part"),
        ("share: 0.0", "share: 0.5"),
    ],
)
def test_what_a_release_tells_about_a_source_concerns_the_release_alone(
    config: Config, old: str, new: str
) -> None:
    assert changed_by(config, lambda: edit_sources(old, new)) == {"settings/publish.json"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title: The generated", "title: Our generated"),
        ('citation: "He et al.', 'citation: "They et al.'),
    ],
)
def test_what_to_cite_concerns_the_seals_alone(config: Config, old: str, new: str) -> None:
    assert changed_by(config, lambda: edit_sources(old, new)) == {
        "settings/split.json", "settings/publish.json",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("license: CC0-1.0", "license: MIT"),
        ("redistribution: assets", "redistribution: none"),
    ],
)
def test_terms_of_a_source_concern_its_stages_and_the_release(
    config: Config, old: str, new: str
) -> None:
    assert changed_by(config, lambda: edit_sources(old, new)) == {
        "sources/generated.json", "settings/publish.json",
    }  # fmt: skip


def test_a_skipped_source_is_left_out(config: Config) -> None:
    text = layout.CONFIG.read_text()
    layout.CONFIG.write_text(text.replace("sources: {}", "sources: {generated: {skip: true}}"))
    assert refresh(load_config()) == {}


def test_one_folder_has_one_build_at_a_time(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(LOCK_HELD, raising=False)
    with build_lock(wait=False) as first:
        with build_lock(wait=False) as second:
            assert (first, second) == (True, False)
        monkeypatch.setenv(LOCK_HELD, "1")
        with build_lock(wait=False) as child:
            assert child
        monkeypatch.delenv(LOCK_HELD)
    with build_lock(wait=False) as later:
        assert later


def test_a_forked_child_neither_holds_the_lock_nor_outlives_the_build(workspace: Path) -> None:
    """As the workers that generate objects, when only the build itself is killed."""
    program = (
        "import os, signal, sys, time\n"
        "from pipeline.engine.inventory.refresh import build_lock\n"
        "with build_lock(wait=False):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"  # the child itself says when it is ready
        "        print(os.getpid(), flush=True)\n"
        "    time.sleep(600)\n"
    )
    path = os.pathsep.join(sys.path)
    environment = {k: v for k, v in os.environ.items() if k != LOCK_HELD} | {"PYTHONPATH": path}
    words = [sys.executable, "-c", program]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        with build_lock(wait=False) as obtained:
            assert not obtained
        parent.kill()
    with build_lock(wait=False) as obtained:
        assert obtained
    deadline = time.monotonic() + 20
    while is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(child)


def is_alive(process: int) -> bool:
    """Tell whether a process runs; one that waits to be collected does not."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rsplit(")", 1)[1].split()[0] != "Z"
