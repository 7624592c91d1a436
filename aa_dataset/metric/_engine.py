# SPDX-License-Identifier: Apache-2.0
"""Where the optional compiled kernels come from; numba is imported here at first use only."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

from aa_dataset.errors import MissingExtraError


def compiled_kernels(
    engine: str, *, required: bool = True, module: str = "_compiled"
) -> ModuleType | None:
    """Return a module of numba kernels, or None where numpy is to do the work.

    Raises
    ------
    MissingExtraError
        If numba is required and not installed.
    ValueError
        If the engine is neither "numpy" nor "numba".
    """
    if engine == "numpy":
        return None
    if engine != "numba":
        raise ValueError(f"`engine` is {engine!r}; choose 'auto', 'numpy' or 'numba'.")
    if not required and not has_numba():
        return None
    try:
        return importlib.import_module(f"aa_dataset.metric.{module}")
    except ImportError as cause:
        if not required:
            return None
        raise MissingExtraError("engine='numba'", "fast", cause) from cause


def has_numba() -> bool:
    """Whether numba can be imported, found out without importing it."""
    return importlib.util.find_spec("numba") is not None
