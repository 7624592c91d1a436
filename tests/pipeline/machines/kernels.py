# SPDX-License-Identifier: Apache-2.0
"""Objects that are rebuilt in processes of their own, on processors that they pretend to have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.kit.places import REPOSITORY
from tests.processors import Environment

PROGRAM = Path(__file__).with_name("rebuild.py")
Found = dict[str, dict[str, str]]


class Run:
    """Objects that are rebuilt in a process of their own; starts at once, waits when asked."""

    def __init__(
        self, names: Sequence[str], environment: Environment, emulator: Sequence[str] = ()
    ):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("NPY_", "OPENBLAS_"))}
        self._process = subprocess.Popen(
            [*emulator, str(Path(sys.executable).resolve()), str(PROGRAM), *names],
            cwd=REPOSITORY,
            env={**inherited, "PYTHONPATH": _packages(), **environment},
            stdout=subprocess.PIPE,
            text=True,
        )

    def found(self) -> dict[str, Any]:
        """Return `kernel`, the kernels that were used, and `objects`, digests by object."""
        text, _ = self._process.communicate()
        assert self._process.returncode == 0
        return dict(json.loads(text))


def _packages() -> str:
    """Return where the program finds its packages: an emulated Python is outside the .venv."""
    return os.pathsep.join([str(REPOSITORY), sysconfig.get_path("purelib")])


def differences(first: Found, second: Found) -> list[str]:
    """Return `<object>: <result>` for everything that is not the same."""
    assert first.keys() == second.keys()
    return [
        f"{name}: {key}"
        for name in first
        for key in sorted({*first[name], *second[name]})
        if first[name].get(key) != second[name].get(key)
    ]
