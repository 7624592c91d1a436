# SPDX-License-Identifier: Apache-2.0
"""What the licenses of the library's objects allow: a closed table, where unknown means no."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Redistribution(StrEnum):
    """What a release may contain of an object, most first."""

    ASSETS = "assets"  # everything
    ANNOTATIONS = "annotations"  # numbers, ids and digests; nothing that the source drew or wrote
    NONE = "none"  # nothing, not even that the object exists

    @property
    def is_open(self) -> bool:
        """Whether a release has a row about the object at all."""
        return self is not Redistribution.NONE


_ORDER = tuple(Redistribution)


@dataclass(frozen=True, slots=True)
class License:
    """The terms of one license as far as a release needs them.

    Attributes
    ----------
    spdx : str
        SPDX identifier.
    redistribution : Redistribution
        `assets` if anybody may pass copies on, for any purpose; `annotations` if only some may.
    attribution : bool
        Whether a copy must name the author.
    share_alike : bool
        Whether adapted material must keep the license.
    note : str
        A sentence for the dataset card.
    """

    spdx: str
    redistribution: Redistribution
    attribution: bool
    share_alike: bool
    note: str


_CODE_NOTE = "Copies keep the copyright line and the license text."
_NAMES_NOTE = "Copies name the author, the license and changes."
_NONCOMMERCIAL_NOTE = (
    "Commercial use is not allowed, so a release for everybody has the annotations alone."
)
_CLOSED_NOTE = "Changed copies are not allowed, so a release leaves it out."
_ASSETS, _ANNOTATIONS, _NONE = _ORDER

_ROWS = (
    License("CC0-1.0", _ASSETS, False, False, "Public domain; credit is a courtesy."),
    License("CC-BY-4.0", _ASSETS, True, False, _NAMES_NOTE),
    License("CC-BY-SA-4.0", _ASSETS, True, True, f"{_NAMES_NOTE} Adaptations keep the license."),
    License("MIT", _ASSETS, True, False, _CODE_NOTE),
    License("Apache-2.0", _ASSETS, True, False, f"{_CODE_NOTE} Changed files say so."),
    License("BSD-3-Clause", _ASSETS, True, False, _CODE_NOTE),
    License("CC-BY-NC-4.0", _ANNOTATIONS, True, False, _NONCOMMERCIAL_NOTE),
    License("CC-BY-NC-SA-4.0", _ANNOTATIONS, True, True, _NONCOMMERCIAL_NOTE),
    License("CC-BY-NC-ND-4.0", _NONE, True, False, _CLOSED_NOTE),
)
LICENSES: dict[str, License] = {row.spdx: row for row in _ROWS}


def license_terms(spdx: str) -> License:
    """Return the terms of a license; one that the table does not hold allows nothing."""
    unknown = License(spdx, _NONE, True, False, "The terms are not known, so nothing is passed on.")
    return LICENSES.get(spdx, unknown)


def needs_attribution(spdx: str) -> bool:
    """Return whether a copy must name the author; unknown counts as yes."""
    return license_terms(spdx).attribution


def allowed(
    spdx: str, attribution: str, *, at_most: Redistribution, of_source: str
) -> Redistribution:
    """Return what a release may contain of one object.

    Parameters
    ----------
    spdx, attribution : str
        The object's license, and whom to credit.
    at_most : Redistribution
        What its source allows; the license can only lower it.
    of_source : str
        The license that the source's description states. Its own terms, `LicenseRef-...`, are
        known to whoever described it, so they allow what the source does, but never the assets.
    """
    terms = license_terms(spdx)
    found = terms.redistribution
    if spdx == of_source and spdx.startswith("LicenseRef-"):
        found = _ANNOTATIONS
    if terms.attribution and not attribution:  # cannot be met without the author's name
        found = _NONE
    return max(found, at_most, key=_ORDER.index)
