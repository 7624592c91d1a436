# SPDX-License-Identifier: Apache-2.0
"""The interface of adapters: the objects of a source, and the facts about each of them.

An adapter is a module of `pipeline.raw.adapters` with two functions and a constant::

    discover(root: Path) -> Iterator[Found]             # names and shared index files only
    describe(files: RawFiles, found: Found) -> RawRecord  # one object; may raise Rejection
    FIELDS: frozenset[str] | None                       # all fields that `provenance` may have

It does not judge objects: it reads one foreign layout and records the origin of each fact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pipeline.base.reasons import Finding

ADAPTERS = "pipeline.raw.adapters"  # imported by name, so that one affects only its own sources


@dataclass(frozen=True, slots=True)
class Found:
    """One raw object as its source lists it.

    Attributes
    ----------
    name : str
        Id in the source; `object_id` is derived from it, so it must be unique within the source.
    paths : tuple of str
        Files and folders that are the object, relative to the source's folder. Nothing else is
        read. If anything below them changes, the object has changed (see `open_raw`).
    facts : dict
        Facts about this object from an index file of the whole source (a manifest's row, the
        category in a list of ids); JSON values. If they change, the object has changed. Their names
        are the source's own: only its adapter, which wrote them in `discover`, reads them.
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
    """A screw that the source declares: one part that turns and advances at the same time.

    Attributes
    ----------
    joint : str
        The URDF joint whose child is the moving part.
    partner : str
        The other joint of the pair, with an empty link between both; empty if the URDF has only
        one joint.
    pitch : float or None [source length per rad]
        Signed along the axis of rotation, None if the source does not state it.
    turn, travel : pair of float or None [rad, source length]
        Ranges that are stated outside the URDF.
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
    body : str
        Of an MJCF file with several objects, the key of this one (see `mjcf_objects`).
    parts : dict
        Semantic label by link name of the source.
    screws : tuple of Screw
        Declared screws.
    license, attribution : str
        The object's own; empty if those of the source apply.
    frame, scale, unit
        The object's own (`up` and `front`; policy; m per length); None if those of the source
        apply.
    gltf_up : str
        Axis of glTF files, `y` or `z`, that is the link's z.
    same_as : tuple of str
        Declared duplicates of this object, as `<source>/<id in that source>`.
    substitutes : dict
        The file to read in place of an absent mesh, by the name in the model.
    provenance : dict
        Origin of the facts, and further facts of the source; `filters` in config.yaml select by
        its fields. Their names are the source's own; the adapter declares them in `FIELDS`, and
        ingest refuses others. They become texts in the library.
    findings : tuple of Finding
        Contradictions in the source's own files.
    """

    model: str
    name: str
    description: str = ""
    label: str = ""
    format: str = "urdf"
    body: str = ""
    parts: dict[str, str] = field(default_factory=dict)
    screws: tuple[Screw, ...] = ()
    license: str = ""
    attribution: str = ""
    frame: Frame | None = None
    scale: str | None = None
    unit: float | None = None
    gltf_up: str = "z"
    same_as: tuple[str, ...] = ()
    substitutes: dict[str, str] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
