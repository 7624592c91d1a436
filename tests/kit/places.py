# SPDX-License-Identifier: Apache-2.0
"""Where the repository and the real samples are; CONTRIBUTING says what a sample folder holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
BENCHMARKS = REPOSITORY / "benchmarks"
SAMPLES = Path(os.environ.get("AA_SAMPLES") or REPOSITORY.parent / "shared" / "samples")

needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="no real samples here")


def sample_folder(name: str) -> Path:
    """Return the folder with the real objects of a source, or skip the test."""
    folder = SAMPLES / name
    if not folder.exists():
        skip_without_samples()
    return folder


def skip_without_samples() -> None:
    """Skip the test; the one place to do so, so that pytest counts all of them in one line."""
    pytest.skip("no real samples here: see AA_SAMPLES in CONTRIBUTING.md")
