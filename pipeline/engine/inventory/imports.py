# SPDX-License-Identifier: Apache-2.0
"""Finds the first-party modules that a source file imports, without running it."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

FIRST_PARTY = ("pipeline", "aa_dataset")
_WORD = re.compile(rb"\bimport\b")
# An import on lines of its own.
_STATEMENT = re.compile(
    rb"^[ \t]*((?:from[ \t]+[\w.]+[ \t]+)?import\b(?:[ \t]*\([^()]*\)|[^\n\\;(]*$))", re.MULTILINE
)


@functools.cache
def imported_modules(path: Path, _mtime_ns: int) -> frozenset[str]:
    """Return the first-party modules that a file names, their packages included."""
    names: list[str] = []
    for node in _imports(path.read_bytes()):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # `from package import name`: the name may be a module or something inside one.
            module = ".".join(
                [*_relative_import_package(path, node.level), *(node.module or "").split(".")]
            )
            module = module.rstrip(".")
            names += [module, *(f"{module}.{alias.name}" for alias in node.names)]
    ours = (name for name in names if name.split(".")[0] in FIRST_PARTY)
    return frozenset(parent for name in ours for parent in _with_packages(name))


def _imports(source: bytes) -> Iterator[ast.AST]:
    """Yield the statements of a source among which its imports are.

    Parsing whole files took most of the time in which a build is planned. So only statements that
    are imports by their looks are parsed, unless the word `import` is anywhere else too.
    """
    found = list(_STATEMENT.finditer(source))
    places = sum(len(_WORD.findall(one[1])) for one in found)
    if places < len(_WORD.findall(source)) or any(_is_quoted(source, one) for one in found):
        yield from _statements(ast.parse(source))
    else:
        yield from _statements(ast.parse(b"\n".join(one[1] for one in found)))


def _is_quoted(source: bytes, found: re.Match[bytes]) -> bool:
    """Return whether a statement may be an example in a docstring."""
    return any(source.count(quotes, 0, found.start()) % 2 for quotes in (b'"""', b"'''"))


def _statements(module: ast.Module) -> Iterator[ast.AST]:
    """Yield every statement; expressions, which are most of a tree, cannot import."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        yield node
        for blocks in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, blocks, ())


def _relative_import_package(path: Path, level: int) -> tuple[str, ...]:
    """Return the package that a relative import of `level` dots starts from."""
    return path.parts[: len(path.parts) - level] if level else ()


def _with_packages(name: str) -> Iterator[str]:
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        yield ".".join(parts[:length])
