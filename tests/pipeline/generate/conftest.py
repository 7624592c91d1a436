# SPDX-License-Identifier: Apache-2.0
"""One small collection, made once: every family once."""

from pathlib import Path

import pytest

from pipeline.generate.collection import generate_collection
from pipeline.generate.registry import family_names

SEED = 7


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the root of a raw source with one object of each family."""
    root = tmp_path_factory.mktemp("generated")
    generate_collection(root, seed=SEED, count=len(family_names()), progress=False)
    return root
