# SPDX-License-Identifier: Apache-2.0
"""What the licenses of the library's objects allow: a closed table, where unknown means no."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class License:
    """The terms of one license as far as a release needs them.

    Attributes
    ----------
    spdx : str
        SPDX identifier.
    redistributable : bool
        Whether anybody may pass copies on, for any purpose.
    attribution : bool
        Whether a copy must name the author.
    share_alike : bool
        Whether adapted material must keep the license.
    note : str
        A sentence for the dataset card.
    """

    spdx: str
    redistributable: bool
    attribution: bool
    share_alike: bool
    note: str


_CODE_NOTE = "Copies keep the copyright line and the license text."
_NONCOMMERCIAL_NOTE = "Commercial use is not allowed, so a release for everybody leaves it out."

_ROWS = (
    License("CC0-1.0", True, False, False, "Public domain; credit is a courtesy."),
    License("CC-BY-4.0", True, True, False, "Copies name the author, the license and changes."),
    License(
        "CC-BY-SA-4.0",
        True,
        True,
        True,
        "Copies name the author, the license and changes; adaptations keep the license.",
    ),
    License("MIT", True, True, False, _CODE_NOTE),
    License("Apache-2.0", True, True, False, _CODE_NOTE + " Changed files say so."),
    License("BSD-3-Clause", True, True, False, _CODE_NOTE),
    License("CC-BY-NC-4.0", False, True, False, _NONCOMMERCIAL_NOTE),
    License("CC-BY-NC-SA-4.0", False, True, True, _NONCOMMERCIAL_NOTE),
    License("CC-BY-NC-ND-4.0", False, True, False, _NONCOMMERCIAL_NOTE),
)
LICENSES: dict[str, License] = {row.spdx: row for row in _ROWS}


def license_terms(spdx: str) -> License:
    """Return the terms of a license; one that the table does not hold allows nothing."""
    unknown = License(spdx, False, True, False, "The terms are not known, so nothing is passed on.")
    return LICENSES.get(spdx, unknown)


def is_redistributable(spdx: str) -> bool:
    """Return whether a release may contain an object under this license; unknown counts as no."""
    return license_terms(spdx).redistributable


def needs_attribution(spdx: str) -> bool:
    """Return whether a copy must name the author; unknown counts as yes."""
    return license_terms(spdx).attribution
