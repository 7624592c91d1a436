# SPDX-License-Identifier: Apache-2.0
"""Laws about numbers of one row: axes, ranges, twists, masses, boxes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aa_dataset.library.laws.law import Findings, Law, Mask, Subject, broken, named

TOLERANCE = 1e-8  # relative; numbers of a table have nine digits
# Of the diagonal: the boxes are those of points that a GLB has in single precision.
BOX_TOLERANCE = 1e-6
SEVERITIES = ("info", "warning", "error")

Array = NDArray[np.float64]


def _axes(subject: Subject) -> Findings:
    axis = subject.vectors("joints", "axis", 3)
    fixed = _is_type(subject, "fixed")
    length = np.linalg.norm(axis, axis=1)
    good = np.where(fixed, length == 0, np.abs(length - 1) <= TOLERANCE)
    yield from broken(subject, "joints", ~good, "joint", "the axis is not of length 1 (fixed: 0)")


def _ranges(subject: Subject) -> Findings:
    lower, upper = (subject.numbers("joints", name) for name in ("lower", "upper"))
    yield from broken(
        subject, "joints", ~(lower <= upper), "joint", "lower is above upper, or no number"
    )
    endless = np.isneginf(lower) & np.isposinf(upper)
    wrong = _is_type(subject, "continuous") & ~endless
    yield from broken(subject, "joints", wrong, "joint", "a continuous joint has limits")
    wrong = _is_type(subject, "fixed") & ~((lower == 0) & (upper == 0))
    yield from broken(subject, "joints", wrong, "joint", "a fixed joint has a range")
    wrong = ~_is_type(subject, "helical") & (subject.numbers("joints", "pitch") != 0)
    yield from broken(subject, "joints", wrong, "joint", "it is not helical and has a pitch")


def _twists(subject: Subject) -> Findings:
    """Compare the unit screw with axis, origin and pitch, and its ends with screw and limits."""
    screw, expected = subject.vectors("joints", "screw", 6), _screws(subject)
    wrong = ~_agree(screw, expected).all(axis=1)
    yield from broken(subject, "joints", wrong, "joint", "screw is not that of axis and origin")
    for end in ("lower", "upper"):
        limit = subject.numbers("joints", end)
        found = subject.vectors("joints", f"endpoint_{end}", 6)
        finite = np.isfinite(limit)
        ends = np.where(finite, limit, 0.0)[:, None] * screw
        stated = ~np.isnan(found).any(axis=1)
        wrong = (stated != finite) | (finite & ~_agree(found, ends).all(axis=1))
        problem = f"endpoint_{end} is not {end} times screw"
        yield from broken(subject, "joints", wrong, "joint", problem)


def _screws(subject: Subject) -> Array:
    """Return ``(omega, v)`` from type, axis, origin and pitch; (n, 6)."""
    axis, origin = (subject.vectors("joints", name, 3) for name in ("axis", "origin"))
    slides, fixed = _is_type(subject, "prismatic"), _is_type(subject, "fixed")
    pitch = subject.numbers("joints", "pitch")[:, None]
    turn = np.hstack([axis, np.cross(origin, axis) + pitch * axis])
    slide = np.hstack([np.zeros_like(axis), axis])
    out: Array = np.where(slides[:, None], slide, turn)
    out[fixed] = 0.0
    return out


def _agree(found: Array, expected: Array) -> Mask:
    scale = 1.0 + np.abs(expected).max(axis=1, keepdims=True, initial=0.0)
    return np.asarray(np.abs(found - expected) <= TOLERANCE * scale, dtype=bool)


def _couplings(subject: Subject) -> Findings:
    joints = {*subject.rows("joints", "object_id", "joint")}
    rows = subject.rows("joints", "object_id", "joint", "mimic")
    wrong = (
        f"{owner} {name}"
        for owner, name, mimic in rows
        if mimic is not None and (mimic["joint"] == name or (owner, mimic["joint"]) not in joints)
    )
    yield from named("joints", wrong, "it follows a joint that the object does not have")


def _masses(subject: Subject) -> Findings:
    wrong = ~_is_body(subject.numbers("links", "mass"), subject.vectors("links", "inertia", 9))
    yield from broken(subject, "links", wrong, "link", "mass or inertia is not that of a body")
    mass = subject.numbers("joints", "body_mass")
    has = ~np.isnan(mass)
    wrong = has & ~_is_body(mass, subject.vectors("joints", "body_inertia", 9))
    yield from broken(subject, "joints", wrong, "joint", "its body's mass or inertia is not valid")


def _is_body(mass: Array, inertia: Array) -> Mask:
    """Return where a mass is positive and an inertia is symmetric, positive and of a body."""
    square = np.nan_to_num(inertia, nan=-1.0, posinf=-1.0, neginf=-1.0).reshape(-1, 3, 3)
    symmetric = np.abs(square - square.swapaxes(1, 2)).max(axis=(1, 2), initial=0.0)
    values = np.linalg.eigvalsh((square + square.swapaxes(1, 2)) / 2)
    largest = np.maximum(np.abs(values).max(axis=1, initial=0.0), 1e-300)
    good = (mass > 0) & np.isfinite(mass) & (symmetric <= 1e-6 * largest)
    good &= values[:, 0] >= -1e-6 * largest
    return np.asarray(good & (values[:, 0] + values[:, 1] >= values[:, 2] - 1e-6 * largest))


def _boxes(subject: Subject) -> Findings:
    lower, upper = (subject.vectors("links", f"bounds_{end}", 3) for end in ("lower", "upper"))
    one_sided = np.isnan(lower).any(axis=1) != np.isnan(upper).any(axis=1)
    wrong = one_sided | (lower > upper).any(axis=1)
    yield from broken(subject, "links", wrong, "link", "the lower corner is above the upper")
    extents = subject.vectors("objects", "extents", 3)
    wrong = ~((extents >= 0) & np.isfinite(extents)).all(axis=1)
    yield from broken(subject, "objects", wrong, "object_id", "the box has no valid size")
    wrong = ~np.isfinite(subject.numbers("objects", "floor_z"))
    yield from broken(subject, "objects", wrong, "object_id", "floor_z is not a finite number")


def _sizes(subject: Subject) -> Findings:
    """Compare extents and floor of objects with the boxes of their links, where any has one."""
    lower, upper = (subject.vectors("links", f"bounds_{end}", 3) for end in ("lower", "upper"))
    known = ~np.isnan(lower + upper).any(axis=1)
    links, objects = (subject.catalog.table(name) for name in ("links", "objects"))
    owner = subject.catalog.rows_of(links["object_id"])
    known &= owner >= 0
    lowest, highest = (
        np.full((objects.num_rows, 3), np.inf),
        np.full((objects.num_rows, 3), -np.inf),
    )
    np.minimum.at(lowest, owner[known], lower[known])
    np.maximum.at(highest, owner[known], upper[known])
    boxed = np.isin(np.arange(objects.num_rows), owner[known])
    size = np.where(boxed[:, None], highest - lowest, 0.0)
    room = BOX_TOLERANCE * np.linalg.norm(size, axis=1)
    extents, floor = subject.vectors("objects", "extents", 3), subject.numbers("objects", "floor_z")
    wrong = boxed & ~(np.abs(extents - size) <= room[:, None]).all(axis=1)
    problem = "extents are not those of the boxes of its links"
    yield from broken(subject, "objects", wrong, "object_id", problem)
    wrong = boxed & ~(np.abs(floor - lowest[:, 2]) <= room)
    problem = "floor_z is not the lowest of the boxes of its links"
    yield from broken(subject, "objects", wrong, "object_id", problem)


def _words(subject: Subject) -> Findings:
    rows = subject.rows("findings", "object_id", "severity")
    wrong = (f"{name} {word}" for name, word in rows if word not in SEVERITIES)
    yield from named("findings", wrong, f"the severity is none of {', '.join(SEVERITIES)}")


def _is_type(subject: Subject, kind: str) -> Mask:
    return np.array([one == kind for one in subject.column("joints", "type")], dtype=bool)


NUMBER_LAWS = (
    Law("axes", "The axis of a joint has length 1, of a fixed joint 0.", _axes),
    Law("ranges", "Limits are ordered and fit the type; only a screw has a pitch.", _ranges),
    Law("twists", "Screws follow from axis, origin, pitch; their ends from limits.", _twists),
    Law("couplings", "A joint follows another joint of the same object.", _couplings),
    Law("masses", "Every mass is positive, every inertia one that a body can have.", _masses),
    Law("boxes", "Boxes have a lower and an upper corner, in this order.", _boxes),
    Law("sizes", "Extents and floor of an object are those of the boxes of its links.", _sizes),
    Law("severities", "A finding is an info, a warning or an error.", _words),
)
