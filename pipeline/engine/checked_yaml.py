# SPDX-License-Identifier: Apache-2.0
"""Reads YAML configuration files and checks them against a JSON schema."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from pipeline.base.errors import ConfigError
from pipeline.base.safe_yaml import UniqueKeyLoader


def read_yaml(path: Path) -> Any:
    """Read a file; raise `ConfigError` if it is missing or not YAML."""
    try:
        return yaml.load(path.read_bytes(), UniqueKeyLoader)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path} is not usable YAML: {error}") from None


def schema_problems(value: object, path: Path, schema: Path) -> list[str]:
    """Return a message for everything in a file that its JSON schema does not allow."""
    from jsonschema import Draft202012Validator, validators

    # JSON counts 4.0 as an integer; `range` and the random generators do not.
    types = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, found: isinstance(found, int) and not isinstance(found, bool)
    )
    strict = validators.extend(Draft202012Validator, type_checker=types)
    validator = strict(json.loads(schema.read_text()))
    problems = [
        f"{path}: {'.'.join(map(str, error.absolute_path)) or 'the file'}: {error.message}. "
        f"{schema} lists what is allowed."
        for error in validator.iter_errors(value)
    ]
    # Every comparison with NaN is false, so NaN passes the schema's bounds.
    return problems + [
        f"{path}: {where}: {number} is not a finite number."
        for where, number in _leaves(value)
        if isinstance(number, float) and not math.isfinite(number)
    ]


def _leaves(value: object, where: str = "") -> Iterator[tuple[str, object]]:
    """Yield every value of a nested mapping with its dotted key."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{where}.{key}" if where else str(key))
    else:
        yield where, value
