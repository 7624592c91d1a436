# SPDX-License-Identifier: Apache-2.0
"""`aa fetch` as a user types it, against a Hub on loopback."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.loopback import HubLoopback
from tests.pipeline.tools.fetch.archives import tar_bytes, zip_bytes
from tests.pipeline.tools.fetch.conftest import Checkout
from tests.pipeline.tools.fetch.served import META, PACKED, sha256

REPO, COMMIT, TOKEN = "someone/objects", "c0ffee" + "0" * 34, "hf_secret"


HUB = {
    "kind": "hub",
    "gated": True,
    "repo_id": REPO,
    "repo_type": "dataset",
    "revision": COMMIT,
    "files": ["box_3/*", "*.tar.gz"],
    "unpack": [{"archives": "*.tar.gz", "files": 100, "bytes": 10_000_000}],
}


CONTENT = {
    "README.md": b"not wanted",
    "box_3/meta.json": META,
    "more/boxes.tar.gz": tar_bytes(PACKED),
}


EXPECTED = {**PACKED, "box_3/meta.json": META}


@pytest.fixture
def hub() -> Iterator[HubLoopback]:
    with HubLoopback(REPO, COMMIT, CONTENT, large=(".tar.gz",), token=TOKEN) as server:
        yield server


def test_a_gated_repository_comes_with_a_token(checkout: Checkout, hub: HubLoopback) -> None:
    checkout.describe(HUB, expected={"objects": 3})
    done = checkout.run("fetch", "local", HF_ENDPOINT=hub.address, HF_TOKEN=TOKEN)
    assert done.returncode == 0, done.stderr
    assert checkout.visible() == EXPECTED
    assert "2 files" in done.stderr and "3 objects of 3 expected" in done.stderr
    assert TOKEN not in done.stderr + done.stdout
    assert all("authorization" not in sent for _, path, sent in hub.requests if "/cdn/" in path)
    assert checkout.sources()["local"]["status"] == "present"

    plain, archive = checkout.receipt["files"]
    prefix = f"{hub.address}/datasets/{REPO}/resolve/{COMMIT}"
    assert plain == {
        "path": "box_3/meta.json",
        "address": f"{prefix}/box_3/meta.json",
        "size": len(META),
        "sha256": sha256(META),
        "revision": COMMIT,
        "git_sha1": hashlib.sha1(b"blob %d\0" % len(META) + META).hexdigest(),
    }
    assert archive["sha256"] == sha256(CONTENT["more/boxes.tar.gz"])
    assert archive["unpacked"]["files"] == 3
    assert checkout.receipt["complete"] and checkout.receipt["revision"] == COMMIT
    assert str(checkout.root) not in (checkout.raw / ".fetched.json").read_text()


def test_nothing_is_fetched_twice_and_the_receipt_is_the_same(
    checkout: Checkout, hub: HubLoopback
) -> None:
    checkout.describe(HUB)
    settings = {"HF_ENDPOINT": hub.address, "HF_TOKEN": TOKEN}
    checkout.fetch(**settings)
    first = (checkout.raw / ".fetched.json").read_bytes()
    hub.requests.clear()
    done = checkout.fetch(**settings)
    assert "all present already" in done.stderr
    assert [path for path in hub.paths() if "/resolve/" in path or "/cdn/" in path] == []
    assert (checkout.raw / ".fetched.json").read_bytes() == first


def test_verify_names_what_changed(checkout: Checkout, hub: HubLoopback) -> None:
    checkout.describe(HUB)
    settings = {"HF_ENDPOINT": hub.address, "HF_TOKEN": TOKEN}
    assert "aa fetch local" in checkout.here("fetch", "local", "--verify").stderr
    checkout.fetch(**settings)
    done = checkout.here("fetch", "local", "--verify")  # without a network
    assert done.returncode == 0 and "4 files match" in done.stdout
    (checkout.raw / "box_1/model.urdf").write_bytes(b"<ROBOT/>" * 50)
    (checkout.raw / "box_2/meta.json").unlink()
    (checkout.raw / "box_3/meta.json").write_bytes(b"{}")
    done = checkout.here("fetch", "local", "--verify")
    lines = done.stdout.splitlines()
    assert done.returncode == 1 and len(lines) == 3
    words = {
        "box_1/model.urdf": "changed",
        "box_2/meta.json": "missing",
        "box_3/meta.json": "bytes",
    }
    assert all(any(n in line and w in line for line in lines) for n, w in words.items())

    for name in words:  # what `--verify` tells to do
        (checkout.raw / name).unlink(missing_ok=True)
    assert checkout.fetch(**settings).returncode == 0
    assert checkout.visible() == EXPECTED
    assert checkout.here("fetch", "local", "--verify").returncode == 0


@pytest.mark.parametrize("token", ["", "hf_of_someone_else"])
def test_a_refusal_names_the_page(checkout: Checkout, hub: HubLoopback, token: str) -> None:
    checkout.describe(HUB)
    done = checkout.fetch(HF_ENDPOINT=hub.address, HF_TOKEN=token)
    assert done.returncode == 2
    assert f"request access on {hub.address}/datasets/{REPO}" in done.stderr
    assert "HF_TOKEN" in done.stderr and "Traceback" not in done.stderr
    assert checkout.visible() == {}
    assert checkout.sources()["local"]["status"] == "absent"


@pytest.mark.parametrize("status", [401, 403])
def test_a_hub_that_does_not_even_list_is_explained(
    checkout: Checkout, hub: HubLoopback, status: int
) -> None:
    checkout.describe(HUB)
    hub.statuses[f"/api/datasets/{REPO}/tree/{COMMIT}"] = [status] * 9
    done = checkout.fetch(HF_ENDPOINT=hub.address)
    assert done.returncode == 2 and "request access on" in done.stderr


def test_other_troubles_of_the_hub_are_sentences(checkout: Checkout, hub: HubLoopback) -> None:
    checkout.describe({**HUB, "revision": "d" * 40})
    done = checkout.fetch(HF_ENDPOINT=hub.address)
    assert done.returncode == 2 and f"{REPO}@dddddddd" in done.stderr
    checkout.describe({**HUB, "files": ["*.rar"]})
    done = checkout.fetch(HF_ENDPOINT=hub.address)
    assert done.returncode == 2 and "no file like *.rar" in done.stderr
    checkout.describe(HUB)
    done = checkout.fetch(HF_HUB_OFFLINE="1", HF_ENDPOINT=hub.address)
    assert done.returncode == 2 and "HF_HUB_OFFLINE" in done.stderr
    assert "Traceback" not in done.stderr


def test_json_of_a_dry_run_a_fetch_and_a_check(checkout: Checkout, hub: HubLoopback) -> None:
    checkout.describe(HUB, expected={"objects": 3})
    settings = {"HF_ENDPOINT": hub.address, "HF_TOKEN": TOKEN}
    planned = json.loads(checkout.run("fetch", "local", "--dry-run", "--json", **settings).stdout)
    wanted = {name: len(data) for name, data in CONTENT.items() if name != "README.md"}
    assert {one["name"]: one["size"] for one in planned["files"]} == wanted
    assert (planned["of"], planned["bytes"]) == (2, sum(wanted.values()))
    done = checkout.run("fetch", "local", "--json", **settings)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["status"], facts["found"]) == ("present", 3)
    checked = json.loads(checkout.here("fetch", "local", "--verify", "--json").stdout)
    assert (checked["files"], checked["problems"]) == (len(EXPECTED), [])


def test_a_dry_run_writes_nothing(checkout: Checkout, hub: HubLoopback) -> None:
    checkout.describe(HUB)
    done = checkout.fetch("--dry-run", HF_ENDPOINT=hub.address)
    assert done.returncode == 0, done.stderr
    size = len(CONTENT["more/boxes.tar.gz"])
    assert f"{size} B  more/boxes.tar.gz, unpacked" in done.stdout
    assert f"{size + len(META)} B  in 2 files of 2, into raw/local" in done.stdout
    assert not checkout.raw.exists()
    assert not any("/resolve/" in path for path in hub.paths())


@pytest.mark.parametrize("other", [{"sha256": "1" * 64}, {"size": 7}])
def test_a_repository_that_is_not_the_known_one_is_refused(
    checkout: Checkout, hub: HubLoopback, other: dict[str, Any]
) -> None:
    digest = sha256(CONTENT["more/boxes.tar.gz"])
    checkout.describe({**HUB, "known": {"more/boxes.tar.gz": {"sha256": digest, **other}}})
    done = checkout.fetch(HF_ENDPOINT=hub.address, HF_TOKEN=TOKEN)
    assert done.returncode == 2 and "is not the file that pipeline/raw/sources.yaml" in done.stderr
    assert not checkout.raw.exists()


def test_bytes_with_another_digest_than_the_hub_states_are_refused(
    checkout: Checkout, hub: HubLoopback
) -> None:
    checkout.describe(HUB)
    hub.lies["more/boxes.tar.gz"] = "2" * 64
    done = checkout.fetch(HF_ENDPOINT=hub.address, HF_TOKEN=TOKEN)
    assert done.returncode == 2 and f"instead of {'2' * 64}" in done.stderr
    assert not any(name.startswith("box_1") for name in checkout.visible())


@pytest.mark.parametrize("name", ["box_3/../../../evil", "/evil", ".fetch/lock"])
def test_a_hostile_list_of_files_is_refused(
    checkout: Checkout, hub: HubLoopback, name: str
) -> None:
    checkout.describe({**HUB, "files": ["*"]})
    hub.content[name] = b"evil"
    done = checkout.fetch(HF_ENDPOINT=hub.address, HF_TOKEN=TOKEN)
    assert done.returncode == 2 and "not a path below the source's folder" in done.stderr
    assert not checkout.raw.exists() and not (checkout.root / "evil").exists()


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        ({"chunks": [{"roots": ["box_1", "box_2"]}]}, ""),
        ({"chunks": [{"roots": ["box_1", "box_9"]}]}, "1 of 2 folders"),
        ({"chunks": 5}, "does not list the folders"),
    ],
)
def test_a_publisher_s_list_of_folders_is_checked(
    checkout: Checkout, hub: HubLoopback, manifest: Any, words: str
) -> None:
    checkout.describe({**HUB, "roots": "manifest.json", "files": ["manifest.json", "*.tar.gz"]})
    hub.content["manifest.json"] = json.dumps(manifest).encode()
    done = checkout.fetch(HF_ENDPOINT=hub.address, HF_TOKEN=TOKEN)
    assert done.returncode == (2 if words else 0) and words in done.stderr
    assert checkout.receipt["complete"] == (not words)


def test_a_new_revision_replaces_what_the_old_one_brought(
    checkout: Checkout, hub: HubLoopback
) -> None:
    settings = {"HF_ENDPOINT": hub.address, "HF_TOKEN": TOKEN}
    access = {**HUB, "files": ["box_*"]}
    checkout.describe(access)
    hub.content["box_4/meta.json"] = b"old"
    assert checkout.fetch(**settings).returncode == 0
    hub.commit = "d" * 40
    hub.content["box_3/meta.json"] = b'{"name": "new"}'
    del hub.content["box_4/meta.json"]
    checkout.describe({**access, "revision": hub.commit})
    assert "revision" in checkout.here("fetch", "local", "--verify").stdout
    done = checkout.fetch(**settings)
    assert done.returncode == 0 and "such as box_4/meta.json" in done.stderr
    assert checkout.visible()["box_3/meta.json"] == b'{"name": "new"}'


def test_a_file_of_the_user_is_not_overwritten(checkout: Checkout, hub: HubLoopback) -> None:
    checkout.describe(HUB)
    mine = checkout.raw / "box_3" / "meta.json"
    mine.parent.mkdir(parents=True)
    mine.write_bytes(b"mine")
    done = checkout.fetch(HF_ENDPOINT=hub.address, HF_TOKEN=TOKEN)
    assert done.returncode == 2 and "exists already with other content" in done.stderr
    assert mine.read_bytes() == b"mine"


def test_a_manual_source_is_looked_for_and_explained(checkout: Checkout) -> None:
    rule = {"archives": "*.zip", "strip": "dataset", "files": 100, "bytes": 10_000}
    checkout.describe({"kind": "manual", "page": "https://example.org/form", "unpack": [rule]})
    done = checkout.here("fetch", "local")
    assert done.returncode == 1
    assert "https://example.org/form" in done.stdout and "into raw/local" in done.stdout
    assert "Ask the author." in done.stdout

    archive = checkout.root / "downloaded.zip"
    archive.write_bytes(zip_bytes({f"dataset/{name}": data for name, data in PACKED.items()}))
    done = checkout.here("fetch", "local", "--archive", "downloaded.zip")
    assert done.returncode == 0, done.stderr
    assert "2 objects in raw/local" in done.stderr and archive.is_file()
    assert checkout.visible() == PACKED
    assert checkout.receipt["files"][0]["address"] == "by hand"
    assert checkout.here("fetch", "local").returncode == 0
    assert checkout.here("fetch", "local", "--verify").returncode == 0


def test_names_that_look_like_our_own_do_not_meet(checkout: Checkout, hub: HubLoopback) -> None:
    """Names of a list that are apart stay so while they are on their way."""
    plain = ["a", "a.part/b", "a.json/c", "a.part.json/d", "e" * 255]
    packed = [
        "p.tar.gz",
        "p.tar.gz.tmp/q.tar.gz",
        "p.tar.gz.json/r.tar.gz",
        "p.tar.gz.json~/s.tar.gz",
    ]
    hub.content = {name: name.encode() for name in plain}
    hub.content |= {name: tar_bytes({f"{n}/x": b"x"}) for n, name in enumerate(packed)}
    checkout.describe({**HUB, "files": ["*"]})
    done = checkout.fetch(HF_ENDPOINT=hub.address, HF_TOKEN=TOKEN)
    assert done.returncode == 0, done.stderr
    expected = {name: name.encode() for name in plain}
    assert checkout.visible() == expected | {f"{n}/x": b"x" for n in range(len(packed))}
    assert checkout.here("fetch", "local", "--verify").returncode == 0


def test_wrong_words_are_explained(checkout: Checkout, tmp_path: Path) -> None:
    checkout.describe({"kind": "generated"})
    done = checkout.here("fetch", "lokal")
    assert done.returncode == 2 and "Did you mean local?" in done.stderr
    assert checkout.here("fetch").returncode == 2
    assert "--dry-run" in checkout.here("fetch", "--help").stdout
    done = checkout.run("list", "--no-such-option")
    assert done.returncode == 2 and "unrecognized arguments: --no-such-option" in done.stderr
    checkout.describe({"kind": "hub"})
    done = checkout.here("fetch", "local")
    assert done.returncode == 2 and "'repo_id' is a required property" in done.stderr
    checkout.root = tmp_path
    done = checkout.run("fetch", "local")
    assert done.returncode == 2 and "must run in its checkout" in done.stderr
