# SPDX-License-Identifier: Apache-2.0
"""The one way to raw files: nothing outside the object can be read through it."""

from __future__ import annotations

import io
import os
import resource
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base.errors import MachineError, Rejection
from pipeline.raw.files import MemoryFiles, RawFiles, open_raw, total_bytes

MOST = 1000
SECRET = b"secret"


def reason(files: RawFiles, name: str, beside: str = "") -> str:
    """Return why a file cannot be read."""
    with pytest.raises(Rejection) as caught:
        files.read(name, beside=beside)
    assert caught.value.detail.endswith(".")
    return str(caught.value.reason)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a source with the object `door`, siblings `urdf/7.urdf` and `parts/7`, a secret."""
    root = tmp_path / "raw"
    (root / "door" / "meshes").mkdir(parents=True)
    (root / "door" / "model.urdf").write_bytes(b"urdf")
    (root / "door" / "meshes" / "a b.obj").write_bytes(b"mesh")
    (root / "urdf").mkdir()
    (root / "urdf" / "7.urdf").write_bytes(b"seven")
    (root / "urdf" / "8.urdf").write_bytes(SECRET)
    (root / "parts" / "7").mkdir(parents=True)
    (root / "parts" / "7" / "x.obj").write_bytes(b"x")
    (tmp_path / "secret").write_bytes(SECRET)
    return root


def test_names_of_a_folder_are_relative_to_it(source: Path) -> None:
    files = open_raw(source, ("door",), most_bytes=MOST)
    assert files.names() == ["meshes/a b.obj", "model.urdf"]
    assert files.read("meshes/a b.obj") == b"mesh"
    assert files.read("../model.urdf", beside="meshes/a b.obj") == b"urdf"
    assert files.read("meshes\\a b.obj") == b"mesh"
    assert files.has("model.urdf") and not files.has("meshes") and not files.has("nothing")


def test_names_of_siblings_are_relative_to_the_source(source: Path) -> None:
    files = open_raw(source, ("urdf/7.urdf", "parts/7"), most_bytes=MOST)
    assert files.names() == ["parts/7/x.obj", "urdf/7.urdf"]
    assert files.read("../parts/7/x.obj", beside="urdf/7.urdf") == b"x"
    assert reason(files, "8.urdf", beside="urdf/7.urdf") == "mesh_outside"
    assert not files.has("urdf/8.urdf")


@pytest.mark.parametrize(
    "name",
    ["../secret", "/etc/passwd", "../../secret", "a/../../secret", "..\\secret", "C:/secret",
     "file:///etc/passwd", "http://localhost/x", "HTTPS://x/y", "model://x", "a\0b", "..",
     "package://robot/../../secret", "link", "linked/secret"],
)  # fmt: skip
def test_nothing_outside_is_read(source: Path, name: str) -> None:
    (source / "door" / "link").symlink_to(source.parent / "secret")
    (source / "door" / "linked").symlink_to(source.parent)
    assert reason(open_raw(source, ("door",), most_bytes=MOST), name) == "mesh_outside"


@pytest.mark.parametrize(
    "name", ["nothing", "meshes", "circle", "x" * 5000, "pipe", "package://r/x"]
)
def test_what_is_no_file_is_missing(source: Path, name: str) -> None:
    (source / "door" / "circle").symlink_to("circle")
    os.mkfifo(source / "door" / "pipe")
    assert reason(open_raw(source, ("door",), most_bytes=MOST), name) == "mesh_missing"


@pytest.mark.parametrize("name", ["package://door/meshes/a b.obj", "package://meshes/a b.obj"])
def test_a_package_is_the_object_itself(source: Path, name: str) -> None:
    files = open_raw(source, ("door",), most_bytes=MOST)
    assert files.read(name, beside="model.urdf") == b"mesh"
    assert files.read(name, beside="meshes/a b.obj") == b"mesh"


@given(st.text(max_size=40), st.sampled_from(["", "model.urdf", "meshes/a b.obj"]))
def test_no_text_at_all_leads_out(name: str, beside: str) -> None:
    files = MemoryFiles({"model.urdf": b"u", "meshes/a b.obj": b"m"}, most_bytes=MOST)
    try:
        resolved = files.resolve(name, beside=beside)
    except Rejection:
        return
    assert not resolved.startswith(("/", "../")) and resolved != ".."


def test_a_file_beyond_the_budget_is_refused(source: Path) -> None:
    (source / "door" / "big").write_bytes(bytes(MOST + 1))
    files = open_raw(source, ("door",), most_bytes=MOST)
    assert reason(files, "big") == "too_many_bytes"
    with pytest.raises(Rejection, match="too_many_bytes"):
        files.read("model.urdf", most=3)


def archive(path: Path, *members: tuple[tarfile.TarInfo, bytes], gzip: bool = True) -> str:
    """Write a tar into a source and return its name."""
    with tarfile.open(path, "w:gz" if gzip else "w") as tar:
        for member, data in members:
            tar.addfile(member, io.BytesIO(data))
    return path.name


def member(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, to: str = "") -> tuple:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(data), kind, to
    return info, data


@pytest.mark.parametrize("top", ["rec_1/", ""])
@pytest.mark.parametrize("gzip", [True, False])
def test_an_archive_is_read_like_the_folder_that_it_holds(
    tmp_path: Path, top: str, gzip: bool
) -> None:
    name = "rec_1.tar.gz" if gzip else "rec_1.tar"
    archive(
        tmp_path / name,
        member(f"{top}model.urdf", b"urdf"),
        member(f"{top}assets/meshes/a.obj", b"mesh"),
        gzip=gzip,
    )
    files = open_raw(tmp_path, (name,), most_bytes=MOST)
    assert files.names() == ["assets/meshes/a.obj", "model.urdf"]
    assert files.read("assets/meshes/a.obj", beside="model.urdf") == b"mesh"
    assert reason(files, "../x") == "mesh_outside"


@pytest.mark.parametrize(
    "bad",
    [
        member("../evil", b"x"), member("/etc/evil", b"x"), member("a/../../evil", b"x"),
        member("link", kind=tarfile.SYMTYPE, to="/etc/passwd"),
        member("hard", kind=tarfile.LNKTYPE, to="/etc/passwd"),
        member("device", kind=tarfile.CHRTYPE), member("pipe", kind=tarfile.FIFOTYPE),
        member("file:x", b"x"), member("..\\evil", b"x"),
    ],
)  # fmt: skip
def test_a_malicious_member_rejects_the_object(tmp_path: Path, bad: tuple) -> None:
    name = archive(tmp_path / "x.tar.gz", member("model.urdf", b"urdf"), bad)
    with pytest.raises(Rejection, match="archive_invalid"):
        open_raw(tmp_path, (name,), most_bytes=MOST)
    assert list(tmp_path.iterdir()) == [tmp_path / "x.tar.gz"]  # nothing was unpacked


def test_an_archive_that_claims_or_holds_too_much_is_refused_before_it_is_read(
    tmp_path: Path,
) -> None:
    huge = tarfile.TarInfo("model.urdf")
    huge.size = 10**12
    (tmp_path / "claims.tar").write_bytes(huge.tobuf() + bytes(1024))
    name = archive(tmp_path / "bomb.tar.gz", member("a", bytes(MOST)), member("b", b"x"))
    for path in ("claims.tar", name):
        with pytest.raises(Rejection, match="too_many_bytes"):
            open_raw(tmp_path, (path,), most_bytes=MOST)


@pytest.mark.parametrize("data", [b"", b"no tar", b"\x1f\x8b\x08\x00cut", bytes(511), b"\0" * 100])
def test_an_archive_that_is_none_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.tar.gz").write_bytes(data)
    with pytest.raises(Rejection, match="archive_invalid"):
        open_raw(tmp_path, ("x.tar.gz",), most_bytes=MOST)


def test_an_archive_truncated_at_any_byte_is_refused(tmp_path: Path) -> None:
    archive(tmp_path / "x.tar.gz", member("model.urdf", os.urandom(600)))
    whole = (tmp_path / "x.tar.gz").read_bytes()
    for length in range(0, len(whole) - 8, 37):
        (tmp_path / "x.tar.gz").write_bytes(whole[:length])
        try:
            files = open_raw(tmp_path, ("x.tar.gz",), most_bytes=MOST)
        except Rejection:
            continue
        assert len(files.read("model.urdf")) == 600  # only the padding was lost


def test_the_size_of_an_object_counts_everything_and_follows_no_link(source: Path) -> None:
    (source / "door" / "link").symlink_to("/usr")
    (source / "door" / "file").symlink_to("/etc/passwd")
    links = len("/usr") + len("/etc/passwd")
    assert total_bytes(source, ("door",)) == len(b"urdf") + len(b"mesh") + links
    assert total_bytes(source, ("urdf/7.urdf", "parts/7")) == len(b"seven") + len(b"x")
    assert total_bytes(source, ("nothing",)) == 0


@contextmanager
def no_open_files_left() -> Iterator[None]:
    """Let the system refuse to open any further file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def somebody_else() -> Iterator[None]:
    """Be a user whom file modes concern."""
    mine = os.geteuid()
    if mine == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(mine)


def test_no_open_files_left_is_not_the_objects_fault(source: Path) -> None:
    name = archive(source / "x.tar.gz", member("model.urdf", b"urdf"))
    files = open_raw(source, ("door",), most_bytes=MOST)
    with no_open_files_left():
        with pytest.raises(MachineError, match=r"model\.urdf cannot be read: .*ulimit -n"):
            files.read("model.urdf")
        with pytest.raises(MachineError, match=r"x\.tar\.gz cannot be read"):
            open_raw(source, (name,), most_bytes=MOST)
        with pytest.raises(MachineError, match="door cannot be read"):
            files.names()
    assert files.read("model.urdf") == b"urdf"


def test_a_file_that_we_may_not_read_is_named_with_the_next_step() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        Path(folder, "model.urdf").write_bytes(b"urdf")
        (Path(folder) / "closed").mkdir()
        Path(folder, "closed", "a.obj").write_bytes(b"mesh")
        files = open_raw(Path(folder), ("",), most_bytes=MOST)
        Path(folder, "model.urdf").chmod(0)
        Path(folder, "closed").chmod(0)
        with somebody_else():
            for name in ("model.urdf", "closed/a.obj"):
                with pytest.raises(MachineError, match=rf"{name} cannot be read: .*chmod u\+r"):
                    files.read(name)
            assert reason(files, "nothing") == "mesh_missing"
        Path(folder, "closed").chmod(0o755)
