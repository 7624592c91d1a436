# SPDX-License-Identifier: Apache-2.0
"""What scoring uses is the same in consecutive versions of the benchmark, but for what is listed.

A score on one version is not compared with a score on another. Still, methods should not have to be
read anew because of a change that scoring does not see.
"""

from __future__ import annotations

import hashlib
from itertools import pairwise

import pytest

from pipeline.stages.split.frozen import FOLDER, changes, frozen_versions, list_files, read_frozen

# (newer version, object): why its joints, limits, bodies or size changed.
PERMITTED: dict[tuple[str, str], str] = {}
PAIRS = [pytest.param(*pair, id=" to ".join(pair)) for pair in pairwise(frozen_versions())]


def test_versions_are_numbered_from_zero_without_a_gap() -> None:
    versions = frozen_versions()
    assert versions == [f"eval200-v{number}" for number in range(len(versions))]
    assert versions
    files = {path.name for path in FOLDER.iterdir()}
    tables = {f"{v}.{name}.tsv" for v in versions for name in ("objects", "joints")}
    assert files == {*tables, "DIGESTS"}


def test_no_list_changes_by_accident() -> None:
    """A digest is that of both files, one after the other, and is written down by hand."""
    lines = (FOLDER / "DIGESTS").read_text(encoding="utf-8").splitlines()
    written = dict(line.split("  ") for line in lines if not line.startswith("#"))
    assert list(written) == frozen_versions()
    for version, digest in written.items():
        files = [FOLDER / f"{version}.{name}.tsv" for name in ("objects", "joints")]
        data = b"".join(path.read_bytes() for path in files)
        assert hashlib.sha256(data).hexdigest()[:16] == digest
        assert read_frozen(version).digest == digest


@pytest.mark.parametrize("version", frozen_versions())
def test_a_version_is_as_it_would_be_written(version: str) -> None:
    for name, data in list_files(read_frozen(version)).items():
        assert (FOLDER / f"{version}.{name}.tsv").read_bytes() == data
        assert len(data) < 1_000_000


@pytest.mark.skipif(not PAIRS, reason="there is one version so far")
@pytest.mark.parametrize(("older", "newer"), PAIRS)
def test_scoring_sees_only_permitted_changes(older: str, newer: str) -> None:
    found = changes(read_frozen(older), read_frozen(newer))
    assert {key: said for key, said in found.items() if (newer, key) not in PERMITTED} == {}


def test_every_permitted_change_has_a_reason_and_happened() -> None:
    happened = {
        (newer, key)
        for older, newer in pairwise(frozen_versions())
        for key in changes(read_frozen(older), read_frozen(newer))
    }
    assert set(PERMITTED) <= happened
    assert all(reason.strip() for reason in PERMITTED.values())
