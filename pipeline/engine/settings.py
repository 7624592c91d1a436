# SPDX-License-Identifier: Apache-2.0
"""Every setting as a type: one class per section of config.yaml, one `...Settings` per stage.

`work/settings/<stage>.json` is how a rule depends on its settings: `dump` writes it, `read` reads
it back. This module defines only types; `config` checks the values of config.yaml.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Protocol, TypeVar, get_args, get_origin, get_type_hints

from aa_dataset.format.credits import Credit
from pipeline.base.tables import dump_json
from pipeline.raw.records import Frame

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Generated:
    """The collection that this repository generates."""

    seed: int
    count: int


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """Facts about a raw source that stages read; a change runs its stages again.

    Attributes
    ----------
    folder, adapter : str
        Its folder, and the module of `pipeline.raw.adapters` that reads it.
    license, attribution, scale : str
        Defaults for objects that do not state their own.
    frame : Frame
        The same.
    unit : float
        m per length of the source, the same.
    redistribution : str
        The most that a release may contain of an object: `assets`, `annotations` or `none`.
    """

    folder: str
    adapter: str
    license: str
    attribution: str
    frame: Frame
    scale: str
    unit: float = 1.0
    redistribution: str = "none"


@dataclass(frozen=True, slots=True)
class Generative:
    """Share of a source's objects that generative models made, None if unknown; in its own word."""

    share: float | None
    word: str


@dataclass(frozen=True, slots=True)
class About:
    """What a release tells about a source; no object depends on it.

    Attributes
    ----------
    credit : Credit
        Name, and what to cite.
    terms : str
        Why a release may contain what it contains.
    license, attribution : str
        Those of objects that do not state their own.
    redistribution : str
        The most that a release may contain of an object.
    generative : Generative
        What generative models made.
    """

    credit: Credit
    terms: str
    license: str
    attribution: str
    redistribution: str
    generative: Generative


@dataclass(frozen=True, slots=True)
class Source:
    """One raw source of the build, its number of shards, and what a release tells about it."""

    shards: int
    facts: SourceFacts
    about: About


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on a field of the provenance; an absent condition always holds."""

    at_least: float | None = None
    none_of: tuple[Any, ...] = ()
    one_of: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Budgets:
    """Resource limits for one object."""

    raw_bytes: int
    urdf_bytes: int
    links: int
    faces: int
    pixels: int
    memory_gb: float
    object_seconds: float


@dataclass(frozen=True, slots=True)
class Normalize:
    """Defaults for values that a source does not state."""

    effort: float
    velocity: float
    default_pitch_m_per_turn: float
    screw_labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verify:
    """Codes that reject an object, bounds of usual sizes, and limits for driving its joints."""

    reject: tuple[str, ...]
    size_factor: float
    sweep_steps: int


@dataclass(frozen=True, slots=True)
class Annotate:
    """Densities [kg/m^3], convex parts of a link, thickness [m] of geometry without volume."""

    density: float
    density_by_source: Mapping[str, float]
    density_by_part: Mapping[str, float]
    collision_parts: int
    shell_thickness: float


@dataclass(frozen=True, slots=True)
class Render:
    """Size of the pictures [pixels] and renderer; frames and size of the animation."""

    size: int
    backend: str
    strip_frames: int
    strip_size: int


@dataclass(frozen=True, slots=True)
class Split:
    """How an evaluation split is sampled."""

    seed: int
    size: int
    share: float
    continuous_share: float
    near_duplicate: float
    quotas: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Publish:
    """The release: its version and the day of it, which a build must not ask a clock for."""

    version: str
    date: str


@dataclass(frozen=True, slots=True)
class Report:
    """Pixels of a thumbnail, and of how many objects the report has large pictures and strips."""

    thumbnail: int
    large_objects: int
    large_per_category: int


@dataclass(frozen=True, slots=True)
class Config:
    """All of config.yaml, checked; of a duplicate, the copy of the first source is kept."""

    name: str
    expected_objects: int
    generated: Generated
    sources: Mapping[str, Source]
    filters: Mapping[str, Mapping[str, Filter]]
    budgets: Budgets
    normalize: Normalize
    verify: Verify
    annotate: Annotate
    render: Render
    split: Split
    publish: Publish
    report: Report

    @property
    def credits(self) -> dict[str, Credit]:
        """Return what to cite, by source."""
        return {name: source.about.credit for name, source in self.sources.items()}

    @property
    def source_order(self) -> tuple[str, ...]:
        """Return the names of the sources in order, which JSON with sorted keys does not keep."""
        return tuple(self.sources)

    @property
    def about(self) -> dict[str, About]:
        """Return what a release tells about every source."""
        return {name: source.about for name, source in self.sources.items()}


class ShardSettings(Protocol):
    """The settings that the runner itself reads for any per-object stage."""

    @property
    def budgets(self) -> Budgets:
        """Resource limits for one object."""


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """What `ingest` reads."""

    budgets: Budgets
    filters: Mapping[str, Mapping[str, Filter]]


@dataclass(frozen=True, slots=True)
class NormalizeSettings:
    """What `normalize` reads."""

    budgets: Budgets
    normalize: Normalize


@dataclass(frozen=True, slots=True)
class CategorizeSettings:
    """What `categorize` reads."""

    budgets: Budgets


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """What `verify` reads."""

    budgets: Budgets
    verify: Verify


@dataclass(frozen=True, slots=True)
class AnnotateSettings:
    """What `annotate` reads."""

    budgets: Budgets
    annotate: Annotate


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """What `render` reads."""

    budgets: Budgets
    render: Render


@dataclass(frozen=True, slots=True)
class DeduplicateSettings:
    """What `deduplicate` reads: the sources, the one that keeps a duplicate first."""

    source_order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ManifestSettings:
    """What `manifest` reads: nothing."""


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """What `split` reads, which also seals the library; `credits` by source."""

    name: str
    expected_objects: int
    split: Split
    credits: Mapping[str, Credit]


@dataclass(frozen=True, slots=True)
class PublishSettings:
    """What `publish` reads; `about` by source."""

    name: str
    publish: Publish
    about: Mapping[str, About]


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """What `report` reads."""

    expected_objects: int
    report: Report


def select(config: Config, kind: type[T]) -> T:
    """Return the part of the config that a stage's settings name as fields."""
    return kind(**{field.name: getattr(config, field.name) for field in fields(kind)})  # type: ignore[arg-type]


def dump(settings: object) -> bytes:
    """Return settings as bytes of a file; equal settings give equal bytes."""
    return dump_json(dataclasses.asdict(settings))  # type: ignore[call-overload]


def read(path: Path, kind: type[T]) -> T:
    """Read settings that `dump` wrote."""
    found: T = structured(kind, json.loads(path.read_bytes()))
    return found


def structured(kind: Any, value: Any) -> Any:
    """Convert plain values to a declared type, nested dataclasses included."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        types = _field_types(kind)
        return kind(**{name: structured(types[name], inner) for name, inner in value.items()})
    inner = get_args(kind)
    if get_origin(kind) is tuple:
        return tuple(structured(inner[0], one) for one in value)
    if get_origin(kind) is Mapping:
        return {name: structured(inner[1], one) for name, one in value.items()}
    return value


@functools.cache
def _field_types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
