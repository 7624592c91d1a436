# SPDX-License-Identifier: Apache-2.0
"""Contract: the page about predictions shows what the code writes and the schema has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

from tests.docs.test_pages import rows
from tests.kit.places import REPOSITORY

PAGE = (REPOSITORY / "docs/predictions.md").read_text()
SCHEMA = json.loads((files("aa_dataset.format") / "joints.schema.json").read_bytes())


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.S | re.M)


def test_the_scripts_run_and_print_the_file_of_the_page(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks("python"))],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert blocks("text") == [done.stdout]


def test_the_table_has_every_field_of_the_schema() -> None:
    listed = rows("docs/predictions.md", "field of a joint")
    names = {name.strip("`") for cell in listed for name in cell.split(", ")}
    assert names == set(SCHEMA["$defs"]["joint"]["properties"])
