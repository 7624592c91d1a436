# SPDX-License-Identifier: Apache-2.0
"""The current folder is somebody's download: nothing that lies in it is executed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.places import REPOSITORY

# What pip writes for `aa`: its own folder is the first that Python looks into.
SCRIPT = """import sys
from aa_dataset.cli import main
if __name__ == "__main__":
    sys.exit(main())
"""
MODULES = (
    "json", "numpy", "pyarrow", "scipy", "yaml", "tqdm", "re", "pickle", "struct", "pebble",
    "multiprocessing", "concurrent", "threading", "mujoco", "numba", "sitecustomize",
    "usercustomize", "pipeline",
    "aa_dataset", "snakemake", "argparse", "encodings", "jsonschema",
)  # fmt: skip


@pytest.fixture
def trap(library: Path, tmp_path: Path) -> Path:
    """Return a folder with a library and with code that leaves a trace when it runs."""
    folder = tmp_path / "download"
    shutil.copytree(library, folder / "library")
    for name in MODULES:
        code = f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r} + chr(10))\n"
        (folder / f"{name}.py").write_text(code)
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "__init__.py").write_text(code)
        (folder / name / "__main__.py").write_text(code)
    (folder / "pipeline/raw").mkdir()
    (folder / "pipeline/raw/sources.yaml").write_text("{}\n")
    (folder / "x.urdf").write_text('<robot name="x"><link name="base"/></robot>')
    (folder / "config.yaml").write_text("{}\n")
    (folder / "Snakefile").write_text((folder / "json.py").read_text())
    (folder / ".numba_config.yaml").write_text("cache_dir: cache\nopt: nonsense\n")
    return folder


def aa(trap: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `aa` in the trap as its console script does."""
    script = trap.parent / "bin" / "aa"
    script.parent.mkdir(exist_ok=True)
    script.write_text(SCRIPT)
    keep = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, script, *words],
        cwd=trap,
        env=keep | {"PYTHONPATH": str(REPOSITORY)} | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


COMMANDS = {
    "info": ["info"],
    "list": ["list", "--json"],
    "show": ["show", "generated-jar"],
    "unpack": ["unpack", "to"],
    "score": ["score", "library", "--split", "eval200"],
    "nearest": ["nearest", "generated-jar"],
    "taxonomy": ["taxonomy"],
    "verify": ["verify"],
    "check": ["check", "x.urdf"],
    "judge": ["judge", "library", "--simulators", "mujoco", "--objects", "1", "--out", "out.html"],
    "version": ["--version"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_aa_executes_nothing_of_the_current_folder(trap: Path, command: str) -> None:
    if command == "judge":
        pytest.importorskip("mujoco")
    done = aa(trap, *COMMANDS[command])
    ran = trap.parent / "ran"
    assert not ran.exists(), (ran.read_text(), done.stderr)
    assert done.returncode in (0, 1), done.stderr


@pytest.mark.parametrize("command", ["sources", "fetch"])
def test_a_folder_that_looks_like_a_checkout_is_not_executed(trap: Path, command: str) -> None:
    done = aa(trap, command)
    assert done.returncode == 2 and not (trap.parent / "ran").exists()
    assert f"must run in its checkout, {REPOSITORY}; change to that folder" in done.stderr
    assert "set AA_CHECKOUT to its path" in done.stderr


def test_a_checkout_named_by_the_user_is_executed(trap: Path) -> None:
    done = aa(trap, "sources", AA_CHECKOUT=str(trap))
    assert done.returncode == 0, done.stderr
    assert "pipeline" in (trap.parent / "ran").read_text()


@pytest.mark.parametrize(
    ("told", "words"), [(".", "an absolute path"), ("/nonexistent", "/nonexistent is not in one")]
)
def test_a_checkout_that_is_none_is_a_sentence(trap: Path, told: str, words: str) -> None:
    done = aa(trap, "fetch", "local", AA_CHECKOUT=told)
    assert done.returncode == 2 and words in done.stderr
    assert not (trap.parent / "ran").exists()


def test_the_checkout_of_the_package_is_used_in_its_folder() -> None:
    script = "import sys; sys.argv[1:] = ['sources']; from aa_dataset.cli import main; main()"
    keep = {key: value for key, value in os.environ.items() if key != "AA_CHECKOUT"}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, env=keep, capture_output=True, text=True
    )
    assert done.returncode == 0 and "partnet_mobility" in done.stdout, done.stderr


@pytest.mark.parametrize("options", [[], ["-P"]])
@pytest.mark.parametrize("module", ["pipeline", "pipeline.__main__"])
def test_the_pipeline_of_a_checkout_does_not_build_in_another_folder(
    trap: Path, options: list[str], module: str
) -> None:
    shutil.rmtree(trap / "pipeline")
    (trap / "pipeline.py").unlink()
    for name in ("__future__", "contextlib", "fcntl", "logging", "pathlib", "resource", "signal"):
        shutil.copy(trap / "argparse.py", trap / f"{name}.py")
    done = subprocess.run(
        [sys.executable, *options, "-m", module, "build"],
        cwd=trap,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and not (trap.parent / "ran").exists()
    assert f"This pipeline belongs to {REPOSITORY}" in done.stderr


ENGINE = """
from aa_dataset.metric._engine import compiled_kernels, has_numba
import sys
assert not has_numba() and compiled_kernels("numba", required=False) is None
assert "numba" not in sys.modules
compiled_kernels("numba")
"""


def test_numba_does_not_obey_the_current_folder(trap: Path) -> None:
    """Its settings can name a folder of pickled code."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", ENGINE],
        cwd=trap,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert "ArgumentError: engine='numba' would read the .numba_config.yaml" in done.stderr
