# SPDX-License-Identifier: Apache-2.0
"""Laws about licenses: what may be passed on, and whom to name."""

from __future__ import annotations

from aa_dataset.format.licenses import Redistribution, license_terms, needs_attribution
from aa_dataset.library.laws.law import Findings, Law, Subject, named

_OWN = "LicenseRef-"  # terms that the description of a source states


def _terms(subject: Subject) -> Findings:
    rows = subject.rows("objects", "object_id", "license", "redistribution")
    wrong = (f"{name} {spdx}" for name, spdx, allowed in rows if not _is_allowed(spdx, allowed))
    yield from named("objects", wrong, "redistribution says more than the license allows")


def _is_allowed(spdx: str, allowed: str) -> bool:
    if allowed not in {*Redistribution}:
        return False
    terms = license_terms(spdx).redistribution
    if spdx.startswith(_OWN):
        terms = Redistribution.ANNOTATIONS
    order = list(Redistribution)  # most first
    return order.index(Redistribution(allowed)) >= order.index(terms)


def _credits(subject: Subject) -> Findings:
    rows = subject.rows("objects", "object_id", "license", "attribution", "redistribution")
    wrong = (
        name
        for name, spdx, who, allowed in rows
        if allowed != Redistribution.NONE and needs_attribution(spdx) and not who.strip()
    )
    yield from named("objects", wrong, "the license asks to name the author, attribution is empty")


def _released(subject: Subject) -> Findings:
    if not subject.is_release:
        return
    rows = list(subject.rows("objects", "object_id", "redistribution", "shard"))
    closed = (name for name, allowed, _ in rows if allowed == Redistribution.NONE)
    yield from named("objects", closed, "the object may not be passed on, but is in a release")
    files = (
        name
        for name, allowed, shard in rows
        if allowed == Redistribution.ANNOTATIONS and shard is not None
    )
    yield from named("objects", files, "a release has its files, of which only numbers may go")


TERM_LAWS = (
    Law("terms", "Nothing is passed on that its license does not allow.", _terms),
    Law("credits", "What may be passed on names its author if the license asks for it.", _credits),
    Law("released", "A release has only what may be passed on.", _released),
)
