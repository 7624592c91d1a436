# SPDX-License-Identifier: Apache-2.0
"""An object is checked once, by whichever process is first, and again when its tar changed."""

from __future__ import annotations

import multiprocessing
import os
import random
import tarfile
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.assets.contents import Contents
from aa_dataset.assets.packed import Asset
from aa_dataset.assets.tars import read_header
from aa_dataset.dataset import Dataset
from aa_dataset.errors import LibraryError
from aa_dataset.format.layout import GLB, URDF
from aa_dataset.format.validation import MemberNames
from aa_dataset.objects import ArticulatedObject
from tests.kit.library_objects import JAR


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The expected digest of every check, in the order of the checks."""
    done: list[str] = []
    problem = Contents.problem

    def counted(self: Contents, expected: str) -> str:
        done.append(expected)
        return problem(self, expected)

    monkeypatch.setattr(Contents, "problem", counted)
    return done


@pytest.fixture
def dataset(library: Path) -> Dataset:
    return load_dataset(library, verbose=False)


def tar_of(dataset: Dataset, object_id: str) -> Asset:
    return dataset.catalog.asset(dataset[object_id].row)


def tell(pipe: Connection, item: ArticulatedObject, checks: list[str]) -> None:
    """Send a file and how often this process checked."""
    pipe.send((item.read(URDF), len(checks)))


def test_files_are_the_same_however_often_they_are_read(dataset: Dataset, checks: list[str]):
    for item in dataset:
        first = {name: item.read(name) for name in item.files()}
        again = {name: item.read(name) for name in reversed(item.files())}
        assert first == again == dict(tar_of(dataset, item.object_id).files())
    assert len(checks) == 2 * len(dataset)  # once by `read`, once by `files` here


def test_a_process_that_is_forked_knows_what_was_checked_and_tells(
    dataset: Dataset, checks: list[str]
):
    item = dataset[JAR]
    expected = tar_of(dataset, JAR).read(URDF)
    context = multiprocessing.get_context("fork")
    for checked in (1, 0):  # by the first child, and not by the second
        ours, theirs = context.Pipe()
        process = context.Process(target=tell, args=(theirs, item, checks))
        process.start()
        assert ours.recv() == (expected, checked)
        process.join()
    assert item.read(URDF) == expected and item.read(GLB) and not checks


def test_a_tar_that_changed_is_checked_again(dataset: Dataset, checks: list[str]):
    item, asset = dataset[JAR], tar_of(dataset, JAR)
    data = item.read(URDF)
    whole = bytearray(asset.path.read_bytes())
    place = whole.index(data)
    whole[place] ^= 1
    asset.path.write_bytes(whole)
    for _ in range(2):
        with pytest.raises(LibraryError, match="do not match `content_sha256`"):
            item.read(URDF)
    whole[place] ^= 1
    asset.path.write_bytes(whole)
    assert item.read(URDF) == data and len(checks) == 4


def test_a_tar_that_is_gone_or_cut_off_is_a_sentence(dataset: Dataset):
    item, asset = dataset[JAR], tar_of(dataset, JAR)
    item.read(URDF)
    os.truncate(asset.path, asset.offset + 700)
    with pytest.raises(LibraryError, match=r"is truncated|ends in the middle"):
        item.read(URDF)
    asset.path.unlink()
    with pytest.raises(LibraryError, match="is not readable"):
        item.read(URDF)


def test_an_entry_that_is_damaged_counts_for_nothing(dataset: Dataset, checks: list[str]):
    """As when two processes write at once: every byte of the memory, one after the other."""
    item, seen = dataset[JAR], dataset.catalog.seen
    expected, size = item.read(URDF), len(seen._memory) // len(dataset.catalog.objects)
    for byte in range(item.row * size, (item.row + 1) * size):
        seen._memory[byte] ^= 0x40
        assert item.read(URDF) == expected


def test_objects_of_one_tar_do_not_lend_their_entries(dataset: Dataset):
    items = list(dataset)
    before = [item.read(URDF) for item in items]
    memory = dataset.catalog.seen._memory
    entry = len(memory) // len(dataset.catalog.objects)
    first, second = items[0].row, items[1].row
    memory[second * entry : (second + 1) * entry] = memory[first * entry : (first + 1) * entry]
    assert items[1].read(URDF) == before[1] != before[0]


@pytest.mark.parametrize("at_once", [0, 1 << 24])
def test_large_objects_are_read_file_by_file_with_the_same_result(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch, at_once: int
):
    monkeypatch.setattr("aa_dataset.assets.packed.AT_ONCE", at_once)
    asset = tar_of(dataset, JAR)
    with tarfile.open(asset.path) as tar:
        expected = {
            name.split("/", 1)[1]: tar.extractfile(name).read()  # type: ignore[union-attr]
            for name in tar.getnames()
            if name.startswith(f"{JAR}/")
        }
    assert dict(asset.files()) == expected and {*asset.names()} == expected.keys()
    whole = asset.path.read_bytes()
    for name, data in expected.items():
        found = asset.find(name)
        assert found.data == data == whole[found.offset : found.offset + len(data)]


def test_the_checksum_of_a_header_is_the_sum_of_its_bytes():
    """Also where every byte is as large as can be, beside Python's own writer and sum."""
    random.seed(0)
    for length in (0, 1, 0o77777777777):
        info = tarfile.TarInfo("\xff" * 40)
        info.size, info.uname, info.gname = length, "\xff" * 15, "\xff" * 15
        block = bytearray(info.tobuf(tarfile.USTAR_FORMAT, "utf-8", "strict"))
        assert read_header(bytes(block)) == ("\xff" * 40, length)
        for place in random.sample(range(512), 60):
            other = bytearray(block)
            other[place] ^= 1 << random.randrange(7)
            total = sum(other[:148]) + 8 * 32 + sum(other[156:])
            if int(block[148:154], 8) != total:
                with pytest.raises(ValueError, match="damaged header"):
                    read_header(bytes(other))


def test_names_clash_in_every_order_that_they_come_in():
    """Beside a look at all pairs: equal without case, or one a folder of the other."""
    words = ["a", "A", "a/b", "a/B/c", "a/b/c", "a/b/d", "b/c", "c", "b", "a/c/d/e", "a/c/d"]
    random.seed(1)
    for _ in range(300):
        names, taken, kept = MemberNames(), random.sample(words, 6), []
        for name in taken:
            plain = name.lower()
            clashes = any(
                plain == one or plain.startswith(f"{one}/") or one.startswith(f"{plain}/")
                for one in kept
            )
            if clashes:
                with pytest.raises(ValueError, match=r"twice|share a name"):
                    names.add(name)
                break
            names.add(name)
            kept.append(plain)


def test_an_object_in_memory_is_read_like_one_on_the_disk(dataset: Dataset):
    packed = tar_of(dataset, JAR)
    data = packed.path.read_bytes()[packed.offset : packed.offset + packed.size]
    asset = Asset(Path("memory"), 0, packed.size, JAR, packed.content_sha256, data)
    assert dict(asset.files()) == dict(packed.files())
    assert asset.find(URDF).status is None
