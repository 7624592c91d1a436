# SPDX-License-Identifier: Apache-2.0
"""Runs the snippets of README and documentation as a reader would."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from aa_dataset.cli import main
from tests.kit.places import REPOSITORY
from tests.walk.workspaces import Workspace

# What every page that people read in the repository may hold. The stages' own pages have tests of
# their own, and so has the page that compares the authors' package.
PAGES = {
    path.relative_to(REPOSITORY).as_posix(): path.read_text()
    for path in (
        REPOSITORY / "README.md",
        REPOSITORY / "CONTRIBUTING.md",
        REPOSITORY / "pipeline/README.md",
        *sorted((REPOSITORY / "docs").rglob("*.md")),
    )
}
ELSEWHERE = "docs/articulatearena.md"
LANGUAGES = {"python", "bash", "yaml", "text", "{toctree}", "{include}", "{eval-rst}"}
MAKEFILE = (REPOSITORY / "Makefile").read_text()
EXTRAS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]


def blocks(page: str, *languages: str) -> list[str]:
    return re.findall(rf"^```(?:{'|'.join(languages)})\n(.*?)^```", PAGES[page], re.S | re.M)


def having(*languages: str) -> list[str]:
    return [page for page in PAGES if page != ELSEWHERE and blocks(page, *languages)]


def run(built: Workspace, words: list[str], home: Path) -> subprocess.CompletedProcess[str]:
    done = built.warm.run(
        built.root, *words, AA_HOME=str(home), PYTHONPATH=str(built.root), OMP_NUM_THREADS="1"
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    return done


@pytest.fixture(scope="module")
def desk(built: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A copy of the built workspace in which a reader has scored the truth, as the README does."""
    desk = built.copy(tmp_path_factory.mktemp("readme") / "desk")
    home = desk.root / "home"
    run(desk, ["aa_dataset.cli", "unpack", "predictions", "--split", "eval200"], home)
    words = ["score", "predictions", "--split", "eval200", "--out", "result"]
    run(desk, ["aa_dataset.cli", *words], home)
    words = ["split", "export", "eval200", "--out", "eval200.json"]
    run(desk, ["aa_dataset.cli", *words], home)
    return desk


@pytest.mark.parametrize("page", having("python"))
def test_python_snippets_run(desk: Workspace, page: str) -> None:
    done = run(desk, ["-c", "\n".join(blocks(page, "python"))], desk.root / "home")
    if page == "README.md":
        assert re.search(r"generated-\S+ \S+ CC0-1.0 \S+object\.urdf", done.stdout)
        assert done.stdout.splitlines()[-2:] == ["0.0", "0.0"]
        assert "of the 19,977 objects" in done.stderr
        losses = [float(text) for text in re.findall(r"^loss (\S+)$", done.stdout, re.M)]
        assert len(losses) >= 20 and sum(losses[-4:]) < 0.9 * sum(losses[:4])
    if page == "docs/tutorials/train.md":
        losses = [float(text) for text in re.findall(r"mean loss (\S+)$", done.stdout, re.M)]
        assert len(losses) == 20 and losses[-1] < 0.9 * losses[0]
    if page == "docs/metric.md":
        assert [round(float(word), 9) for word in done.stdout.split()] == [0.3, 1.5]


def test_the_training_of_the_readme_has_ten_lines() -> None:
    training = next(one for one in blocks("README.md", "python") if "joint_loss" in one)
    assert sum(bool(line.strip()) for line in training.splitlines()) == 10


@pytest.mark.parametrize("page", having("bash"))
def test_commands_run_or_name_what_exists(desk: Workspace, page: str) -> None:
    for block in blocks(page, "bash"):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words:
                try_command(desk, words)


def try_command(desk: Workspace, words: list[str]) -> None:
    """Run a command of ours; of others check that what they name is there."""
    match words:
        case ["aa", "fetch", source, *_]:  # needs the Hub
            known = run(desk, ["aa_dataset.cli", "sources"], desk.root / "home").stdout
            assert source in known
        case ["aa", verb, *rest]:
            run_aa(desk, verb, rest)
        case [".venv/bin/snakemake", *rest]:
            run(desk, ["snakemake", *rest], desk.root / "home")
        case ["make", target, *_]:
            assert re.search(rf"^{target}:", MAKEFILE, re.M), target
        case ["pip", "install", what]:
            extras = re.findall(r"\[(.*)\]", what)
            assert all(one in EXTRAS for one in ",".join(extras).split(",") if one), what
        case ["$EDITOR", path] | ["python" | ".venv/bin/python", path, *_]:
            assert (REPOSITORY / path).is_file(), path
        case _:
            raise AssertionError(f"no test knows how to try {words}")


def run_aa(desk: Workspace, verb: str, rest: list[str]) -> None:
    """Run one of our commands; the truth must score 0."""
    if verb == "unpack":  # `desk` did it, and it refuses a folder that is there
        assert (desk.root / rest[0]).is_dir()
        return
    if verb == "demo":  # several pages show it, and it refuses a folder with files
        shutil.rmtree(desk.root / "aa-demo", ignore_errors=True)
    done = run(desk, ["aa_dataset.cli", verb, *rest], desk.root / "home")
    if verb == "score":
        scores = re.findall(r"^E_\S+(?: \[m\]| tree)?\s+(\S+)", done.stdout, re.M)
        assert scores
        # A score that the truth leaves undefined, such as E_B without a bounded joint, is "none".
        assert {float(value) for value in scores if value != "none"} == {0.0}


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_exists(page: str) -> None:
    text = PAGES[page]
    assert set(re.findall(r"^```(\S+)", text, re.M)) <= LANGUAGES, "an untested language"
    for target in set(re.findall(r"`make ([a-z][a-z-]+)", text)):
        assert re.search(rf"^{target}:", MAKEFILE, re.M), target
    for path in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert ((REPOSITORY / page).parent / path).exists(), path


def test_the_example_of_a_collection_is_valid() -> None:
    import yaml
    from jsonschema import validate

    from pipeline.raw.adapters.collection import SCHEMA

    for text in blocks("docs/tutorials/add_source.md", "yaml"):
        validate(yaml.safe_load(text), SCHEMA)


def test_the_readme_is_short() -> None:
    lines = PAGES["README.md"].splitlines()
    assert len(lines) <= 150
    assert max(map(len, lines)) < 120


@pytest.mark.parametrize(
    "verb",
    [
        "info",
        "list",
        "show",
        "unpack",
        "score",
        "compare",
        "baseline",
        "explain",
        "split",
        "check",
        "judge",
        "export",
        "inputs",
    ],
)
def test_every_command_has_a_help_text(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ending:
        main([verb, "--help"])
    assert ending.value.code == 0
    assert "usage: aa" in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["sources", "fetch"])
def test_a_command_of_the_pipeline_has_a_help_text(verb: str) -> None:
    """In a process of its own, because it replaces its process by one of the pipeline."""
    done = subprocess.run(
        [sys.executable, "-m", "aa_dataset.cli", verb, "--help"],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "usage: aa" in done.stdout
