# SPDX-License-Identifier: Apache-2.0
"""The configuration: every mistake is a sentence that names the key, before the first job."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.base import layout
from pipeline.base.errors import ConfigError
from pipeline.base.tables import dump_json
from pipeline.engine.config import check_config, load_config, load_sources, stage_settings
from pipeline.engine.stages import STAGES

Change = Callable[[dict[str, Any]], Any]


def sentence(config: object) -> str:
    """Return what is said about a bad config."""
    with pytest.raises(ConfigError) as caught:
        check_config(config)
    return str(caught.value)


def test_the_repositorys_own_config_is_good(workspace: Path) -> None:
    config = load_config()
    assert set(config["sources"]) <= set(load_sources())


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda c: c.update(colour=1), ["colour"]),
        (lambda c: c["budgets"].update(linkz=1), ["budgets", "linkz"]),
        (lambda c: c["sources"]["generated"].update(path="x"), ["sources.generated", "path"]),
        (lambda c: c.pop("verify"), ["verify"]),
        (lambda c: c["split"].pop("seed"), ["split", "seed"]),
        (lambda c: c["budgets"].update(links="many"), ["budgets.links", "many"]),
        (lambda c: c["budgets"].update(links=0), ["budgets.links"]),
        (lambda c: c["budgets"].update(links=1.5), ["budgets.links"]),
        (lambda c: c["budgets"].update(links=4.0), ["budgets.links", "4.0"]),
        (lambda c: c["budgets"].update(links=True), ["budgets.links"]),
        (lambda c: c["budgets"].update(memory_gb=float("nan")), ["budgets.memory_gb", "nan"]),
        (lambda c: c["budgets"].update(object_seconds=float("inf")), ["budgets.object_seconds"]),
        (lambda c: c["annotate"].update(density=float("inf")), ["annotate.density"]),
        (lambda c: c["annotate"].update(density=-1), ["annotate.density"]),
        (lambda c: c["render"].update(backend="opengl"), ["render.backend", "opengl"]),
        (lambda c: c["split"].update(share=2), ["split.share"]),
        (lambda c: c["publish"].update(version=1.0), ["publish.version"]),
        (lambda c: c.update(name="Has Spaces"), ["name"]),
        (lambda c: c.update(sources={}), ["sources"]),
        (lambda c: c["sources"].update({"Bad Name": {"folder": "x", "shards": 1}}), ["Bad Name"]),
        (lambda c: c["sources"]["generated"].update(shards=10_000), ["sources.generated.shards"]),
        (lambda c: c["sources"].update(stranger={"folder": "x", "shards": 1}), ["stranger"]),
        (lambda c: c["verify"].update(reject=["mesh_opened"]), ["verify.reject", "mesh_opened"]),
        (lambda c: c["verify"].update(reject="mesh_open"), ["verify.reject"]),
        (lambda c: c["threads"].update(render=0), ["threads.render"]),
    ],
)
def test_a_mistake_is_a_sentence_that_names_the_key(
    workspace: Path, change: Change, names: list[str]
) -> None:
    config = load_config()
    change(config)
    said = sentence(config)
    assert said.startswith("config.yaml: ")
    assert said.endswith(".")
    assert all(name in said for name in names)


def test_every_mistake_is_said_at_once(workspace: Path) -> None:
    config = load_config()
    config["budgets"]["links"] = 0
    config["split"]["share"] = 2
    assert len(sentence(config).splitlines()) == 2


@pytest.mark.parametrize("content", ["", "- a\n- b\n", "just text", "5"])
def test_a_file_that_is_no_mapping_is_a_sentence(workspace: Path, content: str) -> None:
    Path("config.yaml").write_text(content)
    with pytest.raises(ConfigError, match=r"config\.yaml"):
        load_config()


@pytest.mark.parametrize("content", [b"a: [1", b"a: b: c", b"\ta: 1", b"a: \xff\xfe", b"\0"])
def test_a_file_that_is_no_yaml_is_a_sentence(workspace: Path, content: bytes) -> None:
    Path("config.yaml").write_bytes(content)
    with pytest.raises(ConfigError, match="not usable YAML"):
        load_config()


def test_a_missing_file_is_a_sentence(workspace: Path) -> None:
    Path("config.yaml").unlink()
    with pytest.raises(ConfigError, match=r"config\.yaml"):
        load_config()


def test_yaml_cannot_make_python_objects(workspace: Path) -> None:
    Path("config.yaml").write_text("!!python/object/apply:os.mkdir [made]")
    with pytest.raises(ConfigError):
        load_config()
    assert not Path("made").exists()


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_gets_the_sections_that_it_reads_and_no_other(workspace: Path, stage: str) -> None:
    config = load_config()
    settings = stage_settings(config, stage)
    order = {"source_order": list(config["sources"])}
    assert settings == {name: (config | order)[name] for name in STAGES[stage].reads}


def test_the_order_of_the_sources_survives_the_way_to_the_stage(workspace: Path) -> None:
    config = load_config()
    config["sources"] = dict(sorted(config["sources"].items(), reverse=True))
    written = dump_json(stage_settings(config, "deduplicate"))
    assert json.loads(written)["source_order"] == list(config["sources"])


@pytest.mark.parametrize("name", ["config.yaml", "pipeline/raw/sources.yaml"])
@pytest.mark.parametrize(
    ("more", "word"), [("\n: [", "YAML"), ("\na: 1\na: 2\n", "'a' stands twice")]
)
def test_broken_yaml_and_a_key_that_stands_twice_are_sentences(
    workspace: Path, name: str, more: str, word: str
) -> None:
    path = workspace / name
    path.write_text(path.read_text() + more)
    with pytest.raises(ConfigError, match=name) as caught:
        load_config()
    assert word in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [("scale: metric", "scale: metrik"), ("up: z", "up: w"), ("license: CC0-1.0", "licence: CC0")],
)
def test_a_mistake_in_the_sources_is_a_sentence(workspace: Path, old: str, new: str) -> None:
    config = load_config()
    path = workspace / layout.SOURCES
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ConfigError, match=r"sources\.yaml: \w+"):
        check_config(config)
