# SPDX-License-Identifier: Apache-2.0
"""What every adapter says: which objects a source has, and the facts about each of them.

An adapter is a module of `pipeline.raw.adapters` with two functions and a constant::

    discover(root: Path) -> Iterator[Found]             # names and shared index files only
    describe(files: RawFiles, found: Found) -> RawRecord  # one object; may raise Rejection
    FIELDS: frozenset[str] | None                       # of `provenance`, all that it may have

It judges nothing: it reads one foreign layout and says where each fact came from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pipeline.base.reasons import Finding

ADAPTERS = "pipeline.raw.adapters"  # imported by name: one counts for its own sources alone


@dataclass(frozen=True, slots=True)
class Found:
    """One raw object as its source lists it.

    Attributes
    ----------
    name : str
        Id in the source; `object_id` is made of it, so it must be unique within the source.
    paths : tuple of str
        Files and folders that are the object, relative to the source's folder. Nothing else is
        read, and a change of anything below them is a change of the object (see `open_raw`).
    facts : dict
        What an index file of the whole source says about this object (a manifest's row, the
        category of an id list); JSON values. A change of them is a change of the object.
    """

    name: str
    paths: tuple[str, ...]
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Frame:
    """Directions of a source's frame: `x`, `y`, `z`, `-x`, `-y` or `-z`; some have no front."""

    up: str
    front: str | None = None


@dataclass(frozen=True, slots=True)
class Screw:
    """A declared screw: one part that turns and advances at once, by the source's own word.

    Attributes
    ----------
    joint : str
        The URDF joint whose child is the moving part.
    partner : str
        The other joint of the pair, between which lies an empty link; empty where the URDF has
        only one joint.
    pitch : float or None [source length per rad]
        Where the source states it, signed along the turn's axis.
    turn, travel : pair of float or None [rad, source length]
        Ranges that stand outside the URDF.
    evidence : str
        File and field that declare the screw.
    """

    joint: str
    partner: str = ""
    pitch: float | None = None
    turn: tuple[float, float] | None = None
    travel: tuple[float, float] | None = None
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class RawRecord:
    """Facts of one raw object, as its source states them.

    Attributes
    ----------
    model : str
        Name of the URDF or MJCF among the object's files.
    name, description, label : str
        Name, one sentence, and the source's own category label.
    format : str
        `urdf` or `mjcf`.
    parts : dict
        Semantic label by link name of the source.
    screws : tuple of Screw
        Declared screws.
    license, attribution : str
        Where the object has its own, else empty: those of the source hold.
    frame, scale, unit
        Where the object has its own (`up` and `front`; policy; m per length), else None: those of
        the source hold.
    same_as : tuple of str
        Objects that this one is declared to be again, as `<source>/<id in that source>`.
    substitutes : dict
        Where a mesh that the model names is absent and a twin of it lies beside it: the file to
        read in its place by the name that the model writes.
    provenance : dict
        Where the facts came from, and what else the source tells; config's `filters` ask for
        fields of it.
    findings : tuple of Finding
        What does not fit together in the source's own files.
    """

    model: str
    name: str
    description: str = ""
    label: str = ""
    format: str = "urdf"
    parts: dict[str, str] = field(default_factory=dict)
    screws: tuple[Screw, ...] = ()
    license: str = ""
    attribution: str = ""
    frame: Frame | None = None
    scale: str | None = None
    unit: float | None = None
    same_as: tuple[str, ...] = ()
    substitutes: dict[str, str] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
