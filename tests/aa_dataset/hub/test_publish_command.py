# SPDX-License-Identifier: Apache-2.0
"""`aa publish`: what is checked goes, in one commit with a tag, and goes on after a failure."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from huggingface_hub import utils

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.hub import limits
from aa_dataset.hub.limits import limit_problems
from tests.hub_server import serving
from tests.kit.hub_data import Fault
from tests.kit.library_folder import build_library
from tests.kit.library_objects import LIBRARY_OBJECTS
from tests.loopback import folder_files

REPO, NAME, ALWAYS = "someone/published", "articulatearena-20k", -1
OPEN = tuple(spec for spec in LIBRARY_OBJECTS if spec.license == "CC0-1.0")


def seal_release(root: Path) -> None:
    files = {name: data for name, data in folder_files(root).items() if name != "SHA256SUMS"}
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items()]
    (root / "SHA256SUMS").write_text("".join(sorted(lines)))


@pytest.fixture
def release(tmp_path: Path) -> Path:
    root = build_library(tmp_path / "release", OPEN)
    (root / "README.md").write_text("---\nlicense: cc0-1.0\n---\n# The card\n")
    (root / "LICENSE").write_text("CC0-1.0\n")
    (root / "croissant.json").write_text("{}")
    (root / "data/objects").mkdir(parents=True)
    shutil.copy(root / "objects.parquet", root / "data/objects/train.parquet")
    seal_release(root)
    (root / "notes.txt").write_text("nobody should see this")
    return root


@pytest.fixture
def hub(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN_PATH", str(tmp_path / "no-token"))
    monkeypatch.chdir(tmp_path)
    with serving(monkeypatch, token="hf_good", part_size=20_000) as server:
        monkeypatch.setenv("HF_TOKEN", "hf_good")
        yield server


def publish(capsys, *options: str):
    status = main(["publish", REPO, *options])
    out, err = capsys.readouterr()
    return status, out, err


def puts(hub) -> list[str]:
    return hub.paths("PUT")


def test_what_is_published_is_what_is_loaded(hub, release, capsys):
    status, out, _ = publish(capsys)
    repository = hub.repositories[REPO]
    files = repository.commits[repository.branches["main"]]
    wanted = folder_files(release)
    del wanted["notes.txt"]
    assert (status, files) == (0, wanted)
    revision = json.loads(wanted["library.json"])["revision"]
    assert repository.tags == {revision: repository.branches["main"]}
    assert f"the tag {revision} is set" in out
    assert len(repository.commits) == 2  # the empty one, and all files at once
    dataset = load_dataset(NAME, repo_id=REPO, revision=revision, verbose=False)
    local = load_dataset(release, verbose=False)
    assert dataset.object_ids == local.object_ids
    for item in dataset:
        assert item.read("object.glb") == local[item.object_id].read("object.glb")


def test_large_files_come_in_parts(hub, release, capsys):
    assert publish(capsys)[0] == 0
    tar = release / "assets/generated-0000.tar"
    digest, size = hashlib.sha256(tar.read_bytes()).hexdigest(), tar.stat().st_size
    parts = [path for path in puts(hub) if digest in path]
    assert len(parts) == -(-size // 20_000) > 1
    assert f"/complete/{digest}" in hub.paths("POST")


def test_no_bar_is_drawn_where_no_terminal_is(hub, release, capfd, monkeypatch):
    assert main(["publish", REPO]) == 0
    assert capfd.readouterr().err == ""
    assert not utils.are_progress_bars_disabled()


def test_a_dry_run_changes_nothing(hub, release, capsys):
    status, out, _ = publish(capsys, "--dry-run", "--json")
    plan = json.loads(out)
    names = {*folder_files(release)} - {"notes.txt"}
    assert status == 0 and {*plan["sent"]} == names
    assert plan["bytes"] == sum((release / name).stat().st_size for name in names)
    assert not plan["repository_exists"] and hub.repositories == {}
    assert {method for method, _, _ in hub.requests} == {"GET"}
    _, out, _ = publish(capsys, "--dry-run")
    assert f"{len(names)} files with {plan['bytes']:,} bytes would go to {REPO}" in out


def test_a_second_time_nothing_goes(hub, release, capsys):
    publish(capsys)
    hub.clear()
    status, out, _ = publish(capsys)
    assert status == 0 and "0 files with 0 bytes" in out and "exists and stays" in out
    assert puts(hub) == [] and len(hub.repositories[REPO].commits) == 2


def test_a_broken_upload_goes_on(hub, release, capsys):
    """The second large file breaks off; the first is not sent again, and nothing was visible."""
    hub.faults += [Fault("PUT", "none", times=3), Fault("PUT", "status", 500, ALWAYS)]
    status, _, err = publish(capsys)
    assert status == 2 and "cannot publish to someone/published" in err and "500" in err
    repository = hub.repositories[REPO]
    assert repository.commits[repository.branches["main"]] == {} and not repository.tags
    sent = {*hub.stored}
    assert sent
    hub.faults.clear()
    hub.clear()
    assert publish(capsys)[0] == 0
    assert not [path for path in puts(hub) if path.split("/")[2] in sent]
    assert repository.tags


def test_a_tag_that_is_absent_is_set_later(hub, release, capsys):
    hub.faults.append(Fault("POST .*/tag/", "status", 500, ALWAYS))
    status, _, err = publish(capsys)
    assert status == 2 and "(error 500)" in err
    hub.faults.clear()
    assert publish(capsys)[0] == 0
    assert len(hub.repositories[REPO].tags) == 1


def test_a_new_release_replaces_tables_and_tars_and_keeps_other_files(hub, release, capsys):
    publish(capsys)
    repository = hub.repositories[REPO]
    old = repository.commits[repository.branches["main"]]
    repository.commit(old | {"assets/old-0000.tar": b"old", "logo.png": b"a picture"})
    shutil.rmtree(release)
    build_library(release, OPEN[:2])
    (release / "README.md").write_text("---\nlicense: cc0-1.0\n---\n# Another card\n")
    (release / "LICENSE").write_text("CC0-1.0\n")
    seal_release(release)
    status, out, _ = publish(capsys)
    files = repository.commits[repository.branches["main"]]
    assert status == 0 and "assets/old-0000.tar" in out and "remove" in out
    assert "assets/old-0000.tar" not in files and files["logo.png"] == b"a picture"
    assert "data/objects/train.parquet" not in files  # the second release has no such file
    assert len(repository.tags) == 2  # both revisions can be loaded
    for tag in repository.tags:
        assert load_dataset(NAME, repo_id=REPO, revision=tag, verbose=False)[0].urdf_path


def test_somebody_else_commits_meanwhile(hub, release, capsys):
    publish(capsys)
    repository = hub.repositories[REPO]
    (release / "README.md").write_text("---\nlicense: cc0-1.0\n---\n# Another card\n")
    (release / "notes.txt").unlink()
    seal_release(release)
    move = Fault("POST .*/commit/", "move", call=lambda: repository.commit({"x": b"y"}))
    hub.faults.append(move)
    status, _, err = publish(capsys)
    assert status == 2 and "somebody else changed the branch" in err


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda p: (p / "joints.parquet").write_bytes(b"PAR1"), "does not match its digest"),
        (lambda p: (p / "LICENSE").write_text("other"), "an incorrect line for 'LICENSE'"),
    ],
)
def test_a_release_that_breaks_a_law_is_not_sent(hub, release, capsys, damage, words):
    damage(release)
    status, out, err = publish(capsys)
    assert status == 1 and words in out and "nothing was sent" in err
    assert hub.requests == []


def test_what_may_not_be_passed_on_is_not_sent(hub, release, capsys):
    shutil.rmtree(release)
    build_library(release)
    (release / "README.md").write_text("card")
    (release / "LICENSE").write_text("terms")
    seal_release(release)
    status, out, _ = publish(capsys)
    assert status == 1 and "may not be passed on, but is in a release" in out
    assert hub.requests == []


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda p: (p / "SHA256SUMS").unlink(), "so it is not a release"),
        (lambda p: (p / "README.md").unlink(), "README.md is missing or outside"),
        (
            lambda p: (p / "SHA256SUMS").write_text(f"{'0' * 64}  ../../secret\n"),
            "has the line",
        ),
        (lambda p: (p / "SHA256SUMS").write_text(""), "has no line for"),
        (
            lambda p: ((p / "README.md").unlink(), (p / "README.md").symlink_to("/etc/hostname")),
            "missing or outside",
        ),
    ],
)
def test_a_folder_that_is_no_release_is_a_sentence(hub, release, capsys, damage, words):
    damage(release)
    status, _, err = publish(capsys)
    assert status == 2 and words in err and hub.requests == []


def test_a_token_that_may_not_write_is_a_sentence(hub, release, capsys, monkeypatch):
    for token in ("hf_expired", ""):
        monkeypatch.setenv("HF_TOKEN", token)
        status, _, err = publish(capsys)
        assert (status == 2 and "your token may not write there" in err) or "does not exist" in err
        assert hub.repositories == {}


def test_a_web_page_instead_of_the_hub_is_a_sentence(hub, release, capsys):
    hub.faults.append(Fault("/api/", "html", times=ALWAYS))
    status, _, err = publish(capsys)
    assert status == 2 and "is not one of the Hub" in err


def test_a_bad_name_is_a_sentence(hub, release, capsys):
    assert main(["publish", "../x", "--dry-run"]) == 2
    assert "owner/name" in capsys.readouterr().err


def test_limits_of_the_hub_are_checked_before_the_first_byte(hub, release, capsys, monkeypatch):
    monkeypatch.setattr(limits, "LARGEST_FILE", 10_000)
    status, out, _ = publish(capsys)
    assert status == 1 and "assets/generated-0000.tar has" in out and hub.requests == []


def test_the_limits():
    assert list(limit_problems({"a": limits.LARGEST_FILE, "b/c": 1})) == []
    assert "a has 50,000,000,001" in next(limit_problems({"a": limits.LARGEST_FILE + 1}))
    many = {f"assets/{k}.tar": 1 for k in range(limits.MOST_ENTRIES)}
    assert [text.split(",")[2] for text in limit_problems(many)] == [" assets has 10"]
    assert list(limit_problems(dict(list(many.items())[1:]))) == []
    spread = {f"{k % 100}/{k}": 1 for k in range(limits.MOST_FILES)}
    assert "fewer than 100,000 files" in next(limit_problems(spread))
