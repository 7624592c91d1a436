# SPDX-License-Identifier: Apache-2.0
"""The repository's settings with small budgets, and a way to change some of them."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pipeline.engine.config import load_config
from pipeline.engine.settings import Budgets, Config, SourceFacts
from pipeline.raw.records import Frame
from tests.kit.places import REPOSITORY

BUDGETS = Budgets(
    raw_bytes=50_000_000,
    urdf_bytes=1_000_000,
    links=1000,
    faces=100_000,
    pixels=10_000_000,
    memory_gb=8,
    object_seconds=60,
)


def changed(config: Config, **sections: Mapping[str, Any]) -> Config:
    """Return a config with other values of some sections: `changed(config, split={"seed": 3})`."""
    others: dict[str, Any] = {
        name: replace(getattr(config, name), **values) for name, values in sections.items()
    }
    return replace(config, **others)


def with_shards(config: Config, **shards: int) -> Config:
    """Return a config in which some sources are cut into so many shards."""
    cut = {name: replace(config.sources[name], shards=number) for name, number in shards.items()}
    return replace(config, sources={**config.sources, **cut})


with contextlib.chdir(REPOSITORY):
    # It has every section, so that it stands for the settings of any stage.
    SETTINGS = replace(
        changed(load_config(), annotate={"collision_parts": 8}), budgets=BUDGETS, filters={}
    )
ABOUT = SETTINGS.sources["local"].about


def facts_of(folder: object, **changes: Any) -> SourceFacts:
    """Return the facts of a metric source without terms, in the layout of the generated one."""
    usual = SourceFacts(str(folder), "generated", "unknown", "", Frame("z", None), "metric")
    return replace(usual, **{"redistribution": "assets", **changes})
