# SPDX-License-Identifier: Apache-2.0
"""Which families exist: every module in `families` that offers `build`."""

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache

from pipeline.generate import families
from pipeline.generate.assembly import Assembly
from pipeline.generate.draw import Draw
from pipeline.generate.errors import AuthoringError

Build = Callable[[Draw], Assembly]


def family_names() -> list[str]:
    """Return the names of all families, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(families.__path__))


@cache
def family(name: str) -> Build:
    """Return the function that builds one object of a family."""
    if name not in family_names():
        raise AuthoringError(f"There is no family {name!r}; there are {', '.join(family_names())}.")
    build: Build = importlib.import_module(f"{families.__name__}.{name}").build
    return build
