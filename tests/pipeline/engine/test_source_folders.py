# SPDX-License-Identifier: Apache-2.0
"""The raw folders of the configuration: home folders, and one folder for each source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline.base import layout
from pipeline.base.errors import ConfigError
from pipeline.engine.checked_yaml import read_yaml
from pipeline.engine.config import load_config, parse_config
from pipeline.engine.settings import Config
from pipeline.tools.fetch.access import load_all


def parsed(**folders: str) -> Config:
    """Parse the repository's config with other raw folders."""
    content: dict[str, Any] = read_yaml(layout.CONFIG)
    content["sources"] = {name: {"folder": folder} for name, folder in folders.items()}
    return parse_config(content)


def refused(**folders: str) -> str:
    """Return the sentence that refuses these raw folders."""
    with pytest.raises(ConfigError) as caught:
        parsed(**folders)
    return str(caught.value)


def test_a_home_folder_is_expanded(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    config = parsed(tail="~/data", local="~")
    assert config.sources["tail"].facts.folder == str(tmp_path / "me" / "data")
    assert config.sources["local"].facts.folder == str(tmp_path / "me")
    assert load_all(config)["tail"].folder == tmp_path / "me" / "data"


def test_a_home_folder_in_the_description_is_expanded(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    text = layout.SOURCES.read_text()
    layout.SOURCES.write_text(text.replace("folder: work/raw/generated", "folder: ~/made"))
    assert load_config().sources["generated"].facts.folder == str(tmp_path / "made")


def test_only_the_beginning_of_a_path_is_expanded(workspace: Path) -> None:
    config = parsed(tail="./~/data", local="data~")
    assert config.sources["tail"].facts.folder == "./~/data"
    assert config.sources["local"].facts.folder == "data~"


def test_an_unknown_home_folder_is_an_error_message(workspace: Path) -> None:
    assert refused(tail="~nobody_of_this_name/data") == (
        "config.yaml: sources.tail.folder: there is no home folder '~nobody_of_this_name' on this "
        "machine; write the whole path."
    )


def test_a_null_character_is_a_sentence(workspace: Path) -> None:
    assert "sources.tail.folder: 'raw\\x00tail' is not a path" in refused(tail="raw\0tail")


def same_folder(spelling: str, folder: Path) -> str:
    """Return another spelling of a folder."""
    if spelling == "link":
        (folder.parent / "link").symlink_to(folder)
        return str(folder.parent / "link")
    return {
        "equal": str(folder),
        "slash": f"{folder}/",
        "dots": f"{folder}/../{folder.name}",
        "relative": folder.name,
    }[spelling]


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("spelling", ["equal", "slash", "dots", "relative", "link"])
def test_one_folder_of_two_sources_is_a_sentence(
    workspace: Path, spelling: str, exists: bool
) -> None:
    folder = Path.cwd() / "shared_folder"
    if exists:
        folder.mkdir()
    other = same_folder(spelling, folder)
    assert refused(local=str(folder), tail=other) == (
        f"config.yaml: sources.tail.folder: {other!r} is also the folder of the source local, so "
        "each object would be read twice; give every source a folder of its own."
    )


def test_the_default_folder_of_another_source_is_a_sentence(workspace: Path) -> None:
    assert "sources.tail.folder: 'raw/tail' is also the folder of the source local" in refused(
        local="raw/tail"
    )


def test_a_skipped_source_shares_its_folder(workspace: Path) -> None:
    content = read_yaml(layout.CONFIG)
    content["sources"] = {"local": {"skip": True}, "tail": {"folder": "raw/local"}}
    assert parse_config(content).sources["tail"].facts.folder == "raw/local"
