# SPDX-License-Identifier: Apache-2.0
"""Another processor gives the same digits, the same matching and the same work.

OpenBLAS and numpy pick their kernels by the processor; both can be told to take those of an older
one, in a process of its own.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.kit.places import REPOSITORY
from tests.processors import core_types, plain, without_dispatch

HERE = Path(__file__).parent


def digits(**variables):
    """Return what `tree_digits` prints under some environment variables."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), **variables}
    command = [sys.executable, "-W", "ignore", str(HERE / "tree_digits.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture(scope="module")
def here():
    return digits()


def test_the_plainest_processor_changes_nothing(here):
    """Other kernels of OpenBLAS and no dispatch at once; the slow tests look at each alone."""
    assert digits(**plain()) == here


@pytest.mark.slow
@pytest.mark.parametrize("core", core_types())
def test_kernels_of_openblas_change_nothing(here, core):
    assert digits(OPENBLAS_CORETYPE=core) == here


@pytest.mark.slow
def test_dispatch_of_numpy_changes_nothing(here):
    assert digits(**without_dispatch()) == here


def test_the_digits_hold_what_they_should(here):
    """The comparison above would be empty without ties, proofs and searches that were stopped."""
    import json

    single, batch = json.loads(here)
    stages = {row[6] for row in single}
    assert {"relaxation", "filter", "branch and bound"} <= stages
    assert {row[4] for row in single} == {True, False}
    assert len(single) > 100 and len(batch) >= 4
    assert np.isfinite([float.fromhex(row[0]) for row in single]).all()
