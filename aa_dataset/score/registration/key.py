# SPDX-License-Identifier: Apache-2.0
"""The key of ``aa inputs --blind``: which object is behind a neutral name."""

from __future__ import annotations

from pathlib import Path

from aa_dataset.errors import ArenaError
from aa_dataset.untrusted.json_fields import FieldError, checked, parse_json

MOST_BYTES = 16_000_000


def read_key(path: Path) -> dict[str, str]:
    """Return object ids by neutral name, or raise `ArenaError` with a sentence."""
    try:
        if not path.is_file():
            raise FieldError("it is no file")
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise FieldError(f"it has more than {MOST_BYTES:,} bytes")
        return _key(parse_json(data))
    except (FieldError, OSError) as error:
        raise ArenaError(
            f"{path} is not a key of `aa inputs --blind`: {str(error).rstrip('.')}."
        ) from error


def _key(value: object) -> dict[str, str]:
    key: dict[str, str] = checked(value, dict[str, str], "it")
    if len(set(key.values())) < len(key):
        raise FieldError("two names have the same object")
    return key
