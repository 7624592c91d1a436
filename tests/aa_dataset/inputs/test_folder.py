# SPDX-License-Identifier: Apache-2.0
"""Whole objects only, the same bytes, and a sentence for what cannot be."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from aa_dataset.cli import main
from aa_dataset.dataset import Dataset
from aa_dataset.files import WriteError
from aa_dataset.format.layout import GLB
from aa_dataset.inputs import folder as folders
from aa_dataset.inputs.folder import (
    CLOUDS,
    PICTURES,
    Order,
    expected_bytes,
    prepare,
    require_room,
    write_all,
)
from aa_dataset.inputs.layouts import LAYOUTS
from aa_dataset.inputs.make import InputsError, Settings
from aa_dataset.inputs.meshes import Extent
from aa_dataset.render.glb import read_glb
from tests.kit.inputs_library import BARE, CABINET, JAR, LAMP

Run = Callable[..., int]
OBJECTS = (CABINET, LAMP, JAR)


def digest(folder: Path) -> str:
    """Return one digest of names and contents of all files."""
    total = hashlib.sha256()
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        total.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def test_two_runs_and_two_numbers_of_workers_write_the_same_bytes(run: Run, tmp_path: Path) -> None:
    for name, words in (("a", ()), ("b", ()), ("c", ("--workers", "2"))):
        assert run(tmp_path / name, "--truth", *words, objects=OBJECTS) == 0
    one, two, three = (digest(tmp_path / name) for name in "abc")
    assert one == two == three


def test_another_seed_moves_otherwise(run: Run, tmp_path: Path) -> None:
    for seed in ("0", "1"):
        assert run(tmp_path / seed, "--truth", "--seed", seed) == 0
    told = [
        json.loads((tmp_path / seed / "truth" / f"{CABINET}.json").read_text())["joints"]
        for seed in ("0", "1")
    ]
    assert all(told[0][name] != told[1][name] for name in told[0])


def test_the_record_says_what_the_files_are(run: Run, tmp_path: Path, dataset: Dataset) -> None:
    assert run(tmp_path / "out") == 0
    folder = tmp_path / "out" / CABINET
    told = json.loads((folder / "inputs.json").read_text())
    assert (told["object"], told["unit"], told["up"], told["seed"]) == (CABINET, "m", "z", 0)
    assert told["front"] is None  # the kit's objects state none
    named = {name for name in told["files"]}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert named | {"inputs.json"} == there
    for name, value in told["files"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == value
    # Half the diagonal and the mean, from the vertices that the OBJ lists.
    for state, said in told["states"].items():
        lines = (folder / said["mesh"]).read_text().splitlines()
        points = np.array([line.split()[1:] for line in lines if line.startswith("v ")], float)
        low, high = points.min(axis=0), points.max(axis=0)
        assert said["center"] == pytest.approx(((low + high) / 2).tolist(), abs=1e-8)
        assert said["radius"] == pytest.approx(np.linalg.norm(high - low) / 2)
        away = np.linalg.norm(points - points.mean(axis=0), axis=1).max()
        assert said["farthest"] == pytest.approx(away), state
    rest = told["states"]["rest"]
    assert [told[name] for name in ("center", "extents", "radius")] == [
        rest[name] for name in ("center", "extents", "radius")
    ]
    assert told["mesh_center"] == rest["centroid"]


def test_extents_of_a_known_box() -> None:
    corners = np.array([[x, y, z] for x in (0, 2) for y in (0, 4) for z in (0, 4)], np.float32)
    extent = Extent.of(corners)
    assert extent.radius == extent.sphere_radius == extent.farthest == 3.0
    assert extent.center.tolist() == extent.centroid.tolist() == [1, 2, 2]


def test_a_rerun_continues_and_repairs_nothing_that_is_there(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(out, objects=(CABINET, LAMP)) == 0
    whole = digest(out)
    stamp = (out / LAMP / "inputs.json").stat().st_mtime_ns
    shutil.rmtree(out / CABINET)
    half = out / f"{folders.HIDDEN}{CABINET}-1"
    half.mkdir()
    (half / "inputs.json").write_text("half")
    assert run(out, objects=(CABINET, LAMP)) == 0
    assert digest(out) == whole
    assert (out / LAMP / "inputs.json").stat().st_mtime_ns == stamp


def test_a_run_that_is_killed_leaves_whole_objects_only(
    shown_library: Path, tmp_path: Path
) -> None:
    """The process ends while the files of an object are being written."""
    program = """
import os, sys
from pathlib import Path
from aa_dataset.cli import main
count, write = 0, Path.write_bytes
def killed(path, data):
    global count
    count += ".making-" in str(path)
    if count == 9:
        os._exit(9)
    return write(path, data)
Path.write_bytes = killed
main(sys.argv[1:])
"""
    words = ["inputs", "--objects", CABINET, "--library", str(shown_library), "--views", "4"]
    words += ["--size", "64", "--out", str(tmp_path / "out")]
    done = subprocess.run([sys.executable, "-c", program, *words], check=False)
    assert done.returncode == 9
    assert not (tmp_path / "out" / CABINET).exists()
    assert main(words) == 0
    assert not list((tmp_path / "out").glob(".*"))


def test_an_object_without_geometry_is_named_and_the_others_are_written(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path / "out", objects=(BARE, JAR)) == 1
    said = capsys.readouterr()
    assert f"{BARE} has no inputs: There is nothing to draw" in said.err
    assert "inputs of 1 objects" in said.out
    assert {path.name for path in (tmp_path / "out").iterdir()} == {JAR, "settings.json"}


def test_a_folder_of_somebody_else_is_left_alone(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("work")
    assert run(tmp_path) == 2
    assert "holds something else" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    assert run(tmp_path / "mine.txt") == 2
    assert "is not a folder" in capsys.readouterr().err


@pytest.mark.parametrize("change", [("--views", "4"), ("--seed", "3"), ("--blind",)])
def test_a_folder_of_other_settings_is_refused(
    run: Run, tmp_path: Path, change: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path / "out") == 0
    assert run(tmp_path / "out", *change) == 2
    assert "other settings" in capsys.readouterr().err


def test_a_dry_run_says_gigabytes_and_writes_nothing(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path / "out", "--dry-run") == 0
    assert "about 0.00 GB" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_room_is_counted_in_bytes(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free
    require_room(tmp_path / "out", free // 2)
    with pytest.raises(InputsError, match="Free space there"):
        require_room(tmp_path / "out", 2 * free)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_expected_size_is_about_the_written_one(
    dataset: Dataset, tmp_path: Path, layout: str
) -> None:
    """Within a factor of four on small boxes, whose pictures and meshes weigh little."""
    size = 256 if layout in {*PICTURES, *CLOUDS} else 384  # else hardly anything is written
    chosen = Settings(layout, views=6, size=size)
    asked = Order(dataset.select([CABINET, LAMP]), tmp_path / "out", chosen)
    list(write_all(asked, prepare(asked)))
    written = sum(path.stat().st_size for path in asked.out.rglob("*") if path.is_file())
    assert written / 2 < expected_bytes(asked.settings, asked.dataset) + 20_000 < 8 * written


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 256 kB, for root alone."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_more_than_the_disk_holds_is_refused_before_anything_is_written(
    tiny_disk: Path, dataset: Dataset
) -> None:
    asked = Order(dataset, tiny_disk / "out", Settings())
    with pytest.raises(InputsError, match=r"need about .* GB, and .* GB are free"):
        prepare(asked)
    assert not (tiny_disk / "out").exists()


def test_a_full_disk_is_a_sentence_and_leaves_nothing_half_written(
    tiny_disk: Path, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if another program had filled the disk after the room was counted."""
    asked = Order(dataset.select([CABINET]), tiny_disk / "out", Settings(views=4, size=96))
    monkeypatch.setattr(folders, "require_room", lambda *_: None)
    waiting = prepare(asked)
    with pytest.raises(WriteError, match=r"cannot be written \(No space left"):
        list(write_all(asked, waiting))
    assert [path.name for path in (tiny_disk / "out").iterdir()] == ["settings.json"]


def test_damaged_geometry_is_a_sentence(dataset: Dataset) -> None:
    """Every cut of a GLB, and every byte of its head changed, is read or refused."""
    data = dataset[CABINET].read(GLB)
    length = int.from_bytes(data[12:16], "little")
    for end in range(0, len(data) - 1, 97):
        read_or_refused(data[:end])
    for place in range(0, 20 + length, 7):
        read_or_refused(data[:place] + bytes([data[place] ^ 0x15]) + data[place + 1 :])


def read_or_refused(data: bytes) -> None:
    from aa_dataset.errors import RenderError

    try:
        model = read_glb(data)
    except RenderError as error:
        assert str(error).endswith(".")
    else:
        assert all(np.isfinite(piece.points).all() for piece in model.pieces)
