# SPDX-License-Identifier: Apache-2.0
"""Every known exception is taken back and seen to be still needed."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aa_dataset.adapters import SimulatorError, load
from aa_dataset.judge.known import KNOWN, Known
from aa_dataset.judge.run import PACKAGES


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


def has_no_device(_known: Known, folder: Path) -> bool:
    try:
        load("sapien", folder, visuals=True)
    except RuntimeError:
        return True
    pytest.skip("this machine has a rendering device, so visuals load")


PROBES: dict[tuple[str, str, str], Callable[[Known, Path], bool]] = {
    ("pybullet", "output", r"^pybullet build time:"): speaks,
    ("pybullet", "body", "<root>"): massless_base,
    ("pinocchio", "absent", "limits"): falls_through_its_limit,
    ("pinocchio", "absent", "contacts"): has_no_contacts,
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
