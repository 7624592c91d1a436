# SPDX-License-Identifier: Apache-2.0
"""Damage of a library or of the cache: seen before a file is used, healed where possible."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from aa_dataset import load_dataset
from aa_dataset.assets.cache import CacheError, ensure_folder
from aa_dataset.errors import LibraryError
from tests.kit.library_folder import build_library, write_seal
from tests.kit.library_objects import LIBRARY_OBJECTS, ObjectSpec, object_files

LAMP = "generated-lamp"
TAR = "assets/generated-0000.tar"


def flip(path: Path, place: int, *, bit: int = 0, keep_time: bool = False) -> None:
    """Flip one bit of a file."""
    status, data = path.stat(), bytearray(path.read_bytes())
    data[place] ^= 1 << bit
    path.write_bytes(data)
    if keep_time:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of an object's folder but for the receipt."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


@pytest.fixture
def lamp(library: Path):
    """An object that is in the cache."""
    item = load_dataset(library, verbose=False)[LAMP]
    item.urdf_path  # noqa: B018
    return item


def test_a_flipped_bit_of_a_header_does_not_cut_an_object_short(library, tmp_path):
    """It cut an object to its first files without a word, and the stump stayed."""
    sound = (library / TAR).read_bytes()
    item = load_dataset(library, verbose=False)["generated-cabinet"]
    second = sound.index(b"generated-cabinet/meshes/door.obj")
    flip(library / TAR, second + 124 + 5)
    with pytest.raises(LibraryError, match=r"damaged header.*`aa verify`"):
        item.urdf_path  # noqa: B018
    assert not [path for path in (tmp_path / "aa_home").rglob("*") if path.is_file()]
    (library / TAR).write_bytes(sound)
    assert set(contents(item.folder)) == set(item.files())


def test_every_flip_of_a_tar_is_seen_or_changes_no_file(library, tmp_path, monkeypatch):
    random = np.random.default_rng(3)
    sound = (library / TAR).read_bytes()
    dataset = load_dataset(library, verbose=False).filter(source="generated")
    monkeypatch.setenv("AA_HOME", str(tmp_path / "sound"))
    wanted = {item.object_id: contents(item.folder) for item in dataset}
    seen = 0
    for number in range(150):
        place, bit = random.integers(0, len(sound) - 1024), random.integers(0, 8)
        flip(library / TAR, place, bit=bit)
        monkeypatch.setenv("AA_HOME", str(tmp_path / f"home{number}"))
        try:
            assert {item.object_id: contents(item.folder) for item in dataset} == wanted
        except LibraryError as error:
            assert TAR in str(error) and "`make library`" in str(error)
            seen += 1
        (library / TAR).write_bytes(sound)
    assert seen > 60  # the rest hit the filling between the files


@pytest.mark.parametrize(
    "name", ["object.urdf", "object.glb", "meshes/arm.obj", "preview.png", "strip.webp"]
)
def test_a_flip_in_any_file_is_seen_by_all_ways_to_it(library, tmp_path, name):
    data = (library / TAR).read_bytes()
    flip(library / TAR, data.index(f"{LAMP}/{name}".encode()) + 512 + 20)
    for ask in ("urdf_path", "read", "unpack"):
        item = load_dataset(library, verbose=False)[LAMP]
        asked = {
            "urdf_path": lambda item=item: item.urdf_path,
            "read": lambda item=item: item.read("object.urdf"),
            "unpack": lambda item=item: item.unpack(tmp_path / "to"),
        }
        with pytest.raises(LibraryError, match=rf"generated-0000\.tar at byte .*{LAMP}.*again"):
            asked[ask]()
    assert not (tmp_path / "to").exists()


DAMAGES = {
    "a file is gone": lambda folder: (folder / "meshes/arm.obj").unlink(),
    "all but the URDF is gone": lambda folder: shutil.rmtree(folder / "meshes"),
    "a file is cut": lambda folder: os.truncate(folder / "object.urdf", 9),
    "a file is empty": lambda folder: (folder / "preview.png").write_bytes(b""),
    "a bit of a mesh": lambda folder: flip(folder / "meshes/arm.obj", 2),
    "a bit of a picture": lambda folder: flip(folder / "preview.png", 40),
    "a bit of an animation": lambda folder: flip(folder / "strip.webp", 21),
    "the receipt is gone": lambda folder: (folder / ".aa-receipt.json").unlink(),
    "the receipt is cut": lambda folder: os.truncate(folder / ".aa-receipt.json", 30),
    "the receipt is another thing": lambda folder: (folder / ".aa-receipt.json").write_text("[]"),
    "the receipt names nothing": lambda folder: (folder / ".aa-receipt.json").write_text(
        '{"content_sha256": "' + "0" * 64 + '", "files": {}}'
    ),
    "the receipt is of numbers": lambda folder: (folder / ".aa-receipt.json").write_text(
        '{"files": {"a": 5}}'
    ),
    "a link stands for a file": lambda folder: (
        (folder / "object.urdf").rename(folder / "elsewhere"),
        (folder / "object.urdf").symlink_to("elsewhere"),
    ),
    "a folder stands for a file": lambda folder: (
        (folder / "object.urdf").unlink(),
        (folder / "object.urdf").mkdir(),
    ),
    "a file stands for the folder": lambda folder: (
        shutil.rmtree(folder),
        folder.write_text("in the way"),
    ),
}


@pytest.mark.parametrize("case", DAMAGES)
def test_the_cache_heals_itself(library, lamp, case):
    wanted, folder = contents(lamp.folder), lamp.folder
    DAMAGES[case](folder)
    again = load_dataset(library, verbose=False)[LAMP]
    assert again.urdf_path == folder / "object.urdf"
    assert contents(folder) == wanted
    assert [path.name for path in folder.parent.iterdir()] == [LAMP]


def test_a_sound_cache_is_not_written_again(library, lamp):
    before = (lamp.folder.stat().st_ino, lamp.urdf_path.stat().st_mtime_ns)
    again = load_dataset(library, verbose=False)[LAMP]
    assert (again.folder.stat().st_ino, again.urdf_path.stat().st_mtime_ns) == before


def test_a_copy_of_the_cache_is_compared_once_and_kept(library, lamp):
    """Other times alone are no damage."""
    folder = lamp.folder
    receipt, number = folder / ".aa-receipt.json", folder.stat().st_ino
    for path in folder.rglob("*.obj"):
        os.utime(path, ns=(1, 1))
    before = json.loads(receipt.read_text())["files"]["meshes/arm.obj"]
    assert load_dataset(library, verbose=False)[LAMP].folder.stat().st_ino == number
    after = json.loads(receipt.read_text())["files"]["meshes/arm.obj"]
    assert (after[0], after[1]) == (before[0], 1) != tuple(before)
    written = receipt.stat().st_mtime_ns
    assert load_dataset(library, verbose=False)[LAMP].folder.stat().st_ino == number
    assert receipt.stat().st_mtime_ns == written


def test_an_open_library_looks_at_the_files_once(library, lamp):
    """A loop over many epochs pays for one look; the next program looks again."""
    receipt = lamp.folder / ".aa-receipt.json"
    sound = receipt.read_bytes()
    receipt.write_bytes(b"{}")
    assert (lamp.folder / ".aa-receipt.json").read_bytes() == b"{}"
    assert load_dataset(library, verbose=False)[LAMP].folder == lamp.folder
    assert json.loads(receipt.read_bytes()).keys() == json.loads(sound).keys()


@pytest.mark.parametrize("case", ["a file is gone", "the whole folder is gone"])
def test_an_open_library_makes_a_lost_folder_again(lamp, case):
    wanted, folder = contents(lamp.folder), lamp.folder
    if case == "a file is gone":
        (folder / "object.urdf").unlink()
    else:
        shutil.rmtree(folder)
    assert contents(lamp.folder) == wanted


def test_the_cache_serves_an_object_whose_tar_was_damaged_later(library, lamp):
    flip(library / TAR, 600)
    assert load_dataset(library, verbose=False)[LAMP].urdf_path.is_file()


def test_another_library_that_claims_the_revision_does_not_get_into_the_cache(
    library, tmp_path, lamp
):
    """Its objects have other contents, so that its folder does not pass for ours."""
    things = [ObjectSpec(**{**vars(one), "parts": one.parts[:1]}) for one in LIBRARY_OBJECTS]
    other = build_library(tmp_path / "other", tuple(things))
    write_seal(other, revision=lamp.revision)
    wanted = contents(lamp.folder)
    assert contents(load_dataset(other, verbose=False)[LAMP].folder) != wanted
    assert contents(load_dataset(library, verbose=False)[LAMP].folder) == wanted


def other_pictures(root: Path) -> Path:
    """Return a library of the same objects, but for the pictures."""
    text = b"tEXtComment\0other"
    chunk = struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))
    files = object_files(LIBRARY_OBJECTS[0])["preview.png"]
    picture = files[:33] + chunk + files[33:]
    things = [
        ObjectSpec(**vars(t) | {"extra_files": {"preview.png": picture}}) for t in LIBRARY_OBJECTS
    ]
    return build_library(root, tuple(things))


def test_another_library_does_not_lend_its_pictures(library, tmp_path):
    """Revision and digests are the same, which leave pictures out: its pictures stayed."""
    other = load_dataset(other_pictures(tmp_path / "other"), verbose=False)[LAMP]
    sound = load_dataset(library, verbose=False)[LAMP]
    assert (other.revision, other.content_sha256) == (sound.revision, sound.content_sha256)
    assert other.preview.read_bytes() != sound.read("preview.png")
    assert sound.preview.read_bytes() == sound.read("preview.png")
    assert other.preview.read_bytes() == other.read("preview.png")


def test_an_unpacked_folder_is_compared_and_never_replaced(library, lamp, tmp_path):
    dataset = load_dataset(library, verbose=False)
    place = tmp_path / "dest"
    assert dataset.unpack(place) == 5
    assert not list(place.rglob(".aa-receipt.json"))
    assert dataset.unpack(place) == 0
    (place / LAMP / "object.urdf").write_text("somebody's work")
    with pytest.raises(CacheError, match=rf"{LAMP} already exists and .*Move it away"):
        dataset.unpack(place)
    assert (place / LAMP / "object.urdf").read_text() == "somebody's work"
    shutil.rmtree(place / LAMP)
    assert dataset.unpack(place) == 1
    assert contents(place / LAMP) == contents(lamp.folder)


def test_a_file_in_the_way_of_an_unpacked_object_stays(library, tmp_path):
    item = load_dataset(library, verbose=False)[LAMP]
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CacheError, match=r"cannot write .*not a folder. Choose another") as caught:
        item.unpack(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine" and "AA_HOME" not in str(caught.value)


def test_an_empty_folder_is_filled_and_counted(library, lamp, tmp_path):
    """It stayed empty, and that was called success."""
    dataset = load_dataset(library, verbose=False)
    place = tmp_path / "dest"
    dataset.unpack(place)
    shutil.rmtree(place / LAMP)
    (place / LAMP).mkdir(mode=0o700)
    assert dataset.unpack(place) == 1
    assert contents(place / LAMP) == contents(lamp.folder)
    assert (place / LAMP).stat().st_mode & 0o777 == 0o700
    (tmp_path / "mine").mkdir()
    assert contents(lamp.unpack(tmp_path / "mine")) == contents(lamp.folder)


@pytest.mark.parametrize("target", ["empty", "full", "nothing"])
def test_a_link_is_not_unpacked_to(lamp, tmp_path, target):
    (tmp_path / "empty").mkdir()
    lamp.unpack(tmp_path / "full")
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(CacheError, match=r"link: it is a link. Remove it") as caught:
        lamp.unpack(tmp_path / "link")
    assert "AA_HOME" not in str(caught.value)
    assert (tmp_path / "link").is_symlink() and not [*(tmp_path / "empty").iterdir()]


def test_a_temporary_folder_that_vanishes_is_a_sentence(tmp_path):
    """Somebody cleans the cache while an object is unpacked: this asked for ever."""
    asked = []

    def is_sound(folder: Path) -> bool:
        asked.append(folder)
        assert len(asked) < 1000, "it does not end"
        return False

    with pytest.raises(CacheError, match=r"cannot write .*AA_HOME"):
        ensure_folder(tmp_path / "object", shutil.rmtree, is_sound=is_sound)
    assert not [*tmp_path.iterdir()]


def test_a_full_disk_is_a_sentence(library):
    item = load_dataset(library, verbose=False)[LAMP]
    code = (
        "import resource, signal, sys\n"
        "from aa_dataset import load_dataset\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        f"load_dataset({str(library)!r}, verbose=False)[{LAMP!r}].urdf_path\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "CacheError: cannot write" in done.stderr and "AA_HOME" in done.stderr
    assert item.urdf_path.is_file()
    marks = json.loads((item.folder / ".aa-receipt.json").read_text())["files"]
    assert set(marks) == set(item.files())
