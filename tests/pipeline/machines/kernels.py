# SPDX-License-Identifier: Apache-2.0
"""Processors that a test can pretend to have: kernels of OpenBLAS, numpy and the C library."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

PROGRAM = Path(__file__).with_name("rebuild.py")
REPOSITORY = Path(__file__).parents[3]
# What a processor must have before OpenBLAS may be told to use kernels for it.
CORE_TYPES = {
    "Prescott": ("SSE3",),
    "Nehalem": ("SSE42",),
    "Sandybridge": ("AVX",),
    "Haswell": ("AVX2", "FMA3"),
    "Zen": ("AVX2", "FMA3"),
    "SkylakeX": ("AVX2", "FMA3", "AVX512_SKX"),
    "Cooperlake": ("AVX2", "FMA3", "AVX512_SKX", "AVX512BF16"),
    "Sapphirerapids": ("AVX2", "FMA3", "AVX512_SKX", "AVX512_ICL", "AVX512BF16"),
}
Environment = dict[str, str]
Found = dict[str, dict[str, str]]


def core_types() -> list[str]:
    """Return the core types of OpenBLAS whose kernels run here, the plainest first.

    One, which chooses nothing, where numpy has no OpenBLAS that can be asked, as on macOS.
    """
    if platform.system() != "Linux":
        return [""]
    if platform.machine() == "aarch64":
        return ["ARMV8", ""]
    features = np._core._multiarray_umath.__cpu_features__
    found = [name for name, needed in CORE_TYPES.items() if all(map(features.get, needed))]
    return found or [""]


def without_dispatch() -> Environment:
    """Return the environment in which numpy and the C library use their plainest code."""
    dispatched = np._core._multiarray_umath.__cpu_dispatch__
    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(dispatched),
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX",
    }


def plain() -> Environment:
    """Return the environment of the plainest processor that this one can pretend to be."""
    return {"OPENBLAS_CORETYPE": core_types()[0], **without_dispatch()}


def strongest() -> Environment:
    """Return the environment of the strongest processor that this one can pretend to be."""
    return {"OPENBLAS_CORETYPE": core_types()[-1]}


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
