# SPDX-License-Identifier: Apache-2.0
"""The rules of the house that a machine can hold; each failure says what to do."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.engine.stages import STAGES
from tests.kit.places import REPOSITORY

# What each room of the pipeline may import; every room may import `aa_dataset`.
ROOMS = {
    "base": set(),
    "shapes": {"base"},
    "raw": {"base"},
    "generate": {"base", "shapes"},
    "handover": {"base", "raw", "shapes"},
    "engine": {"base", "raw"},
    "stages": {"base", "shapes", "raw", "handover", "engine"},
    "tools": {"base", "shapes", "raw", "handover", "engine", "stages", "generate"},
}
# What each room of `aa_dataset` may import. A module at its top is a room as well: the first four
# are what every room may use, `load`, `dataset` and `objects` are the loader's public modules.
LOADER_ROOMS = {
    "errors": set(),
    "files": {"errors"},
    "portable": set(),
    "random_streams": set(),
    "triangles": set(),
    "untrusted": {"errors"},
    "format": {"errors", "files", "untrusted"},
    "kinematics": {"errors", "portable", "random_streams", "untrusted"},
    "metric": {"errors", "kinematics"},
    "convention": {"errors", "portable", "untrusted", "format", "kinematics"},
    "assets": {"errors", "format"},
    "hub": {"errors", "files", "untrusted", "format", "assets"},
    "library": {"errors", "files", "untrusted", "format", "kinematics", "assets", "hub"},
    "render": {"errors", "portable", "triangles", "untrusted"},
    "geometry": {"errors", "portable", "random_streams", "triangles", "render"},
    "objects": {"errors", "format", "kinematics", "assets", "library", "render", "geometry"},
    "dataset": {"errors", "format", "kinematics", "assets", "library", "objects"},
    "load": {"errors", "format", "assets", "hub", "library", "dataset"},
    "draw": {"errors", "kinematics", "untrusted"},
    "adapters": {
        "errors", "portable", "untrusted", "format", "kinematics", "metric", "objects", "dataset",
    },
    "export": {"errors", "untrusted", "format", "kinematics", "assets", "adapters"},
    "judge": {"errors", "files", "kinematics", "objects", "adapters"},
    "score": {
        "errors", "files", "portable", "random_streams", "untrusted", "format", "kinematics",
        "metric", "objects", "dataset", "load", "draw",
    },
    "inputs": {
        "errors", "files", "portable", "untrusted", "format", "kinematics", "metric", "objects",
        "dataset", "render",
    },
    "demo": {"files", "format", "load", "dataset", "objects", "score"},
    "cli": {
        "errors", "files", "untrusted", "format", "kinematics", "metric", "convention", "hub",
        "library", "objects", "dataset", "load", "draw", "adapters", "export", "judge", "score",
        "inputs", "demo",
    },
}  # fmt: skip
LINES, FUNCTION_LINES, PROSE_COLUMNS = 400, 40, 120
FAMILIES = "pipeline/generate/families/"


def modules(*folders: str) -> list[Path]:
    """Return every Python file below some folders, relative to the repository."""
    files = (path for folder in folders for path in (REPOSITORY / folder).rglob("*.py"))
    return sorted(path.relative_to(REPOSITORY) for path in files)


@functools.cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse((REPOSITORY / path).read_bytes())


@functools.cache
def imports(path: Path) -> tuple[tuple[str, ...], ...]:
    """Return what a file imports, as parts of a dotted name."""
    found: list[str] = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}, line {node.lineno}: write the whole name of the module"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(tuple(name.split(".")) for name in found)


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function of a file."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    yield from (node for node in ast.walk(parsed(path)) if isinstance(node, kinds))


def test_the_pipeline_has_these_rooms() -> None:
    """A new folder needs a line in ROOMS, which says what it may import."""
    found = {path.name for path in (REPOSITORY / "pipeline").iterdir() if path.is_dir()}
    assert found - {"__pycache__", "rules"} == {*ROOMS}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_the_rooms_below_it(room: str) -> None:
    """Move what both need to a room below: `base`, `raw` or `shapes`."""
    allowed = {*ROOMS[room], room}
    wrong = [
        f"{path} imports {'.'.join(name)}"
        for path in modules(f"pipeline/{room}")
        for name in imports(path)
        if name[0] == "pipeline" and name[1] not in allowed
    ]
    assert not wrong


def test_the_loader_has_these_rooms() -> None:
    """Put a new module into a room; a new room needs a line in LOADER_ROOMS."""
    found = {path.stem for path in (REPOSITORY / "aa_dataset").iterdir()}
    assert found - {"__pycache__", "__init__", "py"} == {*LOADER_ROOMS}


@pytest.mark.parametrize("room", LOADER_ROOMS)
def test_a_room_of_the_loader_imports_only_the_rooms_below_it(room: str) -> None:
    """Move what both need to a room below, such as `format` or `untrusted`."""
    files = [path for path in modules("aa_dataset") if path.with_suffix("").parts[1] == room]
    wrong = [
        f"{path} imports {'.'.join(name)}"
        for path in files
        for name in imports(path)
        if name[0] == "aa_dataset" and not _may_import(room, name)
    ]
    assert files and not wrong


def _may_import(room: str, name: tuple[str, ...]) -> bool:
    """Return whether a room may import a name; `aa_dataset` itself and its version: always."""
    target = (
        {"load_dataset": "load", "__version__": room}.get(name[1], name[1]) if name[1:] else room
    )
    return target in {*LOADER_ROOMS[room], room}


def test_the_rooms_of_the_loader_form_no_cycle() -> None:
    """Every room is below those that may import it."""
    below: set[str] = set()
    for room, allowed in LOADER_ROOMS.items():
        assert allowed <= below, f"{room} may import {sorted(allowed - below)}, listed after it"
        below.add(room)


AROUND_SCORES = {"baselines", "comparison", "explain", "presets", "simulated"}


def test_a_score_needs_none_of_the_rooms_around_it() -> None:
    """Move what both need to a module of `score`, or to its `result`."""
    wrong = [
        f"{path} imports {'.'.join(name)}"
        for path in modules("aa_dataset/score")
        if path.parts[2] not in AROUND_SCORES
        for name in imports(path)
        if name[:2] == ("aa_dataset", "score") and {*name[2:3]} & AROUND_SCORES
    ]
    assert not wrong


def test_contributing_lists_the_rooms_of_the_loader() -> None:
    """Add the room to the table of CONTRIBUTING, with what it contains."""
    text = (REPOSITORY / "CONTRIBUTING.md").read_text()
    absent = [room for room in LOADER_ROOMS if f"`{room}`" not in text]
    assert not absent


def test_no_stage_imports_another_stage() -> None:
    """Move what both need to `shapes` or `raw`; a line of one stage must not rerun another."""
    wrong = [
        f"{path} imports {'.'.join(name)}"
        for path in modules("pipeline/stages")
        for name in imports(path)
        if name[:2] == ("pipeline", "stages") and name[2] != path.parts[2]
    ]
    assert not wrong


def test_every_stage_has_a_package_a_rule_and_tests() -> None:
    """A stage's word is its package, its rule and its test folder."""
    for folder in ("pipeline/stages", "tests/pipeline/stages"):
        inner = {path.name for path in (REPOSITORY / folder).iterdir() if path.is_dir()}
        assert inner - {"__pycache__"} == {*STAGES}, folder
    rules = {path.stem for path in (REPOSITORY / "pipeline/rules").glob("*.smk")}
    assert rules - {"common"} == {*STAGES}


def test_the_loader_knows_nothing_of_the_pipeline() -> None:
    """The wheel has no `pipeline`: what both need belongs to `aa_dataset`."""
    wrong = [
        path for path in modules("aa_dataset") for name in imports(path) if name[0] == "pipeline"
    ]
    assert not wrong


# These read and write rows of tables, of which `aa_dataset.format.schema` has the types, and one
# reads the facts of foreign files, whose names are the source's own.
ROWS = (
    "aa_dataset/format/truth.py",
    "pipeline/base/tables.py",
    "pipeline/base/records.py",
    "pipeline/raw/records.py",
    "pipeline/stages/split/frozen.py",
)


def test_what_passes_between_rooms_has_a_type() -> None:
    """Give it a frozen dataclass: a setting in `engine.settings`, a record in `handover`."""
    wrong = [
        f"{path}: {name}({what})"
        for path, name in sorted(_used_elsewhere())
        if path.as_posix() not in ROWS
        for node in parsed(path).body
        if getattr(node, "name", None) == name
        for what, annotation in _handed_over(node)
        if annotation and "[str, Any]" in ast.unparse(annotation)
    ]
    assert not wrong


def _used_elsewhere() -> set[tuple[Path, str]]:
    """Return file and name of everything that a module of another room imports."""
    return {
        (Path(*name[:-1]).with_suffix(".py"), name[-1])
        for path in modules("aa_dataset", "pipeline")
        for name in imports(path)
        if name[0] in ("aa_dataset", "pipeline") and name[:2] != path.with_suffix("").parts[:2]
        if len(name) > 2 and (REPOSITORY / Path(*name[:-1]).with_suffix(".py")).is_file()
    }


def _handed_over(node: ast.stmt) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield name and annotation of every parameter of a function, or field of a class."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from ((one.arg, one.annotation) for one in (*node.args.args, *node.args.kwonlyargs))
    for inner in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(inner, ast.AnnAssign):
            yield ast.unparse(inner.target), inner.annotation
        elif isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
            yield from ((f"{inner.name}: {what}", kind) for what, kind in _handed_over(inner))


def test_no_module_is_longer_than_a_room_can_hold() -> None:
    """Cut the module where its ideas part."""
    paths = modules("aa_dataset", "pipeline", "benchmarks", "tests")
    long = {
        str(p): n for p in paths if (n := len((REPOSITORY / p).read_text().splitlines())) > LINES
    }
    assert not long


def test_no_function_is_longer_than_a_page() -> None:
    """Name the steps; families of generated objects, which are lists of parts, may be longer."""
    paths = [path for path in modules("aa_dataset", "pipeline") if FAMILIES not in path.as_posix()]
    long = [
        f"{path}: {node.name}"
        for path in paths
        for node in functions(path)
        if _body_lines(node) > FUNCTION_LINES
    ]
    assert not long


def _body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_everything_public_has_a_docstring() -> None:
    """Say what it returns or does, with shape, unit and frame."""
    bare = [
        f"{path}: {getattr(node, 'name', 'the module')}"
        for path in modules("aa_dataset", "pipeline")
        for node in _public(parsed(path))
        if ast.get_docstring(node) is None
    ]
    assert not bare


def _public(module: ast.Module) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef]:
    yield module
    for node in module.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith("_"):
            continue
        if not any(getattr(one, "id", "") == "overload" for one in node.decorator_list):
            yield node


def test_prose_of_a_page_fits_beside_its_code() -> None:
    """Break the line; tables, code, formulas and addresses may be longer."""
    paths = (path for path in REPOSITORY.rglob("*.md") if not _is_foreign(path))
    long = [
        f"{path.relative_to(REPOSITORY)}, line {number}"
        for path in sorted(paths)
        for number, line in _prose(path)
        if len(line) > PROSE_COLUMNS
    ]
    assert not long


def _is_foreign(path: Path) -> bool:
    """Whether a page was installed or built here."""
    top = path.relative_to(REPOSITORY).parts[0]
    return top.startswith(".") or top in {"library", "raw", "release", "site", "work"}


def _prose(path: Path) -> Iterator[tuple[int, str]]:
    fence = ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        mark = next((m for m in ("```", "$$") if line.lstrip().startswith(m)), "")
        if mark and fence in ("", mark):
            fence = "" if fence else mark
        elif not fence and not line.startswith("|") and "://" not in line:
            yield number, line
