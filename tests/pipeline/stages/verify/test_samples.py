# SPDX-License-Identifier: Apache-2.0
"""Every real sample passes through verify: findings or a rejection with a sentence, no crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.engine.runner import Task
from pipeline.stages.normalize.stage import NormalizeInput, normalize
from pipeline.stages.verify.stage import VerifyInput, verify
from tests.kit import bench
from tests.kit import settings as settings_kit
from tests.kit.places import SAMPLES

# The sources' own frames and scales, until their adapters say so.
SOURCES = {
    "articraft": ("z", "metric"),
    "articulated_object_code": ("y", "arbitrary"),
    "gapartnet": ("z", "unit_sphere"),
    "partnet_mobility": ("z", "unit_sphere"),
    "partnet_mobility_edited": ("z", "unit_sphere"),
    "tail": ("z", "metric"),
}


def sample_files(source: str) -> list[Path]:
    found = sorted((SAMPLES / source).rglob("*.urdf"))
    return [path for path in found if "vhacd" not in path.name and "copy" not in path.name]


def verified(folder: Path, path: Path, source: str) -> list[str]:
    """Return the codes of an object's findings, or the reason of its rejection."""
    up, scale = SOURCES[source]
    root = path.parent if source == "tail" else SAMPLES / source / path.relative_to(
        SAMPLES / source).parts[0]  # fmt: skip
    row = bench.raw_record(path.relative_to(root).as_posix(),
                        {"frame": {"up": up, "front": None}, "scale": scale})  # fmt: skip
    more = {"faces": 5_000_000, "raw_bytes": 1_000_000_000}
    settings = settings_kit.changed(settings_kit.SETTINGS, budgets=more)
    try:
        outcome = normalize(Task("s-1", NormalizeInput(root, row)), settings)
        record, where = bench.stored(folder / "object.tar", outcome)
        return bench.codes(verify(Task("s-1", VerifyInput(record, where, "")), settings))
    except Rejection as rejection:
        assert rejection.reason is not Reason.INTERNAL_ERROR
        assert rejection.detail.endswith(".")
        return [f"rejected: {rejection.reason}"]


def examine(folder: Path, source: str, *, most: int) -> None:
    files = sample_files(source)
    if not files:
        pytest.skip(f"no samples of {source} beside the repository")
    chosen = files[:: -(-len(files) // most)]
    said = [verified(folder, path, source) for path in chosen]
    kept = [codes for codes in said if not "".join(codes).startswith("rejected")]
    assert len(kept) >= 0.9 * len(chosen)  # the samples are usable objects


@pytest.mark.parametrize("source", SOURCES)
def test_some_samples_pass(tmp_path: Path, shipped: None, source: str) -> None:
    examine(tmp_path, source, most=1)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_all_samples_pass(tmp_path: Path, shipped: None, source: str) -> None:
    examine(tmp_path, source, most=1000)
