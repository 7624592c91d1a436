# SPDX-License-Identifier: Apache-2.0
"""Files appear whole, flushed and in this order; what the disk refuses is a sentence."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from aa_dataset.files import WriteError, flush_disk, replacing, write_bytes


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Write down the calls to the system that matter after a power cut, and do them."""
    seen: list[str] = []
    fsync, replace = os.fsync, os.replace

    def spied_fsync(descriptor: int) -> None:
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        seen.append(f"fsync {name.split('.tmp')[0]}")
        fsync(descriptor)

    def spied_replace(source: Path, target: Path) -> None:
        seen.append(f"rename {Path(target).name}")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", spied_fsync)
    monkeypatch.setattr(os, "replace", spied_replace)
    return seen


def test_a_file_is_on_the_disk_before_its_name_and_its_name_before_the_end(
    tmp_path: Path, calls: list[str]
) -> None:
    folder = tmp_path / "folder"
    write_bytes(folder / "a.txt", b"data")
    assert calls == ["fsync a.txt", "rename a.txt", "fsync folder"]
    assert [path.name for path in folder.iterdir()] == ["a.txt"]


def test_counters_are_not_flushed(tmp_path: Path, calls: list[str]) -> None:
    write_bytes(tmp_path / "counter", b"1", lasting=False)
    assert calls == ["rename counter"]


def test_a_block_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(KeyError), replacing(path) as temporary:
        temporary.write_bytes(b"new")
        raise KeyError
    assert path.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_file_beyond_the_limit_names_folder_and_bytes(tmp_path: Path) -> None:
    """In a process of its own, whose limit cannot be raised again."""
    program = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from aa_dataset.files import write_bytes\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n"
        "    write_bytes(Path(sys.argv[1]), bytes(5000))\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "deep" / "a")],
        capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.stdout.startswith("WriteError")
    assert "it needs at least 5,000 bytes" in done.stdout
    assert str(tmp_path / "deep") in done.stdout
    assert not list((tmp_path / "deep").iterdir())


def test_errors_about_other_files_pass_unchanged(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), replacing(tmp_path / "a"):
        raise PermissionError(13, "no", "/elsewhere/file")
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "a"):
        (tmp_path / "absent").read_bytes()


def test_the_error_crosses_processes(tmp_path: Path) -> None:
    error = pickle.loads(pickle.dumps(WriteError("a sentence")))
    assert (type(error), str(error)) == (WriteError, "a sentence")


def test_a_whole_disk_can_be_flushed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    flush_disk(tmp_path)


def test_a_pipe_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    # Like /dev/null, which root would replace for the whole machine.
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WriteError, match="is a device, a pipe or a socket"):
        write_bytes(tmp_path / "pipe", b"x")
    assert (tmp_path / "pipe").is_fifo() and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["/", ".", ""])
def test_a_path_without_a_name_is_a_sentence(name: str) -> None:
    with pytest.raises(WriteError, match="not the name of a file"):
        write_bytes(Path(name), b"x")
