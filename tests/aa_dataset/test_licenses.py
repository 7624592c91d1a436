# SPDX-License-Identifier: Apache-2.0
"""What a release may contain."""

from __future__ import annotations

import pytest

from aa_dataset.format.licenses import (
    LICENSES,
    is_redistributable,
    license_terms,
    needs_attribution,
)

FREE = ["CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "MIT", "Apache-2.0", "BSD-3-Clause"]
CLOSED = ["CC-BY-NC-4.0", "CC-BY-NC-SA-4.0", "CC-BY-NC-3.0", "unknown", "other", "proprietary", ""]


@pytest.mark.parametrize("spdx", FREE)
def test_free_licenses_may_be_passed_on(spdx):
    assert is_redistributable(spdx)


@pytest.mark.parametrize("spdx", CLOSED)
def test_everything_else_may_not(spdx):
    assert not is_redistributable(spdx)


def test_attribution_and_share_alike():
    assert not needs_attribution("CC0-1.0")
    assert needs_attribution("CC-BY-4.0") and needs_attribution("never heard of")
    assert [row.spdx for row in LICENSES.values() if row.share_alike and row.redistributable] == [
        "CC-BY-SA-4.0"
    ]
    assert license_terms("other").note.endswith(".")
