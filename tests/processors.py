# SPDX-License-Identifier: Apache-2.0
"""Processors that a test can pretend to have: kernels of OpenBLAS, numpy, numba and the C library.

An environment chooses them, so what is compared runs in processes of its own: the libraries look
once, when they are loaded.
"""

from __future__ import annotations

import platform

import numpy as np

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
    """Return the environment in which numpy, numba and the C library use their plainest code."""
    dispatched = np._core._multiarray_umath.__cpu_dispatch__
    return {
        "NUMBA_CPU_NAME": "generic",
        "NPY_DISABLE_CPU_FEATURES": " ".join(dispatched),
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX",
    }


def plain() -> Environment:
    """Return the environment of the plainest processor that this one can pretend to be."""
    return {"OPENBLAS_CORETYPE": core_types()[0], **without_dispatch()}


def strongest() -> Environment:
    """Return the environment of the strongest processor that this one can pretend to be."""
    return {"OPENBLAS_CORETYPE": core_types()[-1]}
