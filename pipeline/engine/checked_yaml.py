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
        value = yaml.load(path.read_bytes(), UniqueKeyLoader)
        list(_leaves(value))
        return value
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from None
    except RecursionError:
        raise ConfigError(f"{path} is not usable YAML: it is nested too deeply.") from None
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that does not exist
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
    return problems + [
        f"{path}: {where}: {problem}."
        for where, leaf in _leaves(value)
        if (problem := _leaf_problem(leaf))
    ]


def _leaf_problem(value: object) -> str:
    """Return what the schema cannot say about a value; empty if it is fine."""
    # Every comparison with NaN is false, so NaN passes the schema's bounds.
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} is not a finite number"
    if isinstance(value, int) and abs(value) >= 2**63:
        return "the number has more than 64 bits"
    # `$` in a pattern also matches before a final line break.
    if isinstance(value, str) and value.endswith("\n"):
        return "the text ends with a line break; remove it"
    return ""


def _leaves(value: object, where: str = "") -> Iterator[tuple[str, object]]:
    """Yield every value of nested mappings and lists with its dotted place."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise ValueError(f"{where or 'the file'}: the key {key!r} is not text; quote it")
            yield from _leaves(inner, f"{where}.{key}" if where else key)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, f"{where}.{number}")
    else:
        yield where, value
