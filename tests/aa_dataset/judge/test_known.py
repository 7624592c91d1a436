# SPDX-License-Identifier: Apache-2.0
"""Every known exception is taken back and seen to be still needed."""

from __future__ import annotations

import importlib.util
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from aa_dataset.adapters import SimulatorError, load
from aa_dataset.cli import main
from aa_dataset.judge import run
from aa_dataset.judge.known import KNOWN, Known, why_uncompared
from aa_dataset.judge.quiet import captured_output
from aa_dataset.judge.run import PACKAGES

RESISTS = '<dynamics damping="0.5" friction="0.1" armature="0.2"/>'


def speaks(known: Known, folder: Path) -> bool:
    program = (
        "import sys; from pathlib import Path; from aa_dataset.adapters import load\n"
        f"load({known.simulator!r}, Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=True
    )
    lines = (done.stdout + done.stderr).splitlines()
    return any(re.search(known.what, line.strip()) for line in lines)


def massless_base(_known: Known, folder: Path) -> bool:
    import pybullet

    loaded = load("pybullet", folder)
    info = pybullet.getDynamicsInfo(loaded.body, -1, physicsClientId=loaded.client)
    return float(info[0]) == 0.0


def falls_through_its_limit(_known: Known, folder: Path) -> bool:
    """Pinocchio's own dynamics accelerate a slide that rests on its lower limit."""
    import numpy as np
    import pinocchio

    text = (
        (folder / "object.urdf").read_text().replace('axis xyz="1.0 0.0 0.0"', 'axis xyz="0 0 1"')
    )
    model = pinocchio.buildModelFromXML(text)
    zero = np.zeros(model.nv)
    pull = pinocchio.aba(model, model.createData(), pinocchio.neutral(model), zero, zero)
    return float(pull[model.joints[model.getJointId("drawer_joint")].idx_v]) < -9


def has_no_contacts(_known: Known, folder: Path) -> bool:
    with pytest.raises(SimulatorError):
        load("pinocchio", folder, self_contacts=True)
    return True


def warns_of_friction(_known: Known, folder: Path) -> bool:
    import pydrake.all as drake

    text = (folder / "object.urdf").read_text().replace("</joint>", f"{RESISTS}</joint>")
    (folder / "resisting.urdf").write_text(text)
    plant, _ = drake.AddMultibodyPlantSceneGraph(drake.DiagramBuilder(), 0.002)
    with captured_output() as lines:
        drake.Parser(plant).AddModels(str(folder / "resisting.urdf"))
    return any("does not currently support non-zero joint friction" in line for line in lines)


def has_no_armature(_known: Known, folder: Path) -> bool:
    """Bullet's state of a joint is the same with and without it."""
    import pybullet

    text = (folder / "object.urdf").read_text()
    moved = []
    for armature in ("0", "0.2"):
        more = f'<dynamics damping="0.5" friction="0.1" armature="{armature}"/>'
        (folder / "other.urdf").write_text(text.replace("</joint>", f"{more}</joint>"))
        client = pybullet.connect(pybullet.DIRECT)
        body = pybullet.loadURDF(
            str(folder / "other.urdf"), useFixedBase=True, physicsClientId=client
        )
        pybullet.setGravity(0, 0, -9.81, physicsClientId=client)
        for _ in range(50):
            pybullet.stepSimulation(physicsClientId=client)
        joints = range(pybullet.getNumJoints(body, physicsClientId=client))
        moved.append([pybullet.getJointState(body, k, client)[0] for k in joints])
        pybullet.disconnect(physicsClientId=client)
    return moved[0] == moved[1]


def has_no_device(_known: Known, folder: Path) -> bool:
    try:
        load("sapien", folder, visuals=True)
    except RuntimeError:
        return True
    pytest.skip("this machine has a rendering device, so visuals load")


def write_chain(folder: Path, moving: int, fixed: int = 0) -> Path:
    """Write slides in a row behind welded links; Bullet refuses a file that is one long line."""
    inertia = '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    body = f'<inertial><mass value="1"/>{inertia}</inertial>'
    lines = ['<robot name="chain">', f'<link name="l0">{body}</link>']
    for k in range(fixed + moving):
        kind = "fixed" if k < fixed else "prismatic"
        lines += [
            f'<link name="l{k + 1}">{body}</link>',
            f'<joint name="j{k + 1}" type="{kind}"><parent link="l{k}"/><child link="l{k + 1}"/>',
            '<axis xyz="1 0 0"/><limit lower="0" upper="1" effort="9" velocity="9"/></joint>',
        ]
    path = folder / f"chain_{moving}_{fixed}.urdf"
    path.write_text("\n".join([*lines, "</robot>"]))
    return path


def keeps_its_state(path: Path) -> bool:
    """Return whether Bullet, without our adapter, reports the position set for every joint."""
    import pybullet

    client = pybullet.connect(pybullet.DIRECT)
    try:
        body = pybullet.loadURDF(str(path), useFixedBase=True, physicsClientId=client)
        joints = range(pybullet.getNumJoints(body, physicsClientId=client))
        infos = [pybullet.getJointInfo(body, k, physicsClientId=client) for k in joints]
        moving = [k for k in joints if infos[k][2] == pybullet.JOINT_PRISMATIC]
        for k in moving:
            pybullet.resetJointState(body, k, 0.5, physicsClientId=client)
        states = [pybullet.getJointState(body, k, physicsClientId=client)[0] for k in moving]
        pybullet.getBasePositionAndOrientation(body, physicsClientId=client)
        return len(states) > 0 and all(state == 0.5 for state in states)
    except pybullet.error:
        return False
    finally:
        pybullet.disconnect(physicsClientId=client)


def forgets_a_moving_joint(known: Known, folder: Path) -> bool:
    most = int(known.what)
    assert keeps_its_state(write_chain(folder, most))
    return not keeps_its_state(write_chain(folder, most + 1))


def forgets_a_joint(known: Known, folder: Path) -> bool:
    """A few slides behind many welded links, so that the number of slides is far from its limit."""
    most = int(known.what)
    assert keeps_its_state(write_chain(folder, 7, most - 7))
    return not keeps_its_state(write_chain(folder, 7, most - 6))


PROBES: dict[tuple[str, str, str], Callable[[Known, Path], bool]] = {
    ("pybullet", "output", r"^pybullet build time:"): speaks,
    ("pybullet", "body", "<root>"): massless_base,
    ("pybullet", "moving", "121"): forgets_a_moving_joint,
    ("pybullet", "joints", "127"): forgets_a_joint,
    ("pinocchio", "absent", "limits"): falls_through_its_limit,
    ("pinocchio", "absent", "contacts"): has_no_contacts,
    ("drake", "absent", "friction"): warns_of_friction,
    ("pybullet", "absent", "armature"): has_no_armature,
    ("sapien", "absent", "visuals"): has_no_device,
}


def test_every_exception_has_a_probe_and_a_reason() -> None:
    assert {(k.simulator, k.kind, k.what) for k in KNOWN} == set(PROBES)
    assert all(k.reason for k in KNOWN)


@pytest.mark.parametrize("known", KNOWN, ids=lambda k: f"{k.simulator}-{k.kind}-{k.what[:10]}")
def test_the_exception_is_still_needed(known: Known, folder: Path) -> None:
    if importlib.util.find_spec(PACKAGES[known.simulator]) is None:
        pytest.skip(f"{known.simulator} is not installed; `make judges` installs it")
    assert PROBES[known.simulator, known.kind, known.what](known, folder)


@pytest.mark.parametrize(
    ("moving", "joints", "why"),
    [
        (121, 127, ""),
        (122, 122, "122 moving joints, more than 121: Bullet keeps 128 numbers"),
        (3, 128, "128 joints, more than 127: Bullet keeps the frames of 127 links"),
    ],
)
def test_more_joints_than_bullet_supports_are_reported_with_their_number(
    moving: int, joints: int, why: str
) -> None:
    said = why_uncompared("pybullet", moving=moving, joints=joints)
    assert said.startswith(why)
    assert bool(said) == bool(why)
    assert why_uncompared("mujoco", moving=moving, joints=joints) == ""


def test_a_chain_beyond_the_limit_is_neither_passed_nor_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No simulator is asked, so none needs to be installed; the other chain needs Bullet."""
    monkeypatch.setattr(run, "choose_simulators", list)
    has_bullet = importlib.util.find_spec("pybullet") is not None
    for moving in (121, 122) if has_bullet else (122,):
        (folder := tmp_path / "objects" / f"chain_{moving}").mkdir(parents=True)
        write_chain(folder, moving).rename(folder / "object.urdf")
    out = tmp_path / "report.parquet"
    options = ["--simulators", "pybullet", "--configurations", "1", "--out", str(out)]
    assert main(["judge", str(tmp_path / "objects"), *options]) == 0
    printed = capsys.readouterr().out
    assert f"pybullet: {1 + has_bullet} objects, 0 failed, 1 not compared" in printed
    assert "not compared" in next(x for x in printed.splitlines() if x.startswith("chain_122"))
    assert "uncompared chain_122: 122 moving joints, more than 121" in printed
    rows = pq.read_table(out).to_pylist()
    (row,) = (row for row in rows if row["object_id"] == "chain_122")
    assert (row["check"], row["passed"], row["tolerance"]) == ("uncompared", None, None)
    assert math.isnan(row["deviation"])
    others = [row for row in rows if row["object_id"] == "chain_121"]
    assert all(row["passed"] for row in others)
    assert len(others) == (6 if has_bullet else 0)


@pytest.mark.parametrize(("moving", "fixed", "what"), [(122, 0, "122 moving"), (7, 121, "128")])
def test_the_loader_refuses_what_bullet_would_forget(
    tmp_path: Path, moving: int, fixed: int, what: str
) -> None:
    pytest.importorskip("pybullet", reason="pybullet is not installed; `make judges` installs it")
    write_chain(tmp_path, moving, fixed).rename(tmp_path / "object.urdf")
    with pytest.raises(SimulatorError, match=f"has {what} joints, but Bullet supports"):
        load("pybullet", tmp_path)
