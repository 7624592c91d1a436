# SPDX-License-Identifier: Apache-2.0
"""Submissions that exploit the scoring, and an honest one for comparison.

Every trick writes a folder of predictions from the same honest noise. `write_submissions` is used
by `benchmarks/cheating.py`, which prints the table of docs/scoring.md, and by the test that checks
the table.
"""

from __future__ import annotations

import json
import math
import os
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.metric import contract, joint_distance, motion_size

Trees = dict[str, KinematicTree]
EMPTY = '<robot name="x"><link name="base"/></robot>'
TILT, SHIFT, STRETCH = 0.14, 0.02, 0.14  # rad, share of the diagonal, share of the range
GUESSES = 40


@dataclass(frozen=True)
class Case:
    """The truth of a split, the honest guess, and the error of each of its joints."""

    truth: Trees
    honest: Trees
    truth_files: Mapping[str, Path]

    @property
    def errors(self) -> dict[tuple[str, str], float]:
        """E_alpha^phi of every joint to the one of its name, by object and joint."""
        return {
            (name, joint.name): joint_distance(
                joint, self.honest[name].joint(joint.name), compactify=math.pi
            )
            for name, tree in self.truth.items()
            for joint in contract(tree).joints
        }

    @property
    def by_ease(self) -> list[str]:
        """Objects by their mean error, the easiest first."""
        groups: dict[str, list[float]] = {}
        for (name, _), error in self.errors.items():
            groups.setdefault(name, []).append(error)
        return sorted(groups, key=lambda name: (np.mean(groups[name]), name))

    @property
    def easiest(self) -> set[str]:
        """A twentieth of the objects, ten of two hundred."""
        return set(self.by_ease[: max(1, len(self.truth) // 20)])


def noisy(truth: Trees, diagonals: Mapping[str, float], seed: int = 0) -> Trees:
    """Return the honest guess: small errors in every axis, origin and range."""
    out = {}
    for name, tree in truth.items():
        draw = random.Random(f"{seed} {name}")
        joints = [disturbed(joint, draw, diagonals[name]) for joint in tree.joints]
        out[name] = KinematicTree(tree.name, tree.links, tuple(joints))
    return out


def disturbed(joint: Joint, draw: random.Random, diagonal: float, factor: float = 1.0) -> Joint:
    """Return a joint with noise on its axis, its origin and its ends."""
    if not joint.is_movable:
        return joint
    axis, origin = (np.array([draw.gauss(0, 1) for _ in range(3)]) for _ in range(2))
    low, high = sorted(end * (1 + factor * draw.gauss(0, STRETCH)) for end in joint.limits)
    return replace(
        joint,
        axis=joint.axis + factor * TILT * axis,
        origin=joint.origin + factor * SHIFT * diagonal * origin,
        lower=low,
        upper=high,
        body=None,
    )


def changed(trees: Trees, change: Callable[[str, Joint], Joint]) -> Trees:
    """Return the trees with every moving joint replaced."""
    return {
        name: KinematicTree(
            tree.name,
            tree.links,
            tuple(change(name, j) if j.is_movable else j for j in tree.joints),
        )
        for name, tree in trees.items()
    }


def welded(joint: Joint) -> Joint:
    """Return a fixed joint with the same ends."""
    return replace(joint, type=JointType.FIXED, pitch=0.0, mimic=None)


def unbounded(joint: Joint) -> Joint:
    """Return the joint without limits."""
    return replace(joint, lower=-math.inf, upper=math.inf)


# --- the submissions -----------------------------------------------------------------------------


def ground_truth(case: Case, folder: Path) -> None:
    """Write the truth itself."""
    write_all(folder, case.truth)


def honest(case: Case, folder: Path) -> None:
    """Write the honest guess."""
    write_all(folder, case.honest)


def easiest_and_empty(case: Case, folder: Path) -> None:
    """Write the easiest objects, and a URDF without a joint for all others."""
    for name, tree in case.honest.items():
        write_text(folder, name, urdf_text(tree) if name in case.easiest else EMPTY)


def easiest_alone(case: Case, folder: Path) -> None:
    """Write the easiest objects and nothing else."""
    write_all(folder, {name: case.honest[name] for name in case.easiest})


def easiest_and_broken(case: Case, folder: Path) -> None:
    """Write the easiest objects, and a file that is not XML for all others."""
    for name, tree in case.honest.items():
        write_text(folder, name, urdf_text(tree) if name in case.easiest else "<robot")


def worst_half_huge(case: Case, folder: Path, size: float = 1e99) -> None:
    """Write the worse half of all joints with origins and limits whose squares overflow."""
    errors = case.errors
    middle = float(np.median(list(errors.values())))

    def change(name: str, joint: Joint) -> Joint:
        if errors.get((name, joint.name), 0.0) <= middle:
            return joint
        # A rotation about a far axis: the square of its motion overflows, that of a slide not.
        far = {"type": "revolute", "pitch": 0.0, "origin": joint.origin + size}
        return replace(joint, **far, lower=-size, upper=size)

    write_all(folder, changed(case.honest, change))


def worst_half_nan(case: Case, folder: Path) -> None:
    """Write NaN as the limits of the worse half of the objects."""
    half = set(case.by_ease[len(case.truth) // 2 :])
    for name, tree in case.honest.items():
        text = urdf_text(tree)
        write_text(
            folder, name, text.replace('upper="', 'upper="nan" x="') if name in half else text
        )


def many_guesses(case: Case, folder: Path) -> None:
    """Write forty guesses beside each other for every joint."""
    for name, tree in case.honest.items():
        draw, diagonal = random.Random(name), 0.5
        links, joints = list(tree.links), list(tree.joints)
        for joint in tree.movable:
            for k in range(1, GUESSES):
                guess = disturbed(joint, draw, diagonal, factor=1.5)
                links.append(f"{joint.child}_{k}")
                joints.append(replace(guess, name=f"{joint.name}_{k}", child=links[-1], mimic=None))
        if len(joints) > 900:  # of the largest objects one guess, or nothing would be read
            links, joints = list(tree.links), list(tree.joints)
        write_text(folder, name, urdf_text(KinematicTree(name, tuple(links), tuple(joints))))


def second_guesses(case: Case, folder: Path) -> None:
    """Write a second guess of the joint beside it in place of every leaf without limits.

    Raw scores leave the true leaf out; were its partner free, the pairing would take the better
    guess of two and hide the other one there.
    """
    for name, tree in case.honest.items():
        inner, joints = {joint.parent for joint in tree.joints}, []
        leaves = [joint for joint in tree.movable if joint.child not in inner]
        bounded = [joint for joint in leaves if all(map(math.isfinite, joint.limits))]
        draw = random.Random(f"second {name}")
        for joint in tree.joints:
            beside = [one for one in bounded if one.parent == joint.parent]
            if joint in leaves and joint not in bounded and not joint.mimic and beside:
                copied = case.truth[name].joint(max(beside, key=motion_size).name)
                guess = disturbed(copied, draw, 0.5, factor=0.5)
                joint = replace(guess, name=joint.name, child=joint.child, mimic=None)
            joints.append(joint)
        write_text(folder, name, urdf_text(KinematicTree(name, tree.links, tuple(joints))))


def unbounded_guesses(case: Case, folder: Path) -> None:
    """Write every joint without limits."""
    write_all(folder, changed(case.honest, lambda _, joint: unbounded(joint)))


def worst_half_unbounded(case: Case, folder: Path) -> None:
    """Write the worse half of all joints without limits."""
    errors = case.errors
    middle = float(np.median(list(errors.values())))
    write_all(
        folder,
        changed(
            case.honest,
            lambda name, j: unbounded(j) if errors.get((name, j.name), 0.0) > middle else j,
        ),
    )


def everything_welded(case: Case, folder: Path) -> None:
    """Write only fixed joints."""
    write_all(folder, changed(case.honest, lambda _, joint: welded(joint)))


def tiny_ranges(case: Case, folder: Path) -> None:
    """Write joints that move by a billionth, which count as articulated."""
    write_all(
        folder,
        changed(
            case.honest,
            lambda _, j: replace(j, type="revolute", pitch=0.0, lower=0.0, upper=1e-9),
        ),
    )


def other_names(case: Case, folder: Path) -> None:
    """Write the truth under names in capitals and under names of no object, easy ones as asked."""
    write_all(folder, {name: case.honest[name] for name in case.easiest})
    for name, tree in case.truth.items():
        write_text(folder, f"{name.upper()}", urdf_text(tree))
        write_text(folder, f"{name}_again", urdf_text(tree))


def links_to_the_truth(case: Case, folder: Path) -> None:
    """Link every file to the file of the truth."""
    for name in case.truth:
        place = folder / name
        place.mkdir(parents=True)
        (place / "object.urdf").symlink_to(case.truth_files[name])


def folders_linked_to_the_truth(case: Case, folder: Path) -> None:
    """Link every folder to the folder of the truth."""
    folder.mkdir(parents=True)
    for name in case.truth:
        (folder / name).symlink_to(case.truth_files[name].parent)


def pipes_and_devices(case: Case, folder: Path) -> None:
    """Write the easiest objects, and pipes for all others."""
    write_all(folder, {name: case.honest[name] for name in case.easiest})
    for name in case.truth.keys() - case.easiest:
        (folder / name).mkdir(parents=True)
        os.mkfifo(folder / name / "object.urdf")


def huge_cycles(case: Case, folder: Path, count: int = 60_000) -> None:
    """Write the easiest objects, and cycles of links for some others."""
    easiest_alone(case, folder)
    links = "".join(f'<link name="l{k}"/>' for k in range(count))
    joints = "".join(
        f'<joint name="j{k}" type="fixed"><parent link="l{k}"/><child link="l{(k + 1) % count}"/>'
        "</joint>"
        for k in range(count)
    )
    for name in sorted(case.truth.keys() - case.easiest)[:2]:
        write_text(folder, name, f'<robot name="x">{links}{joints}</robot>')


def oracle_welds(case: Case, folder: Path) -> None:
    """Weld the joints whose noise is worse than no motion; this takes the truth to know."""
    errors = case.errors
    sizes = {
        (name, joint.name): motion_size(joint, compactify=math.pi)
        for name, tree in case.truth.items()
        for joint in contract(tree).joints
    }

    def change(name: str, joint: Joint) -> Joint:
        key = (name, joint.name)
        return welded(joint) if errors.get(key, 0.0) > sizes.get(key, math.inf) else joint

    write_all(folder, changed(case.honest, change))


TRICKS: dict[str, tuple[str, Callable[[Case, Path], None]]] = {
    "easiest-empty": ("a twentieth of the objects, the easiest, the rest empty", easiest_and_empty),
    "easiest-alone": ("the easiest twentieth, nothing else", easiest_alone),
    "easiest-broken": ("the easiest twentieth, the rest no XML", easiest_and_broken),
    "huge-numbers": ("origins and limits of 1e99 on the worse half of the joints", worst_half_huge),
    "nan": ("NaN limits in the worse half of the objects", worst_half_nan),
    "many-guesses": (f"{GUESSES} guesses per joint", many_guesses),
    "second-guess": ("a second guess of a sibling in place of each wheel", second_guesses),
    "unbounded": ("every joint without limits", unbounded_guesses),
    "half-unbounded": ("the worse half of the joints without limits", worst_half_unbounded),
    "welded": ("every joint fixed", everything_welded),
    "tiny-ranges": ("every range 1e-9", tiny_ranges),
    "other-names": ("the easiest, and the truth under capitals and other names", other_names),
    "file-links": ("every file a link to the truth", links_to_the_truth),
    "folder-links": ("every folder a link to the truth", folders_linked_to_the_truth),
    "pipes": ("the easiest twentieth, the rest pipes", pipes_and_devices),
    "cycles": ("the easiest twentieth, two cycles of 60,000 links", huge_cycles),
}
REFERENCES: dict[str, tuple[str, Callable[[Case, Path], None]]] = {
    "ground-truth": ("the ground truth", ground_truth),
    "honest": ("honest noise", honest),
    "oracle-welds": ("weld what the noise makes worse than fixed (asks the truth)", oracle_welds),
}


def write_submissions(case: Case, root: Path) -> Iterator[tuple[str, str, Path]]:
    """Write every submission to a folder of its own; yield its key, what it does and the folder."""
    for key, (text, write) in {**REFERENCES, **TRICKS}.items():
        folder = root / key
        write(case, folder)
        yield key, text, folder


# --- URDF ----------------------------------------------------------------------------------------


def write_all(folder: Path, trees: Trees) -> None:
    """Write ``<object_id>/object.urdf`` for every tree."""
    for name, tree in trees.items():
        write_text(folder, name, urdf_text(tree))


def write_text(folder: Path, name: str, text: str) -> None:
    """Write one prediction."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "object.urdf").write_text(text)


def urdf_text(tree: KinematicTree) -> str:
    """Return a tree as URDF, link frames parallel to the object frame, screws as two joints."""
    place = {tree.root: np.zeros(3)}
    parts = [f'<link name="{link}">{SHAPE}</link>' for link in tree.links]
    for joint in tree.joints:
        place[joint.child] = joint.origin
        offset = joint.origin - place[joint.parent]
        if joint.type is not JointType.HELICAL:
            parts.append(_joint(joint, joint.type.value, joint.parent, joint.child, offset))
            continue
        carrier = f"{joint.child}_carrier"
        kind = "revolute" if all(map(math.isfinite, joint.limits)) else "continuous"
        parts.append(f'<link name="{carrier}"/>')
        parts.append(_joint(joint, kind, joint.parent, carrier, offset))
        slide = replace(joint, name=f"{joint.name}_slide", type="prismatic", pitch=0.0, mimic=None)
        slide = replace(slide, lower=0.0, upper=0.0)
        mimic = f'<mimic joint="{joint.name}" multiplier="{joint.pitch!r}"/>'
        ends = (carrier, joint.child)
        parts.append(_joint(slide, "prismatic", *ends, np.zeros(3), extra=mimic))
    return f'<robot name="x">{"".join(parts)}</robot>'


SHAPE = '<visual><geometry><sphere radius="1"/></geometry></visual>'


def _joint(
    joint: Joint, kind: str, parent: str, child: str, offset: np.ndarray, extra: str = ""
) -> str:
    numbers = [" ".join(repr(float(x)) for x in values) for values in (offset, joint.axis)]
    limit = f'<limit lower="{joint.lower!r}" upper="{joint.upper!r}" effort="1" velocity="1"/>'
    if kind == "fixed":
        limit = ""
        numbers[1] = "1 0 0"
    return (
        f'<joint name="{joint.name}" type="{kind}"><parent link="{parent}"/>'
        f'<child link="{child}"/><origin xyz="{numbers[0]}"/><axis xyz="{numbers[1]}"/>'
        f"{limit}{extra}</joint>"
    )


# --- results -------------------------------------------------------------------------------------

MEANS = ("mean_over_joints", "mean_of_objects")


def headlines(result: Mapping[str, object] | str) -> dict[str, float]:
    """Return the headline of every score from a result, of the old form or the new."""
    data = json.loads(result) if isinstance(result, str) else result
    found: dict[str, float] = {}
    for row in data["aggregates"]:  # type: ignore[index]
        numbers = {name: row.get(name) for name in MEANS}
        if row.get("statistic") in MEANS and row["protocol"] != "one-joint":  # free guesses
            numbers[row["statistic"]] = row["estimate"]
        if row["score"] != "constant_penalty" and row.get("group") != "other":  # which is no metric
            some = {f"{row['score']} {name}": value for name, value in numbers.items()}
            found |= {key: value for key, value in some.items() if value is not None}
    return found
