# SPDX-License-Identifier: Apache-2.0
"""A checkout in which `aa fetch` and `aa sources` are run as a user runs them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.__main__ import main
from pipeline.engine.access import UnpackRule
from pipeline.tools.fetch.connection import TimeLimit
from pipeline.tools.fetch.layout import FetchLayout
from pipeline.tools.fetch.unpack import settle, unpack
from tests.kit.places import REPOSITORY
from tests.kit.warm import Warm
from tests.loopback import Loopback
from tests.pipeline.tools.fetch.archives import RULE

FACTS: dict[str, Any] = {
    "expected": {},
    "citation": "A paper",
    "redistribution": "assets",
    "terms": "Free.",
    "generative": {"share": None, "word": "Nobody said."},
    "proved": {"by": "fixture", "note": ""},
}


class Checkout:
    """A copy of the repository whose sources a test defines.

    The source is called `local`: its adapter takes every folder for an object.
    """

    def __init__(self, root: Path, warm: Warm) -> None:
        self.root, self.raw, self.warm = root, root / "raw" / "local", warm
        ignore = shutil.ignore_patterns("__pycache__", "families")
        shutil.copytree(REPOSITORY / "pipeline", root / "pipeline", ignore=ignore)
        shutil.copy(REPOSITORY / "config.yaml", root)
        shutil.copytree(REPOSITORY / "taxonomy", root / "taxonomy")
        self.environment = {
            **os.environ,
            **{key: "" for key in os.environ if key.lower().endswith("_proxy")},
            "PYTHONPATH": str(REPOSITORY),
            "AA_CHECKOUT": str(root),
            "COLUMNS": "100",
            "HF_HOME": str(root / "hf"),
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "NO_PROXY": "*",
        }
        self.environment.pop("HF_TOKEN", None)

    def describe(self, access: dict[str, Any], **facts: Any) -> None:
        """Write how the source is accessed."""
        path = self.root / "pipeline/raw/sources.yaml"
        sources = yaml.safe_load(path.read_text())
        access = {"instructions": "Ask the author.", **access}
        sources["local"] |= {**FACTS, "access": access, **facts}
        path.write_text(yaml.safe_dump(sources, sort_keys=False))

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "aa_dataset.cli", *words]

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words),
            cwd=self.root,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )

    def fetch(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run what `aa fetch local` becomes; see `Warm`."""
        more = {**self.environment, **environment}
        return self.warm.run(self.root, "pipeline", "fetch", "local", *words, **more)

    def here(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the pipeline in this process, which is much faster."""
        out, err = io.StringIO(), io.StringIO()
        with (
            contextlib.chdir(self.root),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                status = main(list(words))
            except SystemExit as ending:  # how argparse ends
                status = int(ending.code or 0)
        return subprocess.CompletedProcess(words, status, out.getvalue(), err.getvalue())

    def start(self, *words: str, stderr: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        """Start a command in a process group of its own, to be killed as a whole."""
        return subprocess.Popen(
            self.command(*words),
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            start_new_session=True,
            # Whoever runs tests in the background may have Ctrl-C switched off for its children.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def visible(self) -> dict[str, bytes]:
        """Return the files of the source outside of the working folder."""
        files = (path for path in self.raw.rglob("*") if path.is_file())
        named = {path.relative_to(self.raw).as_posix(): path for path in files}
        return {n: p.read_bytes() for n, p in named.items() if not n.startswith(".fetch")}

    @property
    def receipt(self) -> dict[str, Any]:
        return json.loads((self.raw / ".fetched.json").read_bytes())

    def sources(self) -> dict[str, dict[str, Any]]:
        """Return the rows of `aa sources --json` by name."""
        done = self.here("sources", "--json")
        assert done.returncode == 0, done.stderr
        return {one["source"]: one for one in json.loads(done.stdout)}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm: Warm) -> Checkout:
    monkeypatch.setenv("NO_PROXY", "*")
    return Checkout(tmp_path / "checkout", warm)


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    """Return what runs commands in the environment of a checkout, which names all variables."""
    warm = Warm({})
    yield warm
    warm.close()


@pytest.fixture
def place(tmp_path: Path) -> FetchLayout:
    return FetchLayout(tmp_path / "raw")


@pytest.fixture
def opened(place: FetchLayout, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def run(
        data: bytes,
        name: str = "x.tar.gz",
        rule: UnpackRule = RULE,
        stop: threading.Event | None = None,
        limit: TimeLimit | None = None,
    ) -> dict[str, Any]:
        archive = tmp_path / "archive"
        archive.write_bytes(data)
        ends = {"stop": stop or threading.Event(), "limit": limit or TimeLimit()}
        record = unpack(archive, rule, place, facts={"path": name}, **ends)
        settle(name, record, place)
        return record

    return run


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as loopback:
        yield loopback
