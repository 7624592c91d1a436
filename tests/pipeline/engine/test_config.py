# SPDX-License-Identifier: Apache-2.0
"""The configuration: every mistake is a sentence that names the key, before the first job."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.base import layout
from pipeline.base.errors import ConfigError
from pipeline.engine.checked_yaml import read_yaml
from pipeline.engine.config import load_config, parse_config
from pipeline.engine.sources import load_sources

Change = Callable[[dict[str, Any]], Any]


def sentence(config: object) -> str:
    """Return the error message for a bad config."""
    with pytest.raises(ConfigError) as caught:
        parse_config(config)
    return str(caught.value)


def test_the_repositorys_own_config_is_good(workspace: Path) -> None:
    assert list(load_config().sources) == list(load_sources())


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda c: c.update(colour=1), ["colour"]),
        (lambda c: c["budgets"].update(linkz=1), ["budgets", "linkz"]),
        (lambda c: c["sources"].update(generated={"path": "x"}), ["sources.generated", "path"]),
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
        (lambda c: c.update(sources=None), ["sources"]),
        (lambda c: c["sources"].update(tail={}), ["sources.tail"]),
        (lambda c: c["sources"].update(tail={"skip": False}), ["sources.tail.skip"]),
        (lambda c: c["sources"].update(tail={"shards": 10_000}), ["sources.tail.shards"]),
        (lambda c: c["verify"].update(reject=["mesh_opened"]), ["verify.reject", "mesh_opened"]),
        (lambda c: c["verify"].update(reject="mesh_open"), ["verify.reject"]),
        # without effect
        (lambda c: c["sources"].update(stranger={"shards": 1}), ["sources.stranger", "no such so"]),
        (lambda c: c["sources"].update(tail={"skip": True, "shards": 1}), ["sources.tail", "skip"]),
        (lambda c: c["filters"].update(stranger={"a": {"one_of": [1]}}), ["filters.stranger"]),
        (
            lambda c: c["filters"].update(artiverse={"rating": {"at_least": 4}}),
            ["filters.artiverse.rating", "upstream_source"],
        ),
        (
            lambda c: c["annotate"].update(density_by_source={"articraft": 700.0}),
            ["annotate.density_by_source.articraft", "no such source"],
        ),
        (
            lambda c: c["split"]["quotas"].update(Kitchens=3),
            ["split.quotas.Kitchens", "supercategories.tsv"],
        ),
    ],
)
def test_a_mistake_is_a_sentence_that_names_the_key(
    workspace: Path, change: Change, names: list[str]
) -> None:
    config = read_yaml(layout.CONFIG)
    change(config)
    said = sentence(config)
    assert said.startswith("config.yaml: ")
    assert said.endswith(".")
    assert all(name in said for name in names)


def test_all_mistakes_are_reported_at_once(workspace: Path) -> None:
    config = read_yaml(layout.CONFIG)
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


def test_all_settings_without_effect_are_reported_at_once(workspace: Path) -> None:
    config = read_yaml(layout.CONFIG)
    config["annotate"]["density_by_source"] = {"articraft": 700.0, "partnet": 600.0}
    config["split"]["quotas"] = {"Kitchen": 1}
    assert len(sentence(config).splitlines()) == 3


def test_settings_of_a_source_in_the_config_override_its_description(workspace: Path) -> None:
    config = read_yaml(layout.CONFIG)
    config["sources"] = {"tail": {"folder": "/data", "shards": 7}, "artiverse": {"skip": True}}
    sources, usual = parse_config(config).sources, load_config().sources
    assert list(sources) == [name for name in usual if name != "artiverse"]
    assert (sources["tail"].facts.folder, sources["tail"].shards) == ("/data", 7)
    assert sources["local"] == usual["local"]
    assert (usual["tail"].facts.folder, usual["tail"].shards) == ("raw/tail", 2)


def test_a_new_source_needs_its_description_alone(workspace: Path) -> None:
    described = read_yaml(layout.SOURCES)["local"]
    with layout.SOURCES.open("a") as stream:
        yaml.safe_dump({"more": described}, stream)
    more = load_config().sources["more"]
    assert (more.shards, more.facts.folder) == (1, "raw/more")


@pytest.mark.parametrize("adapter", ["nobody", "facts"])  # one of them is a module, not an adapter
def test_a_source_without_an_adapter_is_a_sentence(workspace: Path, adapter: str) -> None:
    text = layout.SOURCES.read_text()
    layout.SOURCES.write_text(text.replace("adapter: artiverse", f"adapter: {adapter}"))
    with pytest.raises(ConfigError, match=rf"artiverse\.adapter: .*/adapters/{adapter}\.py"):
        load_config()


@pytest.mark.parametrize("name", ["config.yaml", "pipeline/raw/sources.yaml"])
@pytest.mark.parametrize(
    ("more", "word"), [("\n: [", "YAML"), ("\na: 1\na: 2\n", "'a' stands twice")]
)
def test_broken_yaml_and_duplicate_keys_are_error_messages(
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
    config = read_yaml(layout.CONFIG)
    path = workspace / layout.SOURCES
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ConfigError, match=r"sources\.yaml: \w+"):
        parse_config(config)


def test_a_citation_without_an_entry_is_a_sentence(workspace: Path) -> None:
    text = layout.SOURCES.read_text()
    layout.SOURCES.write_text(text.replace("cites: [Gao2026LAM]", "cites: [Gao2026LAMB]"))
    with pytest.raises(ConfigError, match=r"articulated_object_code\.cites: .* 'Gao2026LAMB'"):
        load_config()
    layout.CITATIONS.write_text("@misc{half,")
    with pytest.raises(ConfigError, match=r"citations\.bib: .*not one BibTeX entry"):
        load_config()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("name: articulatearena-20k", "name: 2026-13-45", "month must be in 1..12"),
        ("density_by_part: {}", "density_by_part: {1: 3.0}", "the key 1 is not text"),
        ("density_by_part: {}", "density_by_part: {null: 3.0}", "the key None is not text"),
        ("name: articulatearena-20k", 'name: "articulatearena\\n"', "ends with a line break"),
        ("screw_labels: []", "screw_labels: [.nan]", "screw_labels.0: nan is not a finite"),
        ("sources: {}", "sources: &a {tail: *a}", "nested too deeply"),
        ("density: 500.0", f"density: 1{'0' * 400}", "more than 64 bits"),
    ],
)  # fmt: skip
def test_what_yaml_allows_and_a_build_cannot_use_is_a_sentence(
    workspace: Path, old: str, new: str, problem: str
) -> None:
    text = Path("config.yaml").read_text()
    head = old.split(":")[0]
    line = next(one for one in text.splitlines() if one.strip().startswith(f"{head}:"))
    indent = line[: len(line) - len(line.lstrip())]
    Path("config.yaml").write_text(text.replace(line, f"{indent}{new}", 1))
    with pytest.raises(ConfigError, match=problem):
        load_config()
