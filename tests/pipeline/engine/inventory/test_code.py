# SPDX-License-Identifier: Apache-2.0
"""The digest of a stage's code changes with what the stage executes, and with nothing else."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.base import layout
from pipeline.base.errors import ChangedDuringBuildError
from pipeline.base.tables import write_if_changed
from pipeline.engine.inventory.code import Code, package_modules, require_planned_code
from pipeline.engine.inventory.imports import _imports
from pipeline.engine.stages import STAGES
from tests.kit.places import REPOSITORY


@pytest.fixture
def tree(elsewhere: Path) -> Path:
    """Work in a copy of the first-party sources."""
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("pipeline", "aa_dataset", "taxonomy"):
        shutil.copytree(REPOSITORY / name, name, ignore=ignore)
    for name in ("constraints.txt", "LICENSE"):
        shutil.copy(REPOSITORY / name, name)
    return elsewhere


def append(name: str, text: str = "\n# changed\n") -> None:
    """Change a file."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((path.read_text() if path.exists() else "") + text)


def code_digest(stage: str, adapter: str = "") -> str:
    return Code().digest(stage, adapter)


def stage_digests() -> dict[str, str]:
    code = Code()
    return {stage: code.digest(stage) for stage in STAGES}


def changed_by(change: Callable[[], None]) -> set[str]:
    """Return the stages whose digest a change changes."""
    before = stage_digests()
    change()
    after = stage_digests()
    return {stage for stage in STAGES if after[stage] != before[stage]}


def stage_modules(stage: str) -> set[Path]:
    return package_modules(f"pipeline.stages.{stage}")


def test_own_files_and_rule_of_a_stage_change_its_digest(tree: Path) -> None:
    for name in ("pipeline/stages/{}/stage.py", "pipeline/rules/{}.smk"):
        for stage in STAGES:
            before = code_digest(stage)
            append(name.format(stage))
            assert code_digest(stage) != before, name.format(stage)


def test_pinned_versions_change_all_digests(tree: Path) -> None:
    assert changed_by(lambda: append("constraints.txt")) == set(STAGES)


def test_a_rule_counts_for_its_stage_alone(tree: Path) -> None:
    assert changed_by(lambda: append("pipeline/rules/verify.smk")) == {"verify"}


def test_what_every_stage_is_started_by_counts_for_all(tree: Path) -> None:
    assert changed_by(lambda: append("pipeline/engine/runner.py")) == set(STAGES)
    assert changed_by(lambda: append("pipeline/__main__.py")) == set(STAGES)


def test_a_module_counts_for_those_who_import_it_also_indirectly(tree: Path) -> None:
    # annotate.stage -> annotate.collision.links -> annotate.collision.decomposition
    assert changed_by(lambda: append("pipeline/stages/annotate/collision/decomposition.py")) == {
        "annotate"
    }
    # normalize reads meshes with it, and the check of the convention, which three stages run.
    assert {"normalize", "verify", "annotate"} <= changed_by(
        lambda: append("aa_dataset/untrusted/obj.py")
    )
    assert changed_by(lambda: append("pipeline/shapes/scenes.py")) == {"normalize"}
    assert {"verify", "annotate", "normalize"} <= changed_by(
        lambda: append("aa_dataset/convention/document.py")
    )
    assert {"normalize", "verify", "annotate"} <= changed_by(
        lambda: append("aa_dataset/untrusted/safe_xml.py")
    )


def test_an_adapter_counts_for_its_own_sources_alone(tree: Path) -> None:
    """One line of one adapter used to ingest all sources again."""
    adapters = ("articraft", "artiverse", "partnet_mobility", "physx_mobility")

    def digests() -> dict[str, str]:
        return {name: code_digest("ingest", name) for name in adapters}

    before, stages = digests(), stage_digests()
    append("pipeline/raw/adapters/artiverse.py")
    after = digests()
    assert {name for name in adapters if after[name] != before[name]} == {"artiverse"}
    append("pipeline/raw/adapters/partnet_motion.py")  # which one adapter reads with
    changed = {name for name in adapters if digests()[name] != after[name]}
    assert changed == {"partnet_mobility"}
    assert stage_digests() == stages


def test_unrelated_files_change_no_digest(tree: Path) -> None:
    def change() -> None:
        append("pipeline/generate/shapes.py")
        append("aa_dataset/cli/program.py")
        append("aa_dataset/brand_new.py", "x = 1\n")
        append("pipeline/engine/inventory/command.py")
        append("README.md", "text")

    assert changed_by(change) == set()


@pytest.mark.parametrize(
    "statement",
    [
        "import aa_dataset.lazy_module",
        "import aa_dataset.lazy_module as x",
        "from aa_dataset import lazy_module",
        "from aa_dataset.lazy_module import thing",
        "def f() -> None:\n    from aa_dataset.lazy_module import thing",
        "try:\n    import aa_dataset.lazy_module\nexcept ImportError:\n    pass",
        "try:\n    pass\nexcept ImportError:\n    import aa_dataset.lazy_module",
        "try:\n    pass\nfinally:\n    import aa_dataset.lazy_module",
        "if split:\n    pass\nelse:\n    import aa_dataset.lazy_module",
        "match split:\n    case _:\n        import aa_dataset.lazy_module",
        "class A:\n    import aa_dataset.lazy_module",
        "if split: import aa_dataset.lazy_module",
        "import os; import aa_dataset.lazy_module",
        "import os, \\\n    aa_dataset.lazy_module",
        "from aa_dataset import (  # (by the way)\n    lazy_module,\n)",
        "from aa_dataset import (\n    lazy_module as x,\n); import os",
        "'import ' ; from aa_dataset import lazy_module",
    ],
)
def test_every_way_to_import_counts_lazily_and_transitively(tree: Path, statement: str) -> None:
    append("pipeline/stages/split/sample.py", f"\n{statement}\n")
    append("aa_dataset/lazy_module.py", "def f() -> None:\n    import aa_dataset.lazier\n")
    append("aa_dataset/lazier.py", "x = 1\n")
    for name in ("lazy_module", "lazier"):
        file = Path(f"aa_dataset/{name}.py")
        assert {stage for stage in STAGES if file in stage_modules(stage)} == {"split"}


@pytest.mark.parametrize(
    "text",
    [
        'DOC = """\nimport aa_dataset.example\n"""',
        "DOC = '''\nimport aa_dataset.example\n'''",
        "# import aa_dataset.example",
        "DOC = 'import aa_dataset.example'",
    ],
)
def test_an_import_in_a_text_is_none(tree: Path, text: str) -> None:
    append("pipeline/stages/split/sample.py", f"\n{text}\n")
    append("aa_dataset/example.py", "x = 1\n")
    assert Path("aa_dataset/example.py") not in stage_modules("split")


def test_imports_of_every_module_are_those_of_its_whole_tree() -> None:
    """Most files are not parsed as a whole, and some must be."""
    statements = ast.Import | ast.ImportFrom
    parsed = 0
    for room in ("pipeline", "aa_dataset"):
        for path in (REPOSITORY / room).rglob("*.py"):
            source = path.read_bytes()
            found = [ast.dump(node) for node in _imports(source) if isinstance(node, statements)]
            tree = ast.parse(source)
            every = [ast.dump(node) for node in ast.walk(tree) if isinstance(node, statements)]
            assert sorted(found) == sorted(every), path
            parsed += len(found)
    assert parsed > 1000


@pytest.mark.parametrize(
    "statement", ["from . import helper", "from .helper import x", "from ..split.helper import x"]
)
def test_relative_imports_count(tree: Path, statement: str) -> None:
    append("pipeline/stages/split/inner/__init__.py", "")
    append("pipeline/stages/publish/card.py", "\nfrom pipeline.stages.split import other\n")
    append("pipeline/stages/split/other.py", f"{statement}\n")
    append("pipeline/stages/split/helper.py", "x = 1\n")
    assert Path("pipeline/stages/split/helper.py") in stage_modules("publish")


def test_data_that_a_stage_reads_change_its_digest(tree: Path) -> None:
    assert changed_by(lambda: append("taxonomy/categories.tsv", "x\ty\tz\t\n")) == {
        "categorize", "verify", "manifest",
    }  # fmt: skip
    # What a stage may know about a source is a file of its own, or part of its settings.
    assert changed_by(lambda: append("pipeline/raw/sources.yaml", "# more\n")) == set()


def test_a_stage_refuses_code_that_differs_from_the_plan(tree: Path) -> None:
    write_if_changed(layout.code("verify"), code_digest("verify").encode())
    require_planned_code("verify")
    before = Path("pipeline/stages/verify/checks.py").read_text()
    append("pipeline/stages/verify/checks.py")
    with pytest.raises(ChangedDuringBuildError, match=r"pipeline/stages/verify/checks\.py changed"):
        require_planned_code("verify")
    Path("pipeline/stages/verify/checks.py").write_text(before)
    require_planned_code("verify")


def test_a_module_in_a_package_brings_the_packages_init(tree: Path) -> None:
    append("aa_dataset/kinematics/__init__.py")
    assert Path("aa_dataset/__init__.py") in stage_modules("normalize")
    assert Path("aa_dataset/kinematics/__init__.py") in stage_modules("normalize")


def test_the_digest_names_every_file_once_and_no_machine_path(tree: Path) -> None:
    lines = code_digest("normalize").splitlines()
    names = [line.split("  ", 1)[1] for line in lines]
    assert names == sorted(set(names))
    assert not any(name.startswith("/") for name in names)
    assert "pipeline/stages/normalize/stage.py" in names
