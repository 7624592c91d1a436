# SPDX-License-Identifier: Apache-2.0
"""Before a build: what differs from its seal and what killed jobs left behind is taken away."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from aa_dataset.format.layout import LibraryLayout
from pipeline.base.errors import DamagedFileError
from pipeline.base.seal import require_sealed
from pipeline.tools.build.repair import discard_damaged, discard_folders, discard_leftovers


@pytest.fixture
def copied(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a copy of a finished build."""
    for name in ("library", "release"):
        shutil.copytree(built / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_sound_build_loses_nothing(copied: Path) -> None:
    before = sorted(copied.rglob("*"))
    assert discard_damaged() == []
    discard_leftovers()
    assert sorted(copied.rglob("*")) == before


def test_tables_that_differ_from_their_seal_are_removed_and_nothing_else(copied: Path) -> None:
    """A tar that was cut is found by the records of jobs, which see that it was touched."""
    cut = sorted(Path("library/assets").glob("*.tar"))[0]
    os.truncate(cut, cut.stat().st_size - 512)
    flipped = Path("release/joints.parquet")
    data = bytearray(flipped.read_bytes())
    data[len(data) // 2] ^= 1
    flipped.write_bytes(bytes(data))
    before = {path for path in copied.rglob("*") if path.is_file()}
    assert discard_damaged() == [flipped]
    left = {path for path in copied.rglob("*") if path.is_file()}
    assert before - left == {copied / flipped}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": 5}'])
def test_an_empty_seal_is_removed(copied: Path, text: str) -> None:
    Path("library/library.json").write_text(text)
    assert discard_damaged() == [Path("library/library.json")]


@pytest.mark.parametrize("root", ["library", "release"])
@pytest.mark.parametrize(
    "word", ["name", "revision", "schema_version", "objects", "sources", "splits", "benchmark",
             "files", "sha256", "size", "objects.parquet"]
)  # fmt: skip
def test_a_flipped_bit_in_a_key_of_the_seal_makes_the_seal_again(
    copied: Path, root: str, word: str
) -> None:
    seal = Path(root, "library.json")
    sound = seal.read_bytes()
    quoted = f'"{word}":'.encode()
    assert quoted in sound
    flipped = quoted[:1] + bytes([quoted[1] ^ 1]) + quoted[2:]
    seal.write_bytes(sound.replace(quoted, flipped, 1))
    assert discard_damaged() == [seal]


def test_a_release_from_a_library_with_a_flipped_seal_is_a_sentence(copied: Path) -> None:
    seal = Path("library/library.json")
    seal.write_bytes(seal.read_bytes().replace(b'"size":', b'"siye":', 1))
    with pytest.raises(DamagedFileError, match=r"library\.json is damaged"):
        require_sealed(LibraryLayout(Path("library")))
    assert not seal.exists()


def test_nothing_built_is_nothing_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert discard_damaged() == []
    discard_leftovers()


def test_temporary_files_of_killed_jobs_go_but_raw_objects_stay(copied: Path) -> None:
    gone = [Path("library/objects.parquet.tmp12"), Path("work/normalize/local/0000.tar.tmp7")]
    kept = [Path("work/raw/generated/a/x.tmp12")]
    for path in (*gone, *kept):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    discard_leftovers()
    assert [path.exists() for path in (*gone, *kept)] == [False, False, True]


def test_temporary_names_of_folders_go_as_well(copied: Path) -> None:
    for name in ("library/x.tmp1/y.tmp2", "work/normalize/local/0000.tar.tmp7"):
        Path(name).mkdir(parents=True)
    before = sorted(path for path in copied.rglob("*") if path.is_file())
    discard_leftovers()
    assert list(copied.rglob("*.tmp*")) == []
    assert sorted(path for path in copied.rglob("*") if path.is_file()) == before


def test_a_folder_in_place_of_a_file_is_removed_and_nothing_else(copied: Path) -> None:
    gone = [
        Path("library/objects.parquet"), Path("library/library.json"), Path("work/build.lock"),
        Path("work/made/split/all.json"), Path("work/wiring.json"),
    ]  # fmt: skip
    for path in gone:
        path.unlink(missing_ok=True)
        (path / "inner.json").mkdir(parents=True)
    kept = [Path("work/raw/a.json/x"), Path("release/.git/a.json/x"), Path("library/.x.json/x")]
    for path in kept:
        path.mkdir(parents=True)
    Path("elsewhere/b.txt").mkdir(parents=True)
    Path("library/link.json").symlink_to(Path("elsewhere").absolute())
    assert sorted(discard_folders()) == sorted(gone)
    assert not any(path.exists() for path in gone)
    assert all(path.exists() for path in (*kept, Path("elsewhere/b.txt")))
    assert discard_folders() == []
