# SPDX-License-Identifier: Apache-2.0
"""Reads YAML: our own files, and small untrusted files, which may hold plain values only.

Duplicate keys are refused; YAML would silently use the last one. An untrusted file is also bounded
in size, depth, number of values and digits of an integer. It may have no anchors, because with them
a few lines can expand to billions of values.
"""

from __future__ import annotations

import math
from typing import Any

import yaml

from aa_dataset.untrusted.safe_json import MOST_DIGITS

MOST_BYTES, MOST_DEPTH, MOST_VALUES = 16_384, 6, 500


class UniqueKeyLoader(yaml.SafeLoader):  # type: ignore[misc]
    """The safe loader, without duplicate keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node whose keys are all different."""
        keys = [self.construct_object(key, deep=deep) for key, _ in node.value]
        for number, key in enumerate(keys):
            if key in keys[:number]:
                where = node.value[number][0].start_mark
                raise yaml.constructor.ConstructorError(None, None, f"{key!r} stands twice", where)
        return dict(super().construct_mapping(node, deep=deep))


def load_foreign(data: bytes) -> Any:
    """Return the value of an untrusted YAML file.

    Raises
    ------
    ValueError
        With a message that names the problem.
    """
    if len(data) > MOST_BYTES:
        raise ValueError(f"the file has more than {MOST_BYTES} bytes.")
    try:
        _require_plain_events(data)
        value = yaml.load(data, UniqueKeyLoader)
    except MemoryError:
        raise
    except _HostileError as error:
        raise ValueError(str(error)) from None
    except Exception as error:  # constructors of dates, numbers and sets raise various errors
        words = " ".join(str(error).split())[:200]
        raise ValueError(f"the file is not usable YAML: {words}.") from None
    _require_usable_numbers(value)
    return value


class _HostileError(ValueError):
    """More than a small file of plain values needs."""


def _require_plain_events(data: bytes) -> None:
    """Refuse aliases, deep nesting and long files before any value is constructed."""
    depth = values = 0
    for event in yaml.parse(data, yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _HostileError("the file uses anchors or aliases; write the values out.")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        values += isinstance(event, yaml.NodeEvent)
        if depth > MOST_DEPTH or values > MOST_VALUES:
            raise _HostileError(
                f"the file nests deeper than {MOST_DEPTH} levels or has more than "
                f"{MOST_VALUES} values."
            )


def _require_usable_numbers(value: object) -> None:
    """Refuse numbers that are not finite, or that Python will not print, also as keys.

    An integer is measured by its value, because base 16, 8, 2 and 60 write it with fewer digits.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number.")
    if isinstance(value, int) and abs(value) >= 10**MOST_DIGITS:
        raise ValueError(f"an integer has more than {MOST_DIGITS} digits.")
    inner = (*value, *value.values()) if isinstance(value, dict) else value
    for one in inner if isinstance(inner, list | tuple | set) else ():
        _require_usable_numbers(one)
