# SPDX-License-Identifier: Apache-2.0
"""ArticulateArena: load the library of articulated objects and score kinematics against it.

The names here are imported when they are first used, so that ``import aa_dataset`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aa_dataset.load import load_dataset as load_dataset

__all__ = ["__version__", "load_dataset"]


def __getattr__(name: str) -> Any:
    if name == "load_dataset":
        from aa_dataset.load import load_dataset

        return load_dataset
    if name == "__version__":
        return _installed_version()
    raise AttributeError(f"module 'aa_dataset' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


def _installed_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("aa-dataset")
    except PackageNotFoundError:
        return "0+unknown"  # imported from a checkout that was never installed
