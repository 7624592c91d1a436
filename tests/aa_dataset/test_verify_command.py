# SPDX-License-Identifier: Apache-2.0
"""`aa verify`: every byte of a library and of the cache, and what to do."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main

TAR = "assets/generated-0000.tar"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["verify", *words])
    said = capsys.readouterr()
    return status, said.out, said.err


def flip(path: Path, place: int) -> None:
    """Flip a bit, and keep the time of the file as a failing disk does."""
    status, data = path.stat(), bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_an_undamaged_library_is_reported_as_such(library, capsys, monkeypatch):
    status, out, err = run(capsys, str(library))
    assert (status, err) == (0, "")
    assert out == f"{library}: every file and every object matches the seal, and every law holds.\n"
    status, out, _ = run(capsys, str(library), "--json")
    assert status == 0 and json.loads(out) == {"library": str(library), "problems": []}
    monkeypatch.chdir(library.parent)
    assert run(capsys)[0] == 0  # ./library, as the other commands


def test_without_a_library_it_is_an_error_with_a_next_step(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    for words in ([], ["nothing/here"], ["empty"]):
        status, out, err = run(capsys, *words)
        assert (status, out) == (2, "") and "Run `make library`" in err


def cut_seal(library: Path) -> None:
    os.truncate(library / "library.json", 90)


def other_revision(library: Path) -> None:
    seal = json.loads((library / "library.json").read_text())
    (library / "library.json").write_text(json.dumps(seal | {"revision": "0" * 16}))


def resealed(library: Path) -> None:
    """Let a damaged tar be sealed, as builds did: the object's own digest shows the damage."""
    data = (library / TAR).read_bytes()
    flip(library / TAR, data.index(b"generated-lamp/meshes/arm.obj") + 520)
    seal = json.loads((library / "library.json").read_text())
    seal["files"][TAR]["sha256"] = hashlib.sha256((library / TAR).read_bytes()).hexdigest()
    (library / "library.json").write_text(json.dumps(seal))


def bad_joint(library: Path) -> None:
    """Seal a table whose numbers make no joint."""
    path = library / "joints.parquet"
    table = pq.read_table(path)
    index = table.schema.get_field_index("type")
    pq.write_table(table.set_column(index, table.schema.field(index), [["x"] * len(table)]), path)
    seal = json.loads((library / "library.json").read_text())
    mark = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "size": path.stat().st_size}
    seal["files"]["joints.parquet"] = mark
    (library / "library.json").write_text(json.dumps(seal))


def wrong_checksums(library: Path) -> None:
    (library / "README.md").write_text("the card")
    lines = f"{'0' * 64}  README.md\n{'0' * 64}  ../../secret\n"
    (library / "SHA256SUMS").write_text(lines)


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file of an object": (lambda p: flip(p / TAR, 600), f"{TAR} does not match its digest"),
    "the filling of a tar": (lambda p: flip(p / TAR, -5), f"{TAR} does not match its digest"),
    "a table": (lambda p: flip(p / "links.parquet", 99), "links.parquet does not match its digest"),
    "a table that nobody reads": (
        lambda p: flip(p / "rejects.parquet", 40),
        "rejects.parquet does not match its digest",
    ),
    "a tar is gone": (lambda p: (p / TAR).unlink(), f"{TAR} is not readable (No such file"),
    "a table is cut": (
        lambda p: os.truncate(p / "objects.parquet", 900),
        "objects.parquet does not match its digest",
    ),
    "a tar of another build": (
        lambda p: shutil.copy(p / TAR, p / "assets/old-0000.tar"),
        "old-0000.tar is not listed in the seal",
    ),
    "the seal is cut": (cut_seal, "library.json is not readable"),
    "another revision": (other_revision, "names revision 0000000000000000, which is not that"),
    "damage under a seal": (resealed, "(object 'generated-lamp') has files that do not match"),
    "a joint that is none": (bad_joint, "joints.parquet, object 'generated-cabinet': 'x'"),
    "wrong checksums": (wrong_checksums, "SHA256SUMS has an incorrect line for 'README.md'"),
    "checksums that leave a file out": (wrong_checksums, f"SHA256SUMS has no line for {TAR}"),
    "checksums without end": (
        lambda p: ((p / "SHA256SUMS").touch(), os.truncate(p / "SHA256SUMS", (1 << 26) + 1)),
        "SHA256SUMS has more than",
    ),
    "checksums of strange names": (wrong_checksums, "an incorrect line for '../../secret'"),
}


@pytest.mark.parametrize("case", DAMAGES)
def test_damage_is_named_with_a_next_step(library, capsys, case):
    damage, words = DAMAGES[case]
    damage(library)
    status, out, _ = run(capsys, str(library))
    assert status == 1
    assert words in out and "then run `make library`, or download them again" in out
    status, out, _ = run(capsys, str(library), "--json")
    found = json.loads(out)
    assert status == 1 and any(words in one["sentence"] for one in found["problems"])
    assert all(one["file"].startswith(str(library)) for one in found["problems"])


def test_a_damaged_tar_names_its_damaged_objects(library, capsys):
    data = (library / TAR).read_bytes()
    flip(library / TAR, data.index(b"generated-jar/object.urdf") + 520)
    _, out, _ = run(capsys, str(library))
    assert "(object 'generated-jar') has files that do not match" in out
    assert "generated-lamp" not in out and out.endswith("\n") and "2 problems." in out


def test_one_problem_is_one_problem(library, capsys):
    cut_seal(library)
    _, out, _ = run(capsys, str(library))
    assert len(out.splitlines()) == 3 and out.splitlines()[-1].startswith("1 problem. ")


def test_rot_in_the_cache_is_found_and_healed_at_the_next_use(library, capsys):
    """A flip that keeps size and time is seen by reading alone."""
    item = load_dataset(library, verbose=False)["generated-lamp"]
    mesh = item.folder / "meshes/arm.obj"
    sound = mesh.read_bytes()
    flip(mesh, 3)
    assert (
        load_dataset(library, verbose=False)["generated-lamp"].folder and mesh.read_bytes() != sound
    )
    status, out, _ = run(capsys, str(library))
    assert status == 1 and "generated-lamp in the cache has files that do not match" in out
    assert "its next use unpacks it again" in out
    load_dataset(library, verbose=False)["generated-lamp"].urdf_path  # noqa: B018
    assert mesh.read_bytes() == sound
    assert run(capsys, str(library))[0] == 0


def test_another_picture_in_the_cache_is_found(library, capsys):
    """A library with the seal of this one and other tars may have put it there."""
    item = load_dataset(library, verbose=False)["generated-lamp"]
    sound, folder = item.preview.read_bytes(), item.folder
    text = b"tEXtComment\0other"
    chunk = struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))
    item.preview.write_bytes(sound[:33] + chunk + sound[33:])
    receipt = json.loads((folder / ".aa-receipt.json").read_text())
    status = (folder / "preview.png").stat()
    receipt["files"]["preview.png"] = [status.st_size, status.st_mtime_ns]
    (folder / ".aa-receipt.json").write_text(json.dumps(receipt))
    status, out, _ = run(capsys, str(library))
    assert status == 1 and "generated-lamp in the cache has a different preview.png" in out
    assert load_dataset(library, verbose=False)["generated-lamp"].preview.read_bytes() == sound
    assert run(capsys, str(library))[0] == 0


def without_override() -> None:
    """Let permissions stop the next program also if root runs it (CAP_DAC_OVERRIDE)."""
    ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)


def test_a_damaged_cache_that_cannot_be_written_is_a_sentence(library):
    folder = load_dataset(library, verbose=False)["generated-lamp"].folder
    flip(folder / "meshes/arm.obj", 3)
    folder.chmod(0o555)
    code = f"from aa_dataset.cli import main; raise SystemExit(main(['verify', {str(library)!r}]))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, preexec_fn=without_override
    )
    folder.chmod(0o755)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "generated-lamp in the cache has files that do not match" in done.stdout
    assert "remove that folder" in done.stdout and (folder / ".aa-receipt.json").is_file()


def test_the_help_names_what_is_removed(capsys):
    with pytest.raises(SystemExit):
        main(["verify", "--help"])
    assert "loses its receipt" in " ".join(capsys.readouterr().out.split())
