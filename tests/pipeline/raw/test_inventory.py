# SPDX-License-Identifier: Apache-2.0
"""The inventory of raw objects: stable ids, stable shards, digests that miss nothing."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base import layout
from pipeline.raw.inventory import (
    DigestCache,
    RawObject,
    object_id,
    read_inventory,
    scan_source,
    shard_of,
)
from pipeline.raw.records import Found

CHAIR = Found("chair", ("chair",))
NAMES = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="/"),
    min_size=1,
    max_size=200,
)
ALPHABET = re.compile(r"[a-z0-9_.-]+")


@given(NAMES)
def test_an_id_is_clean_short_and_always_the_same(name: str) -> None:
    found = object_id("source", name)
    assert ALPHABET.fullmatch(found)
    assert found.startswith("source-")
    assert len(found) <= len("source-") + 120
    assert found == object_id("source", name)


@given(st.from_regex(r"[a-z0-9_][a-z0-9_.]{0,60}[a-z0-9_]", fullmatch=True))
def test_a_clean_name_is_its_own_id(name: str) -> None:
    if re.search(r"\.[0-9a-f]{16}$", name) is None:
        assert object_id("source", name) == f"source-{name}"


@given(NAMES, NAMES)
def test_distinct_names_have_distinct_ids(one: str, two: str) -> None:
    assert (object_id("s", one) == object_id("s", two)) == (one == two)


@pytest.mark.parametrize(
    "names",
    [
        ["Chair", "chair", "CHAIR", "cHair"],
        ["a b", "a_b", "a  b", "a-b", "a.b", "a+b"],
        ["é", "è", "e", "É", "\u0065\u0301", "_"],
        ["x" * 200, "x" * 199, "x" * 90, "x" * 91, "x" * 90 + "y"],
        ["椅子", "机", "門", "\U0001f6aa"],
        [".a", "a", "-a", "a.", "a-", "..a"],
        ["-", "--", "...", "_", "__"],
    ],
)
def test_names_that_look_alike_stay_apart(names: list[str]) -> None:
    assert len({object_id("s", name) for name in names}) == len(names)


@pytest.mark.parametrize("name", ["Chair", "a b", "x" * 200, "門"])
def test_no_name_can_be_taken_for_the_id_of_another(name: str) -> None:
    impostor = object_id("s", name).removeprefix("s-")
    assert impostor != name
    assert object_id("s", impostor) != object_id("s", name)


@given(st.text(max_size=60), st.integers(1, 9999))
def test_a_shard_is_the_sha256_of_the_id_modulo_the_count(identifier: str, shards: int) -> None:
    digest = hashlib.sha256(identifier.encode("utf-8", "replace")).hexdigest()
    try:
        found = shard_of(identifier, shards)
    except UnicodeEncodeError:
        return
    assert found == int(digest[:16], 16) % shards


def test_shards_share_the_objects_evenly() -> None:
    counts = [0] * 8
    for number in range(8000):
        counts[shard_of(f"source-{number}", 8)] += 1
    # Binomial: mean 1000, standard deviation below 30.
    assert all(abs(count - 1000) < 150 for count in counts)


@pytest.fixture
def raw(elsewhere: Path) -> Path:
    """Return a raw source with two objects."""
    for name in ("chair", "Lamp"):
        (elsewhere / "raw" / name / "meshes").mkdir(parents=True)
        (elsewhere / "raw" / name / "model.urdf").write_text(f"<robot name='{name}'/>")
        (elsewhere / "raw" / name / "meshes" / "a.obj").write_text("v 0 0 0\n")
    return elsewhere / "raw"


def scan(root: Path) -> dict[str, RawObject]:
    """Return the objects of a source by folder."""
    return {raw.found.name: raw for raw in scan_source("test", "generated", root)}


def expected_digest(folder: Path) -> str:
    """Return the digest of a folder of regular files, computed without the code under test."""
    total = hashlib.sha256(b"{}")  # no facts beyond the files
    for path in sorted(folder.rglob("*"), key=lambda p: (len(p.parts), p)):
        if path.is_file():
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            total.update(f"{path.relative_to(folder.parent)}\0{content}\0".encode())
    return total.hexdigest()


def test_objects_are_the_folders_sorted_by_id(raw: Path) -> None:
    (raw / "readme.txt").write_text("not an object")
    (raw / ".hidden").mkdir()
    found = scan_source("test", "generated", raw)
    assert {one.found.name for one in found} == {"chair", "Lamp"}
    assert [one.object_id for one in found] == sorted(one.object_id for one in found)
    assert found[0].row() == (
        f"test-chair\t{expected_digest(raw / 'chair')}\t" + '["chair", ["chair"], {}]\n'
    )


ODD_NAMES = ["two\nlines", "a\ttab", 'a"quote', "caf\u00e9", os.fsdecode(b"\xff")]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_no_name_is_lost_on_the_way_through_the_inventory(raw: Path, name: str) -> None:
    (raw / name).mkdir()
    found = scan_source("test", "generated", raw)
    path = raw.parent / "inventory.tsv"
    path.write_text("".join(one.row() for one in found))
    assert [(one.found, one.digest) for one in read_inventory(path)] == [
        (one.found, one.digest) for one in found
    ]
    assert name in {one.found.name for one in found}


def test_a_linked_folder_is_listed_but_not_followed(raw: Path) -> None:
    (raw / "linked").symlink_to(raw / "chair")
    before = scan(raw)["linked"].digest
    (raw / "chair" / "new.txt").write_text("more")
    assert scan(raw)["linked"].digest == before


def set_byte(folder: Path) -> None:
    path = folder / "meshes" / "a.obj"
    path.write_bytes(path.read_bytes().replace(b"v 0", b"v 1"))


def rename(folder: Path) -> None:
    (folder / "meshes" / "a.obj").rename(folder / "meshes" / "b.obj")


def add_empty(folder: Path) -> None:
    (folder / "new.txt").touch()


def add_hidden(folder: Path) -> None:
    (folder / ".hidden").write_text("x")


def remove(folder: Path) -> None:
    (folder / "model.urdf").unlink()


def move_up(folder: Path) -> None:
    (folder / "meshes" / "a.obj").rename(folder / "a.obj")


def link(folder: Path) -> None:
    (folder / "link").symlink_to("/somewhere")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe")


def odd_name(folder: Path) -> None:
    Path(os.fsdecode(bytes(folder) + b"/\x80")).touch()


@pytest.mark.parametrize(
    "change", [set_byte, rename, add_empty, add_hidden, remove, move_up, link, pipe, odd_name]
)
def test_any_change_of_one_object_changes_its_digest_alone(
    raw: Path, change: Callable[[Path], None]
) -> None:
    before = scan(raw)
    change(raw / "chair")
    after = scan(raw)
    assert after["chair"].digest != before["chair"].digest
    assert after["Lamp"] == before["Lamp"]
    assert scan(raw) == after


def test_names_that_are_not_utf8_stay_distinct(raw: Path) -> None:
    Path(os.fsdecode(bytes(raw) + b"/chair/\x80")).touch()
    before = scan(raw)["chair"].digest
    os.rename(bytes(raw) + b"/chair/\x80", bytes(raw) + b"/chair/\x81")  # noqa: PTH104
    assert scan(raw)["chair"].digest != before


def test_an_object_keeps_its_digest_when_copied_elsewhere(raw: Path, tmp_path: Path) -> None:
    before = scan(raw)
    raw.rename(tmp_path / "moved")
    assert scan(tmp_path / "moved") == before


def test_unchanged_files_are_not_read_again(raw: Path) -> None:
    before = scan(raw)
    cache = layout.digest_cache("test")
    known = json.loads(cache.read_bytes())
    forged = {key: [mark, "f" * 64] for key, (mark, _) in known.items()}
    cache.write_text(json.dumps(forged))
    assert scan(raw)["chair"].digest != before["chair"].digest


def test_new_content_of_the_same_size_and_time_is_detected(raw: Path) -> None:
    path = raw / "chair" / "meshes" / "a.obj"
    before, status = scan(raw)["chair"].digest, path.stat()
    time.sleep(0.05)  # coarser than the clock of any file system
    path.write_bytes(path.read_bytes().replace(b"v 0", b"v 7"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)
    assert scan(raw)["chair"].digest != before


@pytest.mark.parametrize(
    "damage",
    [b"", b"\0" * 500, b"{", b"[1, 2]", b"null", b'{"x": 1}', b"\xff\xfe\xff", b'{"a": [1, 2'],
)
def test_a_damaged_cache_is_an_empty_one(raw: Path, damage: bytes) -> None:
    before = scan(raw)
    layout.digest_cache("test").write_bytes(damage)
    assert scan(raw) == before
    assert len(json.loads(layout.digest_cache("test").read_bytes())) == 4


@pytest.mark.parametrize("entry", [None, 5, [], ["{mark}"], ["{mark}", 5], ["{mark}", "zz"], "x"])
def test_a_damaged_entry_of_the_cache_is_ignored(raw: Path, entry: object) -> None:
    before = scan(raw)
    cache = layout.digest_cache("test")
    damaged = {
        key: [mark if part == "{mark}" else part for part in entry]
        if isinstance(entry, list)
        else entry
        for key, (mark, _) in json.loads(cache.read_bytes()).items()
    }
    cache.write_text(json.dumps(damaged))
    assert scan(raw) == before


def test_the_cache_forgets_removed_files_and_keeps_its_time(raw: Path) -> None:
    scan(raw)
    cache = layout.digest_cache("test")
    os.utime(cache, ns=(5, 5))
    scan(raw)
    assert cache.stat().st_mtime_ns == 5
    remove(raw / "chair")
    scan(raw)
    assert len(json.loads(cache.read_bytes())) == 3


def test_links_are_not_followed_and_pipes_not_opened(raw: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("one")
    (raw / "chair" / "folder").symlink_to(outside)
    (raw / "chair" / "file").symlink_to(outside / "secret.txt")
    (raw / "chair" / "loop").symlink_to(raw / "chair")
    os.mkfifo(raw / "chair" / "pipe")
    before = scan(raw)
    (outside / "secret.txt").write_text("two")
    (outside / "more.txt").touch()
    assert scan(raw) == before
    (raw / "chair" / "file").unlink()
    (raw / "chair" / "file").symlink_to(outside / "more.txt")
    assert scan(raw)["chair"].digest != before["chair"].digest


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody with fewer rights")
def test_unreadable_files_stop_nothing_and_are_found_once_readable(raw: Path) -> None:
    """Scan as an unprivileged user, in a child process: root reads everything."""
    Path().absolute().chmod(0o777)
    (raw / "chair" / "model.urdf").chmod(0)
    (raw / "Lamp" / "meshes").chmod(stat.S_IRUSR | stat.S_IROTH)
    before = scanned_as_nobody()
    assert sorted(before) == ["Lamp", "chair"]
    assert before == scanned_as_nobody()
    (raw / "chair" / "model.urdf").chmod(0o644)
    (raw / "Lamp" / "meshes").chmod(0o755)
    after = scanned_as_nobody()
    assert after["chair"] != before["chair"]
    assert after["Lamp"] != before["Lamp"]
    assert after == {name: one.digest for name, one in scan(raw).items()}


def scanned_as_nobody() -> dict[str, str]:
    """Return the digests that a process without rights finds; relative paths need no parents."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            os.setresuid(65534, 65534, 65534)
            found = {
                one.found.name: one.digest
                for one in scan_source("nobody", "generated", Path("raw"))
            }
            os.write(writer, json.dumps(found).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    return json.loads(answer)


def test_two_sources_keep_two_caches(raw: Path) -> None:
    one, two = DigestCache("one"), DigestCache("two")
    assert one.digest(raw, CHAIR) == two.digest(raw, CHAIR)
    one.save()
    assert layout.digest_cache("one").is_file()
    assert not layout.digest_cache("two").exists()


def test_a_link_that_leads_nowhere_or_in_a_circle_is_listed_and_stops_nothing(raw: Path) -> None:
    (raw / "circle").symlink_to("circle")
    (raw / "gone").symlink_to("nowhere")
    (raw / "notes").symlink_to("chair/model.urdf")
    assert set(scan(raw)) == {"chair", "Lamp", "circle", "gone"}


def test_a_file_beyond_the_budget_is_not_read(raw: Path) -> None:
    (raw / "chair" / "huge.bin").touch()
    os.truncate(raw / "chair" / "huge.bin", 10**13)  # would take hours to digest
    first, _ = scan_source("test", "generated", raw, most_bytes=10**6)
    os.truncate(raw / "chair" / "huge.bin", 10**13 + 1)
    second, _ = scan_source("test", "generated", raw, most_bytes=10**6)
    assert first.found.name == second.found.name == "chair"
    assert first.digest != second.digest
