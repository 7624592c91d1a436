# SPDX-License-Identifier: Apache-2.0
"""Predictions that would read elsewhere, wait for ever or exhaust the machine cost one row each."""

from __future__ import annotations

import os
import socket
from itertools import pairwise
from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.errors import TreeError
from aa_dataset.kinematics.joints import Joint
from aa_dataset.kinematics.trees import KinematicTree, _cycle_problem
from aa_dataset.score.budgets import (
    LONGEST_DETAIL,
    MOST_FILES,
    MOST_JOINTS,
    MOST_LINKS,
    PredictionError,
)
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.readers import Reading, open_predictions
from tests.kit.score_rows import joints as joint_rows
from tests.kit.score_rows import object_row

VICTIM = "generated-lamp"  # of three joints


@pytest.fixture
def dataset(pristine_library):
    return load_dataset(pristine_library, split="eval200", verbose=False)


@pytest.fixture
def folder(dataset, tmp_path):
    dataset.unpack(tmp_path / "predictions")
    return tmp_path / "predictions"


def scored(dataset, folder: Path):
    """Return the victim's row; all other objects must be untouched by what it did."""
    result = evaluate(dataset, open_predictions(folder))
    assert result.count("scored") >= 2 and len(result.per_object) == 3
    item = object_row(result, VICTIM)
    joints = [joint for joint in joint_rows(result) if joint.object_id == VICTIM]
    assert len(joints) == item.joints == 3  # whatever happened, every truth joint has its row
    if item.status == "unreadable":
        assert len(item.detail) <= LONGEST_DETAIL and item.detail.endswith((".", "..."))
        assert all(joint.e_alpha_phi_cost == joint.e_alpha_phi_weld for joint in joints)
    return item


def write(folder: Path, text: str) -> None:
    (folder / VICTIM / "object.urdf").write_text(text)


def joint(name: str, parent: str, child: str, kind: str = "revolute", extra: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="0 0 1"/><limit lower="0" upper="1"/>{extra}</joint>'
    )


def chain(count: int, kind: str = "revolute", *, cycle: bool = False) -> str:
    names = [f"l{k}" for k in range(count)]
    links = "".join(f'<link name="{name}"/>' for name in names)
    ends = [*pairwise(names), *([(names[-1], names[0])] if cycle else [])]
    joints = "".join(joint(f"j{k}", *pair, kind) for k, pair in enumerate(ends))
    return f'<robot name="x">{links}{joints}</robot>'


def one_joint(extra: str = "", name: str = "j", **changes: str) -> str:
    text = joint(name, "a", "b", extra=extra)
    for old, new in changes.items():
        text = text.replace({"axis": '"0 0 1"', "upper": 'upper="1"'}[old], new)
    return f'<robot name="x"><link name="a"/><link name="b"/>{text}</robot>'


def link_file(folder: Path, target: str) -> None:
    (folder / VICTIM / "object.urdf").unlink()
    (folder / VICTIM / "object.urdf").symlink_to(target)


def link_single_file(folder: Path, target: str) -> None:
    link_file(folder, target)
    (folder / VICTIM / "object.urdf").rename(folder / VICTIM / "mobility.urdf")


def link_folder(folder: Path, target: str) -> None:
    (folder / VICTIM).rename(folder.parent / "elsewhere")
    (folder / VICTIM).symlink_to(target)


def link_top_file(folder: Path, target: str) -> None:
    (folder / VICTIM).rename(folder.parent / "elsewhere")
    (folder / f"{VICTIM}.urdf").symlink_to(target)


@pytest.mark.parametrize("link", [link_file, link_single_file, link_folder, link_top_file])
@pytest.mark.parametrize("target", ["truth", "/proc", "/proc/self/environ", "/dev/zero", "nothing"])
def test_no_link_is_followed_in_any_place_to_any_target(dataset, folder, link, target):
    truth = folder.parent / "truth" / VICTIM
    truth.mkdir(parents=True)
    (truth / "object.urdf").write_bytes((folder / VICTIM / "object.urdf").read_bytes())
    if target == "truth":
        target = str(truth if link is link_folder else truth / "object.urdf")
    link(folder, target)
    item = scored(dataset, folder)
    assert item.status == "unreadable"
    assert "is a symbolic link, which is not followed. Put the file itself there." in item.detail


def test_the_folder_that_the_user_names_may_be_a_link(dataset, folder):
    (folder.parent / "link").symlink_to(folder)
    assert scored(dataset, folder.parent / "link").status == "scored"


def test_what_is_no_regular_file_is_not_opened(dataset, folder):
    path = folder / VICTIM / "object.urdf"
    path.unlink()
    os.mkfifo(path)
    assert "is not a regular file" in scored(dataset, folder).detail
    path.unlink()
    here = Path.cwd()
    os.chdir(path.parent)  # the address of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)
    assert "is not a regular file" in scored(dataset, folder).detail
    path.unlink()
    path.mkdir()
    assert "is not a regular file" in scored(dataset, folder).detail


def test_a_prediction_library_has_no_links_either(dataset, pristine_library, tmp_path):
    fake = tmp_path / "fake"
    fake.mkdir()
    for path in pristine_library.iterdir():
        (fake / path.name).symlink_to(path)
    with pytest.raises(PredictionError, match=r"library\.json of the predictions is a symbolic"):
        open_predictions(fake)
    (fake / "library.json").unlink()
    (fake / "library.json").write_bytes((pristine_library / "library.json").read_bytes())
    with pytest.raises(PredictionError, match=r"objects\.parquet of the predictions is a symbolic"):
        open_predictions(fake)


def test_two_predictions_of_one_object_are_none(dataset, folder):
    text = (folder / VICTIM / "object.urdf").read_bytes()
    (folder / f"{VICTIM}.urdf").write_bytes(text)
    detail = scored(dataset, folder).detail
    assert (
        detail
        == f"{VICTIM} and {VICTIM}.urdf are two predictions of one object. Remove one "
        + ("of them.")
    )


def test_a_folder_with_too_many_files_is_not_searched(dataset, folder):
    (folder / VICTIM / "object.urdf").unlink()
    for k in range(MOST_FILES + 1):
        (folder / VICTIM / f"{k}.urdf").touch()
    assert f"more than {MOST_FILES:,} files" in scored(dataset, folder).detail


@pytest.mark.parametrize("count", [MOST_LINKS + 1, 60_000])
def test_links_are_counted_before_they_are_read(dataset, folder, count):
    write(folder, chain(count, "fixed", cycle=True))
    detail = scored(dataset, folder).detail
    assert f"has {count:,} links; at most {MOST_LINKS:,} are read." in detail


def test_joints_are_counted_before_they_are_read(dataset, folder):
    links = '<link name="a"/><link name="b"/>'
    joints = "".join(joint(f"j{k}", "a", "b") for k in range(MOST_LINKS + 1))
    write(folder, f'<robot name="x">{links}{joints}</robot>')
    assert f"has {MOST_LINKS + 1:,} joints; at most" in scored(dataset, folder).detail


def test_the_largest_cycle_is_a_sentence(dataset, folder):
    write(folder, chain(MOST_LINKS, "fixed", cycle=True))
    assert f"in a cycle of the joints 'j0', 'j1', 'j10', 'j100' and {MOST_LINKS - 4:,} more" in (
        scored(dataset, folder).detail.replace("4996", "4,996")
    )


class Counting(dict):
    """A dict that counts how often it was asked."""

    asked = 0

    def __getitem__(self, key):
        self.asked += 1
        return super().__getitem__(key)


@pytest.mark.parametrize("tail", [0, 3000])
def test_a_cycle_is_found_in_steps_that_grow_with_its_length(tail):
    """Links `a` hang in a tail below the cycle of links `b`; every one is asked for twice."""
    count = 5000
    above = {f"b{k:05}": f"b{(k + 1) % count:05}" for k in range(count)}
    above |= {f"a{k:05}": f"a{k + 1:05}" if k + 1 < tail else "b00000" for k in range(tail)}
    incoming = Counting(
        {
            link: Joint(f"j_{link}", "fixed", [1, 0, 0], [0, 0, 0], parent=parent, child=link)
            for link, parent in above.items()
        }
    )
    # Names of links must not be asked for in the list of those walked so far either.
    compared = 0

    class Name(str):
        def __eq__(self, other):
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    for one in incoming.values():
        object.__setattr__(one, "parent", Name(one.parent))
    text = _cycle_problem({Name(link) for link in above}, incoming)
    assert "'j_b00000', 'j_b00001', 'j_b00002', 'j_b00003' and 4996 more" in text
    assert incoming.asked <= 2 * (count + tail) and compared <= 8 * (count + tail)


def test_a_cycle_beside_a_tree_names_its_joints_alone():
    def fixed(name, parent, child):
        return Joint(name, "fixed", [1, 0, 0], [0, 0, 0], parent=parent, child=child)

    joints = (fixed("j", "x", "y"), fixed("k", "y", "x"), fixed("m", "y", "a"))
    with pytest.raises(TreeError, match=r"cycle of the joints 'j', 'k'\.$"):
        KinematicTree("t", ("root", "x", "y", "a"), joints)


@pytest.mark.parametrize("kind", ["revolute", "fixed"])
def test_the_deepest_chain_needs_no_recursion(dataset, folder, kind):
    count = MOST_JOINTS if kind == "revolute" else MOST_LINKS - 1
    write(folder, chain(count + 1, kind))
    item = scored(dataset, folder)
    moving = count if kind == "revolute" else 0
    assert item.status == ("scored" if moving else "motionless") and item.predicted == moving
    assert item.spurious == max(0, moving - item.matched)


def test_one_moving_joint_more_is_refused(dataset, folder):
    write(folder, chain(MOST_JOINTS + 2))
    assert f"{MOST_JOINTS + 1:,} movable joints; at most" in scored(dataset, folder).detail


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (one_joint(axis=f'"{"1 " * 3_000_000}"'), "'1 1 1 1"),
        (one_joint(axis=f'"{"1" * 3_000_000} 0 0"'), "holds NaN or infinity"),
        (one_joint(name="n" * 300), "has 300 characters; at most 256 are read"),
        (one_joint(name="n" * 1_000_000), "has 1,000,000 characters"),
        (one_joint(axis='"nan 0 0"'), "holds NaN or infinity"),
        (one_joint(axis='"0 0 0"'), "the axis is zero"),
        (one_joint(upper='upper="nan"'), "NaN is not a limit"),
        (one_joint(upper='upper="-inf"'), "greater than upper"),
        (one_joint(upper='upper="1e99"'), "beyond 1e+70"),
        (one_joint('<origin xyz="1e99 0 0"/>'), "beyond 1e+70"),
        (one_joint('<origin xyz="1e400 0 0"/>'), "holds NaN or infinity"),
        (one_joint('<origin xyz="0 0 0" rpy="nan 0 0"/>'), "holds NaN or infinity"),
        ("\x00" * 1000, "not well-formed"),
        ("<robot>" * 1000, "nest deeper than 64"),
        ('<?xml version="1.0" encoding="utf-7"?><robot name="x"/>', "object.urdf"),
    ],
)
def test_huge_numbers_and_texts_are_error_messages(dataset, folder, text, words):
    write(folder, text)
    item = scored(dataset, folder)
    assert item.status == "unreadable" and words in item.detail


def test_the_largest_numbers_that_are_read_have_finite_costs(dataset, folder):
    write(folder, one_joint('<origin xyz="9e69 9e69 0"/>', upper='upper="9e69"'))
    result = evaluate(dataset, open_predictions(folder))
    assert object_row(result, VICTIM).status == "scored"
    costs = [
        cost
        for joint in joint_rows(result)
        if joint.object_id == VICTIM
        for cost in joint.costs.values()
    ]
    defined = [cost for cost in costs if cost is not None]
    assert len(defined) >= len(costs) - 3 and all(0 < cost < 1e150 for cost in defined)
    assert {joint.why for joint in joint_rows(result)} == {"matched", "unmatched"}


@pytest.mark.parametrize("turn", ["1e10", "1e300"])
def test_huge_rotations_become_a_row_with_an_error(dataset, folder, turn):
    write(folder, one_joint(f'<origin xyz="0 0 0" rpy="{turn} {turn} {turn}"/>'))
    item = scored(dataset, folder)
    assert item.status in ("scored", "unreadable") and item.e_alpha_phi_tree_cost >= 0


@pytest.mark.parametrize("upper", ["1", "0"])  # a range of 0 welds what hangs on it, later
@pytest.mark.parametrize("place", ["0 0 0", "1e200 0 0"])
def test_huge_masses_become_a_row_with_an_error(dataset, folder, upper, place):
    body = (
        f'<inertial><origin xyz="{place}"/><mass value="1e308"/>'
        '<inertia ixx="1e308" iyy="1e308" izz="1e308"/></inertial>'
    )
    links = "".join(f'<link name="{name}">{body}</link>' for name in "abcd")
    joints = [joint("j", "a", "b"), joint("k", "b", "c"), joint("m", "c", "d", "fixed")]
    joints[1] = joints[1].replace('upper="1"', f'upper="{upper}"')
    write(folder, f'<robot name="x">{links}{"".join(joints)}</robot>')
    assert scored(dataset, folder).status in ("scored", "unreadable")
    joints[2] = joint("m", "c", "d").replace('upper="1"', f'upper="{upper}"')
    write(folder, f'<robot name="x">{links}{"".join(joints)}</robot>')
    assert scored(dataset, folder).status in ("scored", "unreadable")


@pytest.mark.parametrize("error", [KeyError("a link"), ValueError("a shape"), MemoryError()])
def test_shapes_that_cannot_be_read_cost_nothing(dataset, folder, monkeypatch, error):
    """They enter no score, so whatever a file of them does must not end the run."""

    def broken(reading: Reading):
        raise error

    monkeypatch.setattr(Reading, "boxes", broken)
    result = evaluate(dataset, open_predictions(folder))
    assert result.count("scored") == 3
    assert {joint.rest_offset for joint in joint_rows(result)} == {None}
