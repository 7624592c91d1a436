# SPDX-License-Identifier: Apache-2.0
"""A Hub with one published library, and the release folder it came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hub_server import serving
from tests.kit.hub_data import Repository
from tests.loopback import folder_files

REPO, NAME = "someone/arena", "articulatearena-20k"


@pytest.fixture
def hub(pristine_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The Hub; its repository has one commit, as a release has it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AA_REPO", raising=False)
    monkeypatch.setenv("HF_TOKEN_PATH", str(tmp_path / "no-token"))
    with serving(monkeypatch) as server:
        repository = server.repositories[REPO] = Repository()
        repository.commit(folder_files(pristine_library))
        yield server


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """What is in the cache of this test."""
    return tmp_path / "aa_home"
