# SPDX-License-Identifier: Apache-2.0
"""The Hub path, against a small server on loopback that speaks the Hub's protocol."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from aa_dataset.hub.errors import DownloadError
from aa_dataset.hub.place import Origin
from aa_dataset.hub.revisions import _abbreviated
from tests.hub_server import Hub
from tests.kit.hub_data import Repository
from tests.loopback import folder_files

NAME = "articulatearena-20k"
REPO = "someone/arena"


@pytest.fixture
def hub(pristine_library):
    with Hub() as server:
        repository = server.repositories[REPO] = Repository()
        repository.commit(folder_files(pristine_library))
        yield server


LOAD = """
import json, sys
from aa_dataset import load_dataset
from aa_dataset.errors import ArenaError
try:
    dataset = load_dataset({name!r}, repo_id={repo!r}, revision={revision!r}, verbose=False)
    found = [dataset.revision, str(dataset.root), dataset[0].urdf_path.stat().st_size]
except ArenaError as error:
    found = [type(error).__name__, str(error)]
print(json.dumps(found))
"""


def load(tmp_path: Path, endpoint: str, *, revision=None, repo=REPO, name=NAME, **env):
    """Load in a process of its own, because the Hub client reads its settings when imported."""
    code = LOAD.format(name=name, repo=repo, revision=revision)
    settings = {
        "AA_HOME": str(tmp_path / "home"),
        "HF_HOME": str(tmp_path / "hf"),
        "HF_ENDPOINT": endpoint,
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    proxies = {key: "" for key in os.environ if key.lower().endswith("_proxy")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, **proxies, **settings, **env},
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_a_library_is_downloaded_then_opened_without_a_network(hub, tmp_path, pristine_library):
    commit = hub.repositories[REPO].branches["main"]
    revision, root, size = load(tmp_path, hub.address)
    assert revision == json.loads((pristine_library / "library.json").read_text())["revision"]
    assert Path(root).is_relative_to(tmp_path / "home" / "hub")
    assert Path(root).name == commit  # the folder is named by the Hub's revision
    assert size > 0
    for path in Path(root).glob("[!.]*.*"):
        assert path.read_bytes() == (pristine_library / path.name).read_bytes()

    hub.clear()
    assert load(tmp_path, hub.address, HF_HUB_OFFLINE="1") == [revision, root, size]
    assert hub.requests == []
    assert load(tmp_path, "http://127.0.0.1:9") == [revision, root, size]  # nobody listens there
    assert load(tmp_path, hub.address, revision=commit) == [revision, root, size]


def test_the_first_digits_of_a_commit_mean_a_download(hub, tmp_path, pristine_library):
    """Offline, where the Hub cannot say what they mean, and as many as every message prints."""
    repository = hub.repositories[REPO]
    first = repository.branches["main"]
    load(tmp_path, hub.address)
    repository.commit({**folder_files(pristine_library), "note.txt": b"another commit"})
    second = repository.branches["main"]
    load(tmp_path, hub.address)
    away = {"HF_HUB_OFFLINE": "1"}
    for commit in (first, second):
        for digits in (7, 12, 39):
            found = load(tmp_path, hub.address, revision=commit[:digits], **away)
            assert Path(found[1]).name == commit
        found = load(tmp_path, "http://127.0.0.1:9", revision=commit[:12])  # nobody listens there
        assert Path(found[1]).name == commit
        code = (
            f"from aa_dataset import load_dataset; print(load_dataset({NAME!r}, revision="
            f"{commit[:12]!r}, cache_dir={str(tmp_path / 'home')!r}, verbose=False).root)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path,
            env={**os.environ, **away, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        assert Path(done.stdout.strip()).name == commit, done.stderr
    for wrong in (first[:6], "f" * 12 if not first.startswith("f" * 12) else "0" * 12):
        kind, text = load(tmp_path, hub.address, revision=wrong, **away)
        assert kind == "NotCachedError" and wrong in text


def test_digits_that_begin_several_commits_are_a_sentence():
    origins = [Origin(REPO, digits.ljust(40, "0")) for digits in ("abcdef01", "abcdef02")]
    with pytest.raises(DownloadError, match=r"2 downloads .* abcdef0, .* Give more of its digits"):
        _abbreviated("abcdef0", origins)
    assert _abbreviated("abcdef02", origins) == origins[1]
    assert _abbreviated("abcdef03", origins) is None and _abbreviated("main", origins) is None


def test_offline_with_a_cold_cache_is_a_sentence(hub, tmp_path):
    kind, text = load(tmp_path, hub.address, HF_HUB_OFFLINE="1")
    assert kind == "NotCachedError"
    assert "cannot download someone/arena from the Hub" in text and "HF_HUB_OFFLINE" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"repo": "someone/else"}, "someone/else"),
        ({"revision": "0123456789abcdef"}, "0123456789abcdef"),
    ],
)
def test_an_unknown_repository_or_revision_is_a_sentence(hub, tmp_path, arguments, words):
    kind, text = load(tmp_path, hub.address, **arguments)
    assert kind == "DownloadError" and words in text


def test_a_repository_with_another_dataset_is_refused(hub, tmp_path):
    kind, text = load(tmp_path, hub.address, name="another-dataset")
    assert kind == "LibraryError"
    assert "holds the dataset 'articulatearena-20k', not 'another-dataset'" in text


def test_a_download_that_broke_off_is_completed(hub, tmp_path):
    _, root, _ = load(tmp_path, hub.address)
    (Path(root) / "joints.parquet").unlink()
    kind, text = load(tmp_path, hub.address, HF_HUB_OFFLINE="1")
    assert kind == "NotCachedError" and f"aa pull --repo {REPO}" in text
    assert load(tmp_path, hub.address)[1] == root  # with a network it is completed
