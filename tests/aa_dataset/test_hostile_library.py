# SPDX-License-Identifier: Apache-2.0
"""A library from elsewhere that means harm: a sentence, and nothing outside of its folder."""

from __future__ import annotations

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
from tests.kit.places import REPOSITORY

JAR = "generated-jar"
SHARD = "generated-0000"


def rename(library: Path, old: str, new: str) -> None:
    """Give an object another id in every table, and leave the seal to be written anew."""
    for path in library.glob("*.parquet"):
        table = pq.read_table(path)
        if "object_id" in table.column_names:
            index = table.schema.get_field_index("object_id")
            names = [new if one == old else one for one in table["object_id"].to_pylist()]
            column = pa.array(names, pa.string())
            pq.write_table(table.set_column(index, table.schema.field(index), column), path)


def change(library: Path, name: str, column: str, value: Any, row: int = 0) -> None:
    """Change one cell of one table."""
    path = library / f"{name}.parquet"
    table = pq.read_table(path)
    index = table.schema.get_field_index(column)
    cells = table[column].to_pylist()
    cells[row] = value
    field = pa.field(column, table.schema.field(index).type)
    pq.write_table(table.set_column(index, field, pa.array(cells, field.type)), path)


def jar_row(library: Path) -> int:
    return pq.read_table(library / "objects.parquet")["object_id"].to_pylist().index(JAR)


def replace_jar(library: Path, fragment: bytes) -> None:
    """Let the jar be this fragment, at the start of its tar."""
    (library / "assets" / f"{SHARD}.tar").write_bytes(fragment + bytes(1024))
    path = library / "objects.parquet"
    table = pq.read_table(path)
    rows = [row for row in table.to_pylist() if row["object_id"] == JAR or row["source"] == "local"]
    jar = next(row for row in rows if row["object_id"] == JAR)
    jar |= {"offset": 0, "size": len(fragment)}
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)


def header(name: bytes, size: int = 0, *, kind: bytes = b"0", length: bytes = b"") -> bytes:
    """Return a header with a right checksum, whatever else is wrong with it."""
    info = tarfile.TarInfo("x")
    info.size = size
    block = bytearray(info.tobuf(tarfile.USTAR_FORMAT))
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


SEALS: dict[str, dict[str, Any]] = {
    "revision": {"revision": "../../../x"},
    "revision of another kind": {"revision": 5},
    "revision in capitals": {"revision": "0123456789ABCDEF"},
    "name": {"name": "../../x"},
    "name with an escape": {"name": "a\x1b[2J"},
    "name that is a list": {"name": ["articulatearena-20k"]},
    "objects": {"objects": -5},
    "objects as text": {"objects": "5"},
    "objects as a float": {"objects": 5.0},
    "objects without end": {"expected_objects": float("inf")},
    "expected objects": {"expected_objects": True},
    "sources": {"sources": {"generated": 3, "\x1b[2J": 2}},
    "sources as a list": {"sources": ["generated"]},
    "sources that do not add up": {"sources": {"generated": 3, "local": 1}},
    "a split with a path": {"splits": {"../x": 2}},
    "a split with an option": {"splits": {"--help": 2}},
    "a split counted wrongly": {"splits": {"library": 5, "train": 2, "eval200_1a2b3c4d": 4}},
    "a split that no table has": {
        "splits": {"library": 5, "train": 2, "eval200_1a2b3c4d": 3, "more": 1}
    },
    "no files": {"files": {}},
    "files as a list": {"files": []},
    "a benchmark that is a text": {"benchmark": "eval200-v0"},
}


@pytest.mark.parametrize("case", SEALS)
def test_a_seal_that_no_build_writes_is_a_sentence(library, case):
    write_seal(library, **SEALS[case])
    with pytest.raises(LibraryError, match=r"(library\.json|splits|objects).*(make library|again)"):
        load_dataset(library, verbose=False)


FILES: dict[str, tuple[str, Any]] = {
    "out of the library": ("../x", {"sha256": "0" * 64, "size": 0}),
    "absolute": ("/etc/passwd", {"sha256": "0" * 64, "size": 0}),
    "a table of no schema": ("more.parquet", {"sha256": "0" * 64, "size": 0}),
    "a tar that is no name": ("assets/../x.tar", {"sha256": "0" * 64, "size": 0}),
    "a tar with an escape": ("assets/\x1b.tar", {"sha256": "0" * 64, "size": 0}),
    "a negative size": (f"assets/{SHARD}.tar", {"sha256": "0" * 64, "size": -1}),
    "a size as text": (f"assets/{SHARD}.tar", {"sha256": "0" * 64, "size": "1"}),
    "a digest that is none": (f"assets/{SHARD}.tar", {"sha256": "x", "size": 1}),
    "a mark that is a list": (f"assets/{SHARD}.tar", [1]),
}


@pytest.mark.parametrize("case", FILES)
def test_a_seal_with_a_hostile_file_is_a_sentence(library, case):
    name, mark = FILES[case]
    files = json.loads((library / "library.json").read_text())["files"]
    write_seal(library, files=files | {name: mark})
    with pytest.raises(LibraryError, match=r"library\.json"):
        load_dataset(library, verbose=False)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"a":' * 100_000,
        '{"schema_version": "3", "objects": ' + "9" * 5000 + "}",
        '{"schema_version": "3", "schema_version": "3"}',
        '{"schema_version": "3", "objects": NaN}',
        '"\\ud800"',
    ],
    ids=["nested lists", "nested tables", "digits", "a key twice", "NaN", "half a character"],
)
def test_json_that_breaks_readers_is_a_sentence(library, text):
    (library / "library.json").write_text(text)
    with pytest.raises(LibraryError, match=r"library\.json is not readable.*make library"):
        load_dataset(library, verbose=False)


def test_a_file_that_is_a_pipe_is_refused_and_does_not_wait(library):
    path = library / "findings.parquet"
    path.unlink()
    os.mkfifo(path)
    seal = json.loads((library / "library.json").read_text())
    seal["files"]["findings.parquet"]["size"] = 0
    (library / "library.json").write_text(json.dumps(seal))
    with pytest.raises(LibraryError, match=r"findings\.parquet is not a regular file"):
        load_dataset(library, verbose=False)


CELLS: dict[str, tuple[str, Any]] = {
    "an offset before the tar": ("offset", -512),
    "an offset beyond the tar": ("offset", 1 << 40),
    "an offset between blocks": ("offset", 7),
    "an offset that overflows": ("offset", (1 << 63) - 512),
    "a negative size": ("size", -1024),
    "no size": ("size", 0),
    "a size beyond the tar": ("size", 1 << 40),
    "a size that overflows": ("size", (1 << 63) - 512),
    "a shard elsewhere": ("shard", "../../outside"),
    "a shard that is no file": ("shard", "generated-9999"),
    "no shard": ("shard", None),
    "no id": ("object_id", None),
    "no offset": ("offset", None),
    "a digest that is none": ("content_sha256", "../x"),
    "a count below zero": ("joints_fixed", -1),
}


@pytest.mark.parametrize("case", CELLS)
def test_a_row_that_does_not_fit_the_files_is_a_sentence(library, case):
    column, value = CELLS[case]
    change(library, "objects", column, value, jar_row(library))
    write_seal(library)
    with pytest.raises(LibraryError, match=rf"objects\.parquet, column '{column}'.*make library"):
        load_dataset(library, verbose=False)


def latin(table: pa.Table, column: str) -> pa.Table:
    """Return the table with bytes in a text column that are not UTF-8."""
    cells = [b"\xff\xfe\x80"] * len(table)
    broken = pa.array(cells, pa.binary()).cast(pa.string(), safe=False)
    index = table.schema.get_field_index(column)
    return table.set_column(index, table.schema.field(index), broken)


TABLES: dict[str, tuple[str, Callable[[pa.Table], pa.Table]]] = {
    "objects: text that is not UTF-8": ("objects", lambda t: latin(t, "name")),
    "joints: text that is not UTF-8": ("joints", lambda t: latin(t, "joint")),
    "splits: text that is not UTF-8": ("splits", lambda t: latin(t, "reason")),
    "objects: a column is missing": ("objects", lambda t: t.drop_columns(["shard"])),
    "joints: a column is missing": ("joints", lambda t: t.drop_columns(["mimic"])),
    "objects: numbers as text": (
        "objects",
        lambda t: t.set_column(t.column_names.index("offset"), "offset", [["0"] * len(t)]),
    ),
    "joints: a column twice": ("joints", lambda t: t.append_column("axis", t["axis"])),
    "joints: no rows and no columns": ("joints", lambda t: pa.table({})),
    "joints: nulls": (
        "joints",
        lambda t: t.set_column(t.column_names.index("type"), "type", [pa.nulls(len(t), "string")]),
    ),
    "joints: an axis without numbers": (
        "joints",
        lambda t: t.set_column(
            t.column_names.index("axis"),
            "axis",
            [pa.array([[None] * 3] * len(t), pa.list_(pa.float64(), 3))],
        ),
    ),
    "joints: mimics as text": ("joints", lambda t: with_cells(t, "mimic", '{"joint": "a"}')),
    "joints: mimics of a list": ("joints", lambda t: with_cells(t, "mimic", [1])),
    "joints: mimics without an offset": (
        "joints",
        lambda t: with_cells(t, "mimic", {"joint": "a", "multiplier": 1.0}),
    ),
    "joints: mimics of a number": (
        "joints",
        lambda t: with_cells(t, "mimic", {"joint": 1, "multiplier": 1.0, "offset": 0.0}),
    ),
    "joints: mimics whose fields may be null": (
        "joints",
        lambda t: with_cells(t, "mimic", {"joint": "a", "multiplier": None, "offset": 0.0}, LOOSE),
    ),
    "joints: mimics with a surplus field": (
        "joints",
        lambda t: with_cells(
            t, "mimic", {"joint": "a", "multiplier": 1.0, "offset": 0.0, "more": "b"}
        ),
    ),
    "joints: mimics that are not UTF-8": ("joints", lambda t: with_mimics(t, b"\xff\xfe", 1.0)),
    "joints: endless mimics": ("joints", lambda t: with_mimics(t, "nobody", np.inf)),
    "joints: mimics that are no number": ("joints", lambda t: with_mimics(t, "nobody", np.nan)),
    "objects: provenance as text": ("objects", lambda t: with_cells(t, "provenance", "{}")),
    "objects: provenance of numbers": (
        "objects",
        lambda t: with_cells(t, "provenance", [("a", 1)], pa.map_(pa.string(), pa.int32())),
    ),
    "objects: no provenance": (
        "objects",
        lambda t: with_cells(t, "provenance", None, t.schema.field("provenance").type),
    ),
    "objects: provenance that is not UTF-8": (
        "objects",
        lambda t: with_texts(t, "provenance", b"\xff\xfe"),
    ),
}
LOOSE = pa.struct([("joint", pa.string()), ("multiplier", pa.float64()), ("offset", pa.float64())])


def with_cells(
    table: pa.Table, column: str, cell: Any, kind: pa.DataType | None = None
) -> pa.Table:
    """Return the table with one value in every row of a column, of another type."""
    cells = pa.array([cell] * len(table), kind)
    return table.set_column(table.schema.get_field_index(column), column, cells)


def broken_texts(text: str | bytes, count: int) -> pa.Array:
    """Return an array of texts, which need not be UTF-8."""
    data = text.encode() if isinstance(text, str) else text
    return pa.array([data] * count, pa.binary()).cast(pa.string(), safe=False)


def with_mimics(table: pa.Table, joint: str | bytes, number: float) -> pa.Table:
    """Return the table with one coupling in every row, of the right type."""
    place = table.schema.get_field_index("mimic")
    field = table.schema.field(place)
    numbers = pa.array([number] * len(table), pa.float64())
    children = [broken_texts(joint, len(table)), numbers, numbers]
    return table.set_column(
        place, field, pa.StructArray.from_arrays(children, fields=[*field.type])
    )


def with_texts(table: pa.Table, column: str, text: bytes) -> pa.Table:
    """Return the table with one broken entry in every row of a map."""
    place = table.schema.get_field_index(column)
    texts = broken_texts(text, len(table))
    cells = pa.MapArray.from_arrays(range(len(table) + 1), texts, texts)
    return table.set_column(place, table.schema.field(place), cells)


@pytest.mark.parametrize("case", TABLES)
def test_a_hostile_table_is_a_sentence(library, case):
    name, damage = TABLES[case]
    path = library / f"{name}.parquet"
    pq.write_table(damage(pq.read_table(path)), path)
    write_seal(library, revision="0" * 16)
    with pytest.raises(LibraryError, match=rf"{name}\.parquet"):
        load_dataset(library, verbose=False)["generated-cabinet"].tree  # noqa: B018


def test_a_small_table_that_unpacks_to_gigabytes_is_refused_early(library):
    """One long text in every row takes one entry of a dictionary in the file."""
    path = library / "objects.parquet"
    table = pq.read_table(path)
    rows = pa.Table.from_pylist(table.to_pylist()[:1] * 8192, table.schema)
    text = pa.DictionaryArray.from_arrays(np.zeros(8192, dtype=np.int32), ["x" * 100_000])
    for name in ("name", "description", "attribution", "label_provenance"):
        rows = rows.set_column(rows.schema.get_field_index(name), name, text)
    pq.write_table(rows, path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 50_000
    seal = json.loads((library / "library.json").read_text())
    mark = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "size": path.stat().st_size}
    seal["files"]["objects.parquet"] = mark
    (library / "library.json").write_text(json.dumps(seal))
    code = (
        "import pyarrow as pa\n"
        "from aa_dataset import load_dataset\n"
        "try:\n"
        f"    load_dataset({str(library)!r}, verbose=False)\n"
        "finally:\n"
        "    print(pa.default_memory_pool().max_memory())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "objects.parquet is not readable" in done.stderr and "to more than" in done.stderr
    assert int(done.stdout) < 1_000_000_000  # bytes


def test_provenance_that_names_a_field_twice_is_a_sentence(library):
    change(library, "objects", "provenance", [("a", "1"), ("a", "2")], jar_row(library))
    write_seal(library)
    with pytest.raises(LibraryError, match=r"'generated-jar'.*provenance has a duplicate field"):
        load_dataset(library, verbose=False)[JAR].provenance  # noqa: B018


def test_provenance_may_name_a_field_without_a_value(library):
    change(library, "objects", "provenance", [("b", None), ("a", "[1]")], jar_row(library))
    write_seal(library)
    assert load_dataset(library, verbose=False)[JAR].provenance == {"a": "[1]", "b": None}


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
