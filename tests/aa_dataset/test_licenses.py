# SPDX-License-Identifier: Apache-2.0
"""What a release may contain."""

from __future__ import annotations

import pytest

from aa_dataset.format.licenses import (
    LICENSES,
    Redistribution,
    allowed,
    license_terms,
    needs_attribution,
)

FREE = ["CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "MIT", "Apache-2.0", "BSD-3-Clause"]
NONCOMMERCIAL = ["CC-BY-NC-4.0", "CC-BY-NC-SA-4.0"]
CLOSED = ["CC-BY-NC-ND-4.0", "CC-BY-NC-3.0", "unknown", "other", "LicenseRef-x", ""]
ASSETS, ANNOTATIONS, NONE = Redistribution


def found(spdx, attribution="somebody", *, at_most=ASSETS, of_source="MIT"):
    return allowed(spdx, attribution, at_most=at_most, of_source=of_source)


@pytest.mark.parametrize("spdx", FREE)
def test_free_licenses_may_be_passed_on(spdx):
    assert found(spdx) is ASSETS


@pytest.mark.parametrize("spdx", NONCOMMERCIAL)
def test_of_what_only_some_may_use_a_release_has_the_annotations(spdx):
    assert found(spdx) is ANNOTATIONS


@pytest.mark.parametrize("spdx", CLOSED)
def test_everything_else_may_not(spdx):
    assert found(spdx) is NONE


def test_the_source_lowers_what_a_license_allows_and_never_raises_it():
    assert found("CC0-1.0", at_most=ANNOTATIONS) is ANNOTATIONS
    assert found("CC0-1.0", at_most=NONE) is NONE
    assert found("CC-BY-NC-4.0", at_most=ASSETS) is ANNOTATIONS
    assert found("unknown", at_most=ASSETS) is NONE


def test_terms_of_a_source_allow_the_annotations_at_most_and_only_to_its_own_objects():
    mine = "LicenseRef-mine"
    assert found(mine, of_source=mine) is ANNOTATIONS
    assert found(mine, of_source=mine, at_most=NONE) is NONE
    assert found(mine, of_source="MIT") is NONE
    assert found("unknown", of_source="unknown") is NONE


def test_without_the_authors_name_only_the_public_domain_is_passed_on():
    assert found("CC0-1.0", "") is ASSETS
    assert {found(spdx, "") for spdx in FREE[1:] + NONCOMMERCIAL} == {NONE}


def test_attribution_and_share_alike():
    assert not needs_attribution("CC0-1.0")
    assert needs_attribution("CC-BY-4.0") and needs_attribution("never heard of")
    alike = [row.spdx for row in LICENSES.values() if row.share_alike]
    assert alike == ["CC-BY-SA-4.0", "CC-BY-NC-SA-4.0"]
    assert license_terms("other").note.endswith(".")
