# SPDX-License-Identifier: Apache-2.0
"""Laws about licenses: what may be passed on, and whom to name."""

from __future__ import annotations

from aa_dataset.format.licenses import is_redistributable, needs_attribution
from aa_dataset.library.laws.law import Findings, Law, Subject, named


def _terms(subject: Subject) -> Findings:
    rows = subject.rows("objects", "object_id", "license", "redistribution")
    wrong = (f"{name} {spdx}" for name, spdx, free in rows if free and not is_redistributable(spdx))
    yield from named("objects", wrong, "redistribution says yes, the license does not")


def _credits(subject: Subject) -> Findings:
    rows = subject.rows("objects", "object_id", "license", "attribution")
    wrong = (name for name, spdx, who in rows if needs_attribution(spdx) and not who.strip())
    yield from named("objects", wrong, "the license asks to name the author, attribution is empty")


def _released(subject: Subject) -> Findings:
    if not subject.is_release:
        return
    rows = subject.rows("objects", "object_id", "redistribution")
    wrong = (name for name, free in rows if not free)
    yield from named("objects", wrong, "the object may not be passed on, but is in a release")


TERM_LAWS = (
    Law("terms", "What may be passed on has a license that allows it.", _terms),
    Law("credits", "Where a license asks for it, the author is named.", _credits),
    Law("released", "A release has only what may be passed on.", _released),
)
