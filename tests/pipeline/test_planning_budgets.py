# SPDX-License-Identifier: Apache-2.0
"""One raw file neither stops nor stalls planning: linear scans, and limits that are counts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base.errors import PipelineError, Rejection
from pipeline.engine.runner import Task
from pipeline.raw import walk
from pipeline.raw.adapters import articulated_object_code, gapartnet_akb48
from pipeline.raw.adapters.mjcf import _include_names, find_models, without_comments
from pipeline.raw.files import FolderFiles, MemoryFiles
from pipeline.raw.inventory import scan_source
from pipeline.stages.ingest.stage import IngestInput, ingest
from pipeline.tools.fetch.errors import FetchError
from pipeline.tools.fetch.layout import safe_name
from tests.fuzz import corpus
from tests.kit import settings as settings_kit
from tests.kit.settings import facts_of

# What the scans must find, in patterns whose work grows with the square of the text.
ASIDE = re.compile(rb"<!--.*?-->|<\?.*?\?>", re.DOTALL)
INCLUDE = re.compile(rb"""<include\s[^>]*?\bfile\s*=\s*["']([^"'<>]*)["']""")
COLLECTION = corpus.source_yaml()[0].decode().replace("shared: [meshes]\n", "")
LIMITED = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))
from pipeline.base.errors import PipelineError
from pipeline.raw.adapters.articulated_object_code import discover
try:
    list(discover(Path(sys.argv[1])))
except PipelineError as error:
    sys.stdout.write(str(error))
"""


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "text",
    [b"<!--", b"<?", b"<!--<?", b"<include ", b"<include file", b"<include file='", b"< ",
     b'<include file="'],
)  # fmt: skip
def test_eight_megabytes_of_one_mark_are_scanned_once(text: bytes) -> None:
    files = MemoryFiles({"m.xml": text * (8_000_000 // len(text))}, most_bytes=10**8)
    assert find_models(files, ["m.xml"]) == []  # the old patterns take hours


@given(
    st.lists(
        st.sampled_from(
            [b"<!--", b"-->", b"<?", b"?>", b"<include ", b"<include\n", b"file", b" file=", b" = ",
             b'"a"', b"'b'", b'"', b">", b"<", b"-", b"?", b"<mujoco>", b" "]
        ),
        max_size=24,
    )
)  # fmt: skip
def test_the_scans_find_what_the_patterns_find(words: list[bytes]) -> None:
    text = b"".join(words)
    assert without_comments(text) == ASIDE.sub(b"", text)
    assert list(_include_names(text)) == INCLUDE.findall(text)


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Work in a folder that pytest does not tidy up, which it does by recursion."""
    folder = tempfile.mkdtemp()
    monkeypatch.chdir(folder)
    yield
    subprocess.run(["rm", "-rf", folder], check=True)


def deep(folder: Path, levels: int) -> None:
    """Make folders in folders, one step at a time: the whole path is too long for one call."""
    here = Path.cwd()
    folder.mkdir(parents=True)
    try:
        os.chdir(folder)
        for _ in range(levels):
            Path("d").mkdir()
            os.chdir("d")
        Path("file").write_text("x")
    finally:
        os.chdir(here)


def refused(root: Path, adapter: str) -> list[str]:
    """Plan a source and return why each of its objects is refused."""
    facts = facts_of(root, adapter=adapter)
    found = []
    for raw in scan_source("local", adapter, root):
        data = IngestInput("local", facts, raw.found, raw.digest, raw.mark)
        try:
            ingest(Task(raw.object_id, data), settings_kit.SETTINGS)
        except Rejection as rejection:
            found.append(f"{rejection.reason}: {rejection.detail}")
    return found


@pytest.mark.parametrize("adapter", ["generated", "partnet_mobility", "artiverse", "urdf_folder"])
def test_a_thousand_folders_in_folders_are_one_reject(apart: None, adapter: str) -> None:
    place = {"artiverse": "lamp/wss/a", "urdf_folder": "c"}.get(adapter, "a")
    deep(Path("raw") / place, 1000)
    if adapter == "urdf_folder":
        Path("raw/c/source.yaml").write_text(COLLECTION)
        Path("raw/c/m.urdf").write_bytes(corpus.urdf())
    (said,) = refused(Path("raw"), adapter)
    assert "folder_invalid" in said
    assert f"more than {walk.DEEPEST} deep" in said


def test_an_object_of_too_many_files_is_one_reject(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MOST_ENTRIES", 50)
    Path("raw/a/b").mkdir(parents=True)
    for number in range(60):
        Path(f"raw/a/{'b' if number % 2 else '.'}/{number}").write_text("x")
    (said,) = refused(Path("raw"), "generated")
    assert "folder_invalid" in said
    assert "holds too much" in said
    with pytest.raises(Rejection):
        FolderFiles(Path("raw/a"), most_bytes=10).names()


def test_an_archive_may_not_be_deeper_than_what_is_read() -> None:
    assert safe_name("/".join(["d"] * walk.DEEPEST), "x.tar") == "/".join(["d"] * walk.DEEPEST)
    with pytest.raises(FetchError, match=f"1,900 levels deep; at most {walk.DEEPEST} are"):
        safe_name("/".join(["d"] * 1900), "x.tar")


def looked_at(folder: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Plan a collection of many models in one folder; return how often a file was looked at."""
    (folder / "c").mkdir(parents=True)
    (folder / "c/source.yaml").write_text(COLLECTION)
    for number in range(count):
        (folder / f"c/{number}.urdf").write_bytes(b"<robot/>")
    looks = 0
    original = Path.lstat

    def counted(path: Path) -> os.stat_result:
        nonlocal looks
        looks += 1
        return original(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "lstat", counted)
        assert len(scan_source("local", "urdf_folder", folder)) == count
    return looks


def test_models_in_one_folder_are_looked_at_a_fixed_number_of_times(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = looked_at(Path("few"), 150, monkeypatch)
    many = looked_at(Path("many"), 600, monkeypatch)
    assert many < 5 * few  # the square would be sixteen times as many


def test_every_change_of_a_crowded_folder_is_found(elsewhere: Path) -> None:
    root = Path("raw")
    (root / "c").mkdir(parents=True)
    (root / "c/source.yaml").write_text(COLLECTION)
    for number in range(300):
        (root / f"c/{number}.urdf").write_bytes(b"<robot/>")
    before = scan_source("local", "urdf_folder", root)
    (root / "c/7.urdf").write_bytes(b"<robot />")
    after = scan_source("local", "urdf_folder", root)
    pairs = list(zip(before, after, strict=True))
    assert all(one.digest != two.digest and one.mark != two.mark for one, two in pairs)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("unit: 0x" + "f" * 5000, "an integer has more than 39 digits"),
        ("unit: 0x" + "f" * 500, "an integer has more than 39 digits"),
        ("unit: 0" + "7" * 5000, "an integer has more than 39 digits"),
        ("unit: 0b" + "1" * 5000, "an integer has more than 39 digits"),
        ("unit: 1" + ":59" * 3000, "an integer has more than 39 digits"),
        ("unit: -" + "9" * 400, "an integer has more than 39 digits"),
        ("unit: " + "9" * 5000, "is not usable YAML"),
        ("unit: 1" + "0" * 38, "unit: 1.* is greater than the maximum"),
        ("unit: 1.0e+300", "unit: 1e\\+300 is greater than the maximum"),
        ("unit: 1.0e-300", "unit: 1e-300 is less than the minimum"),
        ("0x" + "f" * 900 + ": 1", "an integer has more than 39 digits"),
        ("extra: {0x" + "f" * 900 + ": 1}", "an integer has more than 39 digits"),
        ("extra: !!set {0x" + "f" * 5000 + "}", "an integer has more than 39 digits"),
        ("extra: !!pairs [a: 0x" + "f" * 5000 + "]", "an integer has more than 39 digits"),
        ("extra: !!omap [.inf: 1]", "inf is not a finite number"),
    ],
)
def test_a_number_of_one_source_yaml_refuses_that_collection_alone(
    elsewhere: Path, line: str, words: str
) -> None:
    plain = "".join(one for one in COLLECTION.splitlines(True) if not one.startswith("unit"))
    for name, more in (("a", "unit: 1\n"), ("b", f"{line}\n"), ("c", "unit: 0.001\n")):
        Path(f"raw/{name}").mkdir(parents=True)
        Path(f"raw/{name}/source.yaml").write_text(plain + more)
        Path(f"raw/{name}/m.urdf").write_bytes(corpus.urdf())
    assert len(scan_source("local", "urdf_folder", Path("raw"))) == 3
    (said,) = refused(Path("raw"), "urdf_folder")
    assert re.search(rf"metadata_invalid: b/source\.yaml: .*{words}", said), said[:300]


def repeated(path: Path, rows: int, cell: str) -> None:
    """Write a Parquet file in which one cell is repeated many times, in a few bytes."""
    column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([cell]))
    table = pa.table({"rel_path": column, "tier": column, "caption": column})
    pq.write_table(table, path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 400_000


@pytest.mark.parametrize(
    ("rows", "cell", "words"),
    [
        (3_000_000, "x" * 200, "3000000 rows"),
        (100_000, "x" * 900_000, "over 256000000 characters"),
        (10, "x" * 2_000_000, "cell of more than 1000000 characters"),
    ],
)
def test_a_manifest_of_a_few_bytes_cannot_fill_the_memory(
    tmp_path: Path, rows: int, cell: str, words: str
) -> None:
    repeated(tmp_path / "manifest.parquet", rows, cell)
    command = [sys.executable, "-c", LIMITED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "manifest.parquet cannot be read" in done.stdout, done.stderr
    assert words in done.stdout


def test_a_manifest_with_a_list_in_a_cell_is_a_sentence(tmp_path: Path) -> None:
    table = pa.table({"rel_path": ["a"], "caption": [["x"] * 5]})
    pq.write_table(table, tmp_path / "manifest.parquet")
    with pytest.raises(PipelineError, match="'caption' is a duplicate or does not contain single"):
        list(articulated_object_code.discover(tmp_path))


def linked(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    outside = path.parent.parent / "outside.txt"
    outside.write_text("rel_path,tier\nsecret,viable\n")
    path.symlink_to(outside.absolute())


def dangling(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to("nowhere")


def pipe(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


@pytest.mark.timeout(60)  # an open pipe waits for ever
@pytest.mark.parametrize("make", [linked, dangling, pipe])
@pytest.mark.parametrize(
    ("adapter", "name"),
    [
        (articulated_object_code, "manifest.csv"),
        (articulated_object_code, "manifest.parquet"),
        (gapartnet_akb48, "akb48_all_id_list.txt"),
        (gapartnet_akb48, "meta/akb48_all_id_list.txt"),
    ],
)
def test_an_index_that_is_a_link_or_a_pipe_is_refused_unread(
    tmp_path: Path, make: Callable[[Path], None], adapter: SimpleNamespace, name: str
) -> None:
    make(tmp_path / "raw" / name)
    with pytest.raises(PipelineError, match=r"is (a link|not a regular file).*\."):
        list(adapter.discover(tmp_path / "raw"))


def test_a_linked_folder_of_an_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/akb48_all_id_list.txt").write_text("Box 100\n")
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw/meta").symlink_to(tmp_path / "outside")
    with pytest.raises(PipelineError, match="meta is a link"):
        list(gapartnet_akb48.discover(tmp_path / "raw"))


def test_a_long_label_is_refused_before_it_is_searched(elsewhere: Path) -> None:
    Path("raw/a").mkdir(parents=True)
    Path("raw/a/model.urdf").write_bytes(corpus.urdf())
    Path("raw/a/meta.json").write_text('{"name": "a", "category": "' + "_1" * 400_000 + 'x"}')
    (said,) = refused(Path("raw"), "generated")
    assert said.startswith("metadata_invalid: its label has more than 2000 characters")
