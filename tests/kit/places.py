# SPDX-License-Identifier: Apache-2.0
"""Where the repository and the real samples are; CONTRIBUTING says what a sample folder holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
BENCHMARKS = REPOSITORY / "benchmarks"
SAMPLES = Path(os.environ.get("AA_SAMPLES") or REPOSITORY.parent / "shared" / "samples")


def sample_folder(name: str) -> Path:
    """Return the folder with the real objects of a source, or skip the test."""
    folder = SAMPLES / name
    if not folder.is_dir():
        pytest.skip("no samples: set AA_SAMPLES")
    return folder
