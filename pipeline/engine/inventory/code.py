# SPDX-License-Identifier: Apache-2.0
"""Digests of the code of a stage: its files, the first-party modules they import, and the pins.

The imports are found by reading the source, not by running it, so that a lazily imported module
counts as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from pipeline.base import layout
from pipeline.base.errors import ChangedDuringBuildError
from pipeline.engine.inventory.imports import imported_modules
from pipeline.engine.stages import STAGES
from pipeline.raw.records import ADAPTERS

# Every stage is started by these modules.
ENTRANCE = ("pipeline.__main__", "pipeline.engine.runner")


class Code:
    """The code of a checkout as it is now: every file is looked at once for all stages."""

    def __init__(self) -> None:
        self._paths: dict[str, Path | None] = {}
        self._digests: dict[Path, str] = {}

    def digest(self, stage: str, adapter: str = "") -> str:
        """Return one line per file that `stage` depends on: digest and path.

        Adapters are imported by name, so that an adapter affects only its own sources.
        """
        package = package_names(f"pipeline.stages.{stage}")
        files = {*self.closure(package), *_data_files(stage), layout.CONSTRAINTS}
        if adapter:
            files |= self.closure([f"{ADAPTERS}.{adapter}"])
        return "".join(f"{self._digest(path)}  {path.as_posix()}\n" for path in sorted(files))

    def closure(self, modules: Iterable[str]) -> set[Path]:
        """Return the source files of modules and of everything first-party that they import."""
        found: set[Path] = set()
        waiting = list(modules)
        seen = set(waiting)
        while waiting:
            path = self._path(waiting.pop())
            if path is None or path in found:
                continue
            found.add(path)
            named = imported_modules(path, path.stat().st_mtime_ns) - seen
            seen |= named
            waiting += named
        return found

    def _path(self, module: str) -> Path | None:
        if module not in self._paths:
            self._paths[module] = _module_file(module)
        return self._paths[module]

    def _digest(self, path: Path) -> str:
        if path not in self._digests:
            self._digests[path] = _file_digest(path)
        return self._digests[path]


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


def package_modules(package: str) -> set[Path]:
    """Return the source files of a package and of everything first-party that they import."""
    return Code().closure(package_names(package))


def package_names(package: str) -> list[str]:
    """Return the modules of a package and those that start every stage."""
    folder = Path(*package.split("."))
    return [*ENTRANCE, *(".".join(p.with_suffix("").parts) for p in sorted(folder.rglob("*.py")))]


def _data_files(stage: str) -> Iterator[Path]:
    yield Path("pipeline/rules") / f"{stage}.smk"
    for pattern in STAGES[stage].data:
        yield from sorted(Path().glob(pattern))


def _module_file(module: str) -> Path | None:
    base = Path(*module.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
