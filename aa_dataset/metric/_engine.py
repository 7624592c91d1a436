# SPDX-License-Identifier: Apache-2.0
"""Access to the optional compiled kernels; numba is imported here on first use."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from aa_dataset.errors import ArgumentError, MissingExtraError

NUMBA_SETTINGS = ".numba_config.yaml"


def compiled_kernels(
    engine: str, *, required: bool = True, module: str = "_compiled"
) -> ModuleType | None:
    """Return a module of numba kernels, or None to use numpy.

    Raises
    ------
    MissingExtraError
        If numba is required but not installed.
    ValueError
        If the engine is neither "numpy" nor "numba".
    """
    if engine == "numpy":
        return None
    if engine != "numba":
        raise ValueError(f"`engine` is {engine!r}; choose 'auto', 'numpy' or 'numba'.")
    if not has_numba():
        if not required:
            return None
        if Path(NUMBA_SETTINGS).exists():
            raise ArgumentError(
                f"engine='numba' would read the {NUMBA_SETTINGS} of the current folder, which can "
                "run code. Import numba first if you trust it, or work in another folder."
            )
    try:
        return importlib.import_module(f"aa_dataset.metric.{module}")
    except ImportError as cause:
        if not required:
            return None
        raise MissingExtraError("engine='numba'", "fast", cause) from cause


def has_numba() -> bool:
    """Return whether numba can be imported, without importing it.

    numba reads a `.numba_config.yaml` in the current folder, which may name a folder of pickled
    code to run. If there is one, numpy is used, unless the caller has already imported numba.
    """
    if "numba" not in sys.modules and Path(NUMBA_SETTINGS).exists():
        return False
    return importlib.util.find_spec("numba") is not None
