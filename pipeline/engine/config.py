# SPDX-License-Identifier: Apache-2.0
"""Reads and checks the configuration; a mistake is a sentence before the first job."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from pipeline.base import layout
from pipeline.base.errors import ConfigError
from pipeline.base.reasons import LATE_CODES, Code
from pipeline.base.safe_yaml import UniqueKeyLoader
from pipeline.engine.stages import STAGES


def load_config() -> dict[str, Any]:
    """Read `config.yaml` and check it."""
    config = _read_yaml(layout.CONFIG)
    check_config(config)
    return config


def _read_yaml(path: Path) -> Any:
    try:
        return yaml.load(path.read_bytes(), UniqueKeyLoader)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path} is not usable YAML: {error}") from None


def check_config(config: object) -> None:
    """Raise `ConfigError` with one sentence per mistake."""
    problems = _schema_problems(config, layout.CONFIG, layout.CONFIG_SCHEMA)
    # No comparison holds for NaN, so that the schema's bounds let it pass.
    problems += [
        f"{layout.CONFIG}: {where}: {value} is not a finite number."
        for where, value in _leaves(config)
        if isinstance(value, float) and not math.isfinite(value)
    ]
    problems += _schema_problems(load_sources(), layout.SOURCES, layout.SOURCES_SCHEMA)
    if not problems and isinstance(config, Mapping):
        problems = _unknown_sources(config) + _unused_filters(config) + _unknown_codes(config)
    if problems:
        raise ConfigError("\n".join(sorted(problems)))


def _schema_problems(value: object, path: Path, schema: Path) -> list[str]:
    """Return a sentence for everything in a file that its JSON schema does not allow."""
    from jsonschema import Draft202012Validator, validators

    # JSON counts 4.0 as an integer; `range` and the random generators do not.
    types = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, found: isinstance(found, int) and not isinstance(found, bool)
    )
    strict = validators.extend(Draft202012Validator, type_checker=types)
    validator = strict(json.loads(schema.read_text()))
    return [
        f"{path}: {'.'.join(map(str, error.absolute_path)) or 'the file'}: {error.message}. "
        f"{schema} lists what is allowed."
        for error in validator.iter_errors(value)
    ]


def _leaves(value: object, where: str = "") -> Iterator[tuple[str, object]]:
    """Yield every value of a nested mapping with its dotted key."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{where}.{key}" if where else str(key))
    else:
        yield where, value


def _unknown_sources(config: Mapping[str, Any]) -> list[str]:
    known = load_sources()
    return [
        f"{layout.CONFIG}: sources.{name}: {layout.SOURCES} does not describe it; add it there."
        for name in config["sources"]
        if name not in known
    ]


def _unused_filters(config: Mapping[str, Any]) -> list[str]:
    return [
        f"{layout.CONFIG}: filters.{name}: there is no such source; `sources` lists them."
        for name in config["filters"]
        if name not in config["sources"]
    ]


def _unknown_codes(config: Mapping[str, Any]) -> list[str]:
    where = f"{layout.CONFIG}: verify.reject:"
    problems = []
    for code in config["verify"]["reject"]:
        if code in {*LATE_CODES}:
            problems.append(
                f"{where} {code!r} is found after verify, too late to reject; remove it."
            )
        elif code not in {*Code}:
            problems.append(f"{where} {code!r} is not a code; pipeline/base/reasons.py lists them.")
    return problems


def load_sources() -> dict[str, dict[str, Any]]:
    """Read the description of every raw source."""
    return _read_yaml(layout.SOURCES)


def load_access() -> dict[str, dict[str, Any]]:
    """Read how every raw source is had; no stage depends on it."""
    access = _read_yaml(layout.ACCESS)
    problems = _schema_problems(access, layout.ACCESS, layout.ACCESS_SCHEMA)
    if problems:
        raise ConfigError("\n".join(sorted(problems)))
    return access


def source_facts(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return folder and description of every source of the config, in its order."""
    known = load_sources()
    return {
        name: {"folder": options["folder"], **known[name]}
        for name, options in config["sources"].items()
    }


def stage_settings(config: Mapping[str, Any], stage: str) -> dict[str, Any]:
    """Return the part of the config that a stage reads.

    `source_order` names the sources in the order of the file, which a mapping written with sorted
    keys would lose.
    """
    sections = {**config, "source_order": list(config["sources"])}
    return {section: sections[section] for section in STAGES[stage].reads}
