# SPDX-License-Identifier: Apache-2.0
"""Builds a library of all real samples, for `aa judge` and whatever else reads a library.

``PYTHONPATH=. python benchmarks/samples.py FOLDER`` copies the repository and the samples
(../shared/samples, or `AA_SAMPLES`) into a new folder and runs a build there: the library is
FOLDER/library. No filter of config.yaml leaves a sample out. `../shared/samples` has no
`source.yaml`; what a person would write about the collections is in tests/pipeline/machines.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from tests.kit.places import SAMPLES
from tests.pipeline.machines.rebuild import SAMPLE_SOURCES, tail_collections
from tests.walk.workspaces import copy_repository, environment


def main() -> None:
    """Copy everything and build."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, help="a new folder")
    given = parser.parse_args()
    root = given.folder.resolve()
    copy_repository(root, shards=1)
    config = yaml.safe_load((root / "config.yaml").read_text())
    sources = {"generated": {"skip": True}, **place_samples(root)}
    config |= {"sources": sources, "filters": {}}
    (root / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    build = [sys.executable, "-m", "pipeline", "build"]
    raise SystemExit(subprocess.run(build, cwd=root, env=environment(), check=False).returncode)


def place_samples(root: Path, every: int = 1) -> dict[str, dict[str, int]]:
    """Copy every n-th sample of each source into a workspace; return what config.yaml says."""
    sources = {}
    for source, folders in SAMPLE_SOURCES.items():
        target = root / "raw" / source
        if source == "tail":
            tail_collections(target)
        else:
            target.mkdir(parents=True)
            paths = [path for folder in folders for path in sorted((SAMPLES / folder).iterdir())]
            for path in paths[::every]:
                copy = shutil.copytree if path.is_dir() else shutil.copy2
                copy(path, target / path.name)
        sources[source] = {"shards": 2 if source == "articraft_10k" else 1}
    return sources


if __name__ == "__main__":
    main()
