# SPDX-License-Identifier: Apache-2.0
"""`aa pull`: a selection comes with few requests, checked, and goes on after an interruption."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.hub.fragments import runs
from tests.kit.hub_data import Fault
from tests.kit.library_objects import JAR

REPO, NAME = "someone/arena", "articulatearena-20k"


def pull(capsys, *options: str):
    status = main(["pull", "--repo", REPO, *options])
    out, err = capsys.readouterr()
    return status, out, err


def fragments(cache: Path) -> list[str]:
    return sorted(path.stem for path in cache.rglob("objects/*.tar"))


def test_all_objects_come_with_one_request_per_tar(hub, cache, capsys, pristine_library):
    status, out, _ = pull(capsys, "--all", "--json")
    found = json.loads(out)
    sizes = [path.stat().st_size - 1024 for path in (pristine_library / "assets").iterdir()]
    assert (status, found["objects_downloaded"], found["bytes"]) == (0, 5, sum(sizes))
    assert len([path for path in hub.paths() if path.endswith(".tar")]) == len(sizes)
    hub.clear()
    dataset = load_dataset(NAME, repo_id=REPO, offline=True, verbose=False)
    local = load_dataset(pristine_library, verbose=False)
    for item in dataset:
        own = local[item.object_id]
        assert {n: item.read(n) for n in item.files()} == {n: own.read(n) for n in own.files()}
    assert hub.requests == []


def test_tables_alone_a_split_and_single_objects(hub, cache, capsys):
    status, out, _ = pull(capsys)
    assert status == 0 and "0 objects downloaded (0 bytes), 0 were here" in out
    assert fragments(cache) == []
    pull(capsys, "--split", "train")
    train = [JAR, "local-plain"]
    assert fragments(cache) == train
    _, out, _ = pull(capsys, "--ids", JAR, "local-stool", JAR)
    assert "1 objects downloaded" in out and "1 were here" in out
    assert fragments(cache) == [*train, "local-stool"]


def test_the_command_of_an_error_heals_it(hub, capsys):
    with pytest.raises(Exception, match="aa pull") as caught:
        load_dataset(NAME, repo_id=REPO, offline=True)
    command = str(caught.value).split("`")[1].split()
    assert main(command[1:]) == 0
    dataset = load_dataset(NAME, repo_id=REPO, offline=True, verbose=False)
    with pytest.raises(Exception, match="aa pull") as caught:
        dataset[JAR].urdf_path  # noqa: B018
    command = str(caught.value).split("`")[1].split()
    assert main(command[1:]) == 0
    assert dataset[JAR].urdf_path.is_file()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--ids", "../../etc/passwd"], "no object '../../etc/passwd' among the 5"),
        (["--split", "nothing"], "'nothing' is not in this library"),
        (["--all", "--repo", "../up"], "owner/name"),
        (["--all", "--revision", "v7"], "has no revision 'v7'"),
        (["another"], "holds the dataset 'articulatearena-20k', not 'another'"),
    ],
)
def test_a_bad_request_is_a_sentence(hub, cache, capsys, options, words):
    status, out, err = pull(capsys, *options)
    assert (status, out) == (2, "") and words in err and "\naa: " in f"\n{err}"
    assert fragments(cache) == []


def test_a_local_library_needs_no_pull(library, capsys, monkeypatch):
    monkeypatch.chdir(library.parent)
    assert main(["pull", "--all"]) == 0
    assert "on this disk" in capsys.readouterr().out


def test_an_interrupted_pull_keeps_what_is_complete(hub, cache, capsys, pristine_library):
    """The connection breaks in the second object of a tar and does not come back."""
    rows = {one.object_id: one for one in load_dataset(pristine_library, verbose=False)}
    first = rows["generated-cabinet"].fact("size")
    pull(capsys)
    hub.faults.append(Fault(f"GET /cdn/{digest_of(pristine_library)}", "cut", first + 700))
    hub.faults.append(Fault("GET .*generated-0000[.]tar", "none", times=1))
    hub.faults.append(Fault("GET .*generated-0000[.]tar", "status", 503, times=-1))
    status, _, err = pull(capsys, "--all")
    assert status == 2 and "assets/generated-0000.tar" in err and "Run the same again" in err
    assert fragments(cache) == ["generated-cabinet"]
    hub.faults.clear()
    hub.clear()
    assert pull(capsys, "--all")[0] == 0
    assert len(fragments(cache)) == 5
    ranges = [h["range"] for _, p, h in hub.requests if p.endswith("generated-0000.tar")]
    assert ranges[0].startswith(f"bytes={first}-")


def digest_of(library: Path) -> str:
    return hashlib.sha256((library / "assets/generated-0000.tar").read_bytes()).hexdigest()


def test_a_cut_goes_on_at_the_byte_where_it_was(hub, cache, capsys, pristine_library):
    pull(capsys)
    digest = digest_of(pristine_library)
    hub.faults.append(Fault(f"GET /cdn/{digest}", "cut", 5000, times=3))
    hub.clear()
    assert pull(capsys, "--all")[0] == 0
    starts = [
        int(h["range"].split("=")[1].split("-")[0])
        for _, p, h in hub.requests
        if p.endswith("generated-0000.tar")
    ]
    assert starts == [0, 5000, 10000, 15000]
    assert len(fragments(cache)) == 5


def test_what_is_damaged_in_the_cache_is_pulled_again(hub, cache, capsys):
    pull(capsys, "--all")
    path = next(cache.rglob(f"objects/{JAR}.tar"))
    sound = path.read_bytes()
    path.write_bytes(sound[:520] + b"\xff" + sound[521:])
    _, out, _ = pull(capsys, "--all")
    assert "1 objects downloaded" in out and "4 were here" in out
    assert path.read_bytes() == sound


def test_damage_at_the_hub_is_listed_and_the_rest_is_kept(hub, cache, capsys, pristine_library):
    pull(capsys)
    digest = digest_of(pristine_library)
    hub.faults.append(Fault(f"GET /cdn/{digest}", "flip", 1500, times=-1))
    status, out, _ = pull(capsys, "--all")
    assert status == 1 and "'generated-cabinet'" in out and "other bytes" in out
    assert "generated-cabinet" not in fragments(cache) and len(fragments(cache)) == 4
    assert not list(cache.rglob(".tmp-*"))


def test_two_processes_pull_the_same_objects(hub, cache, tmp_path, pristine_library):
    code = "import sys; from aa_dataset.cli import main; sys.exit(main(sys.argv[1:]))"
    env = os.environ | {
        "HF_ENDPOINT": hub.address,
        "HF_HOME": str(tmp_path / "hf"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-c", code, "pull", "--repo", REPO, "--all"]
    running = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    for process in running:
        process.stdout.close()
    assert len(fragments(cache)) == 5 and not list(cache.rglob(".tmp-*"))
    assert load_dataset(NAME, repo_id=REPO, offline=True, verbose=False)[JAR].read("object.urdf")


def test_neighbors_are_joined_up_to_a_size(pristine_library):
    dataset = load_dataset(pristine_library, verbose=False)
    assets = [dataset.catalog.place(item.row) for item in dataset]
    names = [[one.object_id for one in run.assets] for run in runs(reversed(assets))]
    by_tar = {asset.path.name: [] for asset in assets}
    for asset in sorted(assets, key=lambda one: one.offset):
        by_tar[asset.path.name].append(asset.object_id)
    assert sorted(names) == sorted(by_tar.values())
    assert [len(run.assets) for run in runs(assets, most=1)] == [1] * 5
    assert [len(run.assets) for run in runs(assets[::2])] == [1, 1, 1]


def test_the_full_check_of_a_download(hub, cache, capsys):
    pull(capsys, "--ids", JAR, "local-stool")
    assert main(["verify", NAME]) == 0
    assert "every law holds" in capsys.readouterr().out
    path = next(cache.rglob(f"objects/{JAR}.tar"))
    sound = path.read_bytes()
    path.write_bytes(sound[:520] + b"\xff" + sound[521:])
    assert main(["verify", NAME, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["problems"]
    assert [(one["law"], one["file"]) for one in found] == [("contents", str(path))]


def test_a_cache_that_cannot_be_written_still_opens_what_it_has(hub, capsys, monkeypatch):
    pull(capsys, "--all")
    monkeypatch.setattr("aa_dataset.hub.landing.tempfile.mkstemp", None)  # any write would fail
    dataset = load_dataset(NAME, repo_id=REPO, verbose=False)
    assert dataset[JAR].read("object.urdf")
    assert main(["pull", "--repo", REPO, "--all"]) == 0
