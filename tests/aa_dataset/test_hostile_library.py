# SPDX-License-Identifier: Apache-2.0
"""A library from elsewhere that means harm: a sentence, and nothing outside of its folder."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.errors import ArenaError, LibraryError
from tests.kit.library_folder import tar_fragment, write_seal
from tests.kit.library_objects import JAR, SHARD
from tests.kit.places import REPOSITORY


def rename(library: Path, old: str, new: str) -> None:
    """Give an object another id in every table, without writing the seal again."""
    for path in library.glob("*.parquet"):
        table = pq.read_table(path)
        if "object_id" in table.column_names:
            index = table.schema.get_field_index("object_id")
            names = [new if one == old else one for one in table["object_id"].to_pylist()]
            column = pa.array(names, pa.string())
            pq.write_table(table.set_column(index, table.schema.field(index), column), path)


def replace_jar(library: Path, fragment: bytes) -> None:
    """Let the jar be this fragment, at the start of its tar."""
    (library / "assets" / f"{SHARD}.tar").write_bytes(fragment + bytes(1024))
    path = library / "objects.parquet"
    table = pq.read_table(path)
    rows = [row for row in table.to_pylist() if row["object_id"] == JAR or row["source"] == "local"]
    jar = next(row for row in rows if row["object_id"] == JAR)
    jar |= {"offset": 0, "size": len(fragment)}
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)


@functools.cache
def plain_header(size: int) -> bytes:
    info = tarfile.TarInfo("x")
    info.size = size
    return info.tobuf(tarfile.USTAR_FORMAT)


def header(name: bytes, size: int = 0, *, kind: bytes = b"0", length: bytes = b"") -> bytes:
    """Return a header with a right checksum, whatever else is wrong with it."""
    block = bytearray(plain_header(size))
    block[0:100] = name[:100].ljust(100, b"\0")
    block[156:157] = kind
    if length:
        block[124:136] = length
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def member(name: bytes, data: bytes = b"data", **changes: Any) -> bytes:
    return header(name, len(data), **changes) + data + bytes(-len(data) % 512)


def everything(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*")}


def test_a_library_cannot_plant_code_that_the_next_python_runs(library, tmp_path):
    """The proof: revision, object id and member name together were a path of Python's own."""
    home = tmp_path / "user"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = home / ".local" / "lib" / version / "site-packages"
    site.mkdir(parents=True)
    code = f"open({str(tmp_path / 'planted')!r}, 'w').write('code of the library ran')\n"
    fragment = tar_fragment("usercustomize", {"__init__.py": code.encode(), "object.urdf": b"x"})
    replace_jar(library, fragment)
    rename(library, JAR, "usercustomize")
    write_seal(library, revision=f"../../../.local/lib/{version}/site-packages")
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "AA_HOME": str(home / ".cache" / "aa-dataset"),
        "PYTHONPATH": str(REPOSITORY),
    }
    # Python asks for a user's site-packages outside of a virtual environment alone.
    packages = [path for path in sys.path if path.endswith("site-packages")]
    opened = (
        f"import sys; sys.path += {packages!r}\n"
        "from aa_dataset import load_dataset\n"
        f"load_dataset({str(library)!r}, verbose=False)['usercustomize'].urdf_path\n"
    )
    before = everything(home)
    done = subprocess.run(
        [sys.executable, "-c", opened], env=environment, capture_output=True, text=True
    )
    python = Path(sys.executable).resolve()  # of the system, which reads the user's site-packages
    subprocess.run([python, "-c", "pass"], env=environment, check=True)
    assert not (tmp_path / "planted").exists()
    assert everything(home) == before
    assert "LibraryError" in done.stderr and "revision" in done.stderr


BAD_NAMES = [
    "../outside", "/outside", "..", ".", "", "a/b", "generated-x/../../y", "generated-\0x", "plain",
    "generated-\u202ex", "Generated-X", "generated-x.", ".hidden-x", "generated-x\n", "-rf",
    "generated-" + "x" * 300, "généré-x", "generated-a\\b", "c:generated-x",
]  # fmt: skip


@pytest.mark.parametrize("name", BAD_NAMES)
def test_unpacking_makes_nothing_outside_of_its_destination(library, tmp_path, name, capsys):
    try:
        rename(library, JAR, name)
    except pa.ArrowException:  # pragma: no cover - a name that no table holds
        pytest.skip("not a text")
    write_seal(library)
    before = everything(tmp_path)
    status = main(["unpack", str(tmp_path / "to" / "dest"), "--library", str(library)])
    assert status == 2
    assert "objects.parquet, column 'object_id'" in capsys.readouterr().err
    assert everything(tmp_path) == before


GOOD = member(b"generated-jar/object.urdf")


HOSTILE: dict[str, bytes] = {
    "a negative length": header(b"generated-jar/a", length=b"\xff" * 12) + bytes(512),
    "a negative length in digits": header(b"generated-jar/a", length=b"-0000001000\0"),
    "a length in base 256": header(b"generated-jar/a", length=b"\x80" + bytes(9) + b"\2\0"),
    "a length without digits": header(b"generated-jar/a", length=b" " * 12),
    "a length beyond the range": header(b"generated-jar/a", length=b"77777777777\0"),
    "a NUL in the name": member(b"generated-jar/a\0b"),
    "a name that is not UTF-8": member(b"generated-jar/\xff\xfe"),
    "no name": member(b""),
    "use the folder it points to": member(b"generated-jar"),
    "the folder with a slash": member(b"generated-jar/"),
    "a way out": member(b"generated-jar/../../x"),
    "an absolute name": member(b"/tmp/x"),
    "another object": member(b"generated-lamp/x"),
    "a backslash": member(b"generated-jar/..\\x"),
    "a drive": member(b"generated-jar/c:x"),
    "a device": member(b"generated-jar/NUL.txt"),
    "a name of dots": member(b"generated-jar/..."),
    "a hidden file": member(b"generated-jar/.aa-receipt.json"),
    "a line break": member(b"generated-jar/a\nb"),
    "a file twice": GOOD + GOOD,
    "a file twice but for its capitals": member(b"generated-jar/a") + member(b"generated-jar/A"),
    "a file and a folder of one name": member(b"generated-jar/a") + member(b"generated-jar/a/b"),
    "a folder and a file of one name": member(b"generated-jar/a/b") + member(b"generated-jar/a"),
    "a hundred folders deep": member(b"generated-jar/" + b"a/" * 42 + b"b"),
    "a symbolic link": header(b"generated-jar/a", kind=b"2"),
    "a hard link": header(b"generated-jar/a", kind=b"1"),
    "a pipe": header(b"generated-jar/a", kind=b"6"),
    "a device node": header(b"generated-jar/a", kind=b"3"),
    "a folder": header(b"generated-jar/a", kind=b"5"),
    "a sparse file": header(b"generated-jar/a", kind=b"S"),
    "a long name of GNU": member(b"././@LongLink", b"generated-jar/../../x\0", kind=b"L") + GOOD,
    "a header of pax": member(b"generated-jar/p", b"21 path=/tmp/planted\n", kind=b"x") + GOOD,
    "pax for all": member(b"generated-jar/p", b"21 path=/tmp/planted\n", kind=b"g") + GOOD,
    "the end before the end": bytes(1024) + GOOD,
    "no members": bytes(512),
    "a wrong checksum": bytes([GOOD[0] ^ 1]) + GOOD[1:],
    "more files than any object has": b"".join(
        header(b"generated-jar/%d" % number) for number in range(20_001)
    ),
    "no tar": b"no tar at all..." * 64,
}


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("ask", ["urdf_path", "unpack", "files", "read"])
def test_a_hostile_tar_is_a_sentence_and_writes_nothing(library, tmp_path, case, ask):
    replace_jar(library, HOSTILE[case])
    write_seal(library)
    (tmp_path / "home").mkdir()
    item = load_dataset(library, verbose=False)[JAR]
    asked: dict[str, Callable[[], object]] = {
        "urdf_path": lambda: item.urdf_path,
        "unpack": lambda: item.unpack(tmp_path / "home" / "x"),
        "files": item.files,
        "read": lambda: item.read("object.urdf"),
    }
    with pytest.raises(LibraryError, match=rf"{SHARD}\.tar at byte 0 \(object 'generated-jar'\)"):
        asked[ask]()
    left = [path for path in (tmp_path / "aa_home", tmp_path / "home") if path.exists()]
    assert not [path for root in left for path in root.rglob("*") if path.is_file()]


def test_a_tar_from_python_with_long_names_in_pax_is_a_sentence(library):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo(f"{JAR}/{'a' * 300}")
        tar.addfile(info)
        end = tar.offset
    replace_jar(library, buffer.getvalue()[:end])
    write_seal(library)
    with pytest.raises(LibraryError, match="not a regular file"):
        load_dataset(library, verbose=False)[JAR].urdf_path  # noqa: B018


def test_random_damage_never_is_anything_but_a_sentence(library, tmp_path, monkeypatch):
    """Bytes of every file are changed at random and sealed: nothing else than our errors."""
    random = np.random.default_rng(7)
    paths = sorted([*library.glob("*.parquet"), *library.glob("assets/*.tar")])
    pristine = {path: path.read_bytes() for path in paths}
    for number in range(120):
        path = paths[number % len(paths)]
        data = bytearray(pristine[path])
        for place in random.integers(0, len(data), size=4):
            data[place] = random.integers(0, 256)
        path.write_bytes(data)
        seal = json.loads((library / "library.json").read_text())
        digest = hashlib.sha256(data).hexdigest()
        seal["files"][path.relative_to(library).as_posix()]["sha256"] = digest
        (library / "library.json").write_text(json.dumps(seal))
        monkeypatch.setenv("AA_HOME", str(tmp_path / "homes" / str(number)))
        try:
            for item in load_dataset(library, verbose=False):
                item.urdf_path, item.tree, item.provenance, item.files()
        except ArenaError as error:
            assert len(str(error).split()) > 5
        path.write_bytes(pristine[path])
    shutil.rmtree(tmp_path / "homes", ignore_errors=True)
