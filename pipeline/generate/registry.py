# SPDX-License-Identifier: Apache-2.0
"""Which families exist: every module in `families` that offers `build`."""

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from types import ModuleType

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
    build: Build = _family_module(name).build
    return build


@cache
def family_categories(name: str) -> dict[str, str]:
    """Return the categories that a family makes, each with its supercategory."""
    listed: dict[str, str] = _family_module(name).CATEGORIES
    return dict(listed)


def categories() -> dict[str, list[str]]:
    """Return every category of the collection with the families that make it, both sorted."""
    found: dict[str, list[str]] = {}
    for name in family_names():
        for category in family_categories(name):
            found.setdefault(category, []).append(name)
    return dict(sorted(found.items()))


def supercategories() -> dict[str, str]:
    """Return every category of the collection with its supercategory."""
    return {
        category: family_categories(names[0])[category] for category, names in categories().items()
    }


def _family_module(name: str) -> ModuleType:
    if name not in family_names():
        raise AuthoringError(f"There is no family {name!r}; there are {', '.join(family_names())}.")
    return importlib.import_module(f"{families.__name__}.{name}")
