# SPDX-License-Identifier: Apache-2.0
"""Benchmarks are run by hand: here they are imported, so that a renamed function is noticed."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.kit.places import BENCHMARKS, REPOSITORY


def test_every_benchmark_can_be_imported() -> None:
    names = sorted(f"benchmarks.{path.stem}" for path in BENCHMARKS.glob("*.py"))
    done = subprocess.run(
        [sys.executable, "-c", f"import {', '.join(names)}"],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
