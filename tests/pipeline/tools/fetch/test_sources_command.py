# SPDX-License-Identifier: Apache-2.0
"""`aa sources`, and what `sources.yaml` promises about the real sources."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.engine.config import load_config
from pipeline.engine.inventory.code import Code
from pipeline.engine.settings import Source
from pipeline.engine.sources import load_sources
from pipeline.engine.stages import STAGES
from pipeline.tools.build.command import _print_absent_sources
from pipeline.tools.fetch.access import load_all
from tests.kit.settings import ABOUT, SETTINGS, facts_of
from tests.pipeline.tools.fetch.conftest import REPOSITORY, Checkout

ISSUED = (
    "generated", "local", "partnet_mobility", "articraft_10k", "artiverse",
    "articulated_object_code", "gapartnet_akb48", "physx_mobility", "tail",
)  # fmt: skip


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(REPOSITORY)
    return REPOSITORY


def make_objects(checkout: Checkout, count: int) -> None:
    for number in range(count):
        (checkout.raw / f"object_{number}").mkdir(parents=True)


def test_a_user_sees_all_sources_in_a_narrow_terminal(checkout: Checkout) -> None:
    done = checkout.run("sources")  # as typed: a process that starts another
    assert done.returncode == 0, done.stderr
    header, *rows = done.stdout.splitlines()
    assert re.split(r"  +", header) == [
        "source", "status", "found", "expected", "license", "how to get it", "tested on",
    ]  # fmt: skip
    assert all(len(line) <= 100 for line in done.stdout.splitlines())
    assert {row.split()[0] for row in rows} >= set(ISSUED)
    partnet = next(row for row in rows if row.startswith("partnet_mobility"))
    assert "2,347" in partnet and "gated" in partnet and "real bytes" in partnet
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("count", "expected", "status"),
    [
        (0, 3, "absent"),
        (2, 3, "partly"),
        (3, 3, "present"),
        (4, 3, "present"),
        (1, None, "present"),
    ],
)
def test_status_follows_from_what_the_adapter_finds(
    checkout: Checkout, count: int, expected: int, status: str
) -> None:
    checkout.describe({"kind": "manual"}, expected={"objects": expected} if expected else {})
    make_objects(checkout, count)
    facts = checkout.sources()["local"]
    assert facts["status"] == status and facts["expected"] == (expected or None)
    assert facts["found"] == (count or None)


def test_an_empty_folder_is_as_good_as_none(checkout: Checkout) -> None:
    checkout.describe({"kind": "manual"})
    checkout.raw.mkdir(parents=True)
    assert checkout.sources()["local"]["status"] == "absent"


def test_a_source_that_the_config_skips_is_listed(checkout: Checkout) -> None:
    config = checkout.root / "config.yaml"
    skipped = config.read_text().replace("sources: {}", "sources: {local: {skip: true}}")
    config.write_text(skipped)
    assert checkout.sources()["local"]["folder"] == "raw/local"


def test_one_source_in_full(checkout: Checkout) -> None:
    checkout.describe({"kind": "manual", "page": "https://example.org/form"})
    done = checkout.here("sources", "local")
    assert done.returncode == 0 and "https://example.org/form" in done.stdout
    assert "A paper" in done.stdout and "Free." in done.stdout
    assert all(len(line) <= 100 for line in done.stdout.splitlines())
    assert json.loads(checkout.here("sources", "local", "--json").stdout)["source"] == "local"
    assert checkout.here("sources", "nowhere").returncode == 2


def test_the_real_access_is_valid_and_pinned(repository: Path) -> None:
    sources = load_sources()
    assert set(sources) >= set(ISSUED)
    for name, source in sources.items():
        if source.access.kind == "hub":
            assert re.fullmatch("[0-9a-f]{40}", source.access.revision), name
    assert sources["partnet_mobility"].access.gated and sources["artiverse"].access.gated


@pytest.mark.parametrize(
    ("source", "archive", "member", "placed"),
    [
        ("partnet_mobility", "3763.zip", "3763/mobility.urdf", "3763/mobility.urdf"),
        ("partnet_mobility", "3763.zip", "mobility.urdf", "3763/mobility.urdf"),
        ("partnet_mobility", "partnet-mobility-v0.zip", "dataset/7/meta.json", "7/meta.json"),
        ("articulated_object_code", "viable.tar.gz", "objects/a/a_1/x", "objects/a/a_1/x"),
        ("artiverse", "dataset_chunks/d-00001-of-00002.tar.gz", "data/a/b/c/x", "data/a/b/c/x"),
        ("physx_mobility", "PhysX-Mobility.zip", "PhysX_mobility/urdf/7.urdf", "urdf/7.urdf"),
        ("gapartnet_akb48", "x.zip", "dataset/3/a.urdf", "dataset/3/a.urdf"),
    ],
)
def test_archives_are_unpacked_into_the_layout_that_adapters_read(
    repository: Path, source: str, archive: str, member: str, placed: str
) -> None:
    rule = load_all(load_config())[source].unpack_rule(archive)
    assert rule is not None and rule.place(archive, member) == placed


def test_no_stage_depends_on_the_access_to_a_source(repository: Path) -> None:
    code = Code()
    for stage in STAGES:
        digest = code.digest(stage)
        assert "sources.yaml" not in digest and "pipeline/tools/fetch/" not in digest, stage


def test_articraft_s_archives_stay_as_they_are(repository: Path) -> None:
    assert load_all(load_config())["articraft_10k"].unpack_rule("rec_a_0001.tar.gz") is None


def test_a_build_names_the_absent_sources_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = {"a": tmp_path / "a", "b": tmp_path / "b", "c": tmp_path}
    (tmp_path / "b" / ".fetch").mkdir(parents=True)  # a fetch that brought nothing
    sources = {name: Source(1, facts_of(folder), ABOUT) for name, folder in folders.items()}
    _print_absent_sources(replace(SETTINGS, sources=sources))
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "aa sources" in said
    assert f"a ({tmp_path / 'a'}), b ({tmp_path / 'b'})." in said and f"({tmp_path})" not in said
    _print_absent_sources(replace(SETTINGS, sources={"c": sources["c"]}))
    assert capsys.readouterr().err == ""
