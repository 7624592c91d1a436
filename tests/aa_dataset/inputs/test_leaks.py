# SPDX-License-Identifier: Apache-2.0
"""What a method is given tells nothing of parts: no name, no group, no order, no joint value."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aa_dataset.dataset import Dataset
from aa_dataset.inputs.layouts import LAYOUTS
from aa_dataset.inputs.make import Made
from aa_dataset.inputs.states import MOVED, REST, STATES
from tests.kit.inputs_library import CABINET, JAR, LAMP, SECRET

Run = Callable[..., int]


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, and those inside of archives."""
    found = {}
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        found[path.relative_to(folder).as_posix()] = path.read_bytes()
        if path.suffix == ".npz":
            with zipfile.ZipFile(path) as archive:
                found |= {f"{path.name}/{name}": archive.read(name) for name in archive.namelist()}
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_file_names_a_link_or_a_joint(run: Run, tmp_path: Path, layout: str) -> None:
    assert run(tmp_path / "out", "--layout", layout) == 0
    files = contents(tmp_path / "out")
    assert len(files) >= 3
    for name, data in files.items():
        for word in (*SECRET, "look_"):
            assert word.encode() not in data and word not in name, name
        assert b"usemtl" not in data or data.count(b"usemtl") == 1
        assert not [line for line in data.split(b"\n") if line.startswith((b"g ", b"o ", b"s "))]
    assert not (tmp_path / "out" / "truth").exists()


def test_the_glb_is_one_mesh_with_one_material(run: Run, tmp_path: Path) -> None:
    assert run(tmp_path / "out") == 0
    for state in STATES:
        data = (tmp_path / "out" / CABINET / state / "mesh.glb").read_bytes()
        length = int.from_bytes(data[12:16], "little")
        tree = json.loads(data[20 : 20 + length])
        assert [len(tree[key]) for key in ("nodes", "meshes", "materials", "images")] == [1] * 4
        assert len(tree["meshes"][0]["primitives"]) == 1
        assert "name" not in json.dumps(tree)


@pytest.mark.parametrize("state", STATES)
def test_the_order_of_triangles_tells_nothing_of_parts(made: Made, state: str) -> None:
    """Wald-Wolfowitz: the number of runs of equal pieces is that of a random order."""
    pieces = made.states[state].mesh.pieces
    assert abs(runs_z(pieces)) < 4
    assert abs(runs_z(np.sort(pieces))) > 4  # the order of the file, by parts, is found out


@pytest.mark.parametrize("state", STATES)
def test_the_order_of_vertices_tells_nothing_of_parts(made: Made, state: str) -> None:
    """A vertex is numbered by the first triangle that uses it, so its number is as random."""
    mesh = made.states[state].mesh
    first = np.unique(mesh.faces.ravel(), return_index=True)[1]
    assert (np.diff(first) > 0).all()


def runs_z(labels: np.ndarray) -> float:
    """Return by how many deviations the changes between neighbors differ from a random order."""
    count, shares = len(labels), np.bincount(labels) / len(labels)
    same = (shares**2).sum()  # chance that two neighbors are of one piece
    changes = (np.diff(labels) != 0).sum()
    spread = np.sqrt((count - 1) * same * (1 - same))
    return float((changes - (count - 1) * (1 - same)) / spread)


def test_equal_numbers_in_both_states_are_not_equal_triangles(made: Made) -> None:
    """Else the mesh at rest and the moved one would tell how every point moves."""
    rest, moved = (made.states[name].mesh.pieces for name in (REST, MOVED))
    by_chance = ((np.bincount(rest) / len(rest)) ** 2).sum()
    assert (rest == moved).mean() < by_chance + 4 * np.sqrt(by_chance / len(rest))


def test_truth_is_written_only_when_asked_for_and_apart(
    run: Run, tmp_path: Path, dataset: Dataset, made: Made
) -> None:
    assert run(tmp_path / "out", "--truth") == 0
    truth = tmp_path / "out" / "truth"
    assert sorted(path.name for path in truth.iterdir()) == [f"{CABINET}.json", f"{CABINET}.npz"]
    told = json.loads((truth / f"{CABINET}.json").read_text())
    assert told["joints"] == dict(made.coordinates)
    limits = {joint.name: joint.limits for joint in dataset[CABINET].joints}
    for name, value in told["joints"].items():
        assert limits[name][0] <= value <= limits[name][1] and value != 0
    labels = np.load(truth / f"{CABINET}.npz")
    # The drawer is the only red box: its twelve triangles, and no other, are labeled so.
    mesh = made.states[MOVED].mesh
    drawer = labels["moved"] == told["links"].index("secret_drawer")
    x = mesh.points[mesh.faces].astype(float)[drawer][..., 0]
    slide = told["joints"]["secret_drawer_joint"]
    assert drawer.sum() == 12
    assert (x.min(), x.max()) == pytest.approx((0.05 + slide, 0.35 + slide), abs=1e-6)


def test_blind_names_are_neutral_and_the_key_is_outside(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(out, "--blind", objects=(CABINET, LAMP)) == 0
    key = json.loads((tmp_path / "out.key.json").read_text())
    assert sorted(key.values()) == [CABINET, LAMP]
    assert sorted(key) == sorted(path.name for path in out.iterdir() if path.is_dir())
    for name, data in contents(out).items():
        for word in ("cabinet", "lamp", "made for tests"):
            assert word not in name and word.encode() not in data, name


def test_nothing_that_is_handed_on_tells_the_seed_of_neutral_names(
    run: Run, tmp_path: Path
) -> None:
    """The names are a shuffle, which anybody with the library could repeat."""
    seed = 7_204_113_358_914_207
    for words in ((), ("--blind",)):
        out = tmp_path / f"out{len(words)}"
        assert run(out, "--seed", str(seed), *words, objects=(CABINET, LAMP)) == 0
        told = [name for name, data in contents(out).items() if str(seed).encode() in data]
        assert bool(told) == (not words), told


def test_the_key_of_other_names_is_not_replaced(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder may be gone while what a method made of it is still to be scored."""
    out, key = tmp_path / "out", tmp_path / "out.key.json"
    assert run(out, "--blind", objects=(CABINET, LAMP)) == 0
    before = key.read_bytes()
    assert run(out, "--blind", "--seed", "8", objects=(CABINET, LAMP)) == 2
    assert "other settings" in capsys.readouterr().err
    out.rename(tmp_path / "handed_on")
    assert run(out, "--blind", objects=(CABINET, LAMP, JAR)) == 2
    assert "out.key.json is the key of other names. Move it away" in capsys.readouterr().err
    assert key.read_bytes() == before and not out.exists()
    assert run(out, "--blind", objects=(CABINET, LAMP)) == 0  # the same names
    assert key.read_bytes() == before


def test_the_key_of_the_current_folder_is_beside_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run(Path(), "--blind") == 0
    assert (tmp_path / "here.key.json").is_file()
