# SPDX-License-Identifier: Apache-2.0
"""Reads and checks the configuration before the first job.

A setting without effect is an error as well, because its author expects one.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.base import layout
from pipeline.base.errors import ConfigError
from pipeline.base.reasons import LATE_CODES, Code
from pipeline.engine.checked_yaml import read_yaml, schema_problems
from pipeline.engine.settings import Config, Filter, Source, select, structured
from pipeline.engine.sources import Description, load_sources, with_home_folder
from pipeline.engine.stages import STAGES
from pipeline.raw.inventory import adapter_module
from pipeline.raw.taxonomy import UNKNOWN, read_supercategories

# `sources` of config.yaml: what overrides sources.yaml.
Changes = Mapping[str, Mapping[str, Any]]


def load_config() -> Config:
    """Read `config.yaml` and check it."""
    return parse_config(read_yaml(layout.CONFIG))


def parse_config(content: object) -> Config:
    """Return the settings of a parsed config.yaml.

    Raises
    ------
    ConfigError
        With one line per mistake.
    """
    known = load_sources()
    problems = schema_problems(content, layout.CONFIG, layout.CONFIG_SCHEMA)
    if problems or not isinstance(content, Mapping):
        raise ConfigError("\n".join(sorted(problems)))
    others: Changes = content["sources"]
    config: Config = structured(Config, {**content, "sources": {}})
    config = dataclasses.replace(config, sources=_build_sources(others, known))
    found = [*_without_effect(config, others, known), *_unusable_folders(config.sources)]
    problems = [f"{layout.CONFIG}: {one}" for one in found]
    if problems:
        raise ConfigError("\n".join(sorted(problems)))
    return config


def _build_sources(changes: Changes, known: Mapping[str, Description]) -> dict[str, Source]:
    """Return the sources of the build, in the order in which sources.yaml describes them."""
    found = {}
    for name, description in known.items():
        options = changes.get(name, {})
        if not options.get("skip", False):
            folder = with_home_folder(options.get("folder", description.folder))
            facts = description.facts(folder)
            shards = options.get("shards", description.shards)
            found[name] = Source(shards, facts, description.about())
    return found


def _without_effect(
    config: Config, others: Changes, known: Mapping[str, Description]
) -> Iterator[str]:
    """Yield a message for every setting of something that does not exist."""
    places: dict[str, Mapping[str, Any]] = {
        "sources": others,
        "filters": config.filters,
        "annotate.density_by_source": config.annotate.density_by_source,
    }
    for place, names in places.items():
        for name in names:
            if name not in known:
                yield f"{place}.{name}: there is no such source; {layout.SOURCES} describes them."
    for name, options in others.items():
        if "skip" in options and len(options) > 1:
            yield f"sources.{name}: it is skipped, so other settings have no effect; remove them."
    yield from _unknown_fields(config.filters, known)
    yield from _unknown_codes(config.verify.reject)
    yield from _unknown_quotas(config.split.quotas)


def _unknown_fields(
    filters: Mapping[str, Mapping[str, Filter]], known: Mapping[str, Description]
) -> Iterator[str]:
    for source, fields in filters.items():
        if source not in known:
            continue
        allowed = adapter_module(known[source].adapter).FIELDS
        if allowed is None:
            continue
        for field in sorted(set(fields).difference(allowed)):
            yield (
                f"filters.{source}.{field}: no record of this source has such a field; "
                f"there are {', '.join(sorted(allowed))}."
            )


def _unknown_codes(codes: Iterable[str]) -> Iterator[str]:
    for code in codes:
        if code in {*LATE_CODES}:
            yield f"verify.reject: {code!r} is found after verify, too late to reject; remove it."
        elif code not in {*Code}:
            yield f"verify.reject: {code!r} is not a code; pipeline/base/reasons.py lists them."


def _unknown_quotas(quotas: Mapping[str, int]) -> Iterator[str]:
    known = {*read_supercategories(layout.TAXONOMY), UNKNOWN}
    for name in quotas:
        if name not in known:
            yield (
                f"split.quotas.{name}: there is no such supercategory; "
                f"{layout.TAXONOMY}/supercategories.tsv lists them."
            )


def _unusable_folders(sources: Mapping[str, Source]) -> Iterator[str]:
    """Yield a message for every folder that is not a path, or belongs to an earlier source."""
    owners: dict[object, str] = {}
    for name, source in sources.items():
        folder = source.facts.folder
        if folder.startswith("~"):
            yield (
                f"sources.{name}.folder: there is no home folder {Path(folder).parts[0]!r} on this "
                "machine; write the whole path."
            )
            continue
        if "\0" in folder:
            yield f"sources.{name}.folder: {folder!r} is not a path; remove the null character."
            continue
        owner = owners.setdefault(_folder_identity(Path(folder)), name)
        if owner != name:
            yield (
                f"sources.{name}.folder: {folder!r} is also the folder of the source {owner}, so "
                "each object would be read twice; give every source a folder of its own."
            )


def _folder_identity(folder: Path) -> object:
    """Return a value that two paths share if they are one folder, also through links."""
    try:
        status = folder.stat()
        return status.st_dev, status.st_ino
    except OSError:  # absent: compare the names
        return os.path.realpath(folder)


def stage_settings(config: Config, stage: str) -> Any:
    """Return the settings of a stage."""
    return select(config, STAGES[stage].settings)
