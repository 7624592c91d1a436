# SPDX-License-Identifier: Apache-2.0
"""``aa fetch`` and ``aa sources``: commands of the repository that rebuilds the library.

Raw sources concern those who build. The loader never imports the pipeline: in a checkout of the
repository it becomes it, anywhere else it says where to get one.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from aa_dataset.errors import ArenaError

ENTRANCE = Path("pipeline/__main__.py")
ACCESS = Path("pipeline/access.yaml")
NEEDED = {"jsonschema": "jsonschema", "yaml": "pyyaml"}


class CheckoutError(ArenaError):
    """The command needs a checkout of the repository with the packages of the build."""


def run_pipeline(command: str, words: Sequence[str]) -> NoReturn:
    """Become a command of the pipeline in the current folder.

    This process is replaced, not a second one started, so that Ctrl-C and `kill` reach the command.
    """
    if not (ENTRANCE.is_file() and ACCESS.is_file()):
        raise CheckoutError(
            f"`aa {command}` works in a checkout of the repository, where `make library` builds "
            "the library from raw sources; this folder is none. Go to its top folder, or clone it. "
            "To use a library that is built already, no raw source is needed: see `aa info`."
        )
    absent = [name for module, name in NEEDED.items() if importlib.util.find_spec(module) is None]
    if absent:
        raise CheckoutError(
            f"`aa {command}` needs {', '.join(absent)}: run "
            "`pip install --constraint constraints.txt --editable '.[build]'`."
        )
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "pipeline", command, *words])
