# SPDX-License-Identifier: Apache-2.0
"""What `ingest` writes: the facts of one raw object in the library's terms."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipeline.base.records import Record
from pipeline.raw.records import Frame, Screw


@dataclass(frozen=True, slots=True)
class IngestedRecord(Record):
    """Facts of one raw object, from its adapter or else from its source.

    Attributes
    ----------
    source, source_id : str
        Raw source, and the id in it.
    paths : tuple of str
        Files and folders that are the object, relative to the source's folder.
    model, format : str
        Name of the model among the object's files; `urdf` or `mjcf`.
    body : str
        Of an MJCF file with several objects, the key of this one; else empty.
    frame : Frame
        Directions of the source's frame.
    scale : str
        `metric`, `unit_sphere` or `arbitrary`.
    unit : float [m per source length]
        Length of the source's unit.
    gltf_up : str
        Axis of glTF files, `y` or `z`, that is the link's z.
    name, description, label : str
        Name, one sentence, and the source's own category label.
    parts : dict
        Semantic label by link name of the source.
    screws : tuple of Screw
        Declared screws.
    same_as : tuple of str
        Declared duplicates of this object, as `<source>/<id in that source>`.
    substitutes : dict
        The file to read in place of an absent mesh, by the name that the model writes.
    license, attribution : str
        SPDX identifier, or `unknown`; whom to credit.
    redistribution : str
        What a release may contain of the object: `assets`, `annotations` or `none`.
    provenance : dict
        Origin of the facts, and further facts of the source. Values are text, JSON if they are
        not text in the source, or None for a field without a value.
    """

    source: str
    source_id: str
    paths: tuple[str, ...]
    model: str
    format: str
    frame: Frame
    scale: str
    unit: float
    gltf_up: str = "z"
    body: str = ""
    name: str = ""
    description: str = ""
    label: str = ""
    parts: dict[str, str] = field(default_factory=dict)
    screws: tuple[Screw, ...] = ()
    same_as: tuple[str, ...] = ()
    substitutes: dict[str, str] = field(default_factory=dict)
    license: str = ""
    attribution: str = ""
    redistribution: str = "none"
    provenance: dict[str, str | None] = field(default_factory=dict)
