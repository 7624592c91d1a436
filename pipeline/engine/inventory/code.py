# SPDX-License-Identifier: Apache-2.0
"""Digests of the code of a stage: its files, the first-party modules they import, and the pins.

The imports are found by reading the source, not by running it, so that a lazily imported module
counts as well.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from pipeline.base import layout
from pipeline.base.errors import ChangedDuringBuildError
from pipeline.engine.stages import STAGES
from pipeline.raw.records import ADAPTERS

FIRST_PARTY = ("pipeline", "aa_dataset")
# Every stage is started by these modules.
ENTRANCE = ("pipeline.__main__", "pipeline.engine.runner")


def code_digest(stage: str, adapter: str = "") -> str:
    """Return one line per file that `stage` depends on: digest and path.

    Adapters are imported by name, so that an adapter affects only its own sources.
    """
    files = {*stage_modules(stage), *_data_files(stage), layout.CONSTRAINTS}
    if adapter:
        files |= _import_closure([f"{ADAPTERS}.{adapter}"])
    return "".join(f"{_file_digest(path)}  {path.as_posix()}\n" for path in sorted(files))


def require_planned_code(stage: str, source: str = "") -> None:
    """Raise if a file that the stage executes changed since planning.

    Otherwise, code that is edited during a build and reverted before the next one would leave
    output that looks fresh. A stage that runs without a plan is not checked.
    """
    plan = layout.code(stage, source)
    for line in plan.read_text().splitlines() if plan.is_file() else []:
        digest, name = line.split("  ", 1)
        if not Path(name).is_file() or _file_digest(Path(name)) != digest:
            raise ChangedDuringBuildError(name)


def stage_modules(stage: str) -> set[Path]:
    """Return the source files of a stage and of everything first-party that they import."""
    return package_modules(f"pipeline.stages.{stage}")


def package_modules(package: str) -> set[Path]:
    """Return the source files of a package and of everything first-party that they import."""
    folder = Path(*package.split("."))
    roots = [".".join(path.with_suffix("").parts) for path in sorted(folder.rglob("*.py"))]
    return _import_closure([*ENTRANCE, *roots])


def _data_files(stage: str) -> Iterator[Path]:
    yield Path("pipeline/rules") / f"{stage}.smk"
    for pattern in STAGES[stage].data:
        yield from sorted(Path().glob(pattern))


def _import_closure(modules: Iterable[str]) -> set[Path]:
    found: set[Path] = set()
    waiting = list(modules)
    seen = set(waiting)
    while waiting:
        path = _module_file(waiting.pop())
        if path is None or path in found:
            continue
        found.add(path)
        named = _imported_modules(path, path.stat().st_mtime_ns) - seen
        seen |= named
        waiting += named
    return found


def _module_file(module: str) -> Path | None:
    base = Path(*module.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


@functools.cache
def _imported_modules(path: Path, _mtime_ns: int) -> frozenset[str]:
    """Return the first-party modules that a file names, their packages included."""
    names: list[str] = []
    for node in _statements(ast.parse(path.read_bytes())):
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


def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
