# SPDX-License-Identifier: Apache-2.0
"""Law: the collection is a function of seed and count, and leaves what is right untouched."""

import json
from pathlib import Path

from pipeline.generate.collection import generate_collection, members
from pipeline.generate.layout import object_name
from pipeline.generate.registry import family_categories, family_names

SEED = 7


def content(root: Path) -> dict[str, bytes]:
    """Every file under a root, by relative path."""
    files = (p for p in root.rglob("*") if p.is_file())
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in files}


def test_two_roots_and_two_processes_give_the_same_bytes(collection: Path, tmp_path: Path) -> None:
    count = len(family_names())
    generate_collection(tmp_path, seed=SEED, count=count, workers=2, progress=False)
    assert content(tmp_path) == content(collection)


def test_a_smaller_count_is_a_subset(collection: Path, tmp_path: Path) -> None:
    ids = generate_collection(tmp_path, seed=SEED, count=5, progress=False)
    assert len(ids) == 5
    assert content(tmp_path).items() <= content(collection).items()


def test_another_seed_gives_other_objects(collection: Path, tmp_path: Path) -> None:
    ids = generate_collection(tmp_path, seed=SEED + 1, count=3, progress=False)
    here, there = content(tmp_path), content(collection)
    assert all(here[f"{i}/model.urdf"] != there[f"{i}/model.urdf"] for i in ids)


def test_members_go_round_the_sorted_families() -> None:
    names = family_names()
    assert names == sorted(names)
    wanted = members(2000)
    assert wanted[: len(names)] == [(name, 0) for name in names]
    assert len(set(wanted)) == len(wanted)
    for name in names:
        indices = [index for family, index in wanted if family == name]
        assert indices == list(range(len(indices)))


def test_a_round_holds_every_category_of_every_family_once() -> None:
    pairs = [(name, k) for name in family_names() for k in range(len(family_categories(name)))]
    assert sorted(members(len(pairs))) == sorted(pairs)


def test_rerun_touches_nothing_and_repairs_what_is_broken(tmp_path: Path) -> None:
    ids = generate_collection(tmp_path, seed=SEED, count=4, progress=False)
    before = content(tmp_path)
    stamps = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")}
    generate_collection(tmp_path, seed=SEED, count=4, progress=False)
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")} == stamps
    (tmp_path / ids[0] / "model.urdf").write_text("broken")
    (tmp_path / ids[1] / "stray.txt").write_text("stray")
    generate_collection(tmp_path, seed=SEED, count=4, progress=False)
    assert content(tmp_path) == before


def test_only_our_folders_are_removed(tmp_path: Path) -> None:
    generate_collection(tmp_path, seed=SEED, count=3, progress=False)
    (tmp_path / "notes_00001").mkdir()
    (tmp_path / "README.txt").write_text("mine")
    leftover = tmp_path / f".{object_name('door', 0)}.new"
    leftover.mkdir()
    ids = generate_collection(tmp_path, seed=SEED, count=1, progress=False)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["README.txt", ids[0], "notes_00001"]


def test_meta_describes_the_object(collection: Path) -> None:
    for path in collection.glob("*/meta.json"):
        meta = json.loads(path.read_text())
        assert path.parent.name.startswith(meta["family"] + "_")
        assert (meta["license"], meta["seed"]) == ("CC0-1.0", SEED)
        assert meta["description"].endswith(".") and ". " not in meta["description"]
        assert meta["category"].replace("_", "").isalpha() and meta["category"].islower()
        assert meta["category"] in family_categories(meta["family"])
        assert meta["parameters"] and meta["parts"]


def test_files_hold_no_negative_zero_and_no_absolute_path(collection: Path) -> None:
    for name, data in content(collection).items():
        assert b"-0.000000 " not in data and b"-0.000000\n" not in data, name
        assert str(collection).encode() not in data, name
