# SPDX-License-Identifier: Apache-2.0
"""Tables first, then one object by one request for its own bytes."""

from __future__ import annotations

import pickle
import socket
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.errors import ArenaError, LibraryError
from aa_dataset.format.layout import TABLES
from aa_dataset.hub.errors import DownloadError, NotCachedError
from tests.kit.library_objects import JAR

REPO, NAME = "someone/arena", "articulatearena-20k"


def opened(**options):
    return load_dataset(NAME, repo_id=REPO, verbose=False, **options)


def facts(library: Path, object_id: str) -> dict:
    rows = pq.read_table(library / "objects.parquet").to_pylist()
    return next(row for row in rows if row["object_id"] == object_id)


def kept(cache: Path) -> list[str]:
    """Return the files of the cache but for marks and references."""
    return sorted(path.name for path in cache.rglob("*") if path.is_file())


def test_opening_downloads_the_tables_and_no_tar(hub, cache):
    dataset = opened()
    assert len(dataset) == 5 and dataset[JAR].joints[0].name == "lid_joint"
    wanted = {"library.json", ".aa-origin.json", "main", *(f"{name}.parquet" for name in TABLES)}
    assert {*kept(cache)} == wanted
    assert not [path for path in hub.paths() if path.endswith(".tar")]


def test_one_object_costs_two_requests_and_its_own_bytes(hub, pristine_library):
    item = opened()[JAR]
    hub.clear()
    assert item.urdf_path.is_file()
    row = facts(pristine_library, JAR)
    tar = (pristine_library / "assets" / f"{row['shard']}.tar").read_bytes()
    ranges = [headers.get("range") for _, _, headers in hub.requests]
    assert ranges == [f"bytes={row['offset']}-{row['offset'] + row['size'] - 1}"] * 2
    assert [path.split("/")[1] for path in hub.paths()] == ["datasets", "cdn"]
    assert sum(size for _, size in hub.sent) == row["size"]
    files = {name: item.read(name) for name in item.files()}
    assert all(data in tar for data in files.values()) and len(files) == 8
    assert len(hub.requests) == 2


def test_the_token_does_not_reach_the_other_host(hub, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    opened()[JAR].read("object.urdf")
    tokens = {path.split("/")[1]: headers.get("authorization") for _, path, headers in hub.requests}
    assert tokens["datasets"] == "Bearer hf_secret" and tokens["cdn"] is None


def test_a_second_process_uses_the_first_ones_download(hub):
    opened()[JAR].read("object.urdf")
    hub.clear()
    assert opened()[JAR].read("object.urdf")
    assert hub.paths() == [f"/api/datasets/{REPO}"]


def test_a_pickle_downloads_in_the_other_process(hub):
    item = pickle.loads(pickle.dumps(opened()))[JAR]
    assert item.read("object.urdf")


def test_a_stream_keeps_nothing_and_asks_again(hub, cache):
    dataset = opened(streaming=True)
    before = kept(cache)
    assert dataset[JAR].read("object.urdf") and dataset[JAR].read("object.glb")
    assert sum("/cdn/" in path and path.endswith("tar") for path in hub.paths()) == 0
    assert kept(cache) == before
    assert dataset["local-stool"].read("object.urdf") and dataset[JAR].read("object.urdf")
    ranges = [h["range"] for _, path, h in hub.requests if path.endswith(".tar")]
    assert len(ranges) == 3
    assert pickle.loads(pickle.dumps(dataset)).catalog.access.streaming
    assert dataset[JAR].urdf_path.is_file()  # a path needs a file


def test_the_cache_can_be_given(hub, cache, tmp_path):
    dataset = opened(cache_dir=tmp_path / "other")
    path = dataset[JAR].urdf_path
    assert path.is_relative_to(tmp_path / "other") and not cache.exists()
    assert pickle.loads(pickle.dumps(dataset))[JAR].urdf_path == path


@pytest.fixture
def no_sockets(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a socket was opened")

    def block():
        monkeypatch.setattr(socket, "socket", refuse)
        monkeypatch.setattr(socket, "create_connection", refuse)

    return block


def test_offline_works_without_sockets_and_says_what_to_run(hub, no_sockets, monkeypatch):
    commit = hub.repositories[REPO].branches["main"]
    opened()[JAR].urdf_path  # noqa: B018
    no_sockets()
    dataset = opened(offline=True)
    assert dataset[JAR].urdf_path.is_file() and dataset["local-stool"].joints
    wanted = f"aa pull --repo {REPO} --revision {commit} --ids local-stool"
    with pytest.raises(NotCachedError, match=wanted):
        dataset["local-stool"].urdf_path  # noqa: B018
    with pytest.raises(NotCachedError, match=r"aa pull --repo some/other --revision v2"):
        load_dataset(NAME, repo_id="some/other", revision="v2", offline=True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert opened()[JAR].urdf_path.is_file()


def test_the_name_alone_finds_an_earlier_download(hub, monkeypatch):
    """The card's only snippet has the name alone."""
    root = opened().root
    assert load_dataset(NAME, verbose=False).root == root
    with pytest.raises(LibraryError, match=r"no repository of the Hub is set \(\$AA_REPO\)"):
        load_dataset("another", verbose=False)
    monkeypatch.setenv("AA_REPO", REPO)
    hub.clear()
    assert load_dataset(NAME, verbose=False).root == root
    assert hub.paths() == [f"/api/datasets/{REPO}"]


def test_a_download_of_the_tables_alone_opens(library):
    for path in (library / "assets").iterdir():
        path.unlink()
    (library / "assets").rmdir()
    dataset = load_dataset(library, verbose=False)
    assert dataset[JAR].joints
    with pytest.raises(LibraryError, match=r"0000\.tar is missing.*tables alone.*repo_id"):
        dataset[JAR].urdf_path  # noqa: B018


@pytest.mark.parametrize("tagged", [True, False])
def test_the_printed_revision_can_be_asked_for(hub, pristine_library, tagged):
    revision = load_dataset(pristine_library, verbose=False).revision
    repository = hub.repositories[REPO]
    if tagged:
        repository.tags[revision] = repository.branches["main"]
        repository.commit({"README.md": b"newer"})
    dataset = opened(revision=revision)
    assert dataset.revision == revision
    hub.clear()
    assert opened(revision=revision).root == dataset.root
    assert hub.requests == []  # sixteen digits mean the same for ever
    assert load_dataset(NAME, revision=revision, verbose=False).root == dataset.root


def test_other_digits_are_a_sentence(hub):
    with pytest.raises(DownloadError, match=r"no such tag, and its main branch is revision"):
        opened(revision="0123456789abcdef")
    with pytest.raises(DownloadError, match=r"has no revision 'v9'"):
        opened(revision="v9")
    with pytest.raises(ArenaError, match="owner/name"):
        load_dataset(NAME, repo_id="../../etc")


def test_a_library_of_another_name_is_refused(hub):
    with pytest.raises(LibraryError, match=r"holds the dataset 'articulatearena-20k', not 'other'"):
        load_dataset("other", repo_id=REPO, verbose=False)


def test_threads_that_want_the_same_object_all_get_it(hub, pristine_library):
    wanted = load_dataset(pristine_library, verbose=False)[JAR].read("object.urdf")
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(opened()[JAR].read("object.urdf")))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 6
